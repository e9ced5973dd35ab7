import AppStore
import JSON

/// What of a notification this release does not know: Apple adds types, subtypes and members at any time. The notification
/// is kept and passed on as it came, whatever it says.
struct UnknownWords: Sendable, Equatable {
  enum Kind: String, Sendable { case type, subtype, member }

  struct Word: Sendable, Hashable {
    var kind: Kind
    /// A member with the object it stands in, such as `data.signedTransactionInfo.newMember`.
    var text: String
  }

  /// Of one notification that many at most are told.
  static let wordsMax = 20
  /// A longer word is cut there.
  static let bytesMax = 128

  private(set) var words: [Word] = []

  init(_ words: [Word]) { self.words = words }

  init(in notification: VerifiedNotification) {
    if case .unknown(let type) = notification.notificationType { add(.type, type) }
    if case .unknown(let subtype) = notification.payload.subtype { add(.subtype, subtype) }
    add(notification.payload.unknownMembers, of: "")
    add(notification.payload.data?.unknownMembers, of: "data.")
    add(notification.transaction?.unknownMembers, of: "data.signedTransactionInfo.")
    add(notification.renewalInfo?.unknownMembers, of: "data.signedRenewalInfo.")
    add(notification.appTransaction?.unknownMembers, of: "appData.signedAppTransactionInfo.")
  }

  private mutating func add(_ members: [(key: String, value: JSONView)]?, of object: String) {
    for member in members ?? [] { add(.member, object + member.key) }
  }

  private mutating func add(_ kind: Kind, _ text: String) {
    if words.count == Self.wordsMax { return }
    words.append(Word(kind: kind, text: String(decoding: text.utf8.prefix(Self.bytesMax), as: UTF8.self)))
  }
}
