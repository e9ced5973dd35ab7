import JSON

extension SignedDataVerifier {
  /// Verifies a notification with every token in it.
  /// - Parameter signedPayload: the token as it stood in `signedPayload`, decoded from JSON.
  /// - Throws: `refused` when it can never become good; `genuineButUnusable` when Apple signed it, all of it holds,
  ///   and it lacks what every further step needs.
  public func verifyNotification(
    _ signedPayload: ArraySlice<UInt8>
  ) throws(VerificationError) -> VerifiedNotification {
    try verifyNotification(signedPayload, trace: nil)
  }

  /// - Parameter trace: takes every step that is passed.
  func verifyNotification(
    _ signedPayload: ArraySlice<UInt8>, trace: VerificationTrace?
  ) throws(VerificationError) -> VerifiedNotification {
    let parts: (outer: VerifiedToken, inner: [InnerToken], identity: NotificationIdentity, conflict: Bool)
    do {
      parts = try verifyParts(signedPayload, trace)
    } catch {
      throw .refused(error)
    }
    let payload = ResponseBodyV2DecodedPayload(view: parts.outer.payload.root)
    trace?.slot = .outer
    trace?.begin(.usable)
    if let refusal = Self.fault(payload, inner: parts.inner, conflict: parts.conflict) {
      throw .genuineButUnusable(
        UnusableNotification(
          outer: parts.outer, inner: parts.inner, payload: payload, identity: parts.identity,
          signedDate: parts.outer.signedDate, refusal: refusal))
    }
    trace?.pass("nothing is missing that it needs to be worked with")
    return VerifiedNotification(
      outer: parts.outer, inner: parts.inner, payload: payload, notificationType: payload.notificationType!,
      notificationUUID: payload.notificationUUID!.lowercased(), signedDate: parts.outer.signedDate,
      identity: parts.identity)
  }

  private func verifyParts(
    _ signedPayload: ArraySlice<UInt8>, _ trace: VerificationTrace?
  ) throws(VerificationRefusal) -> (VerifiedToken, [InnerToken], NotificationIdentity, Bool) {
    var last: LastHeader?
    let outer = try verify(signedPayload, dateMember: TokenSlot.outer.dateMember, last: &last, trace: trace)
    let root = outer.payload.root
    trace?.begin(.kind)
    try TokenSlot.outer.checkKind(of: root)
    trace?.pass("a notification")
    let told = NotificationIdentity.told(by: root)
    let identity = told.first ?? NotificationIdentity(bundleId: nil, environment: nil)
    var inner: [InnerToken] = []
    for slot in TokenSlot.allCases {
      guard let path = slot.path, let string = root[path.object]?[path.member], let text = string.stringBytes else {
        continue
      }
      do {
        trace?.slot = slot
        let token = try verify(text, dateMember: slot.dateMember, last: &last, trace: trace)
        trace?.begin(.kind)
        try slot.checkKind(of: token.payload.root)
        trace?.pass("what belongs into \(slot.rawValue)")
        trace?.begin(.belonging)
        try Self.checkBelonging(of: token.payload.root, in: slot, to: identity)
        trace?.pass("about the app and environment of the notification")
        inner.append(InnerToken(slot: slot, token: token, range: string.range, isEscaped: string.isEscaped))
      } catch {
        throw error.at(slot)
      }
    }
    inner.sort { $0.range.lowerBound < $1.range.lowerBound }
    return (outer, inner, identity, told.dropFirst().contains { !$0.agrees(with: identity) })
  }

  /// An inner token must be about the app and environment that the outer one names. Where the outer names none, it
  /// will find no configured app, and there is nothing to compare with.
  private static func checkBelonging(
    of payload: JSONView, in slot: TokenSlot, to identity: NotificationIdentity
  ) throws(VerificationRefusal) {
    if slot != .renewalInfo, let expected = identity.bundleId {
      let found = payload["bundleId"]?.string
      guard let found, found.utf8.elementsEqual(expected.utf8) else {
        throw VerificationRefusal(
          .bundleId, "bundleId is \(shown(found)), the notification is about \(shown(expected))")
      }
    }
    if let expected = identity.environment {
      let found = payload[slot == .appTransaction ? "receiptType" : "environment"]?.string
      guard found == expected.rawValue else {
        throw VerificationRefusal(
          .environment, "the environment is \(shown(found)), the notification's is \(shown(expected.rawValue))")
      }
    }
  }

  private static func shown(_ text: String?) -> String { text.map { "\($0.prefix(200))" } ?? "absent" }

  /// What makes a genuine notification unusable; nil when nothing does.
  private static func fault(
    _ payload: ResponseBodyV2DecodedPayload, inner: [InnerToken], conflict: Bool
  ) -> VerificationRefusal? {
    guard let uuid = payload.notificationUUID else {
      return VerificationRefusal(.payload, "notificationUUID is absent, so a repetition could not be told")
    }
    guard isUUID(uuid) else {
      return VerificationRefusal(.payload, "notificationUUID is not a UUID, so a repetition could not be told")
    }
    if conflict {
      return VerificationRefusal(.payload, "two parts of the payload name different apps or environments")
    }
    for slot in TokenSlot.allCases {
      guard let path = slot.path, let value = payload.view[path.object]?[path.member] else { continue }
      guard value.kind == .string else {
        return VerificationRefusal(.payload, "a token was expected as a string, it is something else", slot: slot)
      }
    }
    let transaction = inner.first { $0.slot == .transaction }
    if let transaction {
      guard isTransactionId(transaction.token.payload.root["transactionId"]?.string ?? "") else {
        return VerificationRefusal(
          .payload, "transactionId is not 1 to 64 ASCII letters, digits, - or _", slot: .transaction)
      }
    } else if payload.notificationType?.isAboutRefund == true {
      return VerificationRefusal(
        .payload, "a \(payload.notificationType!.rawValue) without a transaction says nothing to act on",
        slot: .transaction)
    }
    return nil
  }

  private static func isUUID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return false }
    return bytes.indices.allSatisfy { index in
      [8, 13, 18, 23].contains(index) ? bytes[index] == UInt8(ascii: "-") : bytes[index].isHexDigit
    }
  }

  private static func isTransactionId(_ text: String) -> Bool { TransactionID.isWellFormed(text) }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
