import AppStore
import HTTPClient
import HTTPTypes
import JSON
import Service
import Testing

@testable import AppStoreSimulator

@Suite("Apple's other calls", .timeLimit(.minutes(5))) struct StoreCallsTests {
  private static let uuid = "3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10"

  private static func stage(_ change: (inout SimulatorSettings) -> Void = { _ in }) throws -> Stage {
    try Stage { settings in
      settings.callsPerSecond = 0
      change(&settings)
    }
  }

  /// Purchases of one customer, numbered from 1, with what each has different.
  private static func buy(_ stage: Stage, _ purchases: [JSONObject], customer: String = "700000000000000001") throws {
    for (index, given) in purchases.enumerated() {
      var members = given
      members["appTransactionId"] = .string(customer)
      members["purchaseDate"] = given["purchaseDate"] ?? .number(JSONNumber(Int64(1000 + index)))
      let reply = try stage.call(.put, "/simulator/v1/transactions/\(index + 1)", .object(members))
      #expect(reply.status == 201, "\(reply.json)")
    }
  }

  private static func failure<Value>(_ reply: AppStoreReply<Value>) -> AppStoreFailure? {
    if case .failure(let failure) = reply.result { failure } else { nil }
  }

  private static func transactions(_ tokens: [String], _ stage: Stage) throws -> [JWSTransactionDecodedPayload] {
    try tokens.map { try stage.verifier.verifyTransaction(Array($0.utf8)[...]).payload }
  }

  // MARK: Purchases

  @Test("tell a purchase as it is now, signed") func info() throws {
    let stage = try Self.stage()
    try Self.buy(stage, [["productId": "coins"]])
    let call = try TransactionInfoCall(transactionId: "1")
    let before = try Self.transactions([stage.store(call).result.get()], stage)[0]
    #expect(before.transactionId == "1" && before.productId == "coins" && before.revocationDate == nil)
    #expect(before.signedDate == Stage.now && before.environment == .sandbox)
    _ = try stage.call(.post, "/simulator/v1/decisions", ["transactionId": "1", "decision": "REFUND"])
    let after = try Self.transactions([stage.store(call).result.get()], stage)[0]
    #expect(after.revocationDate == Stage.now && after.revocationType == .refundFull)
    #expect(Self.failure(try stage.store(TransactionInfoCall(transactionId: "9")))?.errorCode == 4_040_010)
    #expect(
      Self.failure(try stage.store(TransactionInfoCall(transactionId: "700000000000000001")))?.errorCode == 4_000_048)
    #expect(try stage.code(.get, "/inApps/v1/transactions/a%20b") == 4_000_006)
  }

  @Test("tell a customer's purchases page by page, each once") func history() throws {
    let stage = try Self.stage()
    try Self.buy(stage, Array(repeating: [:], count: 45))
    // Somebody else's.
    _ = try stage.call(.put, "/simulator/v1/transactions/900")
    var paging = AppStorePaging(try TransactionHistoryCall(transactionId: "7"))
    var tokens: [String] = []
    var pages: [Int] = []
    while let call = paging.next {
      let page = try stage.store(call).result.get()
      #expect(page.bundleId == "com.example.app" && page.environment == .sandbox)
      pages.append(page.count)
      tokens += page.signedTransactions
      paging.took(page)
    }
    #expect(pages == [20, 20, 5] && paging.end == .all)
    #expect(try Self.transactions(tokens, stage).map(\.transactionId) == (1...45).map(String.init))
    // What is bought later comes after the revision that was kept.
    _ = try stage.call(
      .put, "/simulator/v1/transactions/46", ["appTransactionId": "700000000000000001", "purchaseDate": 5000])
    let later = try stage.store(TransactionHistoryCall(transactionId: "7", page: paging.last)).result.get()
    #expect(try Self.transactions(later.signedTransactions, stage).map(\.transactionId) == ["46"])
  }

  @Test("tell those purchases alone that were asked for") func filters() throws {
    let stage = try Self.stage()
    try Self.buy(
      stage,
      [
        ["productId": "a"], ["productId": "b", "type": "Non-Consumable"],
        ["productId": "c", "type": "Auto-Renewable Subscription", "subscriptionGroupIdentifier": "g"],
        ["productId": "a", "inAppOwnershipType": "FAMILY_SHARED"], ["productId": "d", "revocationDate": 5000],
      ])
    func ids(_ change: (inout TransactionHistoryCall.Filter) -> Void) throws -> [String?] {
      var filter = TransactionHistoryCall.Filter()
      change(&filter)
      let page = try stage.store(TransactionHistoryCall(transactionId: "1", filter: filter)).result.get()
      return try Self.transactions(page.signedTransactions, stage).map(\.transactionId)
    }
    #expect(try ids { _ in } == ["1", "2", "3", "4", "5"])
    #expect(try ids { $0.order = .descending } == ["5", "4", "3", "2", "1"])
    #expect(try ids { $0.productIds = ["a", "b"] } == ["1", "2", "4"])
    #expect(try ids { $0.productTypes = [.nonConsumable, .autoRenewable] } == ["2", "3"])
    #expect(try ids { $0.subscriptionGroups = ["g"] } == ["3"])
    #expect(try ids { $0.ownership = .familyShared } == ["4"])
    #expect(try ids { $0.revoked = true } == ["5"])
    #expect(try ids { $0.revoked = false } == ["1", "2", "3", "4"])
    #expect(
      try ids {
        $0.startDate = 1001
        $0.endDate = 1003
      } == ["2", "3"])
  }

  @Test(
    "refuse filters that are none, with Apple's numbers",
    arguments: [
      ("startDate=x", 4_000_015), ("endDate=-1", 4_000_016), ("startDate=2&endDate=1", 4_000_013),
      ("sort=UP", 4_000_021), ("productType=Consumable", 4_000_022), ("productId=", 4_000_023),
      ("subscriptionGroupIdentifier=", 4_000_024), ("inAppOwnershipType=MINE", 4_000_026), ("revoked=yes", 4_000_030),
      ("revision=x", 4_000_005), ("other=1", nil),
    ] as [(String, Int64?)])
  func wrongFilters(query: String, code: Int64?) throws {
    let stage = try Self.stage()
    try Self.buy(stage, [[:]])
    #expect(try stage.code(.get, "/inApps/v2/history/1?\(query)") == code)
  }

  @Test("refuse a revision of another question") func otherQuestion() throws {
    let stage = try Self.stage()
    try Self.buy(stage, Array(repeating: [:], count: 21))
    let page = try stage.store(TransactionHistoryCall(transactionId: "1")).result.get()
    var filter = TransactionHistoryCall.Filter()
    filter.order = .descending
    let other = try stage.store(TransactionHistoryCall(transactionId: "1", filter: filter, page: page.revision))
    #expect(Self.failure(other)?.kind == .fixAndSend(.startAgain))
  }

  // MARK: Refunds

  @Test("tell a customer's refunds by their date, and later ones from a revision that was kept") func refunds() throws {
    let clock = SetClock()
    let stage = try Self.stage { $0.clock = clock.wall }
    try Self.buy(stage, Array(repeating: [:], count: 24))
    func refund(_ id: Int, at instant: Int64) throws {
      clock.set(instant)
      let reply = try stage.call(
        .post, "/simulator/v1/decisions", ["transactionId": .string("\(id)"), "decision": "REFUND"])
      #expect(reply.status == 200)
    }
    for id in (1...22).reversed() { try refund(id, at: Stage.now + Int64(100 - id)) }
    var paging = AppStorePaging(try RefundHistoryCall(transactionId: "23"))
    var tokens: [String] = []
    var pages: [Int] = []
    while let call = paging.next {
      let page = try stage.store(call).result.get()
      tokens += page.signedTransactions
      pages.append(page.count)
      paging.took(page)
    }
    let told = try Self.transactions(tokens, stage)
    #expect(pages == [20, 2] && told.map(\.transactionId) == (1...22).reversed().map(String.init))
    #expect(told.map(\.revocationDate) == told.map(\.revocationDate).sorted { $0! < $1! })
    // One that was taken back is gone; one that is new comes alone; asked with any of the customer's ids.
    _ = try stage.call(.post, "/simulator/v1/decisions", ["transactionId": "1", "decision": "REFUND_REVERSED"])
    let revision = try #require(paging.last)
    let nothing = try stage.store(RefundHistoryCall(transactionId: "5", page: revision)).result.get()
    #expect(nothing.count == 0 && !nothing.hasMore && nothing.revision != nil)
    try refund(24, at: Stage.now + 5000)
    let later = try stage.store(RefundHistoryCall(transactionId: "5", page: nothing.revision)).result.get()
    #expect(try Self.transactions(later.signedTransactions, stage).map(\.transactionId) == ["24"])
    #expect(Self.failure(try stage.store(RefundHistoryCall(transactionId: "5", page: "x")))?.errorCode == 4_000_005)
  }

  @Test("do not call a purchase refunded that a family took back") func revoked() throws {
    let stage = try Self.stage()
    try Self.buy(stage, [[:], [:]])
    _ = try stage.call(.post, "/simulator/v1/events", ["notificationType": "REVOKE", "transaction": "1"])
    #expect(try stage.store(RefundHistoryCall(transactionId: "1")).result.get().count == 0)
  }

  // MARK: Account tokens and orders

  @Test("set an account token, for the newest period and those that follow") func accountToken() throws {
    let stage = try Self.stage()
    try Self.buy(stage, [["type": "Auto-Renewable Subscription", "appAccountToken": .null]])
    func event(_ type: String) throws -> JWSTransactionDecodedPayload {
      _ = try stage.call(.post, "/simulator/v1/events", ["notificationType": .string(type), "transaction": "1"])
      return try #require(try stage.notifications().last?.transaction)
    }
    let renewal = try event("DID_RENEW")
    #expect(renewal.appAccountToken == nil)
    func set(_ id: String, _ token: String = Self.uuid) throws -> AppStoreReply<Void> {
      try stage.store(SetAppAccountTokenCall(originalTransactionId: id, appAccountToken: token))
    }
    try set("1").result.get()
    #expect(try event("DID_RENEW").appAccountToken == Self.uuid)
    // A renewal is not the original; what is not there is not found.
    let later = try #require(renewal.transactionId)
    #expect(Self.failure(try set(later))?.kind == .fixAndSend(.nameOriginal))
    #expect(Self.failure(try set("9"))?.errorCode == 4_040_005)
    #expect(Self.failure(try set("700000000000000001"))?.errorCode == 4_000_048)
    let path = "/inApps/v1/transactions/1/appAccountToken"
    #expect(try stage.code(.put, path, #"{"appAccountToken":"user-42"}"#) == 4_000_183)
    #expect(try stage.code(.put, path, "{}") == 4_000_183)
    #expect(try stage.code(.put, path, "x") == nil)
    for (id, ownership, code) in [("11", "FAMILY_SHARED", 4_000_185), ("12", "ASSIGNED", 4_000_227)]
      as [(String, String, Int64)]
    {
      _ = try stage.call(.put, "/simulator/v1/transactions/\(id)", ["inAppOwnershipType": .string(ownership)])
      #expect(Self.failure(try set(id))?.errorCode == code)
    }
  }

  @Test("find an order in Production alone") func orders() throws {
    let stage = try Self.stage {
      $0.appAppleId = 7
      $0.productionPort = 0
    }
    for id in ["1", "2"] {
      let reply = try stage.call(.put, "/simulator/v1/transactions/\(id)", ["environment": "Production"])
      #expect(reply.status == 201)
    }
    #expect(try stage.call(.put, "/simulator/v1/orders/MK5", ["transactions": ["1", "2"]]).status == 200)
    func order(_ id: String) throws -> OrderLookupCall.Order {
      try stage.store(OrderLookupCall(orderId: id), .production, port: stage.productionPort).result.get()
    }
    let found = try order("MK5")
    #expect(found.status == .valid)
    #expect(try Self.transactions(found.signedTransactions, stage).map(\.transactionId) == ["1", "2"])
    let missing = try order("MK6")
    #expect(missing.status == .invalid && missing.signedTransactions.isEmpty)
    let sandbox = try stage.store(OrderLookupCall(orderId: "MK5"), .production)
    #expect(sandbox.status == 404 && Self.failure(sandbox)?.errorCode == nil)
    #expect(try stage.call(.put, "/simulator/v1/orders/MK7", ["transactions": ["9"]]).status == 404)
    #expect(try stage.call(.put, "/simulator/v1/orders/MK7", ["transactions": []]).status == 400)
    #expect(try stage.call(.put, "/simulator/v1/orders/M-7", ["transactions": ["1"]]).status == 400)
  }

  // MARK: Tokens, limits, faults

  @Test("are refused without a good token, and each is on record") func tokens() throws {
    let stage = try Self.stage()
    try Self.buy(stage, [[:]])
    let url = try HTTPURL("http://127.0.0.1:\(stage.port)/inApps/v1/transactions/1")
    let reply = try HTTPClient().send(HTTPClientRequest(.get, url, fields: ["Authorization": "Bearer x"]))
    #expect(reply.status == 401 && reply.body == Array("Unauthenticated\n".utf8))
    _ = try stage.store(TransactionInfoCall(transactionId: "1")).result.get()
    let calls = try stage.list("calls", "?transactionId=1")
    #expect(calls.map { $0["status"]?.int64 } == [401, 200])
    #expect(calls[1]["call"]?.string == "transactionInfo" && calls[1]["target"]?.string == "/inApps/v1/transactions/1")
    #expect(calls[0]["remarks"]?.array?.isEmpty == false)
  }

  @Test("have limits of their own each, with an instant to come again") func limits() throws {
    let stage = try Self.stage { $0.callsPerSecond = nil }
    try Self.buy(stage, [[:]])
    // The sandbox takes one in ten seconds.
    _ = try stage.store(TestNotificationCall()).result.get()
    let failure = try #require(Self.failure(try stage.store(TestNotificationCall())))
    guard case .limited(let until?) = failure.kind else {
      Issue.record("it is limited, not \(failure)")
      return
    }
    #expect((Stage.now + 1...Stage.now + 10_000).contains(until))
    // Another kind has room all the same.
    _ = try stage.store(TransactionInfoCall(transactionId: "1")).result.get()
    #expect(try stage.answer("1").status == 202)
  }

  @Test("go wrong on order: one kind of call, or any") func faults() throws {
    let stage = try Self.stage()
    try Self.buy(stage, [[:]])
    func order(_ members: JSONObject) throws {
      let reply = try stage.call(.post, "/simulator/v1/faults", .object(members))
      #expect(reply.status == 201, "\(reply.json)")
    }
    let info = try TransactionInfoCall(transactionId: "1")
    try order(["fault": "serverError", "call": "transactionInfo"])
    #expect(try stage.answer("1").status == 202)
    #expect(Self.failure(try stage.store(info))?.kind == .passing)
    try order(["fault": "unauthenticated", "call": "any", "times": 2])
    #expect(try stage.answer("1").status == 401)
    #expect(Self.failure(try stage.store(info))?.kind == .unauthorised)
    try order(["fault": "lostReply", "call": "transactionInfo"])
    #expect(throws: HTTPClientError.self) { try stage.store(info) }
    // Without a word, a fault is one of answers.
    try order(["fault": "cut"])
    _ = try stage.store(info).result.get()
    #expect(throws: HTTPClientError.self) { try stage.answer("1") }
  }

  @Test(
    "reply whatever was ordered, also what a gateway makes",
    arguments: [
      (["status": 404, "errorCode": 4_040_002], AppStoreFailure.Kind.passing, 4_040_002),
      (["status": 400, "errorCode": 4_000_999, "errorMessage": "new"], .refused(nil), 4_000_999),
      (["status": 502, "body": "<html>502</html>"], .passing, nil),
      (["status": 200, "body": "<html>200</html>"], .unreadable(.notJSON(line: 1, column: 1)), nil),
      (
        ["status": 429, "errorCode": 4_290_000, "retryAfter": "1796000060000"], .limited(until: 1_796_000_060_000),
        4_290_000
      ),
    ] as [(JSONObject, AppStoreFailure.Kind, Int64?)])
  func told(members: JSONObject, kind: AppStoreFailure.Kind, code: Int64?) throws {
    let stage = try Self.stage()
    try Self.buy(stage, [[:]])
    var order = members
    order["fault"] = "error"
    order["call"] = "transactionInfo"
    #expect(try stage.call(.post, "/simulator/v1/faults", .object(order)).status == 201)
    let reply = try stage.store(TransactionInfoCall(transactionId: "1"))
    #expect(Self.failure(reply)?.kind == kind && Self.failure(reply)?.errorCode == code)
    _ = try stage.store(TransactionInfoCall(transactionId: "1")).result.get()
  }

  @Test(
    "cannot be told to go wrong in ways that are none",
    arguments: [
      (["fault": "error"], "status is missing"), (["fault": "error", "status": 600], "status"),
      (["fault": "error", "status": 400, "body": "x", "errorCode": 1], "body goes without"),
      (["fault": "error", "status": 429, "retryAfter": "1\r\nX: y"], "retryAfter"),
      (["fault": "serverError", "call": "everything"], "consumption"),
      (["fault": "drop", "call": "any"], "deliveries"),
    ] as [(JSONObject, String)])
  func wrongFaults(members: JSONObject, words: String) throws {
    let stage = try Self.stage()
    let reply = try stage.call(.post, "/simulator/v1/faults", .object(members))
    #expect(reply.status == 400 && reply.json["error"]?.string?.contains(words) == true, "\(reply.json)")
  }
}
