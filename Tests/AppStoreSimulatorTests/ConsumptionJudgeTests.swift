import AppStore
import JSON
import TestSupport
import Testing

@testable import AppStoreSimulator

@Suite("A body of Send Consumption Information") struct ConsumptionJudgeTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var id: String
    var productType: String
    var body: String
    var verdict: String
    var transaction: JSONObject
    var error: JSONObject?
    var testDescription: String { id }

    static let all: [Row] = {
      let bytes = Project.bytes(Project.vectors + "/http/consumption-v2-bodies.json")!
      return try! JSONValue(bytes: bytes)["cases"]!.array!.map { row in
        Row(
          id: row["id"]!.string!, productType: row["productType"]!.string!, body: row["body"]!.string!,
          verdict: row["verdict"]!.string!, transaction: row["transaction"]?.object ?? [:],
          error: row["storeError"]?.object)
      }
    }()
  }

  @Test("gets Apple's verdict, row by row", arguments: Row.all)
  func vectors(row: Row) throws {
    var members = row.transaction
    members["type"] = .string(row.productType)
    if members["advancedCommerceInfo"] != nil { members["advancedCommerceInfo"] = ["requestReferenceId": "x"] }
    let verdict = try judge(row.body, members)
    switch verdict {
    case .accepted(let remarks):
      #expect(row.verdict == "valid" || row.verdict == "valid-but-suspect")
      #expect(remarks.isEmpty == (row.verdict == "valid"))
    case .refused(let error):
      #expect(row.verdict == "invalid" || row.verdict == "do-not-send")
      #expect(error.name == row.error?["name"]?.string)
      if let code = row.error?["code"]?.int64 { #expect(error.code == code) }
      #expect(error.status == 400)
    }
  }

  @Test("has thirty rows") func count() { #expect(Row.all.count == 30) }

  @Test(
    "is refused for a purchase that is not the customer's own",
    arguments: [
      ("FAMILY_SHARED", StoreError.familyTransactionNotSupported), ("ASSIGNED", .assignedTransactionNotSupported),
    ])
  func ownership(word: String, error: StoreError) throws {
    #expect(try judge(Self.good, ["inAppOwnershipType": .string(word)]) == .refused(error))
  }

  @Test(
    "with a number or member that is odd",
    arguments: [
      (#""consumptionPercentage":null"#, nil as StoreError?), (#""refundPreference":null"#, nil),
      (#""consumptionPercentage":"50000""#, .percentageOutOfRange),
      (#""consumptionPercentage":50000.5"#, .percentageOutOfRange),
      (#""consumptionPercentage":99999999999999999999"#, .percentageOutOfRange),
      (#""refundPreference":"decline""#, .invalidRefundPreference),
    ])
  func odd(member: String, error: StoreError?) throws {
    let verdict = try judge(Self.good.dropLast() + "," + member + "}", [:])
    #expect(verdict == (error.map { .refused($0) } ?? .accepted(remarks: [])))
  }

  @Test("tells what 94 means") func remark() throws {
    let verdict = try judge(Self.good.dropLast() + #","consumptionPercentage":94,"playTime":3}"#, [:])
    #expect(
      verdict
        == .accepted(remarks: [
          "consumptionPercentage 94 means 0.094 %; 94 % is 94000",
          "playTime is no member of version 2 and is not looked at",
        ]))
  }

  @Test(
    "is no body at all when it is not one JSON object",
    arguments: ["", "[]", "null", "{", #"{"customerConsented":true,"customerConsented":true}"#])
  func malformed(text: String) { #expect(ConsumptionJudge.body(Array(text.utf8)) == nil) }

  private static let good =
    #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED"}"#

  private func judge(_ body: some StringProtocol, _ given: JSONObject) throws -> ConsumptionJudge.Verdict {
    let template = PurchaseTemplate(app: StoreApp(bundleId: "com.example.app", appAppleId: nil, environment: .sandbox))
    let purchase = try template.purchase("2000000000000001", given: given, now: 1_796_000_000_000)
    return ConsumptionJudge.judge(try #require(ConsumptionJudge.body(Array(body.utf8))), of: purchase)
  }
}
