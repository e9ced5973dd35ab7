import Glibc
import JSON
import Service
import TestSupport
import Testing

/// What somebody may write into the settings by mistake, and what both services say to it.
struct WrongSettings: Sendable, CustomTestStringConvertible {
  let what: String
  /// Changes settings that are right; nil where the file's text is wrong altogether.
  var change: (@Sendable (inout JSONObject) -> Void)?
  var text: String?
  /// The program that is asked; its sections are checked by it alone.
  var program = "refund-receiver"
  /// What the sentence must hold: the key, the value or what is missing, and what is allowed.
  let says: [String]
  var testDescription: String { what }

  static func app(
    _ what: String, program: String = "refund-receiver", says: [String], _ key: String, _ value: JSONValue?
  )
    -> Self
  {
    Self(
      what: what,
      change: { settings in
        guard case .array(var apps)? = settings["apps"], var app = apps[0].object else { return }
        app[key] = value
        apps[0] = .object(app)
        settings["apps"] = .array(apps)
      }, program: program, says: says)
  }

  static func inside(
    _ what: String, program: String = "refund-receiver", says: [String], _ section: String, _ key: String,
    _ value: JSONValue?
  ) -> Self {
    Self(
      what: what,
      change: { settings in
        var object = settings[section]?.object ?? [:]
        object[key] = value
        settings[section] = .object(object)
      }, program: program, says: says)
  }

  static let all: [Self] = [
    Self(what: "a file that is cut off", text: #"{"data": "x", "apps": [{"#, says: ["settings.json", "line"]),
    Self(what: "a list in place of an object", text: "[]", says: ["settings.json", "one JSON object"]),
    Self(what: "an empty file", text: "", says: ["settings.json"]),
    Self(what: "a key twice", text: #"{"data":"a","data":"b"}"#, says: ["settings.json", "data"]),
    Self(
      what: "a key that nobody knows", change: { $0["recevier"] = [:] },
      says: ["recevier is not a key", "did you mean receiver"]),
    .inside("a misspelt key inside", says: ["receiver.prot", "did you mean port"], "receiver", "prot", 8080),
    .inside("a port that is a text", says: ["receiver.port", #""8080""#, "0 to 65535"], "receiver", "port", "8080"),
    .inside("a port that is none", says: ["receiver.port", "70000", "0 to 65535"], "receiver", "port", 70_000),
    .inside("no threads", says: ["receiver.threads", "0", "1 to 64"], "receiver", "threads", 0),
    .inside(
      "an address that is a name", says: ["receiver.address", "localhost"], "receiver", "address", "localhost"),
    .inside("a path without its slash", says: ["receiver.path", "v1/in", "/"], "receiver", "path", "v1/in"),
    .inside(
      "a trust anchor that is not there", says: ["receiver.trustAnchors", "/nowhere/root.pem"], "receiver",
      "trustAnchors", ["/nowhere/root.pem"]),
    .inside("a word for the log's form", says: ["log.format", "xml", "text, json"], "log", "format", "xml"),
    .app("an app of no name", says: ["apps[0].bundleId", "missing"], "bundleId", nil),
    .app("a bundle id that is none", says: ["apps[0].bundleId", "com.example app"], "bundleId", "com.example app"),
    .app("Production without the app's number", says: ["com.example.app", "appAppleId"], "appAppleId", nil),
    .app(
      "an environment that does not exist", says: ["apps[0].environments", "Xcode", "Production"], "environments",
      ["Xcode"]),
    Self(
      what: "one app twice", change: { $0["apps"] = .array([$0["apps"]![0], $0["apps"]![0]]) },
      says: ["apps", "com.example.app twice"]),
    .inside(
      "a set clock beside Apple's own address", says: ["clock", "api.storekit.apple.com"], "clock", "speed", 60),
    .app(
      "a delivery that Apple has no word for", program: "refund-responder",
      says: ["apps[0].products[0].deliveryStatus", "YES", "DELIVERED"], "products",
      [["productId": "*", "deliveryStatus": "YES", "sampleContentProvided": false]]),
    .app(
      "a fact left open", program: "refund-responder", says: ["apps[0].products[0].sampleContentProvided", "missing"],
      "products", [["productId": "*", "deliveryStatus": "DELIVERED"]]),
    .app(
      "a key file that is not there", program: "refund-responder", says: ["apps[0].key.file", "path of a file"], "key",
      ["id": "ABC", "issuer": "5a3b1c00-0000-4000-8000-000000000001", "file": "/nowhere/key.p8"]),
    .inside(
      "a token in place of its file", program: "refund-responder", says: ["responder.tokenFile", "path of a file"],
      "responder", "tokenFile", "c2VjcmV0LXNlY3JldA"),
    .inside(
      "more senders than there may be", program: "refund-responder", says: ["responder.senders", "100", "1 to 32"],
      "responder", "senders", 100),
    .inside(
      "an App Store that is no URL", program: "refund-responder", says: ["appStore.sandbox", "storekit"], "appStore",
      "sandbox", "storekit"),
  ]
}

extension JSONValue {
  fileprivate subscript(index: Int) -> JSONValue { array![index] }
}

@Suite("Wrong settings") struct WrongSettingsTests {
  private static func right(_ folder: String) -> JSONObject {
    [
      "data": .string(folder + "/data"),
      "apps": [
        ["bundleId": "com.example.app", "appAppleId": 1_470_168_111, "environments": ["Production", "Sandbox"]]
      ],
      "receiver": ["port": 0], "responder": ["port": 0, "tokenFile": .string(folder + "/token")],
    ]
  }

  @Test(
    "are told in a sentence with key, value and what is allowed, and nothing is started", arguments: WrongSettings.all)
  func refused(wrong: WrongSettings) throws {
    let folder = TemporaryFolder()
    try Files.write(Array("0123456789abcdef\n".utf8), to: folder.path + "/token", mode: 0o600)
    var settings = Self.right(folder.path)
    wrong.change?(&settings)
    let text = wrong.text.map { Array($0.utf8) } ?? JSONValue.object(settings).bytes()
    try Files.write(text, to: folder.path + "/settings.json")
    let (code, output) = try run(
      "timeout", ["10", "\(Programs.folder)/\(wrong.program)", "--settings", folder.path + "/settings.json"])
    #expect(code == ExitCode.settings.rawValue, "\(output)")
    for words in wrong.says { #expect(output.contains(words), "\(output)") }
    #expect(!output.contains(" ready:"))
    #expect(!output.contains("c2VjcmV0"), "a secret put in the wrong place is not printed")
    #expect(access(folder.path + "/data", F_OK) != 0, "nothing was made")
    // A sentence for each fault, after the line that says what it means.
    let faults = output.split(separator: "\n").dropFirst()
    #expect(faults.count == 1, "\(output)")
  }

  @Test("are not wrong where nothing is wrong with them", arguments: ["refund-receiver", "refund-responder"])
  func right(program: String) throws {
    let folder = TemporaryFolder()
    try Files.write(Array("0123456789abcdef\n".utf8), to: folder.path + "/token", mode: 0o600)
    try Files.write(JSONValue.object(Self.right(folder.path)).bytes(), to: folder.path + "/settings.json")
    let (_, output) = try run(
      "timeout", ["-s", "TERM", "2", "\(Programs.folder)/\(program)", "--settings", folder.path + "/settings.json"])
    #expect(output.contains("\(program) ready:"), "\(output)")
  }
}
