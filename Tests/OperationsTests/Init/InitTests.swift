import AppStore
import Cryptography
import Glibc
import JSON
import Receiver
import Responder
import Service
import TestSupport
import Testing

@Suite("refundlog init") struct InitTests {
  private static func mode(_ path: String) -> UInt32 {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private static func text(_ path: String) -> String { String(decoding: Project.bytes(path) ?? [], as: UTF8.self) }

  @Test("writes settings that every program starts with, a folder, a secret and the keys explained")
  func fresh() throws {
    let folder = TemporaryFolder()
    let key = folder.path + "/key.p8"
    try Files.write(Array(ECDSAPrivateKey.generate().pem.utf8), to: key, mode: 0o600)
    let place = folder.path + "/new/place"
    let result = Refundlog([
      "init", "--folder", place, "--bundle-id", "com.example.coins", "--app-id", "1470168111", "--key", key, "--key-id",
      "K1", "--issuer", "57246542-96fe-1a63-e053-0824d011072a", "--delivered", "yes", "--sample", "no",
    ])
    #expect(result.code == .success, "\(result.complained)")
    #expect(!result.printed.contains("Missing"))
    let receiver = try SettingsReader.load(file: place + "/refundlog.json", environment: [:], ReceiverSettings.init)
    #expect(receiver.apps.map(\.bundleId) == ["com.example.coins"] && receiver.data == place + "/data")
    #expect(receiver.apps[0].environments == [.production, .sandbox])
    let responder = try SettingsReader.load(file: place + "/refundlog.json", environment: [:], ResponderSettings.init)
    #expect(responder.apps[0].tokens != nil)
    #expect(Self.mode(place + "/data") == 0o750 && Self.mode(place + "/backend-token") == 0o600)
    let secret = Self.text(place + "/backend-token")
    #expect(secret.utf8.count == 65 && !result.printed.contains(secret.dropLast()))
    #expect(Self.text(place + "/refundlog.md").contains("| `receiver.port` |"))
    #expect(result.printed.contains("/nowhere/refund-receiver --settings \(place)/refundlog.json\n"))
  }

  @Test("states the two facts only where they were stated, and says what is missing otherwise")
  func missing() throws {
    let folder = TemporaryFolder()
    let result = Refundlog(["init", "--folder", folder.path, "--bundle-id", "b"])
    #expect(result.code == .success, "\(result.complained)")
    let app = try #require(
      try JSONValue(bytes: Array(Self.text(folder.path + "/refundlog.json").utf8))["apps"]?.array?.first)
    #expect(app == ["bundleId": "b", "environments": ["Sandbox"]])
    for flags in ["--delivered yes|no --sample yes|no", "--app-id NUMBER", "--key FILE --key-id ID --issuer ID"] {
      #expect(result.printed.contains("--bundle-id b \(flags)"))
    }
  }

  @Test(
    "names the flag where nobody sits at a terminal, and writes nothing then",
    arguments: [
      ([], "--bundle-id is missing"), (["--bundle-id", "b", "--environments", "Production"], "--app-id is missing"),
      (["--bundle-id", "b", "--sample", "no"], "--delivered is missing"),
      (["--rehearsal", "--key", "k", "--key-id", "i", "--issuer", "u"], "--rehearsal has the simulator's key"),
      (["--rehearsal", "--ports", "1,2"], "--ports is three different numbers"),
    ])
  func flags(words: [String], sentence: String) throws {
    let folder = TemporaryFolder()
    let result = Refundlog(["init", "--folder", folder.path + "/new"] + words)
    #expect(result.code == .usage && result.complained.contains(sentence), "\(result.complained)")
    #expect(access(folder.path + "/new", F_OK) != 0)
  }

  @Test("asks at a terminal for what it cannot find out")
  func questions() throws {
    let folder = TemporaryFolder()
    let result = Refundlog(
      ["init", "--folder", folder.path], answers: [" com.example.coins ", "1470168111", "", "yes", "no"])
    #expect(result.code == .success, "\(result.complained)")
    let app = try #require(
      try JSONValue(bytes: Array(Self.text(folder.path + "/refundlog.json").utf8))["apps"]?.array?.first)
    #expect(app["bundleId"] == "com.example.coins" && app["appAppleId"] == 1_470_168_111 && app["key"] == nil)
    #expect(app["products"]?.array?.count == 1)
    let none = Refundlog(["init", "--folder", folder.path + "/other"], answers: [""])
    #expect(none.code == .usage && none.complained.contains("nothing was written"))
  }

  @Test("never writes over anything: run again it says what is there and what is missing")
  func again() throws {
    let folder = TemporaryFolder()
    let words = ["init", "--folder", folder.path, "--bundle-id", "b"]
    _ = Refundlog(words)
    let files = ["refundlog.json", "refundlog.md", "backend-token"].map { "\(folder.path)/\($0)" }
    let before = files.map(Self.text)
    let result = Refundlog(words)
    #expect(result.code == .success && files.map(Self.text) == before)
    for file in files { #expect(result.printed.contains("\(file) is there")) }
    #expect(result.printed.contains("Missing: a key"))
    try Files.write(Array(#"{"dta": 1}"#.utf8), to: files[0])
    let faulty = Refundlog(words)
    #expect(faulty.code == .settings && faulty.complained.contains("did you mean data?"))
  }

  @Test(
    "goes on from where an earlier run was cut off, whatever was left out",
    arguments: [
      "data", "backend-token", "refundlog.md", "refundlog.json", "simulator", "simulator/root.der",
      "simulator/api-key.p8",
    ])
  func cutOff(lost: String) throws {
    let folder = TemporaryFolder()
    let words = ["init", "--folder", folder.path, "--rehearsal"]
    #expect(Refundlog(words).code == .success)
    #expect(system("rm -r '\(folder.path)/\(lost)'") == 0)
    let result = Refundlog(words)
    #expect(result.code == .success, "\(result.complained)")
    #expect(access("\(folder.path)/\(lost)", F_OK) == 0)
    #expect(result.printed.contains("Next, each in a terminal of its own"))
  }
}
