import AppStore
import EventLog
import HTTPClient
import HTTPTypes
import JSON
import Receiver
import Service
import TestSupport
import Testing

@Suite("The receiver, put together") struct ReceiverServiceTests {
  private func settings(_ folder: borrowing TemporaryFolder) throws -> ReceiverSettings {
    var settings = try SettingsReader.load(
      file: nil,
      environment: [
        "REFUNDLOG_DATA": folder.path, "REFUNDLOG_RECEIVER_PORT": "0", "REFUNDLOG_LOG_LEVEL": "error",
        "REFUNDLOG_RECEIVER_PATH": "/apple/notifications",
        "REFUNDLOG_APPS": #"[{"bundleId":"com.example.refunds","environments":["Sandbox"]}]"#,
      ], ReceiverSettings.init)
    settings.anchors = [try TrustAnchor(path: Project.vectors + "/certs/derived/root.der")]
    return settings
  }

  private func post(_ token: [UInt8], to service: ReceiverService) throws -> Int {
    let url = try HTTPURL(service.ready)
    return try HTTPClient().send(
      HTTPClientRequest(
        .post, url, fields: ["Content-Type": "application/json"], body: IntakeFixture.body(token))
    ).status
  }

  @Test("takes notifications at its path, and what it said 200 to is on disk after it stopped") func life() throws {
    let folder = TemporaryFolder()
    let token = try ReceivedToken.derived("p02-consumption-consumable").token()
    let service = try ReceiverService(settings(folder))
    #expect(service.ready.hasSuffix("/apple/notifications"))
    #expect(try post(token, to: service) == 200)
    service.stop()

    let again = try ReceiverService(settings(folder))
    #expect(try post(token, to: again) == 200)
    again.stop()

    let log = try LocalEventLog.open(folder.path, clock: .system)
    defer { log.close() }
    let events = try log.read(after: .start, limit: 10)
    #expect(events.map(\.id.text) == ["notification/5a000000-0000-4000-8000-000000000002"])
    #expect(try log.signedToken(of: events[0]) == token)
  }
}
