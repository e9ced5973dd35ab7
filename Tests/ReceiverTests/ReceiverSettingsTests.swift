import AppStore
import Cryptography
import Glibc
import HTTPServer
import JSON
import Receiver
import Service
import TestSupport
import Testing

@Suite("The receiver's settings") struct ReceiverSettingsTests {
  private func load(
    _ text: String, in folder: borrowing TemporaryFolder, environment: [String: String] = [:]
  ) throws -> ReceiverSettings {
    let path = folder.path + "/settings.json"
    try write(text, to: path)
    return try SettingsReader.load(file: path, environment: environment, ReceiverSettings.init)
  }

  private func write(_ text: String, to path: String) throws {
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    #expect(fputs(text, file) >= 0)
  }

  /// What is said about settings that are not right; empty where they are.
  private func faults(_ text: String, environment: [String: String] = [:]) throws -> [String] {
    let folder = TemporaryFolder()
    do {
      _ = try load(text, in: folder, environment: environment)
      return []
    } catch let error as SettingsError { return error.faults }
  }

  @Test("are read whole") func complete() throws {
    let folder = TemporaryFolder()
    let settings = try load(
      """
      {
        "data": "somewhere",
        "apps": [
          {"bundleId": "com.example.refunds", "appAppleId": 1470168111, "environments": ["Production", "Sandbox"],
           "key": {"id": "K", "issuer": "i", "file": "never read here"}, "consentBasis": {}, "products": []},
          {"bundleId": "com.example.second", "environments": ["Sandbox"]}
        ],
        "appStore": {"production": "http://127.0.0.1:9", "sandbox": "http://localhost:9"},
        "clock": {"start": "2026-11-10T09:00:00Z", "speed": 60},
        "log": {"format": "json", "level": "debug"},
        "receiver": {"address": "0.0.0.0", "port": 8443, "threads": 3, "connections": 99, "path": "/apple",
          "trustAnchors": ["\(Project.vectors)/certs/derived/root.der"],
          "parked": {"perApp": 5, "perAppMegabytes": 6, "perForeignBundle": 7, "perForeignBundleMegabytes": 8,
            "foreign": 9, "foreignMegabytes": 10},
          "quarantine": {"count": 11, "megabytes": 12, "days": 13}},
        "responder": {"port": "left to the other program"}
      }
      """, in: folder)
    #expect(settings.data == "somewhere")
    #expect(settings.apps.map(\.bundleId) == ["com.example.refunds", "com.example.second"])
    #expect(settings.apps[0].appAppleId == 1_470_168_111)
    #expect(settings.apps[0].environments == [.production, .sandbox])
    #expect(settings.clock.speed == 60)
    #expect(settings.log.format == .json)
    #expect(settings.log.level == .debug)
    #expect(settings.server.address == "0.0.0.0")
    #expect(settings.server.port == 8443)
    #expect(settings.server.threads == 3)
    #expect(settings.server.connectionsMax == 99)
    #expect(settings.path == "/apple")
    #expect(settings.anchors.count == 2)
    #expect(settings.parking.perApp == ParkingLimits.Amount(count: 5, bytes: 6 << 20))
    #expect(settings.parking.perForeignBundle == ParkingLimits.Amount(count: 7, bytes: 8 << 20))
    #expect(settings.parking.foreign == ParkingLimits.Amount(count: 9, bytes: 10 << 20))
    #expect(settings.quarantine.count == 11)
    #expect(settings.quarantine.bytes == 12 << 20)
    #expect(settings.quarantine.ageMilliseconds == 13 * 86_400_000)
  }

  @Test("have defaults, and Apple's root is always trusted") func defaults() throws {
    let folder = TemporaryFolder()
    let settings = try load("{}", in: folder)
    #expect(settings.data == "data")
    #expect(settings.apps.isEmpty)
    #expect(settings.server.address == "127.0.0.1")
    #expect(settings.server.port == 8080)
    #expect(settings.path == "/v1/notifications")
    #expect(settings.anchors.count == 1)
    #expect(settings.clock.speed == 1)
    #expect(settings.parking == ParkingLimits())
    #expect(settings.quarantine == QuarantineLimits())
  }

  @Test(
    "name the key of a bad value",
    arguments: [
      (#"{"data": 5}"#, "data"), (#"{"apps": {}}"#, "apps"), (#"{"apps": [5]}"#, "apps[0]"),
      (#"{"apps": [{"environments": ["Sandbox"]}]}"#, "apps[0].bundleId"),
      (#"{"apps": [{"bundleId": "a.b", "environments": ["sandbox"]}]}"#, "apps[0].environments"),
      (#"{"apps": [{"bundleId": "a.b", "environments": []}]}"#, "apps[0].environments"),
      (#"{"apps": [{"bundleId": "a.b", "environments": ["Production"]}]}"#, "apps[0].appAppleId"),
      (#"{"apps": [{"bundleId": "a.b", "appAppleId": 0, "environments": ["Sandbox"]}]}"#, "apps[0].appAppleId"),
      (#"{"apps": [{"bundleId": "a.b", "environments": ["Sandbox"], "bundelId": "x"}]}"#, "apps[0].bundelId"),
      (#"{"appStore": {"production": "ftp://apple"}}"#, "appStore.production"),
      (#"{"appStore": {"sandbox": "http://example.com"}}"#, "appStore.sandbox"),
      (#"{"receiver": []}"#, "receiver"), (#"{"receiver": {"port": 65536}}"#, "receiver.port"),
      (#"{"receiver": {"threads": 0}}"#, "receiver.threads"),
      (#"{"receiver": {"connections": "many"}}"#, "receiver.connections"),
      (#"{"receiver": {"path": "v1"}}"#, "receiver.path"),
      (#"{"receiver": {"trustAnchors": "root.der"}}"#, "receiver.trustAnchors"),
      (#"{"receiver": {"parked": {"perApp": 0}}}"#, "receiver.parked.perApp"),
      (#"{"receiver": {"quarantine": {"days": 0}}}"#, "receiver.quarantine.days"),
      (#"{"log": {"level": "loud"}}"#, "log.level"), (#"{"log": {"format": "xml"}}"#, "log.format"),
      (#"{"clock": {"speed": 0}}"#, "clock.speed"), (#"{"reciever": {}}"#, "reciever"),
    ])
  func badValue(text: String, key: String) throws {
    let faults = try faults(text)
    #expect(faults.contains { $0.contains(key) }, "\(faults)")
  }

  @Test("collect every fault at once") func several() throws {
    #expect(try faults(#"{"data": 5, "receiver": {"port": -1, "path": "x"}, "colour": 1}"#).count == 4)
  }

  @Test("take no clock of their own beside Apple's addresses") func clock() throws {
    let set = #""clock": {"start": "2026-11-10T09:00:00Z"}"#
    #expect(try faults("{\(set)}").contains { $0.contains("clock") && $0.contains("api.storekit.apple.com") })
    let half = #""appStore": {"production": "http://127.0.0.1:9"}"#
    #expect(try faults("{\(set), \(half)}").contains { $0.contains("clock") && $0.contains("sandbox") })
    let whole = #""appStore": {"production": "http://127.0.0.1:9", "sandbox": "http://127.0.0.1:9"}"#
    #expect(try faults("{\(set), \(whole)}").isEmpty)
  }

  @Test("name the file of a trust anchor that is none") func anchor() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/no-root.pem"
    try write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", to: path)
    for file in [path, folder.path + "/absent.pem"] {
      let faults = try faults(#"{"receiver": {"trustAnchors": ["\#(file)"]}}"#)
      #expect(faults.contains { $0.contains("receiver.trustAnchors") && $0.contains(file) }, "\(faults)")
    }
  }

  @Test("take a trust anchor in either form, and refuse a truncated one by its name") func anchorForms() throws {
    let folder = TemporaryFolder()
    let der = try Files.read("\(Project.vectors)/certs/derived/root.der", bytesMax: 65_536)
    let text = Base64.encode(der)
    let pem = "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
    let path = folder.path + "/root"
    func settings() throws -> ReceiverSettings {
      try load(#"{"receiver": {"trustAnchors": ["\#(path)"]}}"#, in: folder)
    }
    for bytes in [der, Array(pem.utf8)] {
      try Files.write(bytes, to: path)
      let anchor = try #require(try settings().anchors.last)
      #expect(anchor.certificate.der == der)
      #expect(anchor.summary.contains(path))
      #expect(anchor.summary.contains("\(anchor.certificate.fingerprint)"))
    }
    for bytes in [Array(der.dropLast(9)), Array(pem.utf8.prefix(200)), []] {
      try Files.write(bytes, to: path)
      do {
        _ = try settings()
        Issue.record("it was taken")
      } catch let error as SettingsError {
        #expect(error.faults.contains { $0.contains("receiver.trustAnchors") && $0.contains(path) })
      }
    }
  }

  @Test("are gone over by variables") func variables() throws {
    let folder = TemporaryFolder()
    let settings = try load(
      #"{"receiver": {"port": 1}}"#, in: folder,
      environment: ["REFUNDLOG_RECEIVER_PORT": "2", "REFUNDLOG_DATA": "elsewhere"])
    #expect(settings.server.port == 2)
    #expect(settings.data == "elsewhere")
    #expect(
      try faults("{}", environment: ["REFUNDLOG_RECEIVER_PORT": "x"])
        .contains { $0.contains("REFUNDLOG_RECEIVER_PORT") && $0.contains("receiver.port") })
  }
}
