import Contracts
import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import Service
import TestSupport
import Testing

@testable import Operations

/// A responder that could once do its work and cannot any more: it must not keep others from it, nor say that it can.
@Suite("A responder whose data folder is taken from it", .serialized, .timeLimit(.minutes(3)))
struct MovedFolderTests {
  /// Receiver, responder and what stands in for the App Store; each request that is posted is answered at once.
  private final class Place {
    let folder = TemporaryFolder()
    let appStore = WatchedAppStore()
    var installation: Installation
    let receiver: KillableProgram
    private var posted = 0
    private var programs: [KillableProgram] = []

    init() throws {
      installation = try Installation(in: folder.path, production: appStore.port, sandbox: appStore.port)
      receiver = try installation.program("refund-receiver")
      try start(receiver)
    }

    deinit {
      for program in programs { program.kill() }
      appStore.stop()
    }

    var data: String { installation.data }

    func start(_ program: KillableProgram) throws {
      programs.append(program)
      try program.startAndWait()
    }

    /// Posts a refund request, again until it is taken.
    func request() throws {
      posted += 1
      let now = WallClock.system.now()
      let notices = SignedNotices(store: installation.store)
      let token = notices.token(
        "CONSUMPTION_REQUEST", uuid: SignedNotices.uuid(5, posted), signedAt: now,
        notices.transaction(String(2_000_000_000_000_000 + posted), signedAt: now))
      try eventually("request \(posted) is taken") { (try? installation.post(token)) == 200 }
    }

    func waitForCalls(_ count: Int) throws {
      try eventually("\(count) requests are answered") { appStore.calls.count >= count }
      let log = try LocalEventLog.reading(data)
      try eventually("and that is in the log") {
        try log.read(after: .start, limit: 1_000).count { $0.type == EventType.consumptionSent.rawValue } == count
      }
      #expect(appStore.calls.count == count, "each once")
    }

    func get(_ path: String, at port: UInt16? = nil) throws -> (status: Int, body: String) {
      let response = try HTTPClient().send(
        HTTPClientRequest(.get, HTTPURL("http://127.0.0.1:\(port ?? installation.ports.responder)\(path)")))
      return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    func leads(at port: UInt16? = nil) throws -> Bool {
      try get("/metrics", at: port).body.contains("\nrefundlog_leader 1\n")
    }

    func eventually(_ what: String, _ holds: () throws -> Bool) throws {
      let deadline = MonotonicClock.milliseconds() + 30_000
      while try !holds() {
        try #require(MonotonicClock.milliseconds() < deadline, "\(what): not within 30 s")
        usleep(20_000)
      }
    }
  }

  @Test("goes on in the folder that was put into its place, and so does the receiver") func replaced() throws {
    let place = try Place()
    try place.start(place.installation.program("refund-responder"))
    try place.request()
    try place.waitForCalls(1)
    try Projected(data: place.data).waitUntilAtRest(LocalEventLog.reading(place.data))
    let old = place.data + ".old"
    let exchange =
      "cp -a '\(place.data)' '\(place.data).new' && mv '\(place.data)' '\(old)' && mv '\(place.data).new' '\(place.data)'"
    try #require(system(exchange) == 0)
    let head = try LocalEventLog.reading(old).head()
    for number in 2...3 {
      try place.request()
      try place.waitForCalls(number)
    }
    try place.eventually("it says that it is ready") { try place.get("/readyz").status == 200 }
    #expect(try LocalEventLog.reading(old).head() == head, "nobody writes into the old one")
    // It takes part in the locks of the new folder: nobody restores into it under the running services.
    let backup = place.folder.path + "/backup"
    #expect(try run("\(Programs.folder)/refundlog", ["backup", backup, "--data", place.data]).code == 0)
    try #require(system("mkdir '\(old)/away' && mv '\(place.data)'/events.* '\(old)/away'") == 0)
    let restored = try run("\(Programs.folder)/refundlog", ["restore", backup, "--data", place.data])
    #expect(restored.code == ExitCode.unavailable.rawValue && restored.output.contains("stop the services first"))
  }

  @Test("says that it is not ready while there is none, and goes on when it is back") func absent() throws {
    let place = try Place()
    let responder = try place.installation.program("refund-responder")
    try place.start(responder)
    try place.request()
    try place.waitForCalls(1)
    #expect(try place.leads())
    #expect(rename(place.data, place.data + ".away") == 0)
    try place.eventually("it says that it is not ready, and why") {
      let (status, body) = try place.get("/readyz")
      return status == 503 && body.contains(place.data)
    }
    #expect(try !place.leads())
    #expect(rename(place.data + ".away", place.data) == 0)
    try place.eventually("it is ready again") { try place.get("/readyz").status == 200 }
    try place.request()
    try place.waitForCalls(2)
    let words = String(decoding: Project.bytes(responder.output) ?? [], as: UTF8.self)
    #expect(words.split(separator: "\n").count { $0.contains("cannot do its work") } == 1, "\(words)")
  }

  @Test("gives the lead to another one where it can write nothing, and that one answers") func unwritable() throws {
    let place = try Place()
    let control = try FaultControl(in: place.folder.path)
    let preloaded = try PreloadedLibrary(in: place.folder.path, watching: place.data, control: control.path)
    try place.start(place.installation.program("refund-responder", in: preloaded.programs))
    let port = Installation.quietPorts(1)[0]
    try place.start(place.installation.further("refund-responder", at: port))
    try place.request()
    try place.waitForCalls(1)
    #expect(try place.leads() && !place.leads(at: port))
    // Of these two programs the first alone knows of the rule.
    control.set(.fail(errno: ENOSPC), [.write], of: [.logWAL])
    try place.request()
    try place.eventually("it says that it is not ready, and why") {
      let (status, body) = try place.get("/readyz")
      return status == 503 && body.contains("full")
    }
    try place.waitForCalls(2)
    #expect(try place.leads(at: port) && !place.leads())
    // Another one sees to it.
    try place.eventually("it is ready to take its turn") { try place.get("/readyz").status == 200 }
    control.clear()
  }
}
