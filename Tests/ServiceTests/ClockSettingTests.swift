import Service
import TestSupport
import Testing

@Suite("The setting clock") struct ClockSettingTests {
  private static func load(_ text: String, addresses: [String] = ["http://127.0.0.1:1"]) throws -> WallClock {
    let folder = TemporaryFolder()
    let path = folder.path + "/s.json"
    try Files.write(Array(text.utf8), to: path)
    return try SettingsReader.load(file: path, environment: [:]) { ClockSetting.read($0, addresses: addresses) }
  }

  @Test("is the machine's clock where it is absent, wherever the App Store is")
  func absent() throws {
    let clock = try Self.load("{}", addresses: ["https://api.storekit.apple.com"])
    #expect(clock.speed == 1)
    #expect(abs(clock.now() - WallClock.system.now()) < 5_000)
  }

  @Test("starts elsewhere and runs faster")
  func faster() throws {
    let since = WallClock.system.now() - 10_000
    let clock = try Self.load(#"{"clock":{"start":"2024-01-01T00:00:00Z","since":\#(since),"speed":60}}"#)
    let shown = clock.now() - 1_704_067_200_000
    #expect(shown >= 600_000)
    #expect(shown < 900_000)
    #expect(clock.speed == 60)
  }

  // It once overflowed and ended the process.
  @Test(
    "stays within the years 0 to 9999, however far it is set",
    arguments: [
      (#"{"start":253402300799999,"since":-62167219200000,"speed":100000}"#, RFC3339.range.upperBound),
      (#"{"start":-62167219200000,"since":253402300799999,"speed":100000}"#, RFC3339.range.lowerBound),
    ])
  func far(clock: String, shown: Int64) throws {
    #expect(try Self.load("{\"clock\":\(clock)}").now() == shown)
  }

  @Test(
    "is taken where every App Store address is this machine",
    arguments: [
      "http://127.0.0.1", "http://127.0.0.1:8082", "http://127.255.0.9/prefix", "http://localhost:1", "https://[::1]",
      "http://[::1]:8082/x",
    ])
  func loopback(address: String) throws {
    #expect(try Self.load(#"{"clock":{"speed":2}}"#, addresses: ["http://localhost", address]).speed == 2)
  }

  @Test(
    "is refused where one of them is not",
    arguments: [
      "https://api.storekit.apple.com", "http://128.0.0.1", "http://127.0.0.1.example.com", "http://127.0.0",
      "http://localhost.example.com", "http://127.0.0.1@example.com", "http://[::2]", "http://[::1].example.com",
      "http://127.0.0.256", "127.0.0.1", "",
    ])
  func foreign(address: String) {
    let error = #expect(throws: SettingsError.self) {
      try Self.load(#"{"clock":{"speed":2}}"#, addresses: ["http://localhost", address])
    }
    #expect(error?.faults.count == 1)
    #expect(
      error?.faults.first?.contains("clock may only be set where every App Store URL is this machine") == true)
  }

  @Test("waits in real time", arguments: [(1_000, 1), (1_001, 2), (0, 0), (-5, 0)] as [(Int64, Int64)])
  func realTime(ahead: Int64, real: Int64) {
    let clock = WallClock(speed: 1_000) { 500 }
    #expect(clock.realMilliseconds(until: 500 + ahead) == real)
    #expect(WallClock.fixed(-5).realMilliseconds(until: .max) == .max)
    #expect(WallClock.fixed(5).realMilliseconds(until: .min) == 0)
  }
}
