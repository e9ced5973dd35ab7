import AppStore
import HTTPTypes
import Testing

@Suite("The pages of a question") struct AppStorePagingTests {
  private typealias Paging = AppStorePaging<NotificationHistoryCall>

  private static func question(page: String? = nil) throws -> NotificationHistoryCall {
    try NotificationHistoryCall(
      startDate: 1, endDate: 2, subject: .type(.consumptionRequest), onlyFailures: true, page: page)
  }

  private static func page(_ count: Int = 1, more: Bool = true, token: String? = nil) throws
    -> NotificationHistoryCall.Page
  {
    let entries = Array(repeating: #"{"signedPayload":"x"}"#, count: count).joined(separator: ",")
    let token = token.map { #","paginationToken":"\#($0)""# } ?? ""
    return try question().reply(Array(#"{"notificationHistory":[\#(entries)],"hasMore":\#(more)\#(token)}"#.utf8))
  }

  private static func failure(_ status: Int, _ code: Int64) -> AppStoreFailure {
    AppStoreFailure(HTTPResponse(status: status, body: Array("{\"errorCode\":\(code)}".utf8)), now: 1)!
  }

  @Test("are asked for with the same body each, and each page's token") func whole() throws {
    var paging = Paging(try Self.question())
    var asked: [NotificationHistoryCall] = []
    for (more, token) in [(true, "a"), (true, "b"), (false, "c")] {
      asked.append(try #require(paging.next))
      paging.took(try Self.page(more: more, token: token))
    }
    #expect(asked.map(\.page) == [nil, "a", "b"])
    #expect(Set(asked.map(\.body)).count == 1)
    #expect(paging.next == nil && paging.end == .all)
    // To ask later for what came since.
    #expect(paging.last == "c")
    // What comes after the end changes nothing.
    paging.took(try Self.page(token: "d"))
    #expect(paging.next == nil && paging.end == .all && paging.last == "c")
  }

  @Test("begin where they were left") func kept() throws {
    var paging = Paging(try Self.question(page: "kept"))
    #expect(paging.next?.page == "kept")
    paging.took(try Self.page(0, more: false))
    #expect(paging.end == .all && paging.last == "kept")
  }

  @Test("end where there is more and no way on", arguments: [nil, "a"]) func noWayOn(token: String?) throws {
    var paging = Paging(try Self.question())
    paging.took(try Self.page(token: "a"))
    paging.took(try Self.page(token: token))
    #expect(paging.next == nil && paging.end == .noWayOn)
  }

  @Test("end where they lead back to an earlier one") func circle() throws {
    var paging = Paging(try Self.question())
    for token in ["a", "b", "c", "a"] { paging.took(try Self.page(token: token)) }
    #expect(paging.next == nil && paging.end == .roundInCircles)
    var kept = Paging(try Self.question(page: "a"))
    for token in ["b", "a"] { kept.took(try Self.page(token: token)) }
    #expect(kept.end == .roundInCircles)
  }

  @Test("end after so many") func bounds() throws {
    var paging = Paging(try Self.question(), pagesMax: 3)
    for number in 1...3 {
      #expect(paging.next != nil)
      paging.took(try Self.page(token: "\(number)"))
    }
    #expect(paging.next == nil && paging.end == .tooManyPages(3))
    var exact = Paging(try Self.question(), pagesMax: 1)
    exact.took(try Self.page(more: false))
    #expect(exact.end == .all)
    var empty = Paging(try Self.question())
    for number in 1...9 { empty.took(try Self.page(0, token: "\(number)")) }
    #expect(empty.next != nil)
    empty.took(try Self.page(1, token: "10"))
    for number in 11...20 { empty.took(try Self.page(0, token: "\(number)")) }
    #expect(empty.next == nil && empty.end == .tooManyEmptyPages(10))
  }

  @Test(
    "begin again without a token that ran out, a few times", arguments: [4_000_017, 4_000_014, 4_000_005] as [Int64])
  func expired(code: Int64) throws {
    var paging = Paging(try Self.question())
    for _ in 1...2 {
      paging.took(try Self.page(token: "a"))
      let asksAgain = paging.failed(Self.failure(400, code))
      #expect(asksAgain && paging.next?.page == nil && paging.last == nil)
    }
    // The same token as before is no circle after a new beginning.
    paging.took(try Self.page(token: "a"))
    #expect(paging.next?.page == "a")
    let asksAgain = paging.failed(Self.failure(400, code))
    #expect(!asksAgain && paging.next == nil && paging.end == .startedAgainTooOften(3))
  }

  @Test("stay where they are after any other failure") func otherFailures() throws {
    var paging = Paging(try Self.question())
    // Without a token there is none that ran out.
    var asksAgain = paging.failed(Self.failure(400, 4_000_014))
    #expect(!asksAgain)
    paging.took(try Self.page(token: "a"))
    for failure in [Self.failure(500, 5_000_000), Self.failure(404, 4_040_010), .lost] {
      asksAgain = paging.failed(failure)
      #expect(!asksAgain && paging.next?.page == "a" && paging.end == nil)
    }
  }
}
