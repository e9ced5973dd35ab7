/// Every kind of problem the two services answer with. The raw value is stable: clients may switch on `type`.
public enum ProblemCode: String, Sendable, CaseIterable {
  // Either service.
  case notFound = "not-found"
  case mediaTypeNotSupported = "media-type-not-supported"
  case malformedJSON = "malformed-json"
  case unavailable = "unavailable"

  // The receiver: a body that can never become good.
  case notSignedPayload = "not-a-signed-payload"
  case tokenMalformed = "token-malformed"
  case chainNotTrusted = "chain-not-trusted"
  case signatureInvalid = "signature-invalid"
  case innerTokenForeign = "inner-token-foreign"
  case locallySigned = "locally-signed"
  case notNotification = "not-a-notification"
  case signedDateMissing = "signed-date-missing"
  case notificationVersion1 = "notification-version-1"

  // The responder's API.
  case unauthorised = "unauthorised"
  case scopeMissing = "scope-missing"
  case appNotAllowed = "app-not-allowed"
  case invalidMembers = "invalid-members"
  case purchaseInvalid = "purchase-invalid"
  case purchaseOfOtherApp = "purchase-of-other-app"
  case consentTextUnknown = "consent-text-unknown"
  case consentTextDiffers = "consent-text-differs"
  case idempotencyKeyInvalid = "idempotency-key-invalid"
  case idempotencyKeyReused = "idempotency-key-reused"
  case changedMeanwhile = "changed-meanwhile"
  case windowClosed = "window-closed"
  case actNotPossible = "act-not-possible"
  case noteRequired = "note-required"
  case cursorInvalid = "cursor-invalid"
  case logReplaced = "log-replaced"
  case tooManyCalls = "too-many-calls"

  /// The member `type` (RFC 9457 §3.1.1).
  public var type: String { "urn:refundlog:problem:\(rawValue)" }

  /// The HTTP status. The receiver never answers 429: Apple may not repeat after it.
  public var status: Int {
    switch self {
    case .malformedJSON, .notSignedPayload, .tokenMalformed, .chainNotTrusted, .signatureInvalid,
      .innerTokenForeign, .locallySigned, .notNotification, .signedDateMissing, .notificationVersion1,
      .idempotencyKeyInvalid, .cursorInvalid:
      400
    case .unauthorised: 401
    case .scopeMissing, .appNotAllowed: 403
    case .notFound: 404
    case .purchaseOfOtherApp, .consentTextDiffers, .idempotencyKeyReused, .changedMeanwhile, .windowClosed,
      .actNotPossible, .logReplaced:
      409
    case .mediaTypeNotSupported: 415
    case .invalidMembers, .purchaseInvalid, .consentTextUnknown, .noteRequired: 422
    case .tooManyCalls: 429
    case .unavailable: 503
    }
  }

  /// The member `title`: the same words for each occurrence (RFC 9457 §3.1.3).
  public var title: String {
    switch self {
    case .notFound: "There is nothing at this address"
    case .mediaTypeNotSupported: "The body must be application/json"
    case .malformedJSON: "The body is not JSON"
    case .unavailable: "Not possible at the moment; try again later"
    case .notSignedPayload: "The body holds no signedPayload"
    case .tokenMalformed: "The signed payload is not a compact JWS as Apple makes it"
    case .chainNotTrusted: "The certificates do not lead to Apple's root"
    case .signatureInvalid: "The signature does not fit the payload"
    case .innerTokenForeign: "An inner token does not belong to this notification"
    case .locallySigned: "The payload was signed on a developer's machine, not by the App Store"
    case .notNotification: "The payload is no notification"
    case .signedDateMissing: "The notification has no signedDate"
    case .notificationVersion1: "This is a notification of version 1, which is unsigned; set the URL to version 2"
    case .unauthorised: "The bearer token is missing or not known"
    case .scopeMissing: "The bearer token may not do this"
    case .appNotAllowed: "The bearer token is not for this app"
    case .invalidMembers: "Members of the body are missing or not what they may be"
    case .purchaseInvalid: "The address names no purchase"
    case .purchaseOfOtherApp: "The purchase belongs to another app"
    case .consentTextUnknown: "The consent text is not declared, and the call brings no digest of it"
    case .consentTextDiffers: "The digest is not the one of the declared consent text"
    case .idempotencyKeyInvalid: "The Idempotency-Key is not 1 to 255 visible ASCII characters"
    case .idempotencyKeyReused: "The Idempotency-Key was used with another content"
    case .changedMeanwhile: "Something changed meanwhile; look again and repeat"
    case .windowClosed: "The refund request is past its window"
    case .actNotPossible: "This act does not fit the refund request as it stands"
    case .noteRequired: "This act needs a note"
    case .cursorInvalid: "The cursor is not one this feed gave out"
    case .logReplaced: "The log was replaced or restored; start again from the beginning"
    case .tooManyCalls: "Too many calls; slow down"
    }
  }
}
