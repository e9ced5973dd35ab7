import AppStore
import Glibc
import HTTPServer
import HTTPTypes
import JSON
import Service
import Testing

@testable import AppStoreSimulator

@Suite("A delivery", .timeLimit(.minutes(5))) struct DeliveryTests {
  private static let hour: Int64 = 3_600_000
  private static let test: JSONValue = ["notificationType": "TEST"]

  @Test("is repeated on Apple's schedule, in Production alone") func schedule() {
    func waits(_ schedule: RedeliverySchedule, _ environment: ServerEnvironment) -> [Int64?] {
      (1...6).map { schedule.wait(after: $0, in: environment).map { $0 / Self.hour } }
    }
    #expect(waits(.apple, .production) == [1, 12, 24, 48, 72, nil])
    #expect(waits(.apple, .sandbox).allSatisfy { $0 == nil })
    #expect(waits(.production, .sandbox) == [1, 12, 24, 48, 72, nil])
    #expect(waits(.none, .production).allSatisfy { $0 == nil })
    #expect(RedeliverySchedule.production.wait(after: 0, in: .sandbox) == nil)
  }

  @Test("that is not acknowledged comes again, the same to the byte, until it is") func again() throws {
    // An hour takes 36 milliseconds.
    let stage = try Stage {
      $0.clock = .scaled(start: Stage.now, since: WallClock.system.now(), speed: 100_000)
      $0.redelivery = .production
    }
    let tries = Monitor(0)
    stage.receiver { reply in
      let number = tries.change { tries in
        tries += 1
        return tries
      }
      reply(.empty(number < 3 ? 503 : 200))
    }
    let first = try stage.call(.post, "/simulator/v1/events", Self.test)
    #expect(first.status == 200 && first.json["status"]?.int64 == 503)
    #expect(first.json["sendAttempts"]?.array?.count == 1)
    let planned = try #require(first.json["nextAttemptDate"]?.int64)
    stage.waitForNotifications(3)
    let record = try settled(stage) { $0["status"]?.int64 == 200 }
    let attempts = try #require(record["sendAttempts"]?.array)
    #expect(
      attempts.map { $0["sendAttemptResult"]?.string }
        == ["UNSUCCESSFUL_HTTP_RESPONSE_CODE", "UNSUCCESSFUL_HTTP_RESPONSE_CODE", "SUCCESS"])
    let dates = attempts.compactMap { $0["attemptDate"]?.int64 }
    #expect(dates[0] + Self.hour == planned)
    #expect(dates[1] >= planned && dates[2] >= dates[1] + 12 * Self.hour)
    #expect(record["nextAttemptDate"] == nil)
    let uuids = try stage.notifications().map(\.notificationUUID)
    #expect(uuids.count == 3 && Set(uuids).count == 1)
    #expect(Set(try stage.notifications().map(\.signedDate)).count == 1)
  }

  @Test(
    "goes by the environment that the notification tells, wherever that stands",
    arguments: [
      ("RENEWAL_EXTENSION", "SUMMARY"), ("EXTERNAL_PURCHASE_TOKEN", "CREATED"), ("UNCLAIM_SEATS", nil),
      ("RESCIND_CONSENT", nil), ("TEST", nil), ("DID_RENEW", nil),
    ] as [(String, String?)])
  func environments(type: String, subtype: String?) throws {
    let stage = try Stage { $0.appAppleId = 1 }
    stage.receiverReplies(500)
    for (environment, isRepeated) in [("Production", true), ("Sandbox", false)] {
      var call: JSONObject = ["notificationType": .string(type), "environment": .string(environment)]
      call["subtype"] = subtype.map(JSONValue.string)
      let reply = try stage.call(.post, "/simulator/v1/events", .object(call))
      #expect((reply.json["nextAttemptDate"] != nil) == isRepeated, "\(environment): \(reply.json)")
    }
  }

  @Test("in the sandbox is tried once") func sandbox() throws {
    let stage = try Stage {
      $0.clock = .scaled(start: Stage.now, since: WallClock.system.now(), speed: 100_000)
      $0.appAppleId = 1
    }
    stage.receiverReplies(503)
    let sandbox = try stage.call(.post, "/simulator/v1/events", Self.test)
    #expect(sandbox.json["nextAttemptDate"] == nil)
    let production = try stage.call(
      .post, "/simulator/v1/events", ["notificationType": "TEST", "environment": "Production"])
    #expect(production.json["nextAttemptDate"]?.int64 != nil)
    // The second attempt for Production is one hour behind the first; the sandbox would have had its own before.
    stage.waitForNotifications(3)
    #expect(try stage.notifications().map(\.identity.environment) == [.sandbox, .production, .production])
  }

  @Test(
    "is acknowledged by 200 to 206 alone",
    arguments: [(200, true), (202, true), (206, true), (207, false), (302, false), (400, false), (500, false)])
  func statuses(status: Int, isTaken: Bool) throws {
    let stage = try Stage()
    stage.receiverReplies(status)
    let reply = try stage.call(.post, "/simulator/v1/events", Self.test)
    #expect(reply.json["status"]?.int64 == Int64(status))
    #expect(result(reply.json) == (isTaken ? "SUCCESS" : "UNSUCCESSFUL_HTTP_RESPONSE_CODE"))
  }

  @Test("that gets no reply says why, in Apple's words") func words() throws {
    let silent = try Stage { $0.replyWithinMilliseconds = 100 }
    let kept = Monitor<[HTTPReply]>([])
    silent.receiver { reply in kept.withLock { $0.append(reply) } }
    let late = try silent.call(.post, "/simulator/v1/events", Self.test)
    #expect(late.status == 502 && result(late.json) == "TIMED_OUT" && late.json["error"]?.string != nil)
    silent.receiver { $0.cut() }
    #expect(result(try silent.call(.post, "/simulator/v1/events", Self.test).json) == "NO_RESPONSE")
    let address = silent.simulator.settings.notificationURL!.description
    silent.receiver { $0(.empty(307, fields: ["Location": address])) }
    #expect(result(try silent.call(.post, "/simulator/v1/events", Self.test).json) == "CIRCULAR_REDIRECT")
    silent.receiver { $0(.empty(307, fields: ["Location": address + "/other"])) }
    #expect(
      result(try silent.call(.post, "/simulator/v1/events", Self.test).json) == "UNSUCCESSFUL_HTTP_RESPONSE_CODE")

    for (text, word) in [
      ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", "PREMATURE_CLOSE"),
      ("SMTP ready\r\n\r\n", "INVALID_RESPONSE"),
    ] {
      let listener = try OneReply(text)
      let stage = try Stage { $0.notificationURL = try! HTTPURL("http://127.0.0.1:\(listener.port)/") }
      #expect(result(try stage.call(.post, "/simulator/v1/events", Self.test).json) == word)
      listener.join()
    }
    let nobody = try Stage { $0.notificationURL = try! HTTPURL("http://127.0.0.1:1/") }
    #expect(result(try nobody.call(.post, "/simulator/v1/events", Self.test).json) == "SOCKET_ISSUE")
    let plain = try Stage { $0.notificationURL = try! HTTPURL("https://127.0.0.1:\(silent.port)/") }
    #expect(result(try plain.call(.post, "/simulator/v1/events", Self.test).json) == "TLS_ISSUE")
  }

  @Test("to a receiver that hangs holds up neither the other purchases nor the controls") func hanging() throws {
    let stage = try Stage { $0.replyWithinMilliseconds = 30_000 }
    let kept = Monitor<[HTTPReply]>([])
    stage.receiver { reply in kept.change { $0.append(reply) } }
    let caller = OwnedThread(name: "caller") {
      _ = try? stage.call(.post, "/simulator/v1/refund-requests", ["transaction": "1"])
    }
    stage.waitForNotifications(1)
    stage.receiver(nil)
    #expect(try stage.call(.post, "/simulator/v1/refund-requests", ["transaction": "2"]).status == 200)
    #expect(try stage.call(.get, "/simulator/v1/answers").status == 200)
    for reply in kept.withLock({ $0 }) { reply(.empty(200)) }
    caller.join()
  }

  @Test("of one purchase never overtakes another of it") func order() throws {
    let stage = try Stage()
    let count = 20
    // The calls are made at once; each of their notifications is out before the next begins.
    let callers = (0..<count).map { _ in
      OwnedThread(name: "caller") {
        _ = try? stage.call(.post, "/simulator/v1/refund-requests", ["transaction": "1"])
      }
    }
    for caller in callers { caller.join() }
    let told = try stage.notifications().map(\.notificationUUID)
    let posted = try stage.list("notifications", "?transactionId=1").compactMap { $0["notificationUUID"]?.string }
    #expect(told.count == count && told == posted)
  }

  @Test("under way ends with the simulator; what waits for it is told so") func stopping() throws {
    let stage = try Stage()
    let kept = Monitor<[HTTPReply]>([])
    let statuses = Monitor<[Int]>([])
    stage.receiver { reply in kept.change { $0.append(reply) } }
    // Of the same purchase: the second waits for the first, or comes when nothing is taken any more.
    let callers = (0..<2).map { _ in
      OwnedThread(name: "caller") {
        let reply = try? stage.call(.post, "/simulator/v1/refund-requests", ["transaction": "1"])
        statuses.change { $0.append(reply?.status ?? 0) }
      }
    }
    stage.waitForNotifications(1)
    let stopper = OwnedThread(name: "stop") { stage.simulator.stop() }
    statuses.wait { $0.isEmpty ? nil : () }
    #expect(statuses.withLock { $0 } == [503])
    for reply in kept.withLock({ $0 }) { reply(.empty(200)) }
    for caller in callers { caller.join() }
    stopper.join()
    #expect(statuses.withLock { $0 } == [503, 200])
  }

  @Test("that waits has room of its own kind") func bounds() {
    var queue = PostQueue()
    let job = Postman.Job(due: 0, lane: nil, compose: { _ in nil }, done: { _ in })
    func add(_ kind: PostQueue.Kind) -> Bool { queue.add(.compose(job), due: 0, kind: kind, lane: nil) }
    let taken = (0...PostQueue.Kind.asked.max).map { _ in add(.asked) }
    #expect(taken.dropLast().allSatisfy { $0 } && taken.last == false)
    #expect(add(.planned))
    let entry = queue.takeDue(at: 0)
    #expect(entry != nil && add(.asked))
    let left = queue.stop()
    #expect(left.count == PostQueue.Kind.asked.max + 1 && !add(.planned))
  }

  private func result(_ record: JSONValue) -> String? {
    record["sendAttempts"]?.array?.last?["sendAttemptResult"]?.string
  }

  /// The newest record once it is as wanted: the receiver has seen an attempt before its record is written.
  private func settled(_ stage: Stage, _ isReady: (JSONValue) -> Bool) throws -> JSONValue {
    let deadline = MonotonicClock.milliseconds() + 10_000
    while true {
      let record = try #require(try stage.list("notifications").last)
      if isReady(record) || MonotonicClock.milliseconds() > deadline { return record }
    }
  }

  /// A listener that takes one connection, says its text once it was told something, and closes.
  private final class OneReply: Sendable {
    struct Failed: Error {}
    let port: UInt16
    private let thread: OwnedThread

    init(_ text: String) throws {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let bound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          bind(listener, pointer, length) == 0 && listen(listener, 1) == 0
            && getsockname(listener, pointer, &length) == 0
        }
      }
      guard bound else { throw Failed() }
      port = UInt16(bigEndian: address.sin_port)
      thread = OwnedThread(name: "one-reply") {
        let connection = accept(listener, nil, nil)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        // Closing with bytes unread would reset the connection: everything is read before the close.
        _ = recv(connection, &buffer, buffer.count, 0)
        let bytes = Array(text.utf8)
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        shutdown(connection, Int32(SHUT_WR))
        while recv(connection, &buffer, buffer.count, 0) > 0 {}
        close(connection)
        close(listener)
      }
    }

    func join() { thread.join() }
  }
}
