import JSON

/// What Apple says in the body of a refusal. Anything may stand in a body, also nothing, a gateway's page or a text that
/// was cut; then both members are nil.
public struct AppStoreErrorBody: Sendable, Hashable {
  /// Most characters of a message that are kept.
  public static let messageMax = 500
  /// Most bytes that are looked at.
  public static let bytesMax = 65_536

  public let errorCode: Int64?
  /// For people; may change at any time. Control characters are replaced.
  public let errorMessage: String?

  public init(_ body: [UInt8]) {
    let document = body.isEmpty ? nil : try? JSONDocument(bytes: body, limits: JSONLimits(bytesMax: Self.bytesMax))
    errorCode = document?.root["errorCode"]?.int64
    errorMessage = document?.root["errorMessage"]?.string.map { message in
      String(message.prefix(Self.messageMax).map { $0.unicodeScalars.contains { $0.value < 0x20 } ? " " : $0 })
    }
  }
}
