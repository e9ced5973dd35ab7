import AppStore
import JSON
import TestSupport
import Testing

@Suite("A conformance row") struct VectorTests {
  /// What was decided where either answer is right; docs/verification.md gives the reasons.
  static let decided: KeyValuePairs<String, VerificationRefusal.Code?> = [
    "i01-no-signeddate": .payload, "i02-x5c-base64url": .certificateDecode, "i03-signature-padded": .signature,
    "i04-trailing-newline": .signature, "i05-header-crit": .format, "i06-signeddate-far-future": nil,
    "i07-x5c-line-breaks": .certificateDecode, "i08-duplicate-header-member": .format,
  ]

  /// Rows that other libraries accept in a developer mode, which does not exist here.
  static let neverAccepted = ["a10-xcode-transaction-as-xcode", "a11-xcode-app-transaction-as-xcode"]

  @Test("of the derived set gets its verdict", arguments: VectorRow.load(Project.vectors))
  func derived(row: VectorRow) throws { try check(row) }

  @Test(
    "of the full set gets its verdict",
    .enabled(if: Project.sharedVectors != nil, "needs the full vectors beside the project"),
    arguments: VectorRow.load(Project.sharedVectors))
  func full(row: VectorRow) throws { try check(row) }

  @Test("is there for every case") func counts() {
    #expect(VectorRow.load(Project.vectors).count == 92)
    #expect(Project.sharedVectors == nil || VectorRow.load(Project.sharedVectors).count == 132)
  }

  private func check(_ row: VectorRow) throws {
    let verdict = try RowVerdict.of(row)
    switch (verdict, row.verdict) {
    case (.accepted(let notification, let payload), "accept"):
      #expect(!Self.neverAccepted.contains(row.id))
      if let expect = row.expect { try check(expect, notification, payload) }
    case (.refused(let code, let slot, _), "reject"):
      #expect(code.rawValue == row.reason)
      #expect((slot == .outer) == (row.stage != "inner"))
    case (.refused(let code, _, _), "implementation-defined"):
      #expect(try decision(row) == code)
    case (.accepted, "implementation-defined"):
      #expect(try decision(row) == nil)
    case (.refused, "accept"):
      #expect(Self.neverAccepted.contains(row.id), "\(row.id) must be accepted: \(verdict)")
    default:
      Issue.record("\(row.id) must be \(row.verdict): \(verdict)")
    }
  }

  private func decision(_ row: VectorRow) throws -> VerificationRefusal.Code? {
    try #require(Self.decided.first { $0.key == row.id }).value
  }

  /// Each expected member that is Apple's is looked for where Apple puts it; the others are ours and are judged here.
  private func check(_ expect: JSONValue, _ notification: VerifiedNotification?, _ payload: JSONView?) throws {
    for member in try #require(expect.object).members {
      if try checkOurs(member.key, member.value, notification) { continue }
      let places = [
        payload?[member.key], payload?["data"]?[member.key], notification?.transaction?.view[member.key],
        notification?.renewalInfo?.view[member.key],
      ]
      let found = places.compactMap { $0 }.first
      if member.value.isNull {
        #expect(found == nil, "\(member.key) must be absent")
      } else {
        #expect(found.map(JSONValue.init) == member.value, "\(member.key) differs")
      }
    }
  }

  private func checkOurs(_ name: String, _ value: JSONValue, _ notification: VerifiedNotification?) throws -> Bool {
    switch name {
    case "answerVersion":
      #expect(notification?.transaction?.answerability == (value == "v1" ? .version1 : .version2))
    case "percentageAllowed":
      let type = try #require(notification?.transaction?.type)
      let request = try? ConsumptionRequest(
        productType: type, deliveryStatus: .delivered, sampleContentProvided: false, consumptionPercentage: .all)
      #expect((request != nil) == value.bool)
    case "outcome", "action":
      // Words about what follows; they are for those who translate and decide.
      break
    default: return false
    }
    return true
  }
}

@Suite("A notification of the derived set") struct VectorShapeTests {
  private func verdict(_ id: String) throws -> RowVerdict {
    try RowVerdict.of(try #require(VectorRow.load(Project.vectors).first { $0.id == id }))
  }

  @Test(
    "that is genuine and cannot be worked with is told apart from a forged one",
    arguments: [
      ("n56-consumption-without-transaction", true), ("n57-no-notification-uuid", true),
      ("n50-transaction-as-notification", false), ("n55-inner-renewal-in-transaction-slot", false),
      ("n17-payload-changed", false),
    ])
  func unusable(id: String, expected: Bool) throws {
    guard case .refused(_, _, let unusable) = try verdict(id) else {
      Issue.record("\(id) must be refused")
      return
    }
    #expect(unusable == expected)
  }

  @Test("keeps words that are new, and tells absent from unknown") func openWords() throws {
    guard case .accepted(let unknown?, _) = try verdict("p15-unknown-enum-values"),
      case .accepted(let absent?, _) = try verdict("p05-consumption-no-reason-no-token")
    else {
      Issue.record("both must be accepted")
      return
    }
    #expect(unknown.payload.data?.consumptionRequestReason == .unknown("NEW_REASON"))
    #expect(unknown.transaction?.inAppOwnershipType == .unknown("SOMETHING_NEW"))
    #expect(unknown.transaction?.offerType == .unknown(9))
    #expect(unknown.renewalInfo?.expirationIntent == .unknown(99))
    #expect(absent.payload.data?.consumptionRequestReason == nil)
    #expect(absent.transaction?.accountToken == nil)
  }

  @Test("keeps integers beyond 2^53") func bigIntegers() throws {
    guard case .accepted(let notification?, _) = try verdict("p21-big-integers") else {
      Issue.record("must be accepted")
      return
    }
    #expect(notification.transaction?.price == 9_007_199_254_740_993)
  }

  @Test("tells where its tokens stand, and gives its text back bit for bit") func seams() throws {
    let row = try #require(VectorRow.load(Project.vectors).first { $0.id == "p03-consumption-auto-renewable" })
    let received = try row.bytes(row.file)
    let notification = try row.verifier().verifyNotification(received[...])
    #expect(notification.inner.map(\.slot) == [.transaction, .renewalInfo])
    #expect(notification.isReconstructible)
    #expect(Array(notification.outer.received) == received)
    for inner in notification.inner {
      let quoted = [UInt8(ascii: "\"")] + Array(inner.token.received) + [UInt8(ascii: "\"")]
      #expect(Array(notification.outer.payload.bytes[inner.range]) == quoted)
      #expect(!inner.isEscaped)
      #expect(inner.token.headerDigest == notification.outer.headerDigest)
      #expect(inner.token.signature.count == 64)
    }
  }
}
