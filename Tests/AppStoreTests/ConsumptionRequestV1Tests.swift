import AppStore
import JSON
import TestSupport
import Testing

@Suite("A body for version 1") struct ConsumptionRequestV1Tests {
  struct Row: Sendable, CustomTestStringConvertible {
    let id: String
    let body: String
    let verdict: String
    let isAdvancedCommerce: Bool
    var testDescription: String { id }
  }

  static let rows: [Row] = {
    guard let bytes = Project.bytes("\(Project.vectors)/http/consumption-v1-bodies.json"),
      let document = try? JSONDocument(bytes: bytes)
    else { return [] }
    return (document.root["cases"]?.elements ?? []).map { row in
      Row(
        id: row["id"]?.string ?? "", body: row["body"]?.string ?? "", verdict: row["verdict"]?.string ?? "",
        isAdvancedCommerce: row["transaction"]?["advancedCommerceInfo"]?.bool == true)
    }
  }()

  @Test("all rows are there") func count() { #expect(Self.rows.count == 14) }

  @Test("can be made if Apple takes it, byte for byte, and else cannot", arguments: rows)
  func vectors(row: Row) throws {
    let answer = try Self.build(row)
    if row.verdict == "valid" {
      #expect(String(decoding: try #require(answer).body, as: UTF8.self) == row.body)
    } else {
      #expect(answer == nil)
    }
  }

  /// Makes the row's body through the types, where they can hold what it says; nil where they cannot.
  private static func build(_ row: Row) throws -> ConsumptionAnswer? {
    let body = try JSONDocument(bytes: Array(row.body.utf8)).root
    var transaction: JSONObject = ["type": "Consumable"]
    if row.isAdvancedCommerce { transaction["advancedCommerceInfo"] = [:] }
    let view = try JSONDocument(bytes: JSONValue.object(transaction).bytes()).root
    guard JWSTransactionDecodedPayload(view: view).answerability == .version1 else { return nil }
    func table<Table: RawRepresentable<Int64>>(_ member: String, _: Table.Type) -> Table? {
      body[member]?.int64.flatMap(Table.init(rawValue:))
    }
    guard body["customerConsented"]?.bool == true, let sample = body["sampleContentProvided"]?.bool,
      let status = table("consumptionStatus", ConsumptionStatus.self),
      let delivery = table("deliveryStatus", DeliveryStatusV1.self),
      let platform = table("platform", ConsumptionPlatform.self),
      let tenure = table("accountTenure", AccountTenure.self), let playTime = table("playTime", PlayTime.self),
      let refunded = table("lifetimeDollarsRefunded", LifetimeDollars.self),
      let purchased = table("lifetimeDollarsPurchased", LifetimeDollars.self),
      let user = table("userStatus", UserStatus.self)
    else { return nil }
    var preference: RefundPreferenceV1?
    if body["refundPreference"] != nil {
      guard let known = table("refundPreference", RefundPreferenceV1.self) else { return nil }
      preference = known
    }
    do {
      return .version1(
        try ConsumptionRequestV1(
          productType: .consumable, consumptionStatus: status, deliveryStatus: delivery, sampleContentProvided: sample,
          appAccountToken: body["appAccountToken"]?.string,
          account: ConsumptionAccount(
            platform: platform, tenure: tenure, playTime: playTime, refunded: refunded, purchased: purchased,
            status: user), refundPreference: preference))
    } catch {
      return nil
    }
  }

  @Test("says everything that nobody stated as undeclared") func undeclared() throws {
    let request = try ConsumptionRequestV1(
      productType: .autoRenewableSubscription, deliveryStatus: .delivered, sampleContentProvided: true,
      appAccountToken: nil)
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == #"{"customerConsented":true,"consumptionStatus":0,"platform":0,"sampleContentProvided":true,"#
        + #""deliveryStatus":0,"appAccountToken":"","accountTenure":0,"playTime":0,"lifetimeDollarsRefunded":0,"#
        + #""lifetimeDollarsPurchased":0,"userStatus":0}"#)
    #expect(ConsumptionAnswer.version1(request).version.rawValue == 1)
  }

  @Test(
    "is not made for other product types",
    arguments: [ProductType.nonConsumable, .nonRenewingSubscription, .unknown("Lease")])
  func types(type: ProductType) {
    #expect(throws: ConsumptionRequestError.productTypeOfVersion1(type.rawValue)) {
      try ConsumptionRequestV1(
        productType: type, deliveryStatus: .delivered, sampleContentProvided: true, appAccountToken: nil)
    }
  }

  @Test(
    "carries a UUID in lower case or nothing, and never tells a token that is none",
    arguments: [
      (nil, ""), ("", ""), ("00000000-0000-0000-0000-000000000000", ""),
      ("3F0F9A4E-6C11-4A39-9A55-0C1F2F6A7D10", "3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10"), ("user-42", nil),
      ("3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d1", nil), ("3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10 ", nil),
      ("3f0f9a4e6c114a399a550c1f2f6a7d10", nil), ("\"},\"refundPreference\":1,\"x\":\"", nil),
      ("３f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10", nil),
    ] as [(String?, String?)])
  func tokens(given: String?, sent: String?) throws {
    do throws(ConsumptionRequestError) {
      let request = try ConsumptionRequestV1(
        productType: .consumable, deliveryStatus: .delivered, sampleContentProvided: true, appAccountToken: given)
      #expect(String(decoding: request.body, as: UTF8.self).contains("\"appAccountToken\":\"\(sent ?? "refused")\""))
    } catch {
      #expect(sent == nil && error == .accountTokenNotUUID && error.member == "appAccountToken")
      #expect(!error.description.contains(given ?? "none"))
    }
  }

  @Test("states delivery and use in the numbers of Apple's tables") func mapping() throws {
    #expect(DeliveryStatus.allCases.map { DeliveryStatusV1($0).rawValue } == [0, 1, 2, 3, 5])
    let shares: [Int64?] = [nil, 0, 1, 99_999, 100_000]
    let statuses = try shares.map { share in
      ConsumptionStatus(try share.map(ConsumptionPercentage.init(milliunits:))).rawValue
    }
    #expect(statuses == [0, 1, 2, 2, 3])
  }

  @Test("puts an account's age into its row, a border into the upper one")
  func tenure() {
    let day: Int64 = 86_400_000
    let rows: [(Int64, Int64)] = [
      (-1, 0), (0, 1), (3 * day - 1, 1), (3 * day, 2), (10 * day - 1, 2), (10 * day, 3), (30 * day, 4), (90 * day, 5),
      (180 * day, 6), (365 * day - 1, 6), (365 * day, 7), (.max, 7),
    ]
    for (age, row) in rows { #expect(AccountTenure(milliseconds: age).rawValue == row) }
  }

  @Test("puts the time of use into its row, a border into the upper one")
  func playTime() {
    let (minute, hour): (Int64, Int64) = (60_000, 3_600_000)
    let rows: [(Int64, Int64)] = [
      (-1, 0), (0, 1), (5 * minute - 1, 1), (5 * minute, 2), (hour, 3), (6 * hour, 4), (24 * hour - 1, 4),
      (24 * hour, 5), (96 * hour, 6), (384 * hour - 1, 6), (384 * hour, 7), (.max, 7),
    ]
    for (time, row) in rows { #expect(PlayTime(milliseconds: time).rawValue == row) }
  }

  @Test("puts a sum into its row, exactly 2,000 dollars into the upper one")
  func dollars() {
    let rows: [(Int64, Int64)] = [
      (-1, 0), (0, 1), (1, 2), (4_999, 2), (5_000, 3), (9_999, 3), (10_000, 4), (49_999, 4), (50_000, 5), (99_999, 5),
      (100_000, 6), (199_999, 6), (200_000, 7), (.max, 7),
    ]
    for (cents, row) in rows { #expect(LifetimeDollars(cents: cents).rawValue == row) }
  }
}
