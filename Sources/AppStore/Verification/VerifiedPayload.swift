import JSON

/// A token that stood alone, with what it says.
public struct VerifiedPayload<Payload: DecodedPayload>: Sendable {
  public let token: VerifiedToken
  public var payload: Payload { Payload(view: token.payload.root) }
}
