import AppStore
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("A reply to a typed call") struct AppStoreReplyTests {
  private static let now: Int64 = 1_796_000_000_000
  private static let history = try! NotificationHistoryCall(startDate: 1, endDate: 2)
  private static let info = try! TransactionInfoCall(transactionId: "1")
  private static let purchases = try! TransactionHistoryCall(transactionId: "1")
  private static let refunds = try! RefundHistoryCall(transactionId: "1")
  private static let status = try! TestNotificationStatusCall(token: "t")
  private static let account = try! SetAppAccountTokenCall(
    originalTransactionId: "1", appAccountToken: "3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10")
  private static let order = try! OrderLookupCall(orderId: "M1")
  /// Every kind that has a reply of its own.
  private static let calls: [any AppStoreCall] = [
    history, info, purchases, refunds, TestNotificationCall(), status, account, order,
  ]

  private static func reply<Call: AppStoreCall>(
    _ call: Call, _ status: Int, _ body: [UInt8], _ fields: HTTPFields = [:]
  ) -> AppStoreReply<Call.Reply> {
    AppStoreReply(HTTPResponse(status: status, fields: fields, body: body), to: call, now: now)
  }

  private static func failure(
    _ call: some AppStoreCall, _ status: Int, _ body: [UInt8], _ fields: HTTPFields = [:]
  ) -> AppStoreFailure? {
    if case .failure(let failure) = reply(call, status, body, fields).result { failure } else { nil }
  }

  // MARK: What Apple says

  /// Bodies of Apple's own libraries' tests; they lie beside the project.
  private static func model(_ name: String) -> [UInt8]? {
    Project.sharedVectors.flatMap { Project.bytes("\($0)/models/\(name).json") }
  }

  @Test("tells what Apple's pages show") func models() throws {
    guard Project.sharedVectors != nil else { return }
    let page = try Self.reply(Self.history, 200, #require(Self.model("getNotificationHistoryResponse"))).result.get()
    #expect(page.hasMore && page.next == "57715481-805a-4283-8499-1c19b5d6b20a" && page.count == 2)
    #expect(page.entries.map(\.signedPayload) == ["signed_payload_one", "signed_payload_two"])
    #expect(
      page.entries[0].sendAttempts == [
        SendAttempt(date: 1_698_148_900_000, result: .noResponse),
        SendAttempt(date: 1_698_148_950_000, result: .success),
      ])
    #expect(page.entries[1].sendAttempts.map(\.result) == [.circularRedirect])
    let test = try Self.reply(Self.status, 200, #require(Self.model("getTestNotificationStatusResponse"))).result.get()
    #expect(
      test.signedPayload == "signed_payload" && test.sendAttempts.count == 2 && test.firstSendAttemptResult == nil)
    #expect(
      try Self.reply(TestNotificationCall(), 200, #require(Self.model("requestTestNotificationResponse"))).result.get()
        == "ce3af791-365e-4c60-841b-1674b43c1609")
    #expect(
      try Self.reply(Self.info, 200, #require(Self.model("transactionInfoResponse"))).result.get()
        == "signed_transaction_info_value")
    let purchases = try Self.reply(Self.purchases, 200, #require(Self.model("transactionHistoryResponse"))).result.get()
    #expect(purchases.signedTransactions == ["signed_transaction_value", "signed_transaction_value2"])
    #expect(purchases.hasMore && purchases.revision == "revision_output" && purchases.appAppleId == 323_232)
    #expect(purchases.bundleId == "com.example" && purchases.environment == .localTesting)
    // appAppleId is a text there, and hasMore a number.
    let malformed = try #require(Self.model("transactionHistoryResponseWithMalformedAppAppleId"))
    #expect(
      Self.failure(Self.purchases, 200, malformed)?.kind == .unreadable(.member("hasMore", wanted: "true or false")))
    for (name, status, kind) in [
      ("apiException", 500, .passing), ("apiTooManyRequestsException", 429, .limited(until: nil)),
      ("appTransactionDoesNotExistError", 404, .refused(.checkEnvironment)),
      ("invalidAppAccountTokenUUIDError", 400, .refused(nil)), ("invalidTransactionIdError", 400, .refused(nil)),
      ("transactionIdNotFoundError", 404, .refused(.checkEnvironment)),
    ] as [(String, Int, AppStoreFailure.Kind)] {
      let body = try #require(Self.model(name))
      let failure = try #require(Self.failure(Self.info, status, body))
      #expect(failure.kind == kind)
      #expect(failure.errorCode != nil && failure.errorName != nil && failure.errorMessage != nil)
    }
  }

  @Test("tells of refunds, orders and older test results") func others() throws {
    let refunds = try Self.reply(
      Self.refunds, 200, Array(#"{"signedTransactions":["a"],"revision":"r","hasMore":false,"new":1}"#.utf8)
    ).result.get()
    #expect(refunds.signedTransactions == ["a"] && refunds.next == "r" && !refunds.hasMore)
    let empty = try Self.reply(Self.refunds, 200, Array(#"{"revision":null}"#.utf8)).result.get()
    #expect(empty.signedTransactions.isEmpty && empty.next == nil && !empty.hasMore)
    let order = try Self.reply(Self.order, 200, Array(#"{"status":0,"signedTransactions":["a"]}"#.utf8)).result.get()
    #expect(order.status == .valid && order.signedTransactions == ["a"])
    #expect(try Self.reply(Self.order, 200, Array(#"{"status":1}"#.utf8)).result.get().status == .invalid)
    #expect(try Self.reply(Self.order, 200, Array(#"{"status":7}"#.utf8)).result.get().status == .unknown(7))
    let old = try Self.reply(
      Self.status, 200, Array(#"{"signedPayload":"x","firstSendAttemptResult":"NEW_WORD"}"#.utf8)
    ).result.get()
    #expect(old.firstSendAttemptResult == .unknown("NEW_WORD") && old.sendAttempts.isEmpty)
  }

  // MARK: What goes wrong

  /// The class of a reply by the name it has in the vectors.
  private static func name(_ failure: AppStoreFailure?) -> String {
    switch failure?.kind {
    case nil, .unreadable: "accepted"
    case .refused(.checkEnvironment): "wrong-environment-or-unknown"
    case .refused, .fixAndSend: "permanent"
    case .unauthorised: "auth"
    case .limited(until: .some): "retry-at"
    case .limited(until: nil), .passing, .unknown: "retry-later"
    }
  }

  @Test("is put in its class whatever was called", arguments: ConsumptionReplyTests.rows)
  func vectors(row: ConsumptionReplyTests.Row) {
    for call in Self.calls {
      let body = Array(row.body.utf8)
      let failure = row.status == 0 ? .lost : Self.failure(call, row.status, body, row.fields)
      #expect(Self.name(failure) == row.expected)
      // A success with no body is one for a call that has none.
      if row.expected == "accepted" { #expect((failure == nil) == Self.isFine(call, row.body)) }
      if row.expected == "retry-at" { #expect(failure?.kind == .limited(until: 1_796_000_060_000)) }
    }
  }

  /// Whether these bodies hold all that the call must bring: a page may be empty.
  private static func isFine(_ call: some AppStoreCall, _ body: String) -> Bool {
    switch call.kind {
    case .setAppAccountToken: true
    case .notificationHistory, .transactionHistory, .refundHistory: body == "{}"
    default: false
    }
  }

  @Test("is never more than unreadable, wherever it is cut off") func cutOff() throws {
    let whole = Array(
      #"{"notificationHistory":[{"signedPayload":"a.b.c","sendAttempts":[{"attemptDate":1,"sendAttemptResult":"OTHER"}]}],"hasMore":true,"paginationToken":"p"}"#
        .utf8)
    #expect(Self.failure(Self.history, 200, whole) == nil)
    for length in 0..<whole.count {
      guard case .unreadable(.notJSON) = Self.failure(Self.history, 200, Array(whole[..<length]))?.kind else {
        Issue.record("cut off at \(length) it is not unreadable")
        continue
      }
    }
  }

  @Test(
    "is unreadable where it is another thing altogether, and says where",
    arguments: [
      ("<html>200</html>", AppStoreReplyFault.notJSON(line: 1, column: 1)), ("[]", .notObject), ("null", .notObject),
      (#"{"notificationHistory":{}}"#, .member("notificationHistory", wanted: "a list")),
      (#"{"notificationHistory":[1]}"#, .member("notificationHistory", wanted: "a list of objects")),
      (#"{"notificationHistory":[{}]}"#, .member("signedPayload", wanted: "a text")),
      (
        #"{"notificationHistory":[{"signedPayload":"x","sendAttempts":[{"sendAttemptResult":"OTHER"}]}]}"#,
        .member("attemptDate", wanted: "an instant in milliseconds")
      ),
      (#"{"hasMore":"yes"}"#, .member("hasMore", wanted: "true or false")),
      (#"{"paginationToken":1}"#, .member("paginationToken", wanted: "a text")),
    ])
  func others(body: String, fault: AppStoreReplyFault) {
    let failure = Self.failure(Self.history, 200, Array(body.utf8))
    #expect(failure?.kind == .unreadable(fault))
    #expect(failure?.description == "the App Store answered 200; \(fault)")
  }

  @Test("has bounds, and keeps the first bytes alone") func bounds() {
    let huge = [UInt8](repeating: UInt8(ascii: "x"), count: AppStoreReplyReader.bytesMax + 1)
    for call in Self.calls where call.kind != .setAppAccountToken {
      #expect(Self.failure(call, 200, huge)?.kind == .unreadable(.tooLarge(bytes: huge.count)))
    }
    let reply = Self.reply(Self.info, 502, huge)
    #expect(reply.status == 502 && reply.firstBytes == Array(huge.prefix(2048)))
    let many = JSONValue.object(["signedTransactions": .array(Array(repeating: "x", count: 1001))]).bytes()
    #expect(Self.failure(Self.refunds, 200, many)?.kind == .unreadable(.tooMany("signedTransactions", max: 1000)))
    let token = JSONValue.object(["revision": .string(String(repeating: "x", count: 4097))]).bytes()
    #expect(
      Self.failure(Self.refunds, 200, token)?.kind
        == .unreadable(.member("revision", wanted: "a text of at most 4096 bytes")))
    #expect(AppStoreReply<String>.lost.status == 0)
  }
}
