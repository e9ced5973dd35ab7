import AppStore
import JSON
import TestSupport
import Testing

@Suite("A consumption request") struct ConsumptionRequestTests {
  static let types: [ProductType] = [.consumable, .nonConsumable, .nonRenewingSubscription, .autoRenewableSubscription]
  static let preferences: [RefundPreference?] = [nil, .decline, .grantFull, .grantProrated]
  static let percentages: [Int64?] = [nil, 0, 1, 50_000, 99_999, 100_000, -1, 100_001]

  /// Apple's table of allowed combinations, written down a second time and in another way: as the set of percentages
  /// that a row allows.
  private static func allowed(
    _ type: ProductType, _ status: DeliveryStatus, _ preference: RefundPreference?
  ) -> Set<Int64?> {
    let isSubscription = type == .autoRenewableSubscription
    let undelivered = status.rawValue.hasPrefix("UNDELIVERED")
    switch (isSubscription, undelivered, preference?.rawValue ?? "") {
    case (true, _, _): return [nil]
    case (false, true, "GRANT_PRORATED"): return []
    case (false, true, _): return [nil, 0]
    case (false, false, "GRANT_PRORATED"): return [1, 50_000, 99_999]
    case (false, false, _): return [nil, 0, 1, 50_000, 99_999, 100_000]
    }
  }

  @Test("holds what Apple's table allows and nothing else", arguments: types, DeliveryStatus.allCases)
  func product(type: ProductType, status: DeliveryStatus) {
    for preference in Self.preferences {
      let allowed = Self.allowed(type, status, preference)
      for milliunits in Self.percentages {
        var failure: ConsumptionRequestError?
        do throws(ConsumptionRequestError) {
          _ = try ConsumptionRequest(
            productType: type, deliveryStatus: status, sampleContentProvided: false,
            consumptionPercentage: milliunits.map(ConsumptionPercentage.init(milliunits:)), refundPreference: preference
          )
        } catch {
          failure = error
        }
        #expect((failure == nil) == allowed.contains(milliunits))
        if let failure {
          #expect(["consumptionPercentage", "refundPreference"].contains(failure.member))
          #expect(failure.description.contains(failure.member))
        }
      }
    }
  }

  @Test("of a product type we do not know says only what holds for all") func unknownType() throws {
    let type = ProductType.unknown("Lease")
    for preference: RefundPreference? in [nil, .decline, .grantFull] {
      #expect(throws: Never.self) {
        try ConsumptionRequest(
          productType: type, deliveryStatus: .delivered, sampleContentProvided: true, refundPreference: preference)
      }
    }
    #expect(throws: ConsumptionRequestError.unknownProductType("Lease", member: "refundPreference")) {
      try ConsumptionRequest(
        productType: type, deliveryStatus: .delivered, sampleContentProvided: true, refundPreference: .grantProrated)
    }
    #expect(throws: ConsumptionRequestError.unknownProductType("Lease", member: "consumptionPercentage")) {
      try ConsumptionRequest(
        productType: type, deliveryStatus: .delivered, sampleContentProvided: true,
        consumptionPercentage: ConsumptionPercentage.none)
    }
  }

  @Test("is written the same way every time") func bytes() throws {
    let full = try ConsumptionRequest(
      productType: .consumable, deliveryStatus: .delivered, sampleContentProvided: true,
      consumptionPercentage: ConsumptionPercentage(milliunits: 33_333), refundPreference: .grantProrated)
    #expect(
      String(decoding: full.body, as: UTF8.self)
        == #"{"customerConsented":true,"sampleContentProvided":true,"deliveryStatus":"DELIVERED","#
        + #""consumptionPercentage":33333,"refundPreference":"GRANT_PRORATED"}"#)
    let zero = try ConsumptionRequest(
      productType: .consumable, deliveryStatus: .undeliveredOther, sampleContentProvided: false,
      consumptionPercentage: ConsumptionPercentage.none)
    #expect(
      String(decoding: zero.body, as: UTF8.self)
        == #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"UNDELIVERED_OTHER","#
        + #""consumptionPercentage":0}"#)
  }

  @Test(
    "states a share of units to the thousandth of a percent",
    arguments: [
      (1, 3, 33_333), (2, 3, 66_667), (0, 5, 0), (5, 5, 100_000), (1, 200_000, 1), (1, 200_001, 0), (1, 2, 50_000),
      (Int64.max - 1, Int64.max, 100_000), (Int64.max, Int64.max, 100_000),
    ] as [(Int64, Int64, Int64)])
  func shares(used: Int64, granted: Int64, milliunits: Int64) {
    #expect(ConsumptionPercentage(used: used, of: granted)?.milliunits == milliunits)
  }

  @Test("states no share where there is none", arguments: [(1, 0), (-1, 5), (6, 5), (0, -1)] as [(Int64, Int64)])
  func noShares(used: Int64, granted: Int64) { #expect(ConsumptionPercentage(used: used, of: granted) == nil) }

  @Test(
    "finds a percentage doubtful that looks like whole percents",
    arguments: [(0, false), (1, true), (94, true), (100, true), (101, false), (94_000, false)] as [(Int64, Bool)])
  func doubtful(milliunits: Int64, expected: Bool) throws {
    #expect(try ConsumptionPercentage(milliunits: milliunits).looksLikeWholePercent == expected)
  }
}

@Suite("A body for version 2") struct ConsumptionBodyVectorTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let id: String
    let type: ProductType
    let body: String
    let verdict: String
    let transaction: JSONValue?
    var testDescription: String { id }
  }

  static let rows: [Row] = {
    guard let bytes = Project.bytes("\(Project.vectors)/http/consumption-v2-bodies.json"),
      let document = try? JSONDocument(bytes: bytes)
    else { return [] }
    return (document.root["cases"]?.elements ?? []).map { row in
      Row(
        id: row["id"]?.string ?? "", type: ProductType(rawValue: row["productType"]?.string ?? ""),
        body: row["body"]?.string ?? "", verdict: row["verdict"]?.string ?? "",
        transaction: row["transaction"].map(JSONValue.init))
    }
  }()

  @Test("all rows are there") func count() { #expect(Self.rows.count == 30) }

  @Test("can be made if Apple takes it, byte for byte, and else cannot", arguments: rows)
  func body(row: Row) throws {
    let request = try Self.build(row)
    switch row.verdict {
    case "valid":
      #expect(String(decoding: try #require(request).body, as: UTF8.self) == row.body)
    case "valid-but-suspect":
      #expect(try #require(request).consumptionPercentage?.looksLikeWholePercent == true)
    default:
      #expect(request == nil)
    }
  }

  /// Makes the row's body through the types, where they can hold what it says; nil where they cannot.
  private static func build(_ row: Row) throws -> ConsumptionRequest? {
    let body = try JSONDocument(bytes: Array(row.body.utf8)).root
    var transaction: JSONObject = ["transactionId": "1"]
    for member in row.transaction?.object?.members ?? [] { transaction[member.key] = member.value }
    let view = try JSONDocument(bytes: JSONValue.object(transaction).bytes()).root
    guard JWSTransactionDecodedPayload(view: view).answerability == .version2 else { return nil }
    guard body["customerConsented"]?.bool == true, let sample = body["sampleContentProvided"]?.bool,
      let status = body["deliveryStatus"]?.string.flatMap(DeliveryStatus.init(rawValue:))
    else { return nil }
    var preference: RefundPreference?
    if let told = body["refundPreference"] {
      guard let known = told.string.flatMap(RefundPreference.init(rawValue:)) else { return nil }
      preference = known
    }
    do {
      return try ConsumptionRequest(
        productType: row.type, deliveryStatus: status, sampleContentProvided: sample,
        consumptionPercentage: try body["consumptionPercentage"]?.int64.map(ConsumptionPercentage.init(milliunits:)),
        refundPreference: preference)
    } catch {
      return nil
    }
  }
}

@Suite("A purchase") struct AnswerabilityTests {
  @Test(
    "is answerable unless it is shared, assigned or of the other endpoint",
    arguments: [
      (#"{}"#, .version2), (#"{"inAppOwnershipType":"PURCHASED"}"#, .version2),
      (#"{"inAppOwnershipType":"SOMETHING_NEW"}"#, .version2), (#"{"advancedCommerceInfo":null}"#, .version2),
      (#"{"inAppOwnershipType":"FAMILY_SHARED"}"#, .notAnswerable(.familyShared)),
      (#"{"inAppOwnershipType":"ASSIGNED"}"#, .notAnswerable(.assigned)),
      (#"{"inAppOwnershipType":"FAMILY_SHARED","advancedCommerceInfo":{}}"#, .notAnswerable(.familyShared)),
      (#"{"inAppOwnershipType":"PURCHASED","advancedCommerceInfo":{}}"#, .version1),
    ] as [(String, Answerability)])
  func answerability(text: String, expected: Answerability) throws {
    let view = try JSONDocument(bytes: Array(text.utf8)).root
    #expect(JWSTransactionDecodedPayload(view: view).answerability == expected)
  }
}
