/// A notification that Apple signed, in which every token holds, and that cannot be worked with all the same.
public struct UnusableNotification: Sendable {
  public let outer: VerifiedToken
  public let inner: [InnerToken]
  public let payload: ResponseBodyV2DecodedPayload
  public let identity: NotificationIdentity
  /// Milliseconds since 1970 UTC.
  public let signedDate: Int64
  /// What is missing or strange.
  public let refusal: VerificationRefusal
}
