import HTTPTypes
import JSON

/// An error as the App Store Server API replies it: a status, and mostly a code with a text for people.
///
/// Apple's pages give no number for some errors of Send Consumption Information; those marked «our number» bear one
/// from 4000900 on, which Apple does not use. A client must decide by the status and keep the number.
/// Source: App Store Server API, «Error codes» and the page of each call.
struct StoreError: Error, Equatable, Sendable {
  let status: Int
  /// nil where the reply has no body.
  let code: Int64?
  let name: String
  let message: String

  private init(_ status: Int, _ code: Int64?, _ name: String, _ message: String) {
    self.status = status
    self.code = code
    self.name = name
    self.message = message
  }

  static let malformedBody = StoreError(400, nil, "MalformedRequest", "The body is no JSON object.")
  static let invalidTransactionId = StoreError(
    400, 4_000_006, "InvalidTransactionIdError", "Invalid transaction id.")
  static let invalidCustomerConsented = StoreError(
    400, 4_000_035, "InvalidCustomerConsentedError", "Invalid request. The customerConsented field must be true.")
  static let invalidDeliveryStatus = StoreError(
    400, 4_000_036, "InvalidDeliveryStatusError", "Invalid request. The deliveryStatus field is invalid.")
  static let invalidSampleContentProvided = StoreError(
    400, 4_000_041, "InvalidSampleContentProvidedError",
    "Invalid request. The sampleContentProvided field must be a boolean.")
  static let invalidRefundPreference = StoreError(
    400, 4_000_044, "InvalidRefundPreferenceError", "Invalid request. The refundPreference field is invalid.")
  static let invalidAccountTenure = StoreError(
    400, 4_000_032, "InvalidAccountTenureError", "Invalid request. The accountTenure field is invalid.")
  static let invalidAppAccountToken = StoreError(
    400, 4_000_033, "InvalidAppAccountTokenError", "Invalid request. The appAccountToken field is invalid.")
  static let invalidConsumptionStatus = StoreError(
    400, 4_000_034, "InvalidConsumptionStatusError", "Invalid request. The consumptionStatus field is invalid.")
  static let invalidLifetimeDollarsPurchased = StoreError(
    400, 4_000_037, "InvalidLifetimeDollarsPurchasedError",
    "Invalid request. The lifetimeDollarsPurchased field is invalid.")
  static let invalidLifetimeDollarsRefunded = StoreError(
    400, 4_000_038, "InvalidLifetimeDollarsRefundedError",
    "Invalid request. The lifetimeDollarsRefunded field is invalid.")
  static let invalidPlatform = StoreError(
    400, 4_000_039, "InvalidPlatformError", "Invalid request. The platform field is invalid.")
  static let invalidPlayTime = StoreError(
    400, 4_000_040, "InvalidPlayTimeError", "Invalid request. The playTime field is invalid.")
  static let invalidUserStatus = StoreError(
    400, 4_000_042, "InvalidUserStatusError", "Invalid request. The userStatus field is invalid.")
  static let transactionTypeNotSupported = StoreError(
    400, 4_000_047, "InvalidTransactionTypeNotSupportedError",
    "Invalid request. The transaction's product type is not supported.")
  static let appTransactionIdNotSupported = StoreError(
    400, 4_000_048, "AppTransactionIdNotSupportedError", "Invalid request. The app transaction id is not supported.")
  static let familyTransactionNotSupported = StoreError(
    400, 4_000_185, "FamilyTransactionNotSupportedError",
    "Invalid request. Family Sharing transactions are not supported.")
  /// The number is uncertain.
  static let percentageForAutoRenewable = StoreError(
    400, 4_000_209, "ConsumptionPercentageAutoRenewableSubscriptionError",
    "Invalid request. An auto-renewable subscription takes no consumptionPercentage.")
  /// The number is uncertain.
  static let assignedTransactionNotSupported = StoreError(
    400, 4_000_227, "InvalidAssignedTransactionNotSupportedError",
    "Invalid request. Assigned transactions are not supported.")
  /// Our number.
  static let percentageOutOfRange = StoreError(
    400, 4_000_901, "ConsumptionPercentageOutOfRangeError",
    "Invalid request. The consumptionPercentage field must be from 0 to 100000.")
  /// Our number.
  static let percentageOfUndelivered = StoreError(
    400, 4_000_902, "UndeliveredConsumptionPercentageNonZeroError",
    "Invalid request. What was not delivered takes no consumptionPercentage above 0.")
  /// Our number.
  static let advancedCommerceNotSupported = StoreError(
    400, 4_000_903, "AdvancedCommerceTransactionNotSupportedError",
    "Invalid request. Transactions of the Advanced Commerce API are not supported.")
  /// Our number and name: what Apple says of an ordinary purchase at version 1 is reported as a 400 and no more.
  static let ordinaryPurchase = StoreError(
    400, 4_000_904, "OrdinaryTransactionNotSupportedError",
    "Invalid request. Version 1 is for transactions of the Advanced Commerce API.")
  static let transactionIdNotFound = StoreError(
    404, 4_040_010, "TransactionIdNotFoundError", "Transaction id not found.")
  static let rateLimitExceeded = StoreError(429, 4_290_000, "RateLimitExceededError", "Rate limit exceeded.")
  static let generalInternal = StoreError(500, 5_000_000, "GeneralInternalError", "An unknown error occurred.")

  // Of the other calls.

  static let generalBadRequest = StoreError(400, 4_000_000, "GeneralBadRequestError", "Bad request.")
  static let invalidRequestRevision = StoreError(
    400, 4_000_005, "InvalidRequestRevisionError", "Invalid request revision.")
  static let startDateTooFarInPast = StoreError(
    400, 4_000_012, "StartDateTooFarInPastError", "The start date is too far in the past.")
  static let startDateAfterEndDate = StoreError(
    400, 4_000_013, "StartDateAfterEndDateError", "The end date precedes the start date.")
  static let invalidPaginationToken = StoreError(
    400, 4_000_014, "InvalidPaginationTokenError", "Invalid pagination token.")
  static let invalidStartDate = StoreError(400, 4_000_015, "InvalidStartDateError", "Invalid start date.")
  static let invalidEndDate = StoreError(400, 4_000_016, "InvalidEndDateError", "Invalid end date.")
  static let paginationTokenExpired = StoreError(
    400, 4_000_017, "PaginationTokenExpiredError", "The pagination token expired.")
  static let invalidNotificationType = StoreError(
    400, 4_000_018, "InvalidNotificationTypeError", "Invalid notification type or subtype.")
  static let multipleFiltersSupplied = StoreError(
    400, 4_000_019, "MultipleFiltersSuppliedError", "Supply a transaction id or a notification type.")
  static let invalidTestNotificationToken = StoreError(
    400, 4_000_020, "InvalidTestNotificationTokenError", "Invalid test notification token.")
  static let invalidSort = StoreError(400, 4_000_021, "InvalidSortError", "Invalid sort.")
  static let invalidProductType = StoreError(400, 4_000_022, "InvalidProductTypeError", "Invalid product type.")
  static let invalidProductId = StoreError(400, 4_000_023, "InvalidProductIdError", "Invalid product id.")
  static let invalidSubscriptionGroup = StoreError(
    400, 4_000_024, "InvalidSubscriptionGroupIdentifierError", "Invalid subscription group identifier.")
  static let invalidInAppOwnershipType = StoreError(
    400, 4_000_026, "InvalidInAppOwnershipTypeError", "Invalid in-app ownership type.")
  static let invalidRevoked = StoreError(400, 4_000_030, "InvalidRevokedError", "Invalid revoked parameter.")
  static let invalidAppAccountTokenUUID = StoreError(
    400, 4_000_183, "InvalidAppAccountTokenUUIDError", "The app account token is not a UUID.")
  static let transactionIdIsNotOriginal = StoreError(
    400, 4_000_187, "TransactionIdIsNotOriginalTransactionIdError", "The id is not an original transaction id.")
  static let originalTransactionIdNotFound = StoreError(
    404, 4_040_005, "OriginalTransactionIdNotFoundError", "Original transaction id not found.")
  static let serverNotificationURLNotFound = StoreError(
    404, 4_040_007, "ServerNotificationURLNotFoundError", "No notification URL is set.")
  static let testNotificationNotFound = StoreError(
    404, 4_040_008, "TestNotificationNotFoundError", "Test notification not found.")

  /// Those whose numbers are not Apple's, for the help text.
  static let ofOurNumber = [
    percentageOutOfRange, percentageOfUndelivered, advancedCommerceNotSupported, ordinaryPurchase,
  ]

  var response: HTTPResponse {
    guard let code else { return .empty(status) }
    let body: JSONValue = ["errorCode": .number(JSONNumber(code)), "errorMessage": .string(message)]
    return .json(body.bytes(), status: status)
  }
}
