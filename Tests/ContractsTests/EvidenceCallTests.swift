import Contracts
import JSON
import Testing

private let now: Int64 = 1_794_301_200_000

@Suite("PUT /v1/evidence") struct EvidenceCallTests {
  private func read(_ values: JSONObject?, _ change: (inout JSONObject) -> Void = { _ in }) throws -> EvidenceCall {
    var object: JSONObject = ["bundleId": "com.example.game", "statedAt": .number(JSONNumber(now))]
    object["values"] = values.map { .object($0) }
    change(&object)
    return try EvidenceCall(body: JSONValue.object(object).bytes(), now: now)
  }

  private func refused(_ values: JSONObject?, _ change: (inout JSONObject) -> Void = { _ in }) -> [String] {
    problem { _ = try read(values, change) }?.errors.map(\.member) ?? []
  }

  @Test("becomes the event it says")
  func event() throws {
    let call = try read([
      "deliveryStatus": "DELIVERED", "consumptionPercentage": 94_000, "sampleContentProvided": false,
      "unitsGranted": 100,
      "unitsUsed": 94, "refundPreference": "DECLINE", "accountTenure": 7, "attributes": ["tier": "gold"],
    ])
    let purchase = try PurchaseKey(environment: "Sandbox", transactionID: "1")
    let event = call.event(of: purchase, by: "backend")
    #expect(
      String(decoding: event.encoded(), as: UTF8.self)
        == #"{"bundleId":"com.example.game","by":"backend","environment":"Sandbox","statedAt":1794301200000,"#
        + #""transactionId":"1","values":{"accountTenure":7,"attributes":{"tier":"gold"},"consumptionPercentage":94000,"#
        + #""deliveryStatus":"DELIVERED","refundPreference":"DECLINE","sampleContentProvided":false,"unitsGranted":100,"#
        + #""unitsUsed":94}}"#)
  }

  @Test("may say that the purchase is not known")
  func notKnown() throws {
    #expect(try read(nil) { $0["known"] = false }.statement == .unknownPurchase)
    #expect(refused(nil) { $0["known"] = true } == ["values"])
    #expect(refused(nil) == ["values"])
    #expect(refused(["unitsUsed": 1]) { $0["known"] = false } == ["known"])
    #expect(refused([:]) == ["values"])
  }

  @Test(
    "refuses a bare 1 to 100 with the right figure, unless it is marked exact",
    arguments: [
      (94, "94 means 0.094 %; 94 % is 94000"), (1, "1 means 0.001 %; 1 % is 1000"),
      (50, "50 means 0.05 %; 50 % is 50000"),
      (100, "100 means 0.1 %; 100 % is 100000"),
    ] as [(Int64, String)])
  func percent(value: Int64, sentence: String) throws {
    let values: JSONObject = ["consumptionPercentage": .number(JSONNumber(value))]
    let found = problem { _ = try read(values) }
    #expect(found?.errors.map(\.member) == ["values.consumptionPercentage"])
    #expect(found?.errors.first?.detail.contains(sentence) == true)
    guard case .values(let stated) = try read(values, { $0["exact"] = true }).statement else {
      return #expect(Bool(false))
    }
    #expect(stated.consumptionPercentage == value)
  }

  @Test(
    "takes 0 and 101 to 100000 as they are, and nothing beyond",
    arguments: [
      (0, true), (101, true), (100_000, true), (100_001, false), (-1, false),
    ] as [(Int64, Bool)])
  func percentBorders(value: Int64, allowed: Bool) {
    #expect(refused(["consumptionPercentage": .number(JSONNumber(value))]).isEmpty == allowed)
    #expect(refused(["consumptionPercentage": .number(JSONNumber(value))]) { $0["exact"] = true }.isEmpty == allowed)
  }

  @Test("refuses a word Apple does not have, unless it is marked exact")
  func words() {
    #expect(refused(["deliveryStatus": "DELIVERD"]) == ["values.deliveryStatus"])
    #expect(refused(["refundPreference": "decline"]) == ["values.refundPreference"])
    #expect(refused(["deliveryStatus": "DELIVERED_LATE"]) { $0["exact"] = true }.isEmpty)
  }

  @Test("refuses a misspelt member, and tells where own data goes")
  func misspelt() {
    let found = problem { _ = try read(["consumptionPercent": 94_000, "unitsUsed": 1]) }
    #expect(found?.errors.map(\.member) == ["values.consumptionPercent"])
    #expect(found?.errors.first?.detail.contains("attributes") == true)
  }

  @Test("is refused more than 5 min ahead of the clock")
  func future() {
    #expect(refused(["unitsUsed": 1]) { $0["statedAt"] = .number(JSONNumber(now + 300_001)) } == ["statedAt"])
  }

  @Test("keeps attributes as they were sent")
  func attributes() throws {
    let attributes: JSONObject = ["z": .number(JSONNumber("1.50")!), "a": [.null, "é"]]
    guard case .values(let values) = try read(["attributes": .object(attributes)]).statement else {
      return #expect(Bool(false))
    }
    #expect(values.attributes == attributes)
  }

  @Test("is refused past 64 KiB")
  func tooLarge() {
    let long: JSONObject = ["attributes": ["a": .string(String(repeating: "x", count: 65_536))]]
    #expect(problem { _ = try read(long) }?.code == .malformedJSON)
  }
}
