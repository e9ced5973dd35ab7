public import JSON

/// The customer's getting of the app itself. Source: StoreKit, «AppTransaction».
public struct AppTransactionDecodedPayload: DecodedPayload {
  public let view: JSONView

  public init(view: JSONView) { self.view = view }

  /// The environment.
  public var receiptType: Environment? { word("receiptType") }
  public var appAppleId: Int64? { integer("appAppleId") }
  public var bundleId: String? { text("bundleId") }
  public var applicationVersion: String? { text("applicationVersion") }
  public var versionExternalIdentifier: Int64? { integer("versionExternalIdentifier") }
  /// When it was signed.
  public var receiptCreationDate: Int64? { integer("receiptCreationDate") }
  /// May be negative.
  public var originalPurchaseDate: Int64? { integer("originalPurchaseDate") }
  public var originalApplicationVersion: String? { text("originalApplicationVersion") }
  public var deviceVerification: String? { text("deviceVerification") }
  public var deviceVerificationNonce: String? { text("deviceVerificationNonce") }
  public var preorderDate: Int64? { integer("preorderDate") }
  public var appTransactionId: String? { text("appTransactionId") }
  public var originalPlatform: String? { text("originalPlatform") }

  /// Members that Apple has added since, in order of appearance.
  public var unknownMembers: [(key: String, value: JSONView)] { members(outside: Self.knownMembers) }

  private static let knownMembers: Set<String> = [
    "receiptType", "appAppleId", "bundleId", "applicationVersion", "versionExternalIdentifier",
    "receiptCreationDate", "originalPurchaseDate", "originalApplicationVersion", "deviceVerification",
    "deviceVerificationNonce", "preorderDate", "appTransactionId", "originalPlatform",
  ]
}
