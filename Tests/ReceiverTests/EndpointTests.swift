import AppStore
import Cryptography
import EventLog
import Glibc
import HTTPServer
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Receiver

@Suite("The receiver's address, from outside") struct EndpointTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let id: String
    let method: HTTPMethod
    let body: [UInt8]
    let repeats: Int
    let statusClass: Int64
    var testDescription: String { id }
  }

  static let rows: [Row] = {
    let folder = Project.vectors + "/http"
    guard let root = Project.bytes(folder + "/endpoint-requests.json").flatMap({ try? JSONDocument(bytes: $0).root })
    else { return [] }
    return (root["cases"]?.elements ?? []).map { row in
      let token = row["body"]?["file"]?.string.flatMap { Project.bytes("\(folder)/\($0)") }
      return Row(
        id: row["id"]!.string!, method: HTTPMethod(rawValue: row["method"]!.string!),
        body: token.map(IntakeFixture.body) ?? Array(row["body"]!.string!.utf8),
        repeats: Int(row["body"]?["repeat"]?.int64 ?? 1), statusClass: row["statusClass"]!.int64!)
    }
  }()

  @Test("has all its rows") func count() { #expect(Self.rows.count == 12) }

  @Test("answers each row with its class, and keeps only what is genuine", arguments: rows)
  func endpoint(row: Row) throws {
    let folder = TemporaryFolder()
    let receiver = try RunningReceiver.derived(folder.path)
    for _ in 0..<row.repeats {
      let reply = try receiver.send(row.body, method: row.method)
      #expect(Int64(reply.status / 100) == row.statusClass)
      if reply.status == 200 { #expect(reply.body.isEmpty) }
    }
    #expect(try receiver.events().count == (row.statusClass == 2 ? 1 : 0))
    #expect(try receiver.parked().isEmpty)
  }

  @Test("says of a TEST notification that the line works, and records it") func test() throws {
    let folder = TemporaryFolder()
    let receiver = try RunningReceiver.derived(folder.path)
    let token = try ReceivedToken.derived("p01-test-no-appappleid").token()
    let reply = try receiver.post(token)
    #expect(reply.status == 200)
    #expect(reply.body.isEmpty)
    #expect(try receiver.events().map(\.kind) == ["TEST"])
    // Said right after the reply.
    try eventually { receiver.lines(with: "the line from the App Store to this log works").count == 1 }
    #expect(try receiver.post(token).status == 200)
    try eventually { receiver.lines(with: "known already").count == 1 }
    #expect(receiver.lines(with: "the line from the App Store to this log works").count == 1)
  }

  static let version1Bodies = [
    #"{"notification_type":"REFUND","password":"hush-hush","unified_receipt":{}}"#,
    "notification_type=REFUND&password=hush-hush&environment=Sandbox",
    #"{"unified_receipt":{"latest_receipt_info":[\#(Array(repeating: "{\"a\":1,\"b\":2}", count: 500).joined(separator: ","))]},"password":"hush-hush"}"#,
    #"{"notification_type":"REFUND","password":"hush-hush","latest_receipt":"cut off"#,
  ]

  @Test("names version 1 where a body of that kind comes, and keeps it without its password", arguments: version1Bodies)
  func version1(body: String) throws {
    let folder = TemporaryFolder()
    let receiver = try RunningReceiver.derived(folder.path)
    let reply = try receiver.send(Array(body.utf8))
    #expect(reply.status == 400)
    #expect(reply.problem == "notification-version-1")
    #expect(String(decoding: reply.body, as: UTF8.self).contains("version 2"))
    try eventually {
      receiver.lines.contains { $0.contains("version 1") && $0.contains("warning") && $0.contains("version 2") }
    }
    let note = try #require(try receiver.quarantine(awaiting: 1).first)
    #expect(note.code == "notification-version-1")
    #expect(note.bodyBytes == body.utf8.count)
    let excerpt = String(decoding: note.excerpt, as: UTF8.self)
    #expect(excerpt.hasPrefix(String(body.prefix(20))))
    #expect(!excerpt.contains("hush"))
    #expect(!receiver.lines.joined().contains("hush"))
    #expect(try receiver.events().isEmpty)
  }

  @Test("takes many apps and both environments, also at an address that names another app") func perApp() throws {
    let folder = TemporaryFolder()
    let store = SignedStore()
    let other = try AppIdentity(bundleId: "com.example.other", appAppleId: 7, environments: [.production, .sandbox])
    let receiver = try RunningReceiver(folder.path, apps: [SignedStore.app, other], anchors: [store.anchor])
    func token(_ bundleID: String, _ environment: String, _ number: Int) -> [UInt8] {
      let transaction = SignedStore.transaction {
        $0["bundleId"] = .string(bundleID)
        $0["environment"] = .string(environment)
        $0["transactionId"] = .string("\(number)")
      }
      return store.sign(
        store.notification(
          uuid: store.uuid(number), bundleID: bundleID, appAppleID: environment == "Production" ? 7 : nil,
          environment: environment, transaction: transaction))
    }
    #expect(try receiver.post(token("com.example.app", "Sandbox", 1)).status == 200)
    #expect(try receiver.post(token("com.example.other", "Sandbox", 2)).status == 200)
    let production = token("com.example.other", "Production", 3)
    #expect(try receiver.post(production, path: "/v1/notifications/com.example.other").status == 200)
    #expect(receiver.lines(with: "another app's address").isEmpty)
    let foreign = token("com.example.other", "Production", 4)
    #expect(try receiver.post(foreign, path: "/v1/notifications/com.example.app").status == 200)
    try eventually { receiver.lines(with: "another app's address").count == 1 }
    #expect(
      try receiver.events().map(\.stream.text) == [
        "purchase/Sandbox/1", "purchase/Sandbox/2", "purchase/Production/3", "purchase/Production/4",
      ])
    #expect(try receiver.post(production, path: "/v1/notifications/a/b").status == 404)
  }

  @Test("gives one event where two receivers over one log get the same body at once") func twoReceivers() throws {
    let folder = TemporaryFolder()
    let receivers = [try RunningReceiver.derived(folder.path), try RunningReceiver.derived(folder.path)]
    let token = try ReceivedToken.derived("p02-consumption-consumable").token()
    let parked = try ReceivedToken.derived("n41-wrong-bundle").token()
    let statuses = Monitor<[Int]>([])
    let threads = (0..<20).map { number in
      OwnedThread(name: "post.\(number)") {
        let status = (try? receivers[number % 2].post(number % 4 < 2 ? token : parked))?.status ?? 0
        statuses.withLock { $0.append(status) }
      }
    }
    for thread in threads { thread.join() }
    #expect(statuses.withLock { $0 } == Array(repeating: 200, count: 20))
    #expect(try receivers[0].events().count == 1)
    let kept = try receivers[0].parked()
    #expect(kept.count == 1)
    #expect(kept.first?.deliveries == 10)
  }

  @Test("keeps members that it does not know, as they were signed") func unknownMembers() throws {
    let folder = TemporaryFolder()
    let store = SignedStore()
    let receiver = try RunningReceiver(folder.path, apps: [SignedStore.app], anchors: [store.anchor])
    let transaction = SignedStore.transaction {
      $0["newNumber"] = .number(JSONNumber("12345678901234567890.10")!)
      $0["newObject"] = ["inner": ["a", .null]]
      $0["newText"] = "ä"
    }
    let token = store.sign(store.notification(transaction: transaction))
    #expect(try receiver.post(token).status == 200)
    let data = String(decoding: try #require(try receiver.events().first?.data), as: UTF8.self)
    for member in [#""newNumber":12345678901234567890.10"#, #""newObject":{"inner":["a",null]}"#, #""newText":"ä""#] {
      #expect(data.contains(member))
    }
  }

  @Test("counts what came, by result, and tells what is kept") func metrics() throws {
    let folder = TemporaryFolder()
    let receiver = try RunningReceiver.derived(folder.path)
    let token = try ReceivedToken.derived("p02-consumption-consumable").token()
    for _ in 0..<3 { _ = try receiver.post(token) }
    _ = try receiver.post(ReceivedToken.derived("n44-production-to-sandbox").token())
    _ = try receiver.post(ReceivedToken.derived("n11-signature-bit-flipped").token())
    #expect(try receiver.quarantine(awaiting: 1).count == 1)
    // Counted right after the reply; one more request on the way lets the counting thread finish.
    let total = "refundlog_notifications_total"
    try eventually { try receiver.metric(#"\#(total){result="known",environment="Sandbox"}"#) == "2" }
    #expect(try receiver.metric(#"\#(total){result="appended",environment="Sandbox"}"#) == "1")
    #expect(try receiver.metric(#"\#(total){result="parked",environment="Production"}"#) == "1")
    #expect(try receiver.metric(#"\#(total){result="signature-invalid",environment="unknown"}"#) == "1")
    #expect(try receiver.metric("refundlog_notification_reply_seconds_count") == "5")
    #expect(try receiver.metric("refundlog_parked_notifications") == "1")
    try eventually { try receiver.metric("refundlog_quarantined_bodies") == "1" }
    #expect(
      try receiver.metric(#"refundlog_notification_newest_timestamp_seconds{type="CONSUMPTION_REQUEST"}"#)
        == "1794268800")
    #expect(try receiver.send([], path: "/livez", method: .get).status == 200)
    #expect(try receiver.send([], path: "/readyz", method: .get).status == 200)
  }

  @Test("says 503 while the log cannot be written, is not ready then, and is well again after") func logGone() throws {
    let folder = TemporaryFolder()
    let receiver = try RunningReceiver.derived(folder.path)
    let token = try ReceivedToken.derived("p02-consumption-consumable").token()
    let path = folder.path + "/events.sqlite"
    #expect(rename(path, path + ".aside") == 0)
    #expect(mkdir(path, 0o700) == 0)
    let reply = try receiver.post(token)
    #expect(reply.status == 503)
    #expect(reply.problem == "unavailable")
    #expect(reply.fields["Retry-After"].flatMap { Int($0) } != nil)
    try eventually { try receiver.send([], path: "/readyz", method: .get).status == 503 }
    #expect(rmdir(path) == 0)
    #expect(rename(path + ".aside", path) == 0)
    #expect(try receiver.post(token).status == 200)
    try eventually { try receiver.send([], path: "/readyz", method: .get).status == 200 }
    #expect(try receiver.events().count == 1)
  }

  // MARK: Hostile sockets

  static let hostileRows: [(name: String, bytes: [UInt8], statuses: [Int])] = {
    func post(_ body: [UInt8], _ fields: String = "", length: Int? = nil) -> [UInt8] {
      let head =
        "POST /v1/notifications HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)"
        + "Content-Length: \(length ?? body.count)\r\n\r\n"
      return Array(head.utf8) + body
    }
    let chunked =
      "POST /v1/notifications HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
      + "2\r\n{}\r\n0\r\n\r\n"
    let pipelined =
      "POST /v1/notifications HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"
      + "POST /v1/notifications HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n[]"
      + "POST /v1/notifications HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"
    return [
      ("not JSON", post(Array("<xml/>".utf8)), [400]), ("an empty body", post([]), [400]),
      ("two megabytes", post([UInt8](repeating: 0x61, count: 2 << 20)), [413]),
      ("binary garbage as a body", post((0..<512).map { UInt8(truncatingIfNeeded: $0 &* 37) }), [400]),
      ("binary garbage as a request", (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 1) }, [400]),
      ("two lengths", post(Array("{}".utf8), "Content-Length: 7\r\n"), [400]),
      ("chunks", Array(chunked.utf8), [400]), ("three requests at once", Array(pipelined.utf8), [400, 400, 400]),
      ("a head that never ends", Array("POST /v1/notifications HTTP/1.1\r\nHost: a\r\n".utf8), [408]),
      ("a body that never ends", post(Array("{\"signed".utf8), length: 500), [408]),
    ]
  }()

  @Test("stays well under what strangers send, and serves the next request", arguments: hostileRows.map(\.name))
  func hostile(name: String) throws {
    let row = try #require(Self.hostileRows.first { $0.name == name })
    let folder = TemporaryFolder()
    let receiver = try RunningReceiver.derived(folder.path) {
      $0.server.headMilliseconds = 300
      $0.server.bodyMilliseconds = 300
    }
    let socket = RawSocket(port: receiver.port)
    socket.send(row.bytes)
    let text = socket.rest()
    #expect(RawSocket.statuses(text) == row.statuses)
    #expect(text.contains("application/problem+json"))
    #expect(try receiver.post(ReceivedToken.derived("p02-consumption-consumable").token()).status == 200)
    #expect(try receiver.events().count == 1)
    #expect(try receiver.parked().isEmpty)
  }
}

/// Looks again for five seconds before it gives up.
func eventually(_ isTrue: () throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let deadline = MonotonicClock.milliseconds() + 5_000
  while MonotonicClock.milliseconds() < deadline {
    if try isTrue() { return }
    usleep(20_000)
  }
  #expect(try isTrue(), sourceLocation: sourceLocation)
}
