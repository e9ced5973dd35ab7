public import JSON

/// An app-wide basis for sharing consumption data.
///
/// Stream app/<bundleId>. Covers purchases made at or after effectiveFrom; a customer's withdrawal always
/// overrides it.
public struct ConsentBasisDeclared: SortedEventData {
  public static let type = EventType.consentBasisDeclared

  /// Bundle id of the app, spelled as the App Store spells it.
  public var bundleID: String
  /// Which kind of basis.
  public var kind: Kind
  /// Version of the text that carries the basis.
  public var textVersion: String
  /// Purchases made at or after this instant are covered. Milliseconds since 1970, UTC.
  public var effectiveFrom: Int64
  /// How a customer opts out, in words for people.
  public var optOut: String
  /// Whether purchases with no known customer are covered too.
  public var coversUnidentified: Bool
  public var additional: JSONObject

  public init(
    bundleID: String, kind: Kind, textVersion: String, effectiveFrom: Int64, optOut: String,
    coversUnidentified: Bool, additional: JSONObject = JSONObject()
  ) {
    self.bundleID = bundleID
    self.kind = kind
    self.textVersion = textVersion
    self.effectiveFrom = effectiveFrom
    self.optOut = optOut
    self.coversUnidentified = coversUnidentified
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    bundleID = try members.required("bundleId", .name)
    kind = try members.required("kind", .oneOf)
    textVersion = try members.required("textVersion", .name)
    effectiveFrom = try members.required("effectiveFrom", .instant)
    optOut = try members.required("optOut", .text)
    coversUnidentified = try members.required("coversUnidentified", .flag)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("bundleId", bundleID)
    members.put("kind", kind)
    members.put("textVersion", textVersion)
    members.put("effectiveFrom", effectiveFrom)
    members.put("optOut", optOut)
    members.put("coversUnidentified", coversUnidentified)
  }

  public enum Kind: String, Sendable, ClosedWord {
    /// The terms of use cover every customer who has not opted out.
    case terms
    /// Only recorded consents count.
    case optIn
  }
}
