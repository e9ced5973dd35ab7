public import JSON

/// A genuine notification from Apple, verbatim.
///
/// Stream purchase/<environment>/<transactionId>, or app/<bundleId> for types without a transaction; id
/// notification/<lower-case uuid>. The notification's bytes are never written anew: signatures are made over them.
public struct NotificationReceived: EventData {
  public static let type = EventType.notificationReceived

  /// Bundle id of the app, spelled as the App Store spells it.
  public let bundleID: String
  /// As Apple spells it. Open.
  public let environment: String
  /// First receipt by any of the developer's servers. Milliseconds since 1970, UTC.
  public let firstReceivedAt: Int64
  /// What Apple signed, with each inner token replaced by what it carries; `notification.bytes` are the bytes.
  public let notification: JSONView
  public let via: Via
  public let additional: JSONObject

  /// Where the notification stands in the bytes this value was read from.
  public var notificationRange: Range<Int> { notification.range }

  /// Apple's notificationType. Open.
  public let notificationType: String
  /// Apple's subtype. Open.
  public let subtype: String?
  /// As Apple wrote it; ids hold its lower-case form.
  public let notificationUUID: String
  /// When Apple signed. Milliseconds since 1970, UTC.
  public let signedDate: Int64

  public init(view: JSONView) throws(ContractError) {
    // Read where it stands: most events are of this type, and a rebuild reads very many.
    guard let others = view.members(otherThan: Self.names) else {
      throw Self.error("", found: view, allowed: "an object")
    }
    bundleID = try Self.member("bundleId", of: view, .name)
    environment = try Self.member("environment", of: view, .name)
    firstReceivedAt = try Self.member("firstReceivedAt", of: view, .instant)
    via = try Self.member("via", of: view, .oneOf)
    var additional = JSONObject()
    for (name, value) in others { additional[name] = JSONValue(value) }
    self.additional = additional

    let inner = view["notification"]
    guard let inner, inner.kind == .object else { throw Self.error("notification", found: inner, allowed: "an object") }
    notification = inner
    notificationType = try Self.member("notificationType", of: inner, at: "notification.", .name)
    notificationUUID = try Self.member("notificationUUID", of: inner, at: "notification.", .name)
    signedDate = try Self.member("signedDate", of: inner, at: "notification.", .instant)
    // Whatever it is, it is Apple's, and nothing of ours stops for it.
    subtype = inner["subtype"]?.string
  }

  public func encoded() -> [UInt8] {
    Self.data(
      bundleID: bundleID, environment: environment, firstReceivedAt: firstReceivedAt, notification: notification.bytes,
      via: via, additional: additional
    ).bytes
  }

  /// The bytes to store, and the offset in them at which the notification begins.
  /// - Parameters:
  ///   - firstReceivedAt: milliseconds since 1970, UTC.
  ///   - notification: one JSON object; copied as it is.
  ///   - additional: further members; they stand last, in their own order.
  public static func data(
    bundleID: String, environment: String, firstReceivedAt: Int64, notification: some Collection<UInt8>, via: Via,
    additional: JSONObject = JSONObject()
  ) -> (bytes: [UInt8], notificationOffset: Int) {
    var writer = JSONWriter()
    writer.raw("{\"bundleId\":")
    writer.string(bundleID)
    writer.raw(",\"environment\":")
    writer.string(environment)
    writer.raw(",\"firstReceivedAt\":\(firstReceivedAt),\"notification\":")
    let offset = writer.bytes.count
    writer.raw(notification)
    writer.raw(",\"via\":\"\(via.rawValue)\"")
    for member in additional.members {
      writer.raw(",")
      writer.string(member.key)
      writer.raw(":")
      writer.write(member.value)
    }
    writer.raw("}")
    return (writer.bytes, offset)
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.bundleID == right.bundleID && left.environment == right.environment
      && left.firstReceivedAt == right.firstReceivedAt && left.via == right.via
      && left.additional == right.additional
      && left.notification.bytes.elementsEqual(right.notification.bytes)
  }

  /// How a notification came.
  public enum Via: String, Sendable, ClosedWord {
    /// Apple posted it.
    case push
    /// Pulled from Apple's notification history.
    case history
    /// From another server of the developer.
    case `import`
  }

  /// Members that are ours; `additional` has the others.
  private static let names: [StaticString] = ["bundleId", "environment", "firstReceivedAt", "notification", "via"]

  private static func member<Value>(
    _ name: String, of object: JSONView, at path: String = "", _ shape: Shape<Value>
  ) throws(ContractError) -> Value {
    guard let view = object[name], let value = shape.read(JSONValue(view)) else {
      throw error(path + name, found: object[name], allowed: shape.allowed)
    }
    return value
  }

  private static func error(_ member: String, found view: JSONView?, allowed: String) -> ContractError {
    ContractError(
      event: type.rawValue, member: member, found: view.map { Found.words(for: JSONValue($0)) } ?? "nothing",
      allowed: allowed)
  }
}
