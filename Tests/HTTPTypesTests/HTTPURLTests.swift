import HTTPTypes
import Testing

@Suite("A URL")
struct HTTPURLTests {
  @Test(
    "is taken apart",
    arguments: [
      ("https://example.com", "https://example.com/", "example.com", 443),
      ("HTTP://Example.COM:8080/A?b=c", "http://example.com:8080/A?b=c", "example.com", 8080),
      ("http://h:80/", "http://h/", "h", 80),
      ("https://h?x", "https://h/?x", "h", 443),
      ("http://127.0.0.1:1/", "http://127.0.0.1:1/", "127.0.0.1", 1),
      ("https://[::1]:65535/x", "https://[::1]:65535/x", "::1", 65535),
    ])
  func good(text: String, written: String, host: String, port: Int) throws {
    let url = try HTTPURL(text)
    #expect(url.description == written)
    #expect(url.origin.host == host)
    #expect(url.origin.port == port)
  }

  @Test(
    "is refused by the part that is wrong",
    arguments: [
      ("ftp://h/", .scheme), ("h/", .scheme), ("", .scheme), ("http:/h", .scheme),
      ("https://u:p@h/", .userInfo), ("https://h/#x", .fragment),
      ("https:///x", .host), ("https://a..b/", .host), ("https://ä/", .host), ("https://[::1/", .host),
      ("https://[a]/", .host), ("https://h h/", .host), ("https://h./", .host),
      ("https://h:/", .port), ("https://h:0/", .port), ("https://h:65536/", .port), ("https://[::1]x/", .port),
      ("https://h:1a/", .port), ("https://h/ x", .target), ("https://h/%4", .target),
    ] as [(String, HTTPURLError)])
  func bad(text: String, error: HTTPURLError) {
    #expect(throws: error) { try HTTPURL(text) }
  }
}

@Suite("A router")
struct HTTPRouterTests {
  private static let router: HTTPRouter<String> = {
    var router = HTTPRouter<String>()
    router.add(.get, "/", "root")
    router.add(.get, "/v1/cases/{id}", "case")
    router.add(.put, "/v1/cases/{id}", "put case")
    router.add(.get, "/v1/cases/open", "open")
    router.add(.get, "/v1/{kind}/{id}/events", "events")
    router.add(.post, "/v1/notifications", "notify")
    return router
  }()

  @Test(
    "finds",
    arguments: [
      ("GET", "/", "root []"), ("GET", "/v1/cases/7", "case [id=7]"), ("PUT", "/v1/cases/a%2Fb", "put case [id=a/b]"),
      ("GET", "/v1/cases/open", "open []"), ("HEAD", "/v1/cases/7", "case [id=7]"),
      ("GET", "/v1/purchase/9/events?x", "events [id=9,kind=purchase]"),
      ("GET", "/v1/cases/", "404 -"), ("GET", "/v1/cases", "404 -"), ("GET", "/v1/cases/7/", "404 -"),
      ("GET", "/V1/cases/7", "404 -"), ("GET", "/v1/cases/%00", "404 -"), ("OPTIONS", "*", "404 -"),
      ("PUT", "/v1/cases/open", "405 GET, HEAD, OPTIONS"), ("GET", "/v1/notifications", "405 OPTIONS, POST"),
      ("DELETE", "/v1/cases/7", "405 GET, HEAD, OPTIONS, PUT"),
      ("OPTIONS", "/v1/cases/7", "204 GET, HEAD, OPTIONS, PUT"),
    ])
  func match(method: String, target: String, expected: String) throws {
    switch Self.router.match(HTTPMethod(rawValue: method), try #require(HTTPTarget(target))) {
    case .found(let handler, let parameters):
      let listed = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
      #expect("\(handler) [\(listed)]" == expected)
    case .reply(let response): #expect("\(response.status) \(response.fields["Allow"] ?? "-")" == expected)
    }
  }
}
