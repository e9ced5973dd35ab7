/// A token that stands as a string inside the payload of another.
public struct InnerToken: Sendable {
  public let slot: TokenSlot
  public let token: VerifiedToken
  /// Where the string stands in the outer payload's bytes, quotes included.
  public let range: Range<Int>
  /// Whether the string was written with a backslash; then the token alone does not give the payload's bytes back.
  public let isEscaped: Bool
}
