import HTTPServer
import HTTPTypes
import Service
import Testing

@Suite("What whoever runs a service asks it") struct HealthRoutesTests {
  private func ask(_ path: String, unready: String? = nil) throws -> HTTPResponse {
    let metrics = MetricRegistry()
    metrics.counter("things_total", "Things.").add(3)
    var router = HTTPRouter<HTTPRouteHandler>()
    HealthRoutes(metrics: metrics, unreadyReason: { unready }).add(to: &router)
    let server = try ServerFixture(handler: router.handler)
    let client = try RawClient(port: server.port)
    try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
    return try client.reply()
  }

  @Test("whether it lives") func lives() throws {
    #expect(try ask("/livez", unready: "the disk is full").status == 200)
  }

  @Test("whether it can work, and why not") func ready() throws {
    #expect(try ask("/readyz").status == 200)
    let reply = try ask("/readyz", unready: "the disk is full")
    #expect(reply.status == 503 && reply.text.contains("the disk is full"))
    #expect(reply.fields["Content-Type"] == "application/problem+json")
  }

  @Test("its figures") func figures() throws {
    let reply = try ask("/metrics")
    #expect(reply.status == 200 && reply.fields["Content-Type"] == MetricRegistry.contentType)
    #expect(reply.text.contains("things_total 3\n"))
  }

  @Test("and what it does not know, as a problem") func unknown() throws {
    let reply = try ask("/metric")
    #expect(reply.status == 404 && reply.fields["Content-Type"] == "application/problem+json")
    for member in [#""type":"about:blank""#, #""status":404"#, #""title":"Not Found""#, #""detail":"there is nothing"#]
    {
      #expect(reply.text.contains(member))
    }
  }
}
