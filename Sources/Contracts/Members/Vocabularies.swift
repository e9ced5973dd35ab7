/// Words of `deliveryStatus`. Source: App Store Server API, «deliveryStatus».
public enum DeliveryStatusWords: KnownWords {
  public static let known = [
    "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
    "UNDELIVERED_OTHER",
  ]
}
public typealias DeliveryStatusWord = Word<DeliveryStatusWords>

/// Words of `refundPreference`. Source: App Store Server API, «refundPreference»; the last is ours and takes an
/// earlier preference back, since Apple's way to have none is to leave the member out.
public enum RefundPreferenceWords: KnownWords {
  public static let known = ["DECLINE", "GRANT_FULL", "GRANT_PRORATED", "NO_PREFERENCE"]
}
public typealias RefundPreferenceWord = Word<RefundPreferenceWords>

/// Where a consent was given.
public enum ChannelWords: KnownWords {
  public static let known = ["app", "web", "support", "import"]
}
public typealias ChannelWord = Word<ChannelWords>

/// What an outage means for answers: a delivery status, or only a note for people.
public enum OutageEffectWords: KnownWords {
  public static let known = ["UNDELIVERED_SERVER_OUTAGE", "NOTE_ONLY"]
}
public typealias OutageEffectWord = Word<OutageEffectWords>
