import EventLog
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

/// Orders in which Apple's notifications may arrive, from the vectors, through the real programs.
@Suite("A sequence of notifications", .serialized)
struct SequenceTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var id: String
    var deliver: [String]
    /// By transaction id.
    var final: [String: String]
    var sends: Int
    var testDescription: String { id }
  }

  static let rows: [Row] = {
    let file = try? JSONValue(bytes: Project.bytes(Project.vectors + "/http/sequences.json") ?? [])
    return (file?["cases"]?.array ?? []).compactMap { row in
      guard let id = row["id"]?.string else { return nil }
      let final = row["final"]?.object?.members.map { ($0.key, $0.value.string ?? "") } ?? []
      // Rows that name no number deliver no request.
      return Row(
        id: id, deliver: row["deliver"]?.array?.compactMap(\.string) ?? [],
        final: Dictionary(uniqueKeysWithValues: final), sends: row["sends"]?.int64.map(Int.init) ?? 0)
    }
  }()

  @Test("is there for each row")
  func count() { #expect(Self.rows.map(\.id) == (1...9).map { "q0\($0)" } + ["q10", "q11"]) }

  @Test("ends in the state its row names, after as many calls", .timeLimit(.minutes(5)), arguments: rows)
  func row(row: Row) throws {
    let folder = TemporaryFolder()
    let appStore = WatchedAppStore()
    defer { appStore.stop() }
    var app = Installation.apps
    app["bundleId"] = "com.example.refunds"
    if row.id == "q11" {
      // The one purchase without an account token: nobody knows whose it is.
      app["consentBasis"] = [
        "kind": "terms", "textVersion": "2025-01", "effectiveFrom": "2025-01-01T00:00:00Z",
        "optOut": "in the app under Settings, Privacy", "coversUnidentified": true,
      ]
    }
    var installation = try Installation(
      in: folder.path, app: app, production: appStore.port, sandbox: appStore.port,
      anchors: [Project.vectors + "/certs/derived/root.der"], clock: ["start": "2026-11-10T15:00:00Z"])
    let receiver = try installation.program("refund-receiver")
    let responder = try installation.program("refund-responder")
    defer { for program in [responder, receiver] { program.kill() } }
    try receiver.startAndWait()
    try responder.startAndWait()
    let log = try LocalEventLog.reading(installation.data)
    let projected = Projected(data: installation.data)

    for name in row.deliver {
      let token = try #require(Project.bytes("\(Project.vectors)/jws/derived/\(name).jws"))
      #expect(try installation.post(token) == 200, "\(name)")
      // One after the other, as the row's order is meant: what follows from one has happened before the next.
      try projected.waitUntilAtRest(log)
    }
    let states = try Self.states(projected, log, installation.data)
    for (transaction, expected) in row.final {
      #expect(states[transaction] ?? "no case" == expected, "\(transaction)")
    }
    #expect(appStore.calls.count == row.sends)
    // The one purchase of the Advanced Commerce API.
    let version = row.id == "q11" ? "v1" : "v2"
    #expect(appStore.calls.allSatisfy { $0.path.hasPrefix("/inApps/\(version)/transactions/consumption/") })
    #expect(try log.read(after: .start, limit: 100).count { $0.type == "ConsumptionSent" } == row.sends)
  }

  /// By transaction id: what Apple decided last; where it has not, whether it has our answer. Of seats, what the command
  /// line tells of them.
  private static func states(
    _ projected: Projected, _ log: LocalEventLog, _ data: String
  ) throws -> [String: String] {
    let events = try log.read(after: .start, limit: 100)
    var states: [String: String] = [:]
    for row in try projected.cases() {
      let stream = "purchase/Sandbox/\(row.transactionID)"
      let isAnswered = events.contains { $0.type == "ConsumptionSent" && $0.stream.text == stream }
      states[row.transactionID] = row.outcome ?? (isAnswered ? "answered" : "open")
      let (code, output) = try run(
        "\(Programs.folder)/refundlog", ["case", "Sandbox/\(row.transactionID)", "--data", data, "--json"])
      #expect(code == 0, "\(output)")
      let page = try JSONValue(bytes: Array(output.utf8))
      if page["summary"]?["extent"] == "seats" { states[row.transactionID]! += try seats(page) }
    }
    return states
  }

  private static func seats(_ page: JSONValue) throws -> String {
    let decision = try #require(page["outcomes"]?.array?.last)
    let (revoked, quantity) = (decision["revokedSeats"]?.int64, decision["quantity"]?.int64)
    let isRevoked: Bool? = page["purchase"]?["revocation"]?["revoked"]?.bool
    return ", seats (\(revoked ?? -1) of \(quantity ?? -1)); purchase \(isRevoked == false ? "not " : "")revoked"
  }
}
