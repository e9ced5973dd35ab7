public import AppStore
public import HTTPServer
public import Service

/// Everything the receiver is told, with defaults.
public struct ReceiverSettings: Sendable {
  /// Folder of the log.
  public var data: String
  public var apps: [AppIdentity]
  /// Apple's root and what settings add for rehearsals.
  public var anchors: [TrustAnchor]
  public var clock: WallClock
  public var log: LogSettings
  public var server: HTTPServerSettings
  /// Where notifications are posted to.
  public var path: String
  /// How much is kept of what does not fit the settings.
  public var parking: ParkingLimits
  /// How much is noted of what is refused.
  public var quarantine: QuarantineLimits

  /// Reads settings; what is wrong is kept by the reader.
  public init(_ reader: SettingsReader) {
    data = reader.text("data", "data", "folder of the log, the projections and the state")
    apps = reader.list("apps", "the apps whose notifications are taken") { reader in
      reader.leave("key", "consentBasis", "products")
      return AppIdentity.read(reader)
    }.compactMap { $0 }
    let names = apps.map(\.bundleId)
    if let twice = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
      reader.refuse("apps", "names \(twice) twice; one entry holds all its environments")
    }
    clock = ClockSetting.read(reader, addresses: AppStoreSettings(reader).addresses)
    log = LogSettings(reader)
    var server = HTTPServerSettings()
    var path = ""
    var anchors: [TrustAnchor] = []
    var parking = ParkingLimits()
    var quarantine = QuarantineLimits()
    reader.object("receiver") { reader in
      server.address = HTTPServerSettings.address(reader, "127.0.0.1", "address notifications are taken at")
      server.port = UInt16(reader.integer("port", in: 0...65_535, 8080, "port for them; 0 takes any free one"))
      server.threads = Int(reader.integer("threads", in: 1...64, 2, "network threads"))
      server.connectionsMax = Int(reader.integer("connections", in: 64...100_000, 1_024, "connections at once"))
      path = reader.text("path", "/v1/notifications", "path of the URL that App Store Connect is given")
      if !path.hasPrefix("/") || !path.utf8.allSatisfy(Self.isAllowedInPath) {
        reader.refuse("path", "is \(path.prefix(60)); it begins with / and holds letters, digits, and / - . _ ~ only")
      }
      anchors = Self.anchors(reader)
      parking = ParkingLimits(reader)
      quarantine = QuarantineLimits(reader)
    }
    self.server = server
    self.path = path
    self.anchors = anchors
    self.parking = parking
    self.quarantine = quarantine
    reader.leave("responder", "simulator")
  }

  private static func isAllowedInPath(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "/-._~".utf8.contains(byte)
    }
  }

  private static func anchors(_ reader: SettingsReader) -> [TrustAnchor] {
    var anchors: [TrustAnchor] = []
    do throws(TrustAnchorError) { anchors.append(try TrustAnchor.appleRootCAG3()) } catch {
      reader.refuse("trustAnchors", "cannot be used: \(error)")
    }
    let meaning = "files of further roots, DER or PEM, for rehearsals with a simulator; Apple's own is built in"
    for file in reader.texts("trustAnchors", meaning) {
      reader.note(file: file)
      do throws(TrustAnchorError) { anchors.append(try TrustAnchor(path: file)) } catch {
        reader.refuse("trustAnchors", "names a file that is refused: \(error)")
      }
    }
    return anchors
  }
}
