import AppStore
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("An error of the App Store Server API") struct KnownErrorTests {
  private static let now: Int64 = 1_796_000_000_000

  private static func kind(_ status: Int, _ code: Int64) -> AppStoreFailure.Kind? {
    AppStoreFailure(HTTPResponse(status: status, body: Array("{\"errorCode\":\(code)}".utf8)), now: now)?.kind
  }

  @Test("has Apple's number, name and status, and a class that the list of facts agrees with") func facts() throws {
    guard let folder = Project.sharedVectors else { return }
    let facts = try JSONValue(bytes: try #require(Project.bytes("\(folder)/../api-errors.json")))
    let errors = try #require(facts["errors"]?.array).filter { $0["code"]?.isNull == false }
    #expect(errors.count == AppStoreKnownError.all.count)
    for error in errors {
      let code = try #require(error["code"]?.int64)
      let status = Int(try #require(error["http"]?.int64))
      let known = try #require(AppStoreKnownError.of(code), "\(code) is known")
      #expect(known.name == error["name"]?.string)
      #expect(known.status == status)
      #expect(known.isCertain == (error["confidence"]?.string == "documented"))
      switch try #require(Self.kind(status, code)) {
      case .passing, .limited: #expect(error["retryable"]?.bool == true, "\(code)")
      case .refused, .fixAndSend: #expect(error["retryable"]?.bool == false, "\(code)")
      case let kind: Issue.record("\(code) is \(kind)")
      }
    }
    for code in try #require(facts["retryableByName"]?.array).compactMap(\.int64) {
      #expect(Self.kind(Int(code / 10_000), code) == .passing)
    }
  }

  @Test("is judged by its status before its number", arguments: AppStoreKnownError.all)
  func statusFirst(error: AppStoreKnownError) {
    #expect(Self.kind(401, error.code) == .unauthorised)
    #expect(Self.kind(429, error.code) == .limited(until: nil))
    #expect(Self.kind(503, error.code) == .passing)
    #expect(Self.kind(408, error.code) == .passing)
    #expect(Self.kind(202, error.code) == nil)
  }

  @Test(
    "says what to change, where something can be changed",
    arguments: [
      (400, 4_000_209, AppStoreFailure.Kind.fixAndSend(.leaveOutPercentage)),
      (400, 4_000_017, .fixAndSend(.startAgain)), (400, 4_000_014, .fixAndSend(.startAgain)),
      (400, 4_000_005, .fixAndSend(.startAgain)), (400, 4_000_012, .fixAndSend(.beginLater)),
      (400, 4_000_187, .fixAndSend(.nameOriginal)), (404, 4_040_008, .refused(.notYet)),
      (404, 4_040_010, .refused(.checkEnvironment)), (404, 4_040_005, .refused(.checkEnvironment)),
      (404, 4_040_007, .refused(nil)), (404, 4_040_002, .passing), (404, 4_049_999, .refused(.checkEnvironment)),
      (400, 4_000_999, .refused(nil)), (400, 5_000_001, .refused(nil)),
    ] as [(Int, Int64, AppStoreFailure.Kind)])
  func fixes(status: Int, code: Int64, kind: AppStoreFailure.Kind) { #expect(Self.kind(status, code) == kind) }

  @Test("is told in a sentence with what to do, also where nobody knows the number") func words() throws {
    func words(_ status: Int, _ body: String) throws -> String {
      try #require(AppStoreFailure(HTTPResponse(status: status, body: Array(body.utf8)), now: Self.now)).description
    }
    #expect(
      try words(404, #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#)
        == "the App Store answered 404 with 4040010 TransactionIdNotFoundError: Transaction id not found; the "
        + "transaction is not known in this environment: check sandbox against production, and the app of the key")
    #expect(
      try words(400, #"{"errorCode":4000999}"#)
        == "the App Store answered 400 with 4000999; the same again would be refused again: compare what was sent with Apple's words"
    )
    #expect(try words(401, "Unauthenticated").contains("check the clock"))
    #expect(try words(503, "<html>").hasSuffix("later again"))
    // A known number under another status: the status speaks.
    #expect(try words(503, #"{"errorCode":4040010}"#).hasSuffix("later again"))
    for error in AppStoreKnownError.all {
      let text = try words(error.status, "{\"errorCode\":\(error.code)}")
      #expect(text.contains(error.name) && text.hasSuffix(error.words) && error.words.count > 20)
    }
    #expect(AppStoreFailure.lost.description.contains("whether it acted is not known"))
  }
}
