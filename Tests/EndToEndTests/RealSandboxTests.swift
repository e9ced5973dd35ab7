import EventLog
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Responder

/// Notifications that Apple signed, posted to the real programs, with the clock set to their time.
@Suite("Real sandbox notifications", .serialized)
struct RealSandboxTests {
  static let folder = (Project.sharedVectors ?? "") + "/jws/real-sandbox/"
  static let notifications = [
    "02-subscribed-resubscribe", "03-did-change-renewal-status-auto-renew-disabled", "04-expired-voluntary",
    "05-subscribed-resubscribe", "06-did-change-renewal-pref-upgrade",
    "07-did-change-renewal-status-auto-renew-disabled", "08-did-change-renewal-pref-downgrade",
    "12-subscribed-resubscribe", "13-consumption-request",
  ]
  /// Of the refund request: `signedDate` and the transaction it is about.
  static let signedDate: Int64 = 1_760_591_941_117
  static let transaction = "2000001032604840"

  private func token(_ name: String) throws -> [UInt8] { try #require(Project.bytes("\(Self.folder)\(name).jws")) }

  @Test(
    "are stored to the bit, open a case, and get the one right answer",
    .enabled(if: Project.sharedVectors != nil, "needs the full vectors beside the project"), .timeLimit(.minutes(5)))
  func story() throws {
    let folder = TemporaryFolder()
    let programs = try Programs(
      in: folder.path,
      app: [
        "bundleId": "com.loki-project.loki-messenger", "appAppleId": 1_470_168_868, "environments": ["Sandbox"],
        "consentBasis": [
          "kind": "terms", "textVersion": "2025-01", "effectiveFrom": "2025-01-01T00:00:00Z",
          "optOut": "in the app under Settings, Privacy", "coversUnidentified": true,
        ],
        "products": [["productId": "*", "deliveryStatus": "DELIVERED", "sampleContentProvided": false]],
      ],
      more: ["clock": ["start": .number(JSONNumber(Self.signedDate))]])
    defer { programs.stop() }
    _ = try programs.simulator(
      .put, "/simulator/v1/transactions/\(Self.transaction)", ["type": "Auto-Renewable Subscription"])

    for name in Self.notifications { #expect(try programs.post(token(name)) == 200, "\(name)") }
    for name in ["x1-reason-changed", "20-consumable-transaction"] {
      #expect(try (400..<500).contains(programs.post(token(name))), "\(name)")
    }
    let log = try programs.log()
    try programs.eventually("the answer is in the log") {
      try log.read(after: .start, limit: 100).contains { $0.type == "ConsumptionSent" }
    }
    let events = try log.read(after: .start, limit: 100)
    let received = events.filter { $0.type == "NotificationReceived" }
    #expect(received.count == Self.notifications.count)
    let tokens = try Set(Self.notifications.map(token))
    #expect(try Set(received.map { try #require(try log.signedToken(of: $0)) }) == tokens)

    let answers = try #require(try programs.simulator(.get, "/simulator/v1/answers")["answers"]?.array)
    try #require(answers.count == 1)
    #expect(answers[0]["transactionId"]?.string == Self.transaction)
    #expect(
      answers[0]["body"]?.string
        == #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED"}"#)

    let (code, tail) = try run("\(Programs.folder)/refundlog", ["log", "tail", "--data", programs.data])
    #expect(code == 0 && tail.contains("purchase/Sandbox/\(Self.transaction)  CONSUMPTION_REQUEST"))
    let (shell, rows) = try run(
      "sqlite3", ["file:\(programs.data)/events.sqlite?mode=ro", "select kind, count(*) from log_v1 group by 1"])
    #expect(shell == 0 && rows.contains("CONSUMPTION_REQUEST|1") && rows.contains("SUBSCRIBED/RESUBSCRIBE|3"))
    let (_, cases) = try run(
      "sqlite3",
      ["file:\(ProjectionFiles(folder: programs.data).path)?mode=ro", "select transaction_id, open from cases"])
    #expect(cases == "\(Self.transaction)|0\n")

    // All of them again, in reverse: nothing changes.
    let head = try log.head()
    for name in Self.notifications.reversed() { #expect(try programs.post(token(name)) == 200, "\(name)") }
    #expect(try log.head() == head)
    #expect(try programs.simulator(.get, "/simulator/v1/answers")["answers"]?.array?.count == 1)

    programs.stop()
    let (verified, proof) = try run("\(Programs.folder)/refundlog", ["log", "verify", "--data", programs.data])
    #expect(verified == 0, "\(proof)")
    // Nothing secret in what they printed.
    for name in ["refund-receiver", "refund-responder"] {
      let lines = programs.lines(of: name)
      #expect(!lines.contains("eyJ") && !lines.contains("0123456789abcdef"), "\(name)")
    }
  }
}
