public import AppStore
public import HTTPServer
public import HTTPTypes
public import Service

/// Everything the simulator is told, with defaults.
public struct SimulatorSettings: Sendable {
  /// Where the App Store Server API and the control API listen.
  public var server = HTTPServerSettings()
  /// Folder of certificates and keys; made when absent.
  public var dataFolder = "simulator-data"
  /// Where notifications are posted to; nil posts none and says so.
  public var notificationURL: HTTPURL? = try? HTTPURL("http://127.0.0.1:8080/v1/notifications")
  /// PEM file with the only authorities to trust for that URL; nil trusts the system's.
  public var authoritiesPath: String?
  public var bundleId = "com.example.app"
  /// Further apps of the same account: answers for them are taken under the same key.
  public var furtherBundleIds: [String] = []
  /// Written into notifications where it is set; Production needs it.
  public var appAppleId: Int64?
  /// Which of Apple's two servers this one stands for: purchases of the other are not found here.
  public var environment = ServerEnvironment.sandbox
  /// A second port, for Production beside the sandbox; nil opens none.
  public var productionPort: UInt16?
  public var keyId = "SIMULATOR1"
  public var issuerId = "5a3b1c00-0000-4000-8000-000000000001"
  /// How refund requests go on where a call says nothing else.
  public var decide = Scenario.Word.none
  /// From the accepted answer to the automatic decision, in milliseconds of `clock`.
  public var decideAfterMilliseconds: Int64 = 1000
  /// From a request to the automatic decision where no answer is accepted meanwhile, in milliseconds of `clock`; nil never
  /// decides without an answer.
  public var decideUnansweredAfterMilliseconds: Int64?
  /// From a refund that was decided so to its reversal; nil for none.
  public var reverseAfterMilliseconds: Int64?
  /// From a request to a further notification about it while it is open; nil for none.
  public var repeatAfterMilliseconds: Int64?
  /// From a request about a subscription until its renewal is switched off; nil leaves it on.
  public var renewalOffAfterMilliseconds: Int64?
  /// What is played once it has started; nil plays nothing.
  public var scenarioFile: ScenarioFile?
  /// When notifications that were not acknowledged are tried again.
  public var redelivery = RedeliverySchedule.apple
  /// How long a receiver may take to reply, by the machine's clock.
  public var replyWithinMilliseconds: Int64 = 5000
  /// Calls an app may make in one second of the machine's clock; nil keeps to Apple's figures, 0 has no limit.
  public var callsPerSecond: Int?
  public var clock = WallClock.system
  public var logFormat: Logger.Format?
  public var logLevel = LogLevel.info

  public init() {
    // What is kept is kept in memory; a notification has 20 KB.
    server.limits.bodyBytesMax = 256 * 1024
  }

  /// Reads the objects `simulator`, `clock` and `log`; what is wrong is kept by the reader. The keys of the services are left
  /// alone, so that one file can serve them all.
  public init(_ reader: SettingsReader) {
    self.init()
    var settings = self
    reader.object("simulator") { settings.read($0) }
    settings.clock = ClockSetting.read(reader, addresses: [])
    let log = LogSettings(reader)
    (settings.logFormat, settings.logLevel) = (log.format, log.level)
    reader.leave("receiver", "responder", "apps", "appStore", "data")
    self = settings
  }

  private mutating func read(_ reader: SettingsReader) {
    server.address = HTTPServerSettings.address(reader, "127.0.0.1", "address to listen at")
    server.port = UInt16(reader.integer("port", in: 0...65_535, 8090, "port to listen at; 0 takes any free one"))
    dataFolder = reader.text("dataFolder", dataFolder, "folder of certificates and keys; made when absent")
    let url = reader.text(
      "notificationURL", "http://127.0.0.1:8080/v1/notifications", "where notifications are posted to, or none")
    notificationURL = nil
    if url != "none" {
      do throws(HTTPURLError) { notificationURL = try HTTPURL(url) } catch {
        reader.refuse("notificationURL", "cannot be posted to: \(error)")
      }
    }
    authoritiesPath = reader.optionalText(
      "authorities", "PEM file with the only authorities to trust for notificationURL; default: the system's")
    bundleId = reader.text("bundleId", bundleId, "bundle id of the app")
    appAppleId = reader.optionalInteger(
      "appAppleId", in: 1 ... .max, "the app's number in App Store Connect; Production needs it")
    furtherBundleIds = reader.texts("furtherBundleIds", "further apps whose answers are taken under the same key")
    environment = reader.word("environment", ServerEnvironment.sandbox, "which of Apple's servers this one stands for")
    productionPort = reader.optionalInteger(
      "productionPort", in: 0...65_535, "second port, for Production beside the sandbox; 0 takes any free one"
    ).map { UInt16($0) }
    if environment == .production, productionPort != nil {
      reader.refuse("productionPort", "goes with the environment Sandbox; here the one port is for Production already")
    }
    if environment == .production || productionPort != nil, appAppleId == nil {
      reader.refuse("appAppleId", "is missing: notifications of Production name it")
    }
    keyId = reader.text("keyId", keyId, "id of the In-App Purchase key that is made for the responder")
    issuerId = reader.text("issuerId", issuerId, "issuer id that belongs to the key")
    readScenario(reader)
    readScenarioFile(reader)
    redelivery = reader.word(
      "redelivery", RedeliverySchedule.apple,
      "when what was not acknowledged is tried again: as Apple does it in each environment, as in Production, or never")
    replyWithinMilliseconds = reader.integer(
      "replyWithinMilliseconds", in: 1...60_000, 5000, "how long a receiver may take, by the machine's clock")
    callsPerSecond = reader.optionalInteger(
      "callsPerSecond", in: 0...1_000_000,
      "calls of each kind an app may make in a second of the machine's clock, 0 for no limit; default: Apple's figures, "
        + "such as 50 answers, in the sandbox 5"
    ).map { Int($0) }
  }

  private mutating func readScenarioFile(_ reader: SettingsReader) {
    let path = reader.optionalText(
      "scenarioFile",
      "JSON file with steps that are played once it has started, see docs/rehearsing.md; none plays nothing")
    guard let path else { return }
    reader.note(file: path)
    do throws(ScenarioFileError) { scenarioFile = try ScenarioFile(path: path, settings: self) } catch {
      reader.refuse("scenarioFile", "is not right:\n\(error.faults.map { "  " + $0 }.joined(separator: "\n"))")
    }
  }

  private mutating func readScenario(_ reader: SettingsReader) {
    decide = reader.word("decide", Scenario.Word.none, "how refund requests go on by themselves")
    decideAfterMilliseconds = reader.integer(
      "decideAfterMilliseconds", in: 0...31_536_000_000, 1000, "from the answer to the decision, on the set clock")
    decideUnansweredAfterMilliseconds = reader.optionalInteger(
      "decideUnansweredAfterMilliseconds", in: 0...31_536_000_000,
      "from a refund request to that decision where no answer is accepted; none waits for an answer for ever")
    reverseAfterMilliseconds = reader.optionalInteger(
      "reverseAfterMilliseconds", in: 0...31_536_000_000, "from such a refund to its reversal; none reverses nothing")
    repeatAfterMilliseconds = reader.optionalInteger(
      "repeatAfterMilliseconds", in: 0...31_536_000_000,
      "from a refund request to a second notification about it while it is open; none sends no second")
    renewalOffAfterMilliseconds = reader.optionalInteger(
      "renewalOffAfterMilliseconds", in: 0...31_536_000_000,
      "from a refund request for a subscription until its renewal is switched off; none leaves it on")
  }
}
