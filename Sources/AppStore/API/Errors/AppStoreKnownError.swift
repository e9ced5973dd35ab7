/// An error that the App Store Server API is known to give, by its number.
///
/// Decide by the status and keep the number: Apple adds errors without notice, and some have no number on any page.
/// Source: App Store Server API, «Error codes» and each error's page.
public struct AppStoreKnownError: Sendable, Hashable {
  public let code: Int64
  /// The HTTP status that it comes with.
  public let status: Int
  /// Apple's name for it.
  public let name: String
  /// What it means and what to do, as part of a sentence.
  public let words: String
  /// Whether the number stands on a page of Apple's; else it may be another one.
  public let isCertain: Bool

  private init(_ code: Int64, _ status: Int, _ name: String, isCertain: Bool = true, _ words: String) {
    self.code = code
    self.status = status
    self.name = name
    self.words = words
    self.isCertain = isCertain
  }

  /// nil where the number is not known; that is no reason to worry.
  public static func of(_ code: Int64) -> AppStoreKnownError? { table[code] }

  /// By number.
  public static let all: [AppStoreKnownError] = [
    .init(
      4_000_000, 400, "GeneralBadRequestError",
      "the request has a form Apple does not take; this is a fault of this program, report it with the first bytes of the reply"
    ),
    .init(
      4_000_002, 400, "InvalidAppIdentifierError",
      "Apple does not know the app of the token: compare bundleId in the settings with App Store Connect"),
    .init(4_000_004, 400, "InvalidLimitError", isCertain: false, elsewhere),
    .init(
      4_000_005, 400, "InvalidRequestRevisionError",
      "the revision is not valid: ask again from the start, without it"),
    .init(
      4_000_006, 400, "InvalidTransactionIdError",
      "the transaction id has a form Apple does not take: use the one inside the notification"),
    .init(4_000_008, 400, "InvalidOriginalTransactionIdError", elsewhere),
    .init(4_000_009, 400, "InvalidExtendByDaysError", elsewhere),
    .init(4_000_010, 400, "InvalidExtendReasonCodeError", elsewhere),
    .init(4_000_011, 400, "InvalidRequestIdentifierError", elsewhere),
    .init(
      4_000_012, 400, "StartDateTooFarInPastError",
      "the start lies before what Apple keeps, 180 days or 30 in the sandbox: begin later"),
    .init(
      4_000_013, 400, "StartDateAfterEndDateError",
      "the start lies after the end: turn them round"),
    .init(
      4_000_014, 400, "InvalidPaginationTokenError",
      "the page token is not valid or belongs to another question: ask again from the start"),
    .init(
      4_000_015, 400, "InvalidStartDateError",
      "the start is no instant Apple takes: milliseconds since 1970"),
    .init(
      4_000_016, 400, "InvalidEndDateError",
      "the end is no instant Apple takes: milliseconds since 1970"),
    .init(
      4_000_017, 400, "PaginationTokenExpiredError",
      "the page token has expired: ask again from the start"),
    .init(
      4_000_018, 400, "InvalidNotificationTypeError",
      "type or subtype of the notification is not one of Apple's, or the two do not go together"),
    .init(
      4_000_019, 400, "MultipleFiltersSuppliedError",
      "a transaction and a type were asked for at once: ask for one of them"),
    .init(
      4_000_020, 400, "InvalidTestNotificationTokenError",
      "the token of the test notification is not valid: request a new test notification"),
    .init(
      4_000_021, 400, "InvalidSortError",
      "the order is neither ASCENDING nor DESCENDING"),
    .init(
      4_000_022, 400, "InvalidProductTypeError",
      "a product type is not one of Apple's four"),
    .init(
      4_000_023, 400, "InvalidProductIdError",
      "a product id is not valid: compare it with App Store Connect"),
    .init(
      4_000_024, 400, "InvalidSubscriptionGroupIdentifierError",
      "a subscription group is not valid: compare it with App Store Connect"),
    .init(
      4_000_025, 400, "InvalidExcludeRevokedError",
      "the parameter excludeRevoked is not valid; it is outdated"),
    .init(
      4_000_026, 400, "InvalidInAppOwnershipTypeError",
      "the ownership is not one of Apple's"),
    .init(4_000_027, 400, "InvalidEmptyStorefrontCountryCodeListError", elsewhere),
    .init(4_000_028, 400, "InvalidStorefrontCountryCodeError", elsewhere),
    .init(
      4_000_030, 400, "InvalidRevokedError",
      "revoked is neither true nor false"),
    .init(
      4_000_031, 400, "InvalidStatusError",
      "a status of a subscription is not 1 to 5"),
    .init(
      4_000_032, 400, "InvalidAccountTenureError",
      "accountTenure is none of Apple's numbers, 0 to 7: correct what was stated of the account"),
    .init(
      4_000_033, 400, "InvalidAppAccountTokenError",
      "appAccountToken is neither a UUID nor empty"),
    .init(
      4_000_034, 400, "InvalidConsumptionStatusError",
      "consumptionStatus is none of Apple's numbers, 0 to 3"),
    .init(
      4_000_035, 400, "InvalidCustomerConsentedError",
      "the answer does not say that the customer consented, and every answer does: look for a proxy that changes bodies"
    ),
    .init(
      4_000_036, 400, "InvalidDeliveryStatusError",
      "deliveryStatus is none of Apple's values for this endpoint: correct what was stated of the delivery"),
    .init(
      4_000_037, 400, "InvalidLifetimeDollarsPurchasedError",
      "lifetimeDollarsPurchased is none of Apple's numbers, 0 to 7: correct what was stated of the account"),
    .init(
      4_000_038, 400, "InvalidLifetimeDollarsRefundedError",
      "lifetimeDollarsRefunded is none of Apple's numbers, 0 to 7: correct what was stated of the account"),
    .init(
      4_000_039, 400, "InvalidPlatformError",
      "platform is none of Apple's numbers, 0 to 2: correct what was stated of the account"),
    .init(
      4_000_040, 400, "InvalidPlayTimeError",
      "playTime is none of Apple's numbers, 0 to 7: correct what was stated of the account"),
    .init(
      4_000_041, 400, "InvalidSampleContentProvidedError",
      "sampleContentProvided is neither true nor false: correct what was stated of the purchase"),
    .init(
      4_000_042, 400, "InvalidUserStatusError",
      "userStatus is none of Apple's numbers, 0 to 4: correct what was stated of the account"),
    .init(
      4_000_043, 400, "InvalidTransactionNotConsumableError",
      "Apple takes version 1 for consumables alone here; it no longer says so since API 1.11"),
    .init(
      4_000_044, 400, "InvalidRefundPreferenceError",
      "refundPreference is none of Apple's values for this endpoint: state another one or none"),
    .init(
      4_000_047, 400, "InvalidTransactionTypeNotSupportedError",
      "Apple takes no answer at version 1 for this type of product, or the id is not the one of the notification"),
    .init(
      4_000_048, 400, "AppTransactionIdNotSupportedError",
      "this is the id of an app transaction: use the transactionId inside the notification"),
    .init(4_000_161, 400, "InvalidImage", elsewhere),
    .init(4_000_162, 400, "HeaderTooLong", elsewhere),
    .init(4_000_163, 400, "BodyTooLong", elsewhere),
    .init(4_000_164, 400, "InvalidLocale", elsewhere),
    .init(4_000_175, 400, "AltTextTooLong", elsewhere),
    .init(
      4_000_183, 400, "InvalidAppAccountTokenUUIDError",
      "the account token is not a UUID"),
    .init(
      4_000_185, 400, "FamilyTransactionNotSupportedError",
      "the purchase is shared in a family; only the purchaser's own transaction can be named"),
    .init(
      4_000_187, 400, "TransactionIdIsNotOriginalTransactionIdError",
      "this is the id of a renewal: use the originalTransactionId"),
    .init(
      4_000_209, 400, "ConsumptionPercentageAutoRenewableSubscriptionError", isCertain: false,
      "a subscription takes no consumptionPercentage, not even 0: the answer is sent again without it"
    ),
    .init(4_000_211, 400, "InvalidPerformanceTestRequest", elsewhere),
    .init(4_000_212, 400, "InvalidRequestId", elsewhere),
    .init(4_000_213, 400, "ExistingPerformanceTestRun", elsewhere),
    .init(4_000_215, 400, "BadRequestRealtimeUrl", elsewhere),
    .init(4_000_216, 400, "BadRequestImageSize", elsewhere),
    .init(4_000_218, 400, "BadRequestTooManyBulletPoints", elsewhere),
    .init(4_000_219, 400, "BadRequestBulletPointTextTooLong", elsewhere),
    .init(4_000_224, 400, "BadRequestAboveImageRequiresAnImage", elsewhere),
    .init(
      4_000_227, 400, "InvalidAssignedTransactionNotSupportedError", isCertain: false,
      "the purchase was assigned by an organisation or group; Apple takes no answer for it"),
    .init(4_030_004, 403, "SubscriptionExtensionIneligibleError", elsewhere),
    .init(4_030_005, 403, "SubscriptionMaxExtensionError", elsewhere),
    .init(4_030_007, 403, "FamilySharedSubscriptionExtensionIneligibleError", elsewhere),
    .init(4_030_014, 403, "MaximumNumberOfImagesReached", elsewhere),
    .init(4_030_016, 403, "MaximumNumberOfMessagesReached", elsewhere),
    .init(4_030_017, 403, "MessageNotApproved", elsewhere),
    .init(4_030_018, 403, "ImageNotApproved", elsewhere),
    .init(4_030_019, 403, "ImageInUse", elsewhere),
    .init(4_030_026, 403, "ForbiddenNoPassingTest", elsewhere),
    .init(4_030_028, 403, "AssignedSubscriptionExtensionIneligibleError", isCertain: false, elsewhere),
    .init(
      4_040_001, 404, "AccountNotFoundError",
      "Apple finds no account; it may have been deleted"),
    .init(
      4_040_002, 404, "AccountNotFoundRetryableError",
      "Apple does not find the account for the moment: ask again"),
    .init(
      4_040_003, 404, "AppNotFoundError",
      "Apple does not find the app: compare bundleId in the settings with App Store Connect"),
    .init(
      4_040_004, 404, "AppNotFoundRetryableError",
      "Apple does not find the app for the moment: ask again"),
    .init(
      4_040_005, 404, "OriginalTransactionIdNotFoundError",
      "the original transaction is not known in this environment: check sandbox against production, and the app of the key"
    ),
    .init(
      4_040_006, 404, "OriginalTransactionIdNotFoundRetryableError",
      "Apple does not find the original transaction for the moment: ask again"),
    .init(
      4_040_007, 404, "ServerNotificationURLNotFoundError",
      "no notification URL is set for this environment: set it in App Store Connect, under App Information"),
    .init(
      4_040_008, 404, "TestNotificationNotFoundError",
      "the test notification is not there yet, or its token has expired: ask again in some seconds"),
    .init(4_040_009, 404, "StatusRequestNotFoundError", elsewhere),
    .init(
      4_040_010, 404, "TransactionIdNotFoundError",
      "the transaction is not known in this environment: check sandbox against production, and the app of the key"),
    .init(4_040_014, 404, "ImageNotFound", elsewhere),
    .init(4_040_015, 404, "MessageNotFound", elsewhere),
    .init(4_040_018, 404, "PerformanceTestRunNotFound", elsewhere),
    .init(
      4_040_019, 404, "AppTransactionDoesNotExistError",
      "Apple has no app transaction for this customer"),
    .init(4_040_020, 404, "DefaultMessageNotFound", elsewhere),
    .init(4_040_021, 404, "RealtimeUrlNotFound", elsewhere),
    .init(4_040_022, 404, "GroupNotFoundError", isCertain: false, elsewhere),
    .init(4_090_000, 409, "ImageAlreadyExists", elsewhere),
    .init(4_090_001, 409, "MessageAlreadyExists", elsewhere),
    .init(
      4_290_000, 429, "RateLimitExceededError",
      "too many calls: wait until the instant that Apple names"),
    .init(
      5_000_000, 500, "GeneralInternalError",
      "a fault on Apple's side: later again"),
    .init(
      5_000_001, 500, "GeneralInternalRetryableError",
      "a fault on Apple's side: again"),
  ]

  private static let elsewhere = "it belongs to a call that this program does not make"
  private static let table = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })
}
