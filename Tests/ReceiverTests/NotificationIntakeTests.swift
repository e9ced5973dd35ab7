import AppStore
import Cryptography
import EventLog
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@Suite("The notification address") struct NotificationIntakeTests {
  @Test("makes one event of any number of deliveries, and says 200 to each", arguments: [2, 10, 100])
  func duplicates(count: Int) throws {
    let fixture = try IntakeFixture.derived()
    let token = try ReceivedToken.derived("p02-consumption-consumable").token()
    let statuses = Monitor<[Int]>([])
    let threads = (0..<count).map { number in
      OwnedThread(name: "post.\(number)") {
        let status = (try? fixture.post(token: token))?.status ?? 0
        statuses.withLock { $0.append(status) }
      }
    }
    for thread in threads { thread.join() }
    #expect(statuses.withLock { $0 } == Array(repeating: 200, count: count))
    #expect(try fixture.events().count == 1)
    #expect(fixture.lines.filter { $0.contains("notification appended") }.count == 1)
    #expect(fixture.lines.filter { $0.contains("notification known already") }.count == count - 1)
  }

  @Test("says 200 to a notification that was signed again under its UUID, and keeps the first") func signedAgain()
    throws
  {
    let store = SignedStore()
    let fixture = try IntakeFixture(apps: [SignedStore.app], anchors: [store.anchor])
    let first = store.sign(store.notification())
    let again = store.sign(store.notification())
    #expect(first != again)
    #expect(try fixture.post(token: first).status == 200)
    #expect(try fixture.post(token: again).status == 200)
    let events = try fixture.events()
    #expect(events.count == 1)
    #expect(try fixture.log.signedToken(of: events[0]) == first)
    #expect(fixture.lines.contains { $0.contains("known already") })
  }

  @Test(
    "refuses each token that cannot become good, and keeps nothing of it",
    arguments: ReceivedToken.derived.filter { $0.id.hasPrefix("n") && !isGenuine($0.id) })
  func refused(token: ReceivedToken) throws {
    let fixture = try IntakeFixture(
      apps: [token.app()], anchors: token.roots.map { try TrustAnchor(path: "\(token.folder)/\($0)") })
    let reply = try fixture.post(token: token.token())
    #expect(reply.status == 400)
    #expect(reply.problem != nil, "it has a stable code")
    #expect(try fixture.events().isEmpty)
    #expect(try fixture.parked().isEmpty)
  }

  /// Good chain and signatures; app, environment or shape is not what this receiver is set up for.
  static func isGenuine(_ id: String) -> Bool {
    ["n41", "n42", "n43", "n44", "n45", "n46", "n47", "n56", "n57"].contains { id.hasPrefix($0) }
  }

  @Test(
    "names by a stable code what cannot become good",
    arguments: [
      ("n11-signature-bit-flipped", "signature-invalid"), ("n01-two-parts", "token-malformed"),
      ("n27-other-root-same-name", "chain-not-trusted"), ("n48-environment-xcode", "locally-signed"),
      ("n49-xcode-shape", "locally-signed"), ("n50-transaction-as-notification", "not-a-notification"),
      ("n52-inner-other-bundle", "inner-token-foreign"), ("i01-no-signeddate", "signed-date-missing"),
    ])
  func code(id: String, problem: String) throws {
    let fixture = try IntakeFixture.derived()
    let reply = try fixture.post(token: ReceivedToken.derived(id).token())
    #expect(reply.status == 400)
    #expect(reply.problem == problem)
    #expect(try fixture.events().isEmpty)
  }

  @Test(
    "refuses a body that was altered after signing", arguments: ["CONSUMPTION_REQUEST", "UNINTENDED_PURCHASE", "412"])
  func altered(word: String) throws {
    let fixture = try IntakeFixture.derived()
    let token = try ReceivedToken.derived("p02-consumption-consumable").token()
    var parts = token.split(separator: UInt8(ascii: ".")).map(Array.init)
    var payload = try #require(Base64URL.decode(parts[1])).bytes
    let place = try #require(payload.firstRange(of: Array(word.utf8)))
    payload[place.upperBound - 1] ^= 1
    parts[1] = Base64URL.encodeBytes(payload)
    let reply = try fixture.post(token: Array(parts.joined(separator: [UInt8(ascii: ".")])))
    #expect(reply.status == 400)
    #expect(reply.problem == "signature-invalid")
    #expect(try fixture.events().isEmpty)
  }

  @Test(
    "refuses a real notification whose reason was changed",
    .enabled(if: Project.sharedVectors != nil, "needs the full vectors beside the project"))
  func realAltered() throws {
    let path = Project.sharedVectors! + "/jws/real-sandbox/x1-reason-changed.jws"
    let token = try #require(Project.bytes(path))
    let fixture = try IntakeFixture(apps: [SignedStore.app], anchors: [.appleRootCAG3()])
    let reply = try fixture.post(token: token)
    #expect(reply.status == 400)
    #expect(reply.problem == "signature-invalid")
    #expect(try fixture.events().isEmpty)
  }

  @Test("refuses a transaction that is posted as a notification") func transaction() throws {
    let store = SignedStore()
    let fixture = try IntakeFixture(apps: [SignedStore.app], anchors: [store.anchor])
    let reply = try fixture.post(token: store.sign(SignedStore.transaction()))
    #expect(reply.status == 400)
    #expect(reply.problem == "not-a-notification")
    #expect(try fixture.events().isEmpty)
  }

  @Test("refuses a body beyond a megabyte") func oversized() throws {
    let fixture = try IntakeFixture.derived()
    let body = IntakeFixture.body([UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20))
    #expect(try fixture.send(body).status == 413)
    #expect(try fixture.events().isEmpty)
  }

  @Test("says 503 when the log takes nothing, so that the App Store sends it again") func logClosed() throws {
    let folder = TemporaryFolder()
    let log = try LocalEventLog.open(folder.path, clock: .fixed(IntakeFixture.now))
    log.close()
    let fixture = try IntakeFixture.derived(log: log)
    let reply = try fixture.post(token: ReceivedToken.derived("p02-consumption-consumable").token())
    #expect(reply.status == 503)
    // A fixed sentence: errors name paths and users of this machine.
    #expect(try JSONValue(bytes: reply.body)["detail"]?.string == "the log takes nothing at the moment")
    #expect(reply.fields["Retry-After"].flatMap { Int($0) } != nil)
    #expect(fixture.lines.contains { $0.contains("notification not stored") && $0.contains("error") })
  }

  @Test("writes no token, payload or account into a line") func lines() throws {
    let fixture = try IntakeFixture.derived()
    for token in ReceivedToken.derived { _ = try fixture.post(token: token.token()) }
    _ = try fixture.send(Array(#"{"signedPayload":"eyJhbGciOiJFUzI1NiJ9.secret"#.utf8))
    let text = fixture.lines.joined()
    #expect(!text.isEmpty)
    // A header, a payload's beginning, an account token, a product: what stands inside tokens.
    for secret in ["eyJ", "MII", "3f0f9a4e", "com.example.gems100", "UNINTENDED_PURCHASE", "firstReceivedAt"] {
      #expect(!text.contains(secret), "\(secret) stands in a line")
    }
  }
}
