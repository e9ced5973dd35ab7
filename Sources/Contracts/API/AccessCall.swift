/// The body of `PUT /v1/access/{environment}/{transactionId}`: the backend ended access, or restored it.
public struct AccessCall: Sendable, Equatable {
  public var bundleID: String
  public var state: AccessConfirmed.State
  /// When it was done. Milliseconds since 1970, UTC.
  public var statedAt: Int64
  public var note: String?

  /// - Parameter now: milliseconds since 1970, UTC; a statement more than 5 min after it is refused.
  /// - Throws: `Problem` with everything that is wrong.
  public init(body: [UInt8], now: Int64) throws(Problem) {
    var reader = CallReader(try CallReader.object(body), path: "")
    let bundleID = reader.required("bundleId", .bundleID)
    let state = reader.required("state", Shape<AccessConfirmed.State>.oneOf)
    let statedAt = reader.statedAt(now: now)
    note = reader.optional("note", .note)
    reader.refuseUnknown()
    guard reader.faults.isEmpty, let bundleID, let state, let statedAt else {
      throw Problem(.invalidMembers, errors: reader.faults)
    }
    self.bundleID = bundleID
    self.state = state
    self.statedAt = statedAt
  }

  /// The event it becomes.
  /// - Parameter by: name of the API token.
  public func event(by: String) -> AccessConfirmed {
    AccessConfirmed(state: state, statedAt: statedAt, by: by, note: note)
  }
}
