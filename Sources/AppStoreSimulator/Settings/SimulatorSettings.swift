public import AppStore
public import HTTPServer
public import HTTPTypes
public import Service

/// Everything the simulator is told, with defaults.
public struct SimulatorSettings: Sendable {
  /// What the simulator decides by itself after an answer it accepted.
  public enum AutomaticDecision: String, Sendable, CaseIterable {
    case none
    case refund = "REFUND"
    case declined = "REFUND_DECLINED"
  }

  /// Where the App Store Server API and the control API listen.
  public var server = HTTPServerSettings()
  /// Folder of certificates and keys; made when absent.
  public var dataFolder = "simulator-data"
  /// Where notifications are posted to; nil posts none and says so.
  public var notificationURL: HTTPURL? = try? HTTPURL("http://127.0.0.1:8080/v1/notifications")
  /// PEM file with the only authorities to trust for that URL; nil trusts the system's.
  public var authoritiesPath: String?
  public var bundleId = "com.example.app"
  /// Written into notifications where it is set; Production needs it.
  public var appAppleId: Int64?
  /// Which of Apple's two servers this one stands for: purchases of the other are not found here.
  public var environment = ServerEnvironment.sandbox
  public var keyId = "SIMULATOR1"
  public var issuerId = "5a3b1c00-0000-4000-8000-000000000001"
  public var decide = AutomaticDecision.none
  /// From the accepted answer to the automatic decision, in milliseconds of `clock`.
  public var decideAfterMilliseconds: Int64 = 1000
  /// From a request to the automatic decision where no answer is accepted meanwhile, in milliseconds of `clock`; nil never
  /// decides without an answer.
  public var decideUnansweredAfterMilliseconds: Int64?
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
    server.address = reader.text("address", "127.0.0.1", "address to listen at")
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
    environment = reader.word("environment", ServerEnvironment.sandbox, "which of Apple's servers this one stands for")
    if environment == .production, appAppleId == nil {
      reader.refuse("appAppleId", "is missing: notifications of Production name it")
    }
    keyId = reader.text("keyId", keyId, "id of the In-App Purchase key that is made for the responder")
    issuerId = reader.text("issuerId", issuerId, "issuer id that belongs to the key")
    decide = reader.word("decide", AutomaticDecision.none, "decision after an accepted answer")
    decideAfterMilliseconds = reader.integer(
      "decideAfterMilliseconds", in: 0...31_536_000_000, 1000, "from the answer to that decision, on the set clock")
    decideUnansweredAfterMilliseconds = reader.optionalInteger(
      "decideUnansweredAfterMilliseconds", in: 0...31_536_000_000,
      "from a refund request to that decision where no answer is accepted; none waits for an answer for ever")
  }
}
