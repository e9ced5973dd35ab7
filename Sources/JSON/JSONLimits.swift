/// Bounds of one document. Past any of them reading stops with `JSONError.Reason.overLimit`.
public struct JSONLimits: Sendable, Equatable {
  /// Bytes of the whole text; at most 2^31.
  public var bytesMax: Int
  /// How many arrays and objects may stand inside each other; a scalar has depth 0.
  public var depthMax: Int
  /// Values and keys in all.
  public var nodesMax: Int

  public init(bytesMax: Int = 4 << 20, depthMax: Int = 64, nodesMax: Int = 200_000) {
    precondition(bytesMax <= Int(Int32.max), "a JSON document of more than 2^31 bytes has no offsets here")
    self.bytesMax = bytesMax
    self.depthMax = depthMax
    self.nodesMax = nodesMax
  }
}
