import AppStore
import HTTPTypes
import JSON
import Service
import Testing

@testable import AppStoreSimulator

@Suite("The refund story") struct RefundStoryTests {
  private static let id = "2000000000000001"
  private static let good =
    #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED","consumptionPercentage":94}"#

  @Test("runs from request over answer to decision and reversal") func story() throws {
    let stage = try Stage()
    let account = "7f1c0a52-3a2e-4c6b-9d1f-0e8a5b7c9d10"
    let asked = try stage.call(
      .post, "/simulator/v1/refund-requests",
      [
        "transaction": ["transactionId": .string(Self.id), "appAccountToken": .string(account)],
        "consumptionRequestReason": "LEGAL",
      ])
    #expect(asked.status == 200 && asked.json["status"]?.int64 == 200)
    #expect(asked.json["transactionId"]?.string == Self.id)
    let request = try #require(try stage.notifications().first)
    #expect(request.notificationType == .consumptionRequest)
    #expect(request.signedDate == Stage.now)
    #expect(request.notificationUUID == asked.json["notificationUUID"]?.string)
    #expect(request.payload.data?.consumptionRequestReason == .legal)
    #expect(request.identity.bundleId == "com.example.app")
    #expect(request.transaction?.transactionId == Self.id && request.transaction?.accountToken == account)

    let reply = try stage.answer(Self.id, Self.good)
    #expect(reply.status == 202 && reply.body.isEmpty)
    let decided = try stage.call(
      .post, "/simulator/v1/decisions",
      [
        "transactionId": .string(Self.id), "decision": "REFUND", "revocationType": "REFUND_PRORATED",
        "revocationPercentage": 40000,
      ])
    #expect(decided.status == 200)
    let reversed = try stage.call(
      .post, "/simulator/v1/decisions", ["transactionId": .string(Self.id), "decision": "REFUND_REVERSED"])
    #expect(reversed.status == 200)

    let all = try stage.notifications()
    #expect(all.map(\.notificationType) == [.consumptionRequest, .refund, .refundReversed])
    #expect(all[1].transaction?.view["revocationPercentage"]?.int64 == 40000)
    #expect(all[1].transaction?.view["revocationDate"]?.int64 == Stage.now)
    #expect(all[2].transaction?.view["revocationDate"] == nil)
    let posted = try stage.call(.get, "/simulator/v1/notifications").json["notifications"]!.array!
    #expect(posted.map { $0["notificationType"]?.string } == ["CONSUMPTION_REQUEST", "REFUND", "REFUND_REVERSED"])
    #expect(posted.allSatisfy { $0["status"]?.int64 == 200 })
  }

  @Test("asks about a subscription with renewal info and status") func subscription() throws {
    let stage = try Stage()
    let asked = try stage.call(
      .post, "/simulator/v1/refund-requests",
      ["transaction": ["type": "Auto-Renewable Subscription"], "consumptionRequestReason": .null])
    #expect(asked.status == 200)
    let request = try #require(try stage.notifications().first)
    #expect(request.renewalInfo != nil && request.payload.data?.consumptionRequestReason == nil)
    #expect(request.payload.view["data"]?["status"]?.int64 == 1)
    let id = try #require(asked.json["transactionId"]?.string)
    let reply = try stage.answer(id, Self.good)
    #expect(reply.status == 400)
    #expect(try JSONValue(bytes: reply.body)["errorCode"]?.int64 == 4_000_209)
  }

  @Test("remembers every answer, of one purchase or all") func answers() throws {
    let stage = try Stage()
    for id in [Self.id, "2000000000000002"] {
      #expect(try stage.call(.put, "/simulator/v1/transactions/\(id)").status == 201)
    }
    #expect(try stage.answer(Self.id, Self.good).status == 202)
    #expect(try stage.answer(Self.id, "{}").status == 400)
    #expect(try stage.answer(Self.id, "{").body.isEmpty)
    #expect(try stage.answer("2000000000000002", Self.good, authorization: "Bearer x").status == 401)
    let own = try stage.call(.get, "/simulator/v1/answers?transactionId=\(Self.id)").json["answers"]!.array!
    #expect(own.map { $0["status"]?.int64 } == [202, 400, 400])
    #expect(own.map { $0["errorCode"]?.int64 } == [nil, 4_000_035, nil])
    #expect(own[0]["body"]?.string == Self.good && own[0]["receivedAt"]?.int64 == Stage.now)
    #expect(own[0]["remarks"]?.array?.first?.string?.contains("94 % is 94000") == true)
    #expect(try stage.call(.get, "/simulator/v1/answers").json["answers"]!.array!.count == 4)
  }

  @Test(
    "knows Apple's errors about the purchase",
    arguments: [
      ("2000000000000009", 404, 4_040_010 as Int64), ("2000.0", 400, 4_000_006), ("700000000000000001", 400, 4_000_048),
      ("2000000000000003", 400, 4_000_185), ("2000000000000004", 404, 4_040_010),
    ])
  func purchases(id: String, status: Int, code: Int64) throws {
    let stage = try Stage()
    let given: [(String, JSONValue)] = [
      (Self.id, ["appTransactionId": "700000000000000001"]),
      ("2000000000000003", ["inAppOwnershipType": "FAMILY_SHARED"]),
      ("2000000000000004", ["environment": "Production"]),
    ]
    for (id, members) in given { _ = try stage.call(.put, "/simulator/v1/transactions/\(id)", members) }
    let reply = try stage.answer(id, Self.good)
    #expect(reply.status == status)
    #expect(try JSONValue(bytes: reply.body)["errorCode"]?.int64 == code)
  }

  @Test("answers 401 as plain text without a good token") func unauthenticated() throws {
    let stage = try Stage()
    let reply = try stage.answer(Self.id, Self.good, authorization: "Bearer a.b.c")
    #expect(reply.status == 401 && reply.fields["Content-Type"]?.hasPrefix("text/plain") == true)
  }
}
