import JSON

/// A notification in which every token holds and belongs. Whether it is one of ours is another question, see
/// `NotificationIdentity.judge`.
public struct VerifiedNotification: Sendable {
  public let outer: VerifiedToken
  /// In the order in which they stand in the payload.
  public let inner: [InnerToken]
  public let payload: ResponseBodyV2DecodedPayload
  public let notificationType: NotificationType
  /// Lower case.
  public let notificationUUID: String
  /// Milliseconds since 1970 UTC.
  public let signedDate: Int64
  public let identity: NotificationIdentity

  public var transaction: JWSTransactionDecodedPayload? { decoded(.transaction) }
  public var renewalInfo: JWSRenewalInfoDecodedPayload? { decoded(.renewalInfo) }
  public var appTransaction: AppTransactionDecodedPayload? { decoded(.appTransaction) }

  /// Whether payloads, headers and signatures alone give the received text back, bit for bit.
  public var isReconstructible: Bool {
    outer.isCanonical && inner.allSatisfy { $0.token.isCanonical && !$0.isEscaped }
  }

  private func decoded<Payload: DecodedPayload>(_ slot: TokenSlot) -> Payload? {
    inner.first { $0.slot == slot }.map { Payload(view: $0.token.payload.root) }
  }
}
