import AppStore
import Cryptography
import Glibc
import HTTPClient
import HTTPTypes
import Service
import TestSupport
import Testing

@testable import Receiver

@Suite("A genuine notification that the settings do not fit") struct ParkingTests {
  static let rows: [(id: String, reason: ParkingReason)] = [
    ("n41-wrong-bundle", .bundleId), ("n42-bundle-case", .bundleId), ("n43-sandbox-to-production", .environment),
    ("n44-production-to-sandbox", .environment), ("n45-production-wrong-appappleid", .appAppleId),
    ("n46-production-no-appappleid", .appAppleId), ("n47-environment-missing", .environment),
    ("n56-consumption-without-transaction", .shape), ("n57-no-notification-uuid", .shape),
  ]

  @Test("is answered with 200 and parked as it came, once however often it comes", arguments: rows)
  func parked(id: String, reason: ParkingReason) throws {
    let folder = TemporaryFolder()
    let row = try ReceivedToken.derived(id)
    let receiver = try RunningReceiver(
      folder.path, apps: [row.app()], anchors: [RunningReceiver.derivedAnchor()])
    for _ in 0..<6 {
      let reply = try receiver.post(row.token())
      #expect(reply.status == 200)
      #expect(reply.body.isEmpty)
    }
    #expect(try receiver.events().isEmpty)
    let all = try receiver.parked()
    #expect(all.count == 1)
    let parked = try #require(all.first)
    #expect(parked.token == (try row.token()))
    #expect(parked.reason == reason)
    #expect(parked.firstReceivedAt == RunningReceiver.now)
    #expect(parked.deliveries == 6)
    #expect((parked.notificationUUID == nil) == id.hasPrefix("n57"))
    #expect(parked.type != nil)
    // Said right after the reply.
    try eventually { !receiver.lines(with: "genuine notification parked").isEmpty }
    let alarms = receiver.lines(with: "genuine notification parked")
    #expect(alarms.count == 1, "once for a bundle and reason")
    let alarm = try #require(alarms.first)
    #expect(alarm.contains(#""level":"error""#))
    #expect(alarm.contains("bundle id \(parked.bundleID ?? "none"), app id"))
    #expect(alarm.contains("environment \(parked.environment ?? "none")"))
    #expect(alarm.contains(reason == .shape ? "refundlog parked" : "refundlog apps add"))
    if reason == .bundleId { #expect(alarm.contains("configured is com.example.refunds")) }
    if reason == .appAppleId { #expect(alarm.contains("configured is 1470168111")) }
    receiver.stop()
    #expect(try receiver.parked() == all, "it is on disk")
  }

  @Test("is told again when something else about its bundle is wrong") func anotherReason() throws {
    let folder = TemporaryFolder()
    let receiver = try RunningReceiver.derived(folder.path)
    for id in ["n44-production-to-sandbox", "n47-environment-missing", "n44-production-to-sandbox", "n41-wrong-bundle"]
    {
      #expect(try receiver.post(ReceivedToken.derived(id).token()).status == 200)
    }
    try eventually { receiver.lines(with: "genuine notification parked").count == 3 }
  }

  private func token(
    _ store: SignedStore, _ number: Int, bundle: String, environment: String = "Sandbox", type: String = "SUBSCRIBED"
  ) -> [UInt8] {
    store.sign(
      store.notification(
        type: type, uuid: store.uuid(number), bundleID: bundle, appAppleID: 7, environment: environment,
        transaction: nil))
  }

  @Test("is refused with 503 where its bundle's room is used up, and pushes nothing out") func full() throws {
    let folder = TemporaryFolder()
    let store = SignedStore()
    let receiver = try RunningReceiver(folder.path, apps: [SignedStore.app], anchors: [store.anchor]) {
      $0.parking.perForeignBundle.count = 3
      $0.parking.perApp.count = 2
    }
    func post(_ number: Int, _ bundle: String, _ environment: String = "Sandbox") throws -> Int {
      let reply = try receiver.post(token(store, number, bundle: bundle, environment: environment))
      if reply.status != 200 {
        #expect(reply.problem == "unavailable")
        #expect(reply.fields["Retry-After"].flatMap { Int($0) } != nil)
      }
      return reply.status
    }
    #expect(try (1...5).map { try post($0, "com.foreign.one") } == [200, 200, 200, 503, 503])
    #expect(try post(1, "com.foreign.one") == 200, "what is kept is known")
    #expect(try post(6, "com.foreign.two") == 200, "another bundle has room of its own")
    #expect(try (7...9).map { try post($0, "com.example.app", "Production") } == [200, 200, 503])
    #expect(try post(10, "com.foreign.two") == 200)
    #expect(try receiver.parked().count == 7)
    try eventually { receiver.lines(with: "no room is left to park it").count == 2 }
    #expect(receiver.lines(with: "receiver.parked.perForeignBundle").count == 1)
    #expect(receiver.lines(with: "receiver.parked.perApp").count == 1)
  }

  @Test("of a crowd of foreign bundles uses up neither ours, nor Production what costs nothing") func crowd() throws {
    let folder = TemporaryFolder()
    let store = SignedStore()
    let receiver = try RunningReceiver(folder.path, apps: [SignedStore.app], anchors: [store.anchor]) {
      $0.parking.foreign.count = 10
    }
    func post(_ number: Int, _ bundle: String, _ environment: String, _ type: String = "SUBSCRIBED") throws -> Int {
      try receiver.post(token(store, number, bundle: bundle, environment: environment, type: type)).status
    }
    for number in 1...10 { #expect(try post(number, "com.foreign.n\(number)", "Sandbox") == 200) }
    #expect(try post(11, "com.foreign.n11", "Sandbox") == 503)
    #expect(try post(12, "com.foreign.n12", "Production", "TEST") == 503, "which the API sends on request")
    for number in 13...22 { #expect(try post(number, "com.foreign.p\(number)", "Production") == 200) }
    #expect(try post(23, "com.foreign.p23", "Production") == 503)
    #expect(try post(24, "com.example.app", "Production") == 200)
    #expect(try receiver.parked().count == 21)
    try eventually { receiver.lines(with: "receiver.parked.foreign or foreignMegabytes").count == 3 }
  }

  @Test("counts by bytes too") func bytes() throws {
    let folder = TemporaryFolder()
    let store = SignedStore()
    let first = token(store, 1, bundle: "com.foreign.one")
    let receiver = try RunningReceiver(folder.path, apps: [SignedStore.app], anchors: [store.anchor]) {
      $0.parking.perForeignBundle.bytes = first.count
    }
    #expect(try receiver.post(first).status == 200)
    #expect(try receiver.post(token(store, 2, bundle: "com.foreign.one")).status == 503)
    #expect(try receiver.post(token(store, 3, bundle: "com.foreign.two")).status == 200)
  }

  @Test("never pushes out one of ours, before it or after it, in ten thousand of a foreign bundle") func flood() throws
  {
    let folder = TemporaryFolder()
    let store = SignedStore()
    let receiver = try RunningReceiver(folder.path, apps: [SignedStore.app], anchors: [store.anchor]) {
      $0.log.level = .error
    }
    let before = token(store, 1, bundle: "com.example.app", environment: "Production")
    let after = token(store, 2, bundle: "com.example.app", environment: "Production")
    #expect(try receiver.post(before).status == 200)
    let statuses = Monitor<[Int: Int]>([:])
    let threads = (0..<4).map { thread in
      OwnedThread(name: "flood.\(thread)") {
        let socket = RawSocket(port: receiver.port)
        for window in 0..<25 {
          var requests: [UInt8] = []
          for number in 0..<100 {
            let token = token(store, 10 + thread * 2_500 + window * 100 + number, bundle: "com.foreign.one")
            let head = "POST /v1/notifications HTTP/1.1\r\nHost: a\r\nContent-Length: \(token.count + 20)\r\n\r\n"
            requests += Array((head + #"{"signedPayload":""#).utf8) + token + Array(#""}"#.utf8)
          }
          let got = socket.exchange(requests, count: 100)
          statuses.withLock { statuses in for status in got { statuses[status, default: 0] += 1 } }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(statuses.withLock { $0 } == [200: 1_000, 503: 9_000])
    #expect(try receiver.post(after).status == 200)
    #expect(try receiver.post(store.sign(store.notification())).status == 200)
    let ours = try ReceiverState(folder: folder.path).parked(bundleIDs: ["com.example.app"])
    #expect(ours.map(\.token) == [before, after])
    #expect(try ReceiverState(folder: folder.path).parkedCount() == 1_002)
    #expect(receiver.lines(with: "no room is left to park it").count == 1)
  }

  @Test(
    "is refused with 503 where the state cannot be written, the receiver is not ready then, and is well again after")
  func stateDamaged() throws {
    let folder = TemporaryFolder()
    let receiver = try RunningReceiver.derived(folder.path)
    let token = try ReceivedToken.derived("n41-wrong-bundle").token()
    let path = folder.path + "/" + ReceiverStateSchema.fileName
    #expect(rename(path, path + ".aside") == 0)
    #expect(mkdir(path, 0o700) == 0)
    let reply = try receiver.post(token)
    #expect(reply.status == 503)
    #expect(reply.fields["Retry-After"].flatMap { Int($0) } != nil)
    try eventually { receiver.lines(with: "the receiver's state could not be written").count == 1 }
    let ready = try receiver.send([], path: "/readyz", method: .get)
    #expect(ready.status == 503)
    #expect(String(decoding: ready.body, as: UTF8.self).contains(ReceiverStateSchema.fileName))
    #expect(try receiver.post(ReceivedToken.derived("p02-consumption-consumable").token()).status == 200)

    #expect(rmdir(path) == 0)
    #expect(rename(path + ".aside", path) == 0)
    #expect(try receiver.post(token).status == 200)
    #expect(try receiver.parked().count == 1)
    #expect(try receiver.send([], path: "/readyz", method: .get).status == 200)
  }
}
