public import AppStore
import Contracts
import Cryptography
public import HTTPServer
public import Service

/// Everything the responder is told, with defaults.
public struct ResponderSettings: Sendable {
  /// Folder of log, projection and state.
  public var data: String
  public var apps: [App]
  public var appStore: AppStoreSettings
  public var clock: WallClock
  public var log: LogSettings
  public var server: HTTPServerSettings
  /// A token that the developer's back end may show beside those of the state file; nil where settings name none.
  public var backendToken: [UInt8]?
  /// Calls to the App Store that may be under way at once.
  public var senders: Int
  /// Calls to the App Store that may be made in a second.
  public var pace: CallPace

  /// One app that we answer for.
  public struct App: Sendable {
    public var identity: AppIdentity
    /// nil: its cases are shown and nothing is sent.
    public var tokens: BearerTokenMaker?
    var basis: ConsentBasisDeclared?
    var statements: [ProductStatementDeclared]
  }

  /// Reads settings; what is wrong is kept by the reader.
  public init(_ reader: SettingsReader) {
    data = reader.text("data", "data", "folder of the log, the projections and the state")
    apps = reader.list("apps", "the apps that are answered for") { App.read($0) }.compactMap { $0 }
    if let twice = apps.map(\.identity.bundleId).firstRepeated {
      reader.refuse("apps", "names \(twice) twice; one entry holds all its environments")
    }
    appStore = AppStoreSettings(reader)
    clock = ClockSetting.read(reader, addresses: appStore.addresses)
    log = LogSettings(reader)
    var server = HTTPServerSettings()
    var senders = 4
    var pace = CallPace()
    var token: [UInt8]?
    reader.object("responder") { reader in
      server.address = HTTPServerSettings.address(reader, "127.0.0.1", "address the API listens at")
      server.port = UInt16(
        reader.integer("port", in: 0...65_535, 8081, "port the API listens at; 0 takes any free one"))
      senders = Int(reader.integer("senders", in: 1...32, 4, "calls to the App Store that may be under way at once"))
      reader.object("pace") { reader in
        pace.consumptionPerSecond = Int(
          reader.integer(
            "consumptionPerSecond", in: 10...100_000, 50,
            "calls of Send Consumption Information that Apple takes a second, for each app in Production; the sandbox takes a tenth"
          ))
        pace.percent = Int(
          reader.integer(
            "percent", in: 1...100, 80, "how much of that is used, in percent; the rest is for the back end's own calls"
          ))
      }
      let path = reader.optionalText(
        "tokenFile", "file with a token for the scopes backend, read and support, beside those of the state file")
      let read = path.map { reader.secret(of: "tokenFile", at: $0) } ?? []
      if !read.isEmpty { token = read }
      if !read.isEmpty, read.count < 16 || !read.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
        reader.refuse("tokenFile", "names a file that holds no token: one line of at least 16 visible ASCII characters")
      }
    }
    self.server = server
    self.senders = senders
    self.pace = pace
    backendToken = token
    reader.leave("receiver", "simulator")
  }
}

extension ResponderSettings.App {
  static func read(_ reader: SettingsReader) -> Self? {
    let identity = AppIdentity.read(reader)
    let bundleID = identity?.bundleId ?? ""
    let tokens = reader.optionalObject("key") { readKey($0, bundleID: bundleID) }
    let basis = reader.optionalObject("consentBasis") { readBasis($0, bundleID: bundleID) }
    let statements = reader.list("products", "what the operator declares of products") {
      readStatement($0, bundleID: bundleID)
    }
    if let twice = statements.compactMap({ $0?.productID }).firstRepeated {
      reader.refuse("products", "names \(twice) twice")
    }
    guard let identity else { return nil }
    return Self(identity: identity, tokens: tokens ?? nil, basis: basis, statements: statements.compactMap { $0 })
  }

  private static func readKey(_ reader: SettingsReader, bundleID: String) -> BearerTokenMaker? {
    let id = reader.text("id", nil, "key id of the In-App Purchase key")
    let issuer = reader.text("issuer", nil, "issuer id, above the keys in App Store Connect")
    let file = reader.text("file", nil, "the key's .p8 file")
    guard !id.isEmpty, !issuer.isEmpty, !file.isEmpty, !bundleID.isEmpty else { return nil }
    let pem = reader.secret(of: "file", at: file)
    guard !pem.isEmpty else { return nil }
    let key: ECDSAPrivateKey
    do throws(PrivateKeyError) { key = try ECDSAPrivateKey(pem: pem) } catch {
      reader.refuse("file", "names \(file), which is no key: \(error)")
      return nil
    }
    do throws(BearerTokenError) {
      return try BearerTokenMaker(keyId: id, issuerId: issuer, bundleId: bundleID, key: key)
    } catch {
      reader.refuse("id", "cannot be used: \(error)")
      return nil
    }
  }

  private static func readBasis(_ reader: SettingsReader, bundleID: String) -> ConsentBasisDeclared {
    ConsentBasisDeclared(
      bundleID: bundleID,
      kind: reader.word(
        "kind", ConsentBasisDeclared.Kind.optIn, "terms: agreed to with the terms of use; optIn: asked"),
      textVersion: reader.text("textVersion", nil, "version of the text that customers agree to"),
      effectiveFrom: reader.optionalInstant("effectiveFrom", "purchases from this instant on are covered") ?? .max,
      optOut: reader.text("optOut", nil, "how a customer says no, in words"),
      coversUnidentified: reader.flag("coversUnidentified", false, "also purchases whose customer nobody knows"))
  }

  private static func readStatement(_ reader: SettingsReader, bundleID: String) -> ProductStatementDeclared? {
    let product = reader.text("productId", nil, "product id, or * for all without a statement of their own")
    let delivery = reader.text("deliveryStatus", nil, "DELIVERED or one of Apple's UNDELIVERED words")
    let sample = reader.flag("sampleContentProvided", nil, "whether a sample or trial came before the purchase")
    guard DeliveryStatus(rawValue: delivery) != nil else {
      let allowed = DeliveryStatus.allCases.map(\.rawValue).joined(separator: ", ")
      if !delivery.isEmpty { reader.refuse("deliveryStatus", "is \(delivery.prefix(60)); allowed are \(allowed)") }
      return nil
    }
    return ProductStatementDeclared(
      bundleID: bundleID, productID: product, deliveryStatus: DeliveryStatusWord(delivery),
      sampleContentProvided: sample, by: Declarations.author)
  }
}

extension [String] {
  /// The first that stood before; nil where all are different.
  fileprivate var firstRepeated: String? {
    var seen: Set<String> = []
    return first { !seen.insert($0).inserted }
  }
}
