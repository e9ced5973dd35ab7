import AppStore
import Contracts
import Cryptography
import EventLog
import JSON
import Receiver
import Service
import TestSupport
import Testing

@Suite("refundlog explain") struct ExplainTests {
  private static let signedAt: Int64 = 1_796_000_000_000
  private static let uuid = "5a000000-0000-4000-8000-00000000000a"

  /// An authority of its own, settings that trust it, and what it signs.
  private struct Setup: ~Copyable {
    let folder = TemporaryFolder()
    let signing: SigningIdentity
    var settings: String { folder.path + "/refundlog.json" }

    init() throws {
      let authority = StandInAuthority(notBefore: 1_700_000_000_000, notAfter: 1_900_000_000_000)
      signing = authority.leaf(notBefore: 1_700_000_000_000, notAfter: 1_900_000_000_000)
      try Files.write(Array(authority.root.pem.utf8), to: folder.path + "/root.pem")
      try Files.write(Array("0123456789abcdef\n".utf8), to: folder.path + "/token", mode: 0o600)
      let json: JSONValue = [
        "data": .string(folder.path + "/data"),
        "apps": [["bundleId": "com.example.app", "environments": ["Sandbox"]]],
        "receiver": ["trustAnchors": [.string(folder.path + "/root.pem")]],
        "responder": ["tokenFile": .string(folder.path + "/token")],
      ]
      try Files.write(json.bytes(), to: settings)
    }

    func sign(_ payload: JSONValue) -> String { String(decoding: signing.sign(payload.bytes()), as: UTF8.self) }

    func payload(bundleID: String = "com.example.app", type: String = "CONSUMPTION_REQUEST") -> JSONValue {
      let transaction: JSONValue = [
        "transactionId": "2000000000000001", "bundleId": .string(bundleID), "productId": "gems", "type": "Consumable",
        "environment": "Sandbox", "signedDate": .number(JSONNumber(ExplainTests.signedAt)), "ofTomorrow": "x\u{1B}[2J",
      ]
      return [
        "notificationType": .string(type), "notificationUUID": .string(ExplainTests.uuid), "version": "2.0",
        "signedDate": .number(JSONNumber(ExplainTests.signedAt)),
        "data": [
          "bundleId": .string(bundleID), "environment": "Sandbox", "signedTransactionInfo": .string(sign(transaction)),
        ],
      ]
    }

    func body(_ payload: JSONValue) -> [UInt8] { JSONValue.object(["signedPayload": .string(sign(payload))]).bytes() }

    func explain(_ bytes: [UInt8], _ more: String...) -> Refundlog {
      Refundlog(["explain", "-", "--settings", settings] + more, input: bytes)
    }
  }

  @Test("proves a genuine body step by step, shows what it says, and ends well")
  func genuine() throws {
    let setup = try Setup()
    let result = setup.explain(setup.body(setup.payload()))
    #expect(result.code == .success, "\(result.complained)")
    for name in VerificationStep.Name.allCases { #expect(result.printed.contains("  ok    \(name.rawValue)")) }
    #expect(!result.printed.contains("FAIL"))
    #expect(result.printed.contains("1 leaf: CN") && result.printed.contains(", marked \(StoreChain.leafMark)"))
    #expect(result.printed.contains("received com.example.app  expected com.example.app"))
    #expect(result.printed.contains("\"transactionId\": \"2000000000000001\""))
    #expect(result.printed.contains("does not know: data.signedTransactionInfo.ofTomorrow"))
    #expect(!result.printed.contains("\u{1B}"), "what a stranger wrote steers no terminal")
    #expect(result.printed.contains("The receiver would answer 200: appended to purchase/Sandbox/2000000000000001"))
    #expect(result.printed.contains("In the log: not looked, there is no log at"))
    let json = try JSONValue(bytes: Array(setup.explain(setup.body(setup.payload()), "--json").printed.utf8))
    #expect(json["genuine"] == true && json["ours"] == true && json["receiver"]?["status"] == 200)
    #expect(json["content"]?["data"]?["signedTransactionInfo"]?["productId"] == "gems")
    #expect(json["certificates"]?["outer"]?.array?.count == 3)
  }

  @Test("names the identifier that differs, expected beside received, for a body of another app")
  func foreign() throws {
    let setup = try Setup()
    let result = setup.explain(setup.body(setup.payload(bundleID: "com.example.other")))
    #expect(result.code == .failure)
    #expect(result.printed.contains("received com.example.other  expected com.example.app"))
    #expect(result.printed.contains("The receiver would answer 200: parked"))
    #expect(result.complained.contains("genuine, but not one of yours: bundleId is com.example.other"))
  }

  @Test("names the step at which a body that was altered fails, and shows its content as a claim")
  func altered() throws {
    let setup = try Setup()
    let other = try Setup()
    let stranger = setup.explain(other.body(other.payload()))
    #expect(stranger.code == .failure)
    #expect(stranger.printed.contains("  FAIL  chain         CHAIN: "))
    #expect(stranger.printed.contains("What it says (claimed, not proven):"))
    #expect(stranger.printed.contains(" chain-not-trusted: "))
    var token = Array(setup.sign(setup.payload()).utf8)
    token[token.count - 10] ^= 1
    let flipped = setup.explain(token)
    #expect(flipped.printed.contains("Given: a bare token of \(token.count) bytes"))
    #expect(flipped.printed.contains("  FAIL  signature"))
  }

  @Test("takes a decoded form to the log, which has the signatures")
  func decoded() throws {
    let setup = try Setup()
    let payload = setup.payload()
    let before = setup.explain(payload.bytes())
    #expect(before.code == .failure && before.complained.contains("not proven: no signature came with it"))
    // As the receiver keeps it.
    let log = try LocalEventLog.open(setup.folder.path + "/data", clock: .fixed(Self.signedAt + 1))
    let stored = NotificationReceived.data(
      bundleID: "com.example.app", environment: "Sandbox", firstReceivedAt: Self.signedAt + 1,
      notification: payload.bytes(), via: .push
    ).bytes
    _ = try log.append([
      EventDraft(
        id: EventID(EventIDs.notification(Self.uuid)), stream: StreamName("purchase/Sandbox/2000000000000001"),
        type: "NotificationReceived", kind: "CONSUMPTION_REQUEST", environment: "Sandbox", app: "com.example.app",
        occurredAt: Self.signedAt + 1, signedAt: Self.signedAt, data: stored,
        seams: Seams(.raw(Array(setup.sign(payload).utf8))))
    ])
    log.close()
    let tail = Refundlog(["log", "tail", "--json", "--settings", setup.settings]).printed
    for form in [payload.bytes(), stored, Array(tail.utf8)] {
      let result = setup.explain(form)
      #expect(result.code == .success, "\(result.complained)")
      #expect(result.printed.contains("the log has it with its signatures, at position 1"))
      #expect(result.printed.contains("In the log: at position 1, received 2026-11-30"))
    }
  }

  @Test(
    "says what else a body may be",
    arguments: [
      ("{", "no JSON", "malformed-json"), ("{\"a\": 1}", "holds no signed payload", "not-a-signed-payload"),
      ("{\"notification_type\": \"REFUND\"}", "holds no signed payload", "notification-version-1"),
      ("nonsense", "a bare token of 8 bytes", "token-malformed"), ("", "a bare token of 0 bytes", "token-malformed"),
    ])
  func other(text: String, form: String, code: String) throws {
    let setup = try Setup()
    let result = setup.explain(Array(text.utf8))
    #expect(result.code == .failure && result.printed.contains(form), "\(result.printed)")
    #expect(result.printed.contains(" \(code): "), "\(result.printed)")
  }

  @Test("judges without settings whether it is genuine, and does not guess whose it is")
  func withoutSettings() throws {
    let setup = try Setup()
    let result = Refundlog(["explain", "-"], input: setup.body(setup.payload()))
    #expect(result.code == .failure && result.printed.contains("FAIL  chain"))
    #expect(!result.printed.contains("The receiver would"))
    let absent = Refundlog(["explain", "/nowhere"])
    #expect(absent.code == .unavailable && absent.complained.contains("/nowhere: cannot open"))
  }
}
