/// A draft that may be written, with what the log adds to it whatever stands before it. Made by who appends: one thread
/// writes for all, and while it does, other processes wait.
struct SealedDraft: Sendable {
  let draft: EventDraft
  let salt: [UInt8]
  let digest: [UInt8]

  private init(_ draft: EventDraft, salt: [UInt8]) {
    self.draft = draft
    self.salt = salt
    digest = EventHash.digest(salt: salt, data: draft.data, seams: draft.seams?.encoded)
  }

  /// - Throws: `AppendError.refused` with what is wrong with the first that may not be written.
  static func seal(_ drafts: [EventDraft], parts: LogParts) throws(AppendError) -> [SealedDraft] {
    for draft in drafts { if let objection = draft.objection { throw .refused(objection) } }
    return drafts.map { SealedDraft($0, salt: parts.randomBytes(16)) }
  }
}
