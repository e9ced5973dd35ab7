import AppStore
import Cryptography
import HTTPTypes
import Testing

@Suite("A call to the App Store Server API") struct AppStoreServerAPITests {
  private func token() throws -> BearerToken {
    try BearerTokenMaker(
      keyId: "ABC123DEFG", issuerId: "57246542-96fe-1a63-e053-0824d011072a", bundleId: "com.example.app",
      key: .generate()
    ).token(now: 1_796_000_000_000)
  }

  @Test(
    "goes to the host of its environment",
    arguments: [
      (
        ServerEnvironment.production,
        "https://api.storekit.apple.com/inApps/v2/transactions/consumption/2000000000000001"
      ),
      (.sandbox, "https://api.storekit-sandbox.apple.com/inApps/v2/transactions/consumption/2000000000000001"),
    ])
  func hosts(environment: ServerEnvironment, url: String) throws {
    let token = try token()
    let body = Array(#"{"customerConsented":true}"#.utf8)
    let request = try #require(
      AppStoreServerAPI().sendConsumption(
        transactionId: "2000000000000001", environment: environment, version: .version2, body: body, token: token))
    #expect(request.method == .put)
    #expect(request.url.description == url)
    #expect(request.fields["Authorization"] == token.authorization)
    #expect(request.fields["Content-Type"] == "application/json")
    #expect(request.fields["Accept"] == "application/json")
    #expect(request.body == body)
    var shown = "\(request)"
    dump(request, to: &shown)
    #expect(!shown.contains(token.text))
  }

  @Test("of version 1 goes to the endpoint of that version") func version1() throws {
    let request = AppStoreServerAPI().sendConsumption(
      transactionId: "1", environment: .sandbox, version: .version1, body: [], token: try token())
    #expect(
      request?.url.description
        == "https://api.storekit-sandbox.apple.com/inApps/v1/transactions/consumption/1")
  }

  @Test("goes to another address where one is set") func otherAddress() throws {
    let api = AppStoreServerAPI(sandbox: try AppStoreAddress("http://127.0.0.1:8081/store/"))
    let request = api.sendConsumption(
      transactionId: "1", environment: .sandbox, version: .version2, body: [], token: try token())
    #expect(request?.url.description == "http://127.0.0.1:8081/store/inApps/v2/transactions/consumption/1")
  }

  @Test(
    "is not made for an id that would mean something else in a path",
    arguments: ["", "../1", "1/2", "1?x", "1%2f", "1 ", "ä", String(repeating: "1", count: 65)])
  func ids(id: String) throws {
    #expect(
      AppStoreServerAPI().sendConsumption(
        transactionId: id, environment: .sandbox, version: .version2, body: [], token: try token()) == nil
    )
  }

  @Test("has an address that keeps its token secret") func addresses() throws {
    func failure(_ text: String, plain: Bool = false) -> AppStoreAddressError? {
      do throws(AppStoreAddressError) {
        _ = try AppStoreAddress(text, allowsPlainText: plain)
        return nil
      } catch {
        return error
      }
    }
    for text in ["https://a.example", "http://localhost:1", "http://[::1]:8080", "http://127.0.0.1"] {
      #expect(failure(text) == nil)
    }
    #expect(failure("http://store.example") == .plainText(host: "store.example"))
    #expect(failure("http://store.example", plain: true) == nil)
    #expect(failure("http://localhost.example") == .plainText(host: "localhost.example"))
    #expect(failure("ftp://a.example") == .notURL(.scheme))
    #expect(failure("https://a.example?x=1") == .query)
    #expect(failure("https://u:p@a.example") == .notURL(.userInfo))
  }
}
