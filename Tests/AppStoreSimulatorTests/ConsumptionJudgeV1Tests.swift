import AppStore
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import AppStoreSimulator

@Suite("A body of Send Consumption Information V1") struct ConsumptionJudgeV1Tests {
  struct Row: Sendable, CustomTestStringConvertible {
    var id: String
    var body: String
    var verdict: String
    var isAdvancedCommerce: Bool
    var error: JSONObject?
    var testDescription: String { id }

    static let all: [Row] = {
      let bytes = Project.bytes(Project.vectors + "/http/consumption-v1-bodies.json")!
      return try! JSONValue(bytes: bytes)["cases"]!.array!.map { row in
        Row(
          id: row["id"]!.string!, body: row["body"]!.string!, verdict: row["verdict"]!.string!,
          isAdvancedCommerce: row["transaction"]?["advancedCommerceInfo"] != nil, error: row["storeError"]?.object)
      }
    }()
  }

  private static let token = "3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10"
  /// A body that Apple takes, member by member.
  private static let good: JSONObject = [
    "customerConsented": true, "consumptionStatus": 2, "platform": 1, "sampleContentProvided": false,
    "deliveryStatus": 0, "appAccountToken": .string(token), "accountTenure": 4, "playTime": 3,
    "lifetimeDollarsRefunded": 1, "lifetimeDollarsPurchased": 2, "userStatus": 1,
  ]

  private func judge(_ body: String, _ given: JSONObject = [:], isAdvancedCommerce: Bool = true) throws
    -> ConsumptionJudge.Verdict
  {
    var members = given
    if isAdvancedCommerce { members["advancedCommerceInfo"] = ["requestReferenceId": "x"] }
    members["appAccountToken"] = members["appAccountToken"] ?? .string(Self.token)
    let template = PurchaseTemplate(app: StoreApp(bundleId: "com.example.app", appAppleId: nil, environment: .sandbox))
    let purchase = try template.purchase("2000000000000001", given: members, now: 1_796_000_000_000)
    return ConsumptionJudgeV1.judge(try #require(ConsumptionJudge.body(Array(body.utf8))), of: purchase)
  }

  private func judge(_ body: JSONObject, _ given: JSONObject = [:]) throws -> ConsumptionJudge.Verdict {
    try judge(JSONValue.object(body).text(), given)
  }

  @Test("gets Apple's verdict, row by row", arguments: Row.all)
  func vectors(row: Row) throws {
    switch try judge(row.body, isAdvancedCommerce: row.isAdvancedCommerce) {
    case .accepted(let remarks):
      #expect(row.verdict == "valid")
      #expect(remarks.isEmpty)
    case .refused(let error):
      #expect(row.verdict == "invalid" || row.verdict == "do-not-send")
      #expect(error.status == 400)
      if row.verdict == "invalid" {
        #expect(error.name == row.error?["name"]?.string)
        #expect(error.code == row.error?["code"]?.int64)
      }
    }
  }

  @Test("has fourteen rows") func count() { #expect(Row.all.count == 14) }

  @Test(
    "takes every number of each table, and no other, and misses each that is required",
    arguments: [
      ("consumptionStatus", 3, StoreError.invalidConsumptionStatus), ("platform", 2, .invalidPlatform),
      ("deliveryStatus", 5, .invalidDeliveryStatus), ("accountTenure", 7, .invalidAccountTenure),
      ("playTime", 7, .invalidPlayTime), ("lifetimeDollarsRefunded", 7, .invalidLifetimeDollarsRefunded),
      ("lifetimeDollarsPurchased", 7, .invalidLifetimeDollarsPurchased), ("userStatus", 4, .invalidUserStatus),
      ("refundPreference", 3, .invalidRefundPreference),
    ] as [(String, Int64, StoreError)])
  func tables(member: String, max: Int64, error: StoreError) throws {
    var body = Self.good
    for number in 0...max {
      body[member] = .number(JSONNumber(number))
      #expect(try judge(body) == .accepted(remarks: []))
    }
    for wrong in [.number(JSONNumber(max + 1)), .number(JSONNumber(-1)), "1", true, .number(JSONNumber("1.5")!)]
      as [JSONValue]
    {
      body[member] = wrong
      #expect(try judge(body) == .refused(error))
    }
    for absent in [JSONValue.null, nil] {
      body[member] = absent
      #expect(try judge(body) == (member == "refundPreference" ? .accepted(remarks: []) : .refused(error)))
    }
  }

  @Test("misses what is no number either") func others() throws {
    for (member, error) in [
      ("customerConsented", StoreError.invalidCustomerConsented),
      ("sampleContentProvided", .invalidSampleContentProvided), ("appAccountToken", .invalidAppAccountToken),
    ] {
      var body = Self.good
      body[member] = nil
      #expect(try judge(body) == .refused(error))
      body[member] = 1
      #expect(try judge(body) == .refused(error))
    }
  }

  @Test(
    "is refused for purchases it is not for",
    arguments: [
      (["type": "Non-Consumable"], .transactionTypeNotSupported),
      (["type": "Non-Renewing Subscription"], .transactionTypeNotSupported),
      (["inAppOwnershipType": "FAMILY_SHARED"], .transactionTypeNotSupported),
      (["inAppOwnershipType": "ASSIGNED"], .assignedTransactionNotSupported),
      (["type": "Auto-Renewable Subscription"], nil),
    ] as [(JSONObject, StoreError?)])
  func purchases(given: JSONObject, error: StoreError?) throws {
    #expect(try judge(Self.good, given) == (error.map { .refused($0) } ?? .accepted(remarks: [])))
  }

  @Test("is remarked upon where it is odd") func remarks() throws {
    var body = Self.good
    body["consumptionPercentage"] = 50_000
    #expect(
      try judge(body, ["appAccountToken": "3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d11"])
        == .accepted(remarks: [
          "appAccountToken is not the purchase's own",
          "consumptionPercentage is no member of version 1 and is not looked at",
        ]))
  }

  @Test("goes to an endpoint of its own, each version with its purchases") func endpoints() throws {
    let stage = try Stage()
    _ = try stage.call(.put, "/simulator/v1/transactions/1", ["advancedCommerceInfo": ["requestReferenceId": "x"]])
    _ = try stage.call(.put, "/simulator/v1/transactions/2")
    let body = JSONValue.object(Self.good).text()
    func code(_ id: String, _ body: String, version: Int) throws -> Int64? {
      let reply = try stage.answer(id, body, version: version)
      return reply.status == 202 ? 202 : try JSONValue(bytes: reply.body)["errorCode"]?.int64
    }
    #expect(try code("1", body, version: 1) == 202)
    #expect(try code("1", Stage.good, version: 2) == 4_000_903)
    #expect(try code("2", body, version: 1) == 4_000_904)
    #expect(try code("3", body, version: 1) == 4_040_010)
    #expect(try code("%20", body, version: 1) == 4_040_010)
    let answers = try stage.list("answers")
    #expect(answers.map { $0["endpointVersion"]?.int64 } == [1, 2, 1, 1, 1])
  }
}
