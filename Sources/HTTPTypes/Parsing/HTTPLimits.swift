/// Bounds of one message, the same for requests and replies.
public struct HTTPLimits: Hashable, Sendable {
  /// First line and field lines with their line ends.
  public var headBytesMax: Int
  /// Content after decoding.
  public var bodyBytesMax: Int
  /// Field lines.
  public var fieldsMax: Int

  public init(headBytesMax: Int = 16 * 1024, bodyBytesMax: Int = 1024 * 1024, fieldsMax: Int = 100) {
    self.headBytesMax = headBytesMax
    self.bodyBytesMax = bodyBytesMax
    self.fieldsMax = fieldsMax
  }
}
