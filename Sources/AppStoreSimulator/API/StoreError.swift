import HTTPTypes
import JSON

/// An error as the App Store Server API replies it: a status, and mostly a code with a text for people.
///
/// Apple's pages give no number for four errors of Send Consumption Information; those marked «our number» bear one
/// from 4000900 on, which Apple does not use. A client must decide by the status and keep the number.
/// Source: App Store Server API, «Send Consumption Information» and «Error codes».
struct StoreError: Equatable, Sendable {
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
  static let transactionIdNotFound = StoreError(
    404, 4_040_010, "TransactionIdNotFoundError", "Transaction id not found.")
  static let rateLimitExceeded = StoreError(429, 4_290_000, "RateLimitExceededError", "Rate limit exceeded.")
  static let generalInternal = StoreError(500, 5_000_000, "GeneralInternalError", "An unknown error occurred.")

  /// Those whose numbers are not Apple's, for the help text.
  static let ofOurNumber = [percentageOutOfRange, percentageOfUndelivered, advancedCommerceNotSupported]

  var response: HTTPResponse {
    guard let code else { return .empty(status) }
    let body: JSONValue = ["errorCode": .number(JSONNumber(code)), "errorMessage": .string(message)]
    return .json(body.bytes(), status: status)
  }
}
