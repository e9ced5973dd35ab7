import AppStore
import Cryptography
import HTTPTypes
import JSON
import Testing

@Suite("A typed call") struct AppStoreCallTests {
  private static let tokens = try! BearerTokenMaker(
    keyId: "ABC123DEFG", issuerId: "57246542-96fe-1a63-e053-0824d011072a", bundleId: "com.example.app",
    key: .generate())
  private static let now: Int64 = 1_796_000_000_000
  private static let uuid = "3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10"

  private static func request(
    _ call: some AppStoreCall, _ environment: ServerEnvironment = .production
  ) throws -> AppStoreRequest {
    try AppStoreServerAPI().request(call, environment: environment, tokens: tokens, now: now)
  }

  /// Why a call could not be made.
  private static func fault(_ make: () throws(AppStoreCallError) -> Void) -> AppStoreCallError? {
    do throws(AppStoreCallError) {
      try make()
      return nil
    } catch {
      return error
    }
  }

  @Test("is written as Apple's page has it") func lines() throws {
    var filter = TransactionHistoryCall.Filter()
    filter.startDate = 1
    filter.endDate = 2
    filter.productIds = ["com.example.a", "b&c=ä"]
    filter.productTypes = [.consumable, .autoRenewable]
    filter.order = .descending
    filter.subscriptionGroups = ["20000001"]
    filter.ownership = .purchased
    filter.revoked = false
    let calls: [(any AppStoreCall, String)] = [
      (try TransactionInfoCall(transactionId: "1"), "GET /inApps/v1/transactions/1"),
      (try TransactionHistoryCall(transactionId: "1"), "GET /inApps/v2/history/1"),
      (
        try TransactionHistoryCall(transactionId: "1", filter: filter, page: "a/b+c="),
        "GET /inApps/v2/history/1?revision=a%2Fb%2Bc%3D&startDate=1&endDate=2&productId=com.example.a"
          + "&productId=b%26c%3D%C3%A4&productType=CONSUMABLE&productType=AUTO_RENEWABLE&sort=DESCENDING"
          + "&subscriptionGroupIdentifier=20000001&inAppOwnershipType=PURCHASED&revoked=false"
      ),
      (try RefundHistoryCall(transactionId: "1"), "GET /inApps/v2/refund/lookup/1"),
      (try RefundHistoryCall(transactionId: "1", page: "r"), "GET /inApps/v2/refund/lookup/1?revision=r"),
      (
        try NotificationHistoryCall(startDate: 1, endDate: 2),
        #"POST /inApps/v1/notifications/history {"startDate":1,"endDate":2}"#
      ),
      (
        try NotificationHistoryCall(
          startDate: 1, endDate: 2, subject: .type(.refund, .seats), onlyFailures: true, page: "p q"),
        #"POST /inApps/v1/notifications/history?paginationToken=p%20q {"startDate":1,"endDate":2,"#
          + #""notificationType":"REFUND","notificationSubtype":"SEATS","onlyFailures":true}"#
      ),
      (
        try NotificationHistoryCall(startDate: 1, endDate: 1, subject: .transaction("7")),
        #"POST /inApps/v1/notifications/history {"startDate":1,"endDate":1,"transactionId":"7"}"#
      ),
      (TestNotificationCall(), "POST /inApps/v1/notifications/test"),
      (try TestNotificationStatusCall(token: "a-b_c.d"), "GET /inApps/v1/notifications/test/a-b_c.d"),
      (
        try SetAppAccountTokenCall(originalTransactionId: "1", appAccountToken: Self.uuid.uppercased()),
        #"PUT /inApps/v1/transactions/1/appAccountToken {"appAccountToken":"\#(Self.uuid)"}"#
      ),
      (try OrderLookupCall(orderId: "MK5ABCDEF1"), "GET /inApps/v1/lookup/MK5ABCDEF1"),
    ]
    for (call, line) in calls {
      let request = try Self.request(call)
      let body = request.body.isEmpty ? "" : " " + String(decoding: request.body, as: UTF8.self)
      #expect("\(request.method) \(request.url.target)\(body)" == line)
      #expect(request.url.origin.description == "https://api.storekit.apple.com")
      #expect(request.fields["Accept"] == "application/json")
      #expect(request.fields["Content-Type"] == (request.body.isEmpty ? nil : "application/json"))
      #expect(request.fields["Authorization"]?.hasPrefix("Bearer ey") == true)
    }
    #expect(
      try Self.request(TransactionInfoCall(transactionId: "1"), .sandbox).url.origin.description
        == "https://api.storekit-sandbox.apple.com")
  }

  @Test("has a token of its own each time") func tokens() throws {
    let call = try TransactionInfoCall(transactionId: "1")
    let tokens = try (0..<3).map { _ in try Self.request(call).fields["Authorization"] }
    #expect(Set(tokens).count == 3)
  }

  @Test("goes to an older host where that is set") func olderHost() throws {
    let api = AppStoreServerAPI(production: try AppStoreAddress("https://api.storekit.itunes.apple.com"))
    let request = try api.request(
      TestNotificationCall(), environment: .production, tokens: Self.tokens, now: Self.now)
    #expect(request.url.description == "https://api.storekit.itunes.apple.com/inApps/v1/notifications/test")
  }

  @Test("about an order is not made in the sandbox") func orders() throws {
    let call = try OrderLookupCall(orderId: "MK5ABCDEF1")
    #expect(
      Self.fault { () throws(AppStoreCallError) in
        _ = try AppStoreServerAPI().request(call, environment: .sandbox, tokens: Self.tokens, now: Self.now)
      } == .notOffered(.orderLookup, .sandbox))
  }

  @Test(
    "is not made for an id that would mean something else in a path",
    arguments: ["", "..", "../1", "1/2", "1?x", "1%2f", "1 ", "ä", String(repeating: "1", count: 300)])
  func ids(id: String) {
    #expect(
      Self.fault { () throws(AppStoreCallError) in _ = try TransactionInfoCall(transactionId: id) } == .transactionId)
    #expect(
      Self.fault { () throws(AppStoreCallError) in _ = try TransactionHistoryCall(transactionId: id) } == .transactionId
    )
    #expect(
      Self.fault { () throws(AppStoreCallError) in _ = try RefundHistoryCall(transactionId: id) } == .transactionId)
    #expect(
      Self.fault { () throws(AppStoreCallError) in
        _ = try SetAppAccountTokenCall(originalTransactionId: id, appAccountToken: Self.uuid)
      } == .transactionId)
    #expect(
      Self.fault { () throws(AppStoreCallError) in
        _ = try NotificationHistoryCall(startDate: 1, endDate: 2, subject: .transaction(id))
      } == .transactionId)
    #expect(Self.fault { () throws(AppStoreCallError) in _ = try OrderLookupCall(orderId: id) } == .orderId)
    #expect(Self.fault { () throws(AppStoreCallError) in _ = try TestNotificationStatusCall(token: id) } == .testToken)
  }

  @Test("is not made where Apple would refuse it") func refusals() throws {
    for token in ["", "user-42", "00000000-0000-0000-0000-000000000000", Self.uuid + "0"] {
      #expect(
        Self.fault { () throws(AppStoreCallError) in
          _ = try SetAppAccountTokenCall(originalTransactionId: "1", appAccountToken: token)
        } == .accountToken)
    }
    func history(_ start: Int64, _ end: Int64, page: String? = nil) -> AppStoreCallError? {
      Self.fault { () throws(AppStoreCallError) in
        _ = try NotificationHistoryCall(startDate: start, endDate: end, page: page)
      }
    }
    #expect(history(2, 1) == .startNotBeforeEnd)
    #expect(history(-1, 1) == .instant("startDate"))
    #expect(history(1, 2, page: "") == .pageToken)
    #expect(history(1, 2, page: String(repeating: "x", count: 4096)) == nil)
    #expect(history(1, 2, page: String(repeating: "x", count: 4097)) == .pageToken)
    func purchases(_ change: (inout TransactionHistoryCall.Filter) -> Void) -> AppStoreCallError? {
      var filter = TransactionHistoryCall.Filter()
      change(&filter)
      do throws(AppStoreCallError) {
        _ = try TransactionHistoryCall(transactionId: "1", filter: filter)
        return nil
      } catch {
        return error
      }
    }
    #expect(purchases { $0.productIds = Array(repeating: "x", count: 50) } == nil)
    #expect(purchases { $0.productIds = Array(repeating: "x", count: 51) } == .filter("productId"))
    #expect(purchases { $0.subscriptionGroups = [""] } == .filter("subscriptionGroupIdentifier"))
  }

  @Test("has Apple's limit, and a tenth of it in the sandbox") func limits() {
    #expect(AppStoreCallKind.consumption.callsPerTenSeconds(in: .production) == 500)
    #expect(AppStoreCallKind.notificationHistory.callsPerTenSeconds(in: .sandbox) == 50)
    #expect(AppStoreCallKind.refundHistory.callsPerTenSeconds(in: .production) == 100)
    #expect(AppStoreCallKind.setAppAccountToken.callsPerTenSeconds(in: .production) == 200)
    #expect(AppStoreCallKind.testNotification.callsPerTenSeconds(in: .sandbox) == 1)
  }
}
