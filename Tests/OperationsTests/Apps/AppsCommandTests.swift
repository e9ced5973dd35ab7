import Contracts
import Cryptography
import EventLog
import Glibc
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

@Suite("refundlog apps") struct AppsCommandTests {
  private static let first = """
    {"bundleId": "com.example.one",   "environments": ["Sandbox"], "products": [
          {"productId":"*","deliveryStatus":"DELIVERED","sampleContentProvided":false} ]}
    """

  private struct Setup: ~Copyable {
    let folder = TemporaryFolder()
    var path: String { folder.path + "/refundlog.json" }
    /// What a change leaves beside the file.
    var drafts: [String] {
      guard let open = opendir(folder.path) else { return [] }
      defer { closedir(open) }
      var names: [String] = []
      while let entry = readdir(open) {
        let name = withUnsafePointer(to: entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name.contains("draft") { names.append(name) }
      }
      return names
    }
    var text: String { String(decoding: Project.bytes(path) ?? [], as: UTF8.self) }

    init(_ apps: String?) throws {
      try Files.write(Array("0123456789abcdef\n".utf8), to: folder.path + "/token", mode: 0o600)
      try Files.write(Array(ECDSAPrivateKey.generate().pem.utf8), to: folder.path + "/key.p8", mode: 0o600)
      let list = apps.map { "\n  \"apps\": \($0)," } ?? ""
      try Files.write(
        Array(
          """
          {\(list)
            "data":   "\(folder.path)/data",
            "responder" : {"tokenFile":"\(folder.path)/token"}
          }

          """.utf8), to: path, mode: 0o600)
    }

    func run(_ words: String...) -> Refundlog { Refundlog(["apps"] + words + ["--settings", path]) }
  }

  @Test(
    "add puts an app behind the others and leaves every other byte and the permissions as they were",
    arguments: [
      ("[\n    \(first)\n  ]", ",\n    { \"bundleId\""), ("[\(first)]", ", {\"bundleId\""),
      ("[]", "[\n    { \"bundleId\""),
      (nil, "\n  \"apps\": [\n    { \"bundleId\""),
    ])
  func add(apps: String?, join: String) throws {
    let setup = try Setup(apps)
    let before = setup.text
    let result = setup.run("add", "--bundle-id", "com.example.two")
    #expect(result.code == .success, "\(result.complained)")
    #expect(result.printed.contains("com.example.two is added") && result.printed.contains("once a second"))
    let after = setup.text
    #expect(after.contains(join))
    // What was put in is one stretch; taken out again the text is the old one.
    let prefix = zip(before.utf8, after.utf8).prefix { $0 == $1 }.count
    let suffix = zip(before.utf8.reversed(), after.utf8.reversed()).prefix { $0 == $1 }.count
    #expect(prefix + suffix >= before.utf8.count - (apps == "[]" ? 2 : 0))
    let list = try #require(try JSONValue(bytes: Array(after.utf8))["apps"]?.array)
    #expect(list.last == ["bundleId": "com.example.two", "environments": ["Sandbox"]])
    var status = stat()
    #expect(stat(setup.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(setup.drafts == [])
  }

  @Test("add gives an app that is there what it lacks, once, and leaves the other apps as they stand")
  func complete() throws {
    let setup = try Setup(
      "[\n    \(Self.first),\n    {\"bundleId\": \"com.example.two\", \"environments\": [\"Sandbox\"]}\n  ]")
    let words = [
      "apps", "add", "--bundle-id", "com.example.two", "--app-id", "1470168111", "--environments", "production",
      "--key",
      setup.folder.path + "/key.p8", "--key-id", "K1", "--issuer", "57246542-96fe-1a63-e053-0824d011072a",
      "--delivered", "yes", "--sample", "no",
      "--settings", setup.path,
    ]
    let result = Refundlog(words)
    #expect(result.code == .success, "\(result.complained)")
    #expect(
      result.printed.contains(
        "got the app id 1470168111, the environment Production, the key K1, the two facts for every product"))
    #expect(setup.text.contains(Self.first))
    let app = try #require(try JSONValue(bytes: Array(setup.text.utf8))["apps"]?.array?.last)
    #expect(app["environments"] == ["Sandbox", "Production"] && app["appAppleId"] == 1_470_168_111)
    #expect(
      app["products"] == [["productId": "*", "deliveryStatus": "DELIVERED", "sampleContentProvided": false]])
    let text = setup.text
    #expect(Refundlog(words).printed.contains("set up so already; nothing was changed") && setup.text == text)
    let other = setup.run("add", "--bundle-id", "com.example.two", "--app-id", "7")
    #expect(other.code == .failure && other.complained.contains("has another app id already, 1470168111"))
    #expect(setup.text == text)
  }

  @Test(
    "add refuses what would not work, says what is missing, and changes nothing",
    arguments: [
      (
        ["--bundle-id", "b", "--environments", "Production"], ExitCode.settings,
        "--app-id is missing: b is to be set up for Production"
      ),
      (["--app-id", "7"], .usage, "--bundle-id is missing"),
      (["--bundle-id", "b", "--app-id", "seven"], .usage, "--app-id is seven"),
      (["--bundle-id", "b", "--environments", "Xcode"], .usage, "allowed are Production and Sandbox"),
      (["--bundle-id", "b", "--key", "/nowhere.p8"], .usage, "--key-id and --issuer is missing"),
      (["--bundle-id", "b", "--key", "/nowhere.p8", "--key-id", "k", "--issuer", "i"], .settings, "cannot open it"),
      (["--bundle-id", "b", "--delivered", "yes"], .usage, "--sample is missing"),
      (["--bundle-id", "b", "--delivered", "perhaps", "--sample", "no"], .usage, "allowed are yes and no"),
    ])
  func refusals(flags: [String], code: ExitCode, sentence: String) throws {
    let setup = try Setup("[\(Self.first)]")
    let before = setup.text
    let result = Refundlog(["apps", "add", "--settings", setup.path] + flags)
    #expect(result.code == code && result.complained.contains(sentence), "\(result.complained)")
    #expect(setup.text == before && setup.drafts == [])
  }

  @Test("a change that somebody made meanwhile is not lost") func meanwhile() throws {
    let setup = try Setup("[\(Self.first)]")
    let file = try SettingsFile(setup.path)
    let ours = SettingsEdit(file).removing(app: 0)
    #expect(setup.run("add", "--bundle-id", "com.example.two").code == .success)
    let theirs = setup.text
    let path = setup.path
    let error = #expect(throws: CommandError.self) {
      try SettingsDraft.put(ours, at: path, was: file.print, variables: [:])
    }
    #expect(error?.description.contains("was changed by somebody else meanwhile; nothing was changed") == true)
    #expect(setup.text == theirs && setup.drafts == [])
  }

  @Test("a file that no service would start with is not made worse")
  func faulty() throws {
    let setup = try Setup("[\(Self.first)], \"dta\": 1")
    let before = setup.text
    let result = setup.run("add", "--bundle-id", "b")
    #expect(result.code == .settings && result.complained.contains("dta is not a key; did you mean data?"))
    #expect(result.complained.contains(setup.path + ", line") && !result.complained.contains(".draft"))
    #expect(setup.text == before)
  }

  @Test("a variable that goes over the file is not passed over in silence")
  func variable() throws {
    let setup = try Setup("[]")
    let result = Refundlog(
      ["apps", "add", "--bundle-id", "b", "--settings", setup.path], variables: ["REFUNDLOG_APPS": "[]"])
    #expect(result.code == .settings && result.complained.contains("REFUNDLOG_APPS is set and goes over the file"))
  }

  @Test(
    "remove takes out one app and nothing else",
    arguments: [
      ("[\n    \(first),\n    {\"bundleId\": \"b\", \"environments\": []}\n  ]", "b", "[\n    \(first)\n  ]"),
      ("[{\"bundleId\": \"b\", \"environments\": [\"Sandbox\"]}, \(first)]", "b", "[\(first)]"),
      ("[\(first)]", "com.example.one", "[]"),
    ])
  func remove(apps: String, bundleID: String, left: String) throws {
    let setup = try Setup(apps)
    let expected = setup.text.replacing(apps, with: left)
    let result = setup.run("remove", bundleID)
    #expect(result.code == .success && result.printed.contains("parked, not lost"), "\(result.complained)")
    #expect(setup.text == expected)
  }

  @Test("remove of an app that is not there says what was probably meant")
  func removeNone() throws {
    let setup = try Setup("[\(Self.first)]")
    let result = setup.run("remove", "com.example.onne")
    #expect(result.code == .failure && result.complained.contains("did you mean com.example.one?"))
  }

  @Test("list shows what is set up, what is wrong with the key, and the newest notification of the log")
  func list() throws {
    let setup = try Setup(
      "[\(Self.first), {\"bundleId\": \"b\", \"environments\": [\"Sandbox\"], \"key\": {\"id\": \"K\", \"issuer\": \"I\", \"file\": \"/nowhere.p8\"}}]"
    )
    let log = try LocalEventLog.open(setup.folder.path + "/data", clock: .fixed(Refundlog.now))
    _ = try log.append(
      (1...3).map {
        EventDraft(
          id: EventID("notification/\($0)"), stream: StreamName("s"), type: EventType.notificationReceived.rawValue,
          kind: "REFUND", environment: "Sandbox", app: $0 == 3 ? "other" : "com.example.one",
          occurredAt: Refundlog.now - 60_000 * (3 - $0), data: Array("{}".utf8))
      })
    log.close()
    let words = setup.run("list")
    #expect(words.code == .settings && words.complained.contains("apps[1].key.file"))
    #expect(words.printed.contains("1 min ago: REFUND, Sandbox, position 2"))
    #expect(words.printed.contains("K, NOT USABLE: cannot open its file: No such file"))
    #expect(words.printed.contains("declared for *") && words.printed.contains("none yet"))
    let json = try JSONValue(bytes: Array(setup.run("list", "--json").printed.utf8))
    let apps = try #require(json["apps"]?.array)
    #expect(apps[0]["lastNotification"]?["position"] == 2 && apps[0]["key"] == nil)
    #expect(apps[1]["key"]?["usable"] == false && apps[1]["lastNotification"] == nil)
  }
}
