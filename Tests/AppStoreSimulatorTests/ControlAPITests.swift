import AppStore
import HTTPTypes
import JSON
import Testing

@testable import AppStoreSimulator

@Suite("The control API") struct ControlAPITests {
  struct Call: Sendable, CustomTestStringConvertible {
    var method: HTTPMethod
    var path: String
    var body: String
    var status: Int
    var words: String
    var testDescription: String { "\(method) \(path) \(body)" }

    init(_ method: HTTPMethod, _ path: String, _ body: String, _ status: Int, _ words: String) {
      (self.method, self.path, self.body, self.status, self.words) = (method, path, body, status, words)
    }
  }

  static let calls = [
    Call(.post, "/refund-requests", "", 400, "no JSON"),
    Call(.post, "/refund-requests", "[]", 400, "not a JSON object"),
    Call(.post, "/refund-requests", #"{"transaction":1}"#, 400, "neither an id"),
    Call(.post, "/refund-requests", #"{"transaction":{"transactionId":1}}"#, 400, "not a text"),
    Call(.post, "/refund-requests", #"{"transaction":{"type":"Gift"}}"#, 400, "allowed are"),
    Call(.post, "/refund-requests", #"{"transaction":"a/b"}"#, 400, "transactionId"),
    Call(.post, "/refund-requests", #"{"reason":"LEGAL"}"#, 400, "consumptionRequestReason"),
    Call(.post, "/refund-requests", #"{"consumptionRequestReason":7}"#, 400, "null for none"),
    Call(.post, "/decisions", #"{"decision":"REFUND"}"#, 400, "transactionId"),
    Call(.post, "/decisions", #"{"transactionId":"1","decision":"GRANT"}"#, 400, "REFUND_DECLINED"),
    Call(.post, "/decisions", #"{"transactionId":"9","decision":"REFUND"}"#, 404, "no purchase 9"),
    Call(.post, "/decisions", #"{"transactionId":"1","decision":"REFUND_REVERSED"}"#, 409, "not refunded"),
    Call(
      .post, "/decisions", #"{"transactionId":"1","decision":"REFUND","revocationPercentage":100001}"#, 400, "100000"),
    Call(
      .post, "/decisions", #"{"transactionId":"1","decision":"REFUND_DECLINED","revocationPercentage":1}"#, 400,
      "REFUND alone"),
    Call(.put, "/transactions/1", #"{"transactionId":"2"}"#, 400, "transactionId"),
    Call(.put, "/transactions/1", #"{"productId":2}"#, 400, "productId"),
    Call(.get, "/answers?transaction=1", "", 400, "transactionId"),
    Call(.get, "/nothing", "", 404, "--help"),
    Call(.delete, "/answers", "", 405, "Allow"),
  ]

  @Test("says in a sentence what is wrong") func errors() throws {
    let stage = try Stage()
    _ = try stage.call(.put, "/simulator/v1/transactions/1")
    for call in Self.calls {
      let reply = try stage.call(call.method, "/simulator/v1" + call.path, bytes: Array(call.body.utf8))
      #expect(reply.status == call.status, "\(call.testDescription)")
      #expect(reply.json["error"]?.string?.contains(call.words) == true, "\(call.testDescription): \(reply.json)")
    }
    #expect(try stage.notifications().isEmpty)
  }

  @Test("reports what the receiver replied") func receiverRefuses() throws {
    let stage = try Stage()
    stage.receiverReplies(503)
    let reply = try stage.call(.post, "/simulator/v1/refund-requests", [:])
    #expect(reply.status == 200 && reply.json["status"]?.int64 == 503)
  }

  @Test("reports that nobody was reached") func unreachable() throws {
    // Port 1 of this machine, where nothing listens.
    let url = try HTTPURL("http://127.0.0.1:1/v1/notifications")
    for (given, words) in [(url, "127.0.0.1:1"), (nil, "notificationURL")] {
      let stage = try Stage { $0.notificationURL = given }
      let reply = try stage.call(.post, "/simulator/v1/refund-requests", [:])
      #expect(reply.status == 502 && reply.json["error"]?.string?.contains(words) == true)
      #expect(reply.json["notificationUUID"] != nil)
    }
  }

  @Test("fills a transaction up, and leaves out what is null") func transaction() throws {
    let stage = try Stage()
    let path = "/simulator/v1/transactions/700"
    let made = try stage.call(.put, path, ["price": 990, "appAccountToken": .null, "note": ["any": 1]])
    #expect(made.status == 201)
    #expect(made.json["price"]?.int64 == 990 && made.json["transactionId"]?.string == "700")
    #expect(made.json["appAccountToken"] == nil && made.json["note"]?["any"]?.int64 == 1)
    #expect(made.json["environment"]?.string == "Sandbox" && made.json["type"]?.string == "Consumable")
    #expect(try stage.call(.put, path).status == 200)
  }

  @Test("signs any payload as it is given") func anyPayload() throws {
    let stage = try Stage { $0.appAppleId = 1_234_567_890 }
    let transaction: JSONValue = [
      "transactionId": "300", "bundleId": "com.example.app", "environment": "Sandbox", "type": "Consumable",
      "productId": "coins", "inAppOwnershipType": "PURCHASED",
    ]
    let reply = try stage.call(
      .post, "/simulator/v1/notifications",
      [
        "notificationType": "SOMETHING_NEW", "subtype": "OTHER", "version": .null, "signedDate": 1_700_000_000_000,
        "notificationUUID": "5a000000-0000-4000-8000-00000000000a", "data": ["signedTransactionInfo": transaction],
      ])
    #expect(reply.json["subtype"]?.string == "OTHER")
    let got = try #require(try stage.notifications().first)
    #expect(got.notificationType == .unknown("SOMETHING_NEW") && got.signedDate == 1_700_000_000_000)
    #expect(got.payload.view["version"] == nil)
    #expect(got.notificationUUID == "5a000000-0000-4000-8000-00000000000a")
    #expect(got.payload.view["data"]?["appAppleId"]?.int64 == 1_234_567_890)
    #expect(got.transaction?.view["signedDate"]?.int64 == 1_700_000_000_000)
    let body = #"{"customerConsented":true,"sampleContentProvided":true,"deliveryStatus":"DELIVERED"}"#
    #expect(try stage.answer("300", body).status == 202)
  }

  @Test("gives the exact body that was posted, for posting it by hand") func body() throws {
    let stage = try Stage()
    let posted = try stage.call(.post, "/simulator/v1/refund-requests", ["transaction": "2000000000000001"])
    let uuid = try #require(posted.json["notificationUUID"]?.string)
    let body = try stage.call(.get, "/simulator/v1/notifications/\(uuid)/body")
    #expect(body.status == 200)
    let token = try #require(body.json["signedPayload"]?.string)
    #expect(token.split(separator: ".").count == 3)
    #expect(try stage.call(.get, "/simulator/v1/notifications/none/body").status == 404)
  }
}
