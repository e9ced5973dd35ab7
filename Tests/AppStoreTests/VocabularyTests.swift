import AppStore
import JSON
import TestSupport
import Testing

@Suite("Apple's words") struct VocabularyTests {
  private static func isUnknown(_ word: Any) -> Bool { Mirror(reflecting: word).children.first?.label == "unknown" }

  private static func keepsText<Word: OpenText>(_ word: Word.Type) -> @Sendable (String) -> String {
    { raw in
      let word = Word(rawValue: raw)
      return "\(word == Word(rawValue: raw))\(word.rawValue == raw)\(isUnknown(word))"
    }
  }

  private static let texts: [String: @Sendable (String) -> String] = [
    "notificationType": keepsText(NotificationType.self), "subtype": keepsText(Subtype.self),
    "consumptionRequestReason": keepsText(ConsumptionRequestReason.self),
    "environment": keepsText(Environment.self), "type": keepsText(ProductType.self),
    "revocationType": keepsText(RevocationType.self), "inAppOwnershipType": keepsText(OwnershipType.self),
    "transactionReason": keepsText(TransactionReason.self), "offerDiscountType": keepsText(OfferDiscountType.self),
    "billingPlanType": keepsText(BillingPlanType.self), "invitationManagement": keepsText(InvitationManagement.self),
    "sendAttemptResult": keepsText(SendAttemptResult.self),
    "deliveryStatusV2": { "truetrue\(DeliveryStatus(rawValue: $0) == nil)" },
    "refundPreferenceV2": { "truetrue\(RefundPreference(rawValue: $0) == nil)" },
  ]

  @Test(
    "are known as far as they are documented, and all others are kept",
    .enabled(if: Project.sharedVectors != nil, "needs the full vectors beside the project"))
  func documented() throws {
    let folder = try #require(Project.sharedVectors)
    let bytes = try #require(Project.bytes("\(folder)/../enums.json"))
    let enums = try #require(try JSONDocument(bytes: bytes).root["enums"])
    for (name, look) in Self.texts {
      let values = try #require(enums[name]?["values"]?.elements)
      #expect(!values.isEmpty)
      for value in values {
        let raw = try #require(value.string ?? value["value"]?.string)
        #expect(look(raw) == "truetruefalse", "\(name) \(raw)")
      }
      #expect(look("NEVER_SEEN") == "truetruetrue")
    }
    for (name, known) in [
      ("offerType", { OfferType(rawValue: $0) }), ("status", { SubscriptionStatus(rawValue: $0) }),
      ("revocationReason", { RevocationReason(rawValue: $0) }), ("autoRenewStatus", { AutoRenewStatus(rawValue: $0) }),
      ("expirationIntent", { ExpirationIntent(rawValue: $0) }),
    ] as [(String, (Int64) -> any OpenNumber)] {
      for value in try #require(enums[name]?["values"]?.elements) {
        let raw = try #require(value.int64 ?? value["value"]?.int64)
        #expect(known(raw).rawValue == raw)
        #expect(!Self.isUnknown(known(raw)))
      }
      #expect(known(77).rawValue == 77)
      #expect(Self.isUnknown(known(77)))
    }
  }
}

@Suite("A payload") struct PayloadTests {
  private func transaction(_ text: String) throws -> JWSTransactionDecodedPayload {
    JWSTransactionDecodedPayload(view: try JSONDocument(bytes: Array(text.utf8)).root)
  }

  @Test("shows members that we do not know, as they came") func unknownMembers() throws {
    let payload = try transaction(#"{"transactionId":"1","newA":{"x":1.50},"price":5,"newB":null,"newC":[1]}"#)
    #expect(payload.unknownMembers.map(\.key) == ["newA", "newB", "newC"])
    #expect(payload.unknownMembers[0].value["x"]?.numberText == "1.50")
  }

  @Test("gives nil for a member of another kind, and never fails") func otherKinds() throws {
    let payload = try transaction(
      #"{"transactionId":5,"price":"5","type":7,"offerType":"1","isUpgraded":1,"quantity":1.0,"multiSeatInfo":[]}"#)
    #expect(payload.transactionId == nil)
    #expect(payload.price == nil)
    #expect(payload.type == nil)
    #expect(payload.offerType == nil)
    #expect(payload.isUpgraded == nil)
    #expect(payload.quantity == nil)
    #expect(payload.multiSeatInfo == nil)
    #expect(payload.unknownMembers.isEmpty)
  }

  @Test(
    "tells one customer from two spellings of a token, and none from all zeros",
    arguments: [
      (#"{"appAccountToken":"3F0F9A4E-6C11-4A39-9A55-0C1F2F6A7D10"}"#, "3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10"),
      (#"{"appAccountToken":"00000000-0000-0000-0000-000000000000"}"#, nil), (#"{"appAccountToken":""}"#, nil),
      (#"{}"#, nil),
    ] as [(String, String?)])
  func accountToken(text: String, expected: String?) throws {
    #expect(try transaction(text).accountToken == expected)
  }

  @Test(
    "of Apple's models is read to the last member",
    .enabled(if: Project.sharedVectors != nil, "needs the full vectors beside the project"))
  func models() throws {
    func view(_ name: String) throws -> JSONView {
      let path = try #require(Project.sharedVectors) + "/models/\(name).json"
      return try JSONDocument(bytes: try #require(Project.bytes(path))).root
    }
    let transaction = JWSTransactionDecodedPayload(view: try view("signedTransaction"))
    #expect(transaction.unknownMembers.isEmpty)
    #expect(transaction.price == 10_990)
    #expect(transaction.quantity == 1)
    #expect(transaction.answerability == .version1)
    #expect(transaction.commitmentInfo?.totalBillingPeriods == 12)
    #expect(transaction.environment == .localTesting)
    let renewal = JWSRenewalInfoDecodedPayload(view: try view("signedRenewalInfo"))
    #expect(renewal.unknownMembers.map(\.key) == [])
    let notification = ResponseBodyV2DecodedPayload(view: try view("signedConsumptionRequestNotification"))
    #expect(notification.data?.consumptionRequestReason == .unintendedPurchase)
    #expect(notification.data?.unknownMembers.isEmpty == true)
    let external = ResponseBodyV2DecodedPayload(view: try view("signedExternalPurchaseTokenNotification"))
    #expect(external.externalPurchaseToken?.environment == .production)
    let app = AppTransactionDecodedPayload(view: try view("appTransaction"))
    #expect(app.receiptType == .localTesting)
    #expect(app.versionExternalIdentifier == 512)
    #expect(NotificationAppData(view: try view("appData")).environment == .sandbox)
  }
}
