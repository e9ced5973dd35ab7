public import HTTPTypes

/// What a reply means that is no success: by status first, then by number.
public struct AppStoreFailure: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Kind: Sendable, Hashable {
    /// The same call will never be taken.
    case refused(Hint?)
    /// The same call will never be taken, and a mended one may be.
    case fixAndSend(Fix)
    /// Apple or something in between is out of order: the same again, later.
    case passing
    /// Too many calls; `until` is an instant in milliseconds, nil where Apple named none.
    case limited(until: Int64?)
    /// The token was not taken: once with a new one, then it is the key or the settings.
    case unauthorised
    /// No reply came, so the call may have been carried out.
    case unknown
    /// A success whose body is not what Apple's pages say: cut off, a gateway's page, or of another shape. What the call
    /// was to change is changed.
    case unreadable(AppStoreReplyFault)
  }

  /// What may help, beside sending something else.
  public enum Hint: Sendable, Hashable {
    /// A transaction unknown to this host may exist on the other: check environment and app.
    case checkEnvironment
    /// It may be there in some seconds.
    case notYet
  }

  /// What to change.
  public enum Fix: Sendable, Hashable {
    /// A subscription takes no percentage.
    case leaveOutPercentage
    /// Page token or revision no longer counts: ask from the start.
    case startAgain
    /// Apple does not keep it for so long: begin later.
    case beginLater
    /// Name the original transaction instead of a renewal.
    case nameOriginal
  }

  public let kind: Kind
  /// 0 where no reply came.
  public let status: Int
  /// As it came, known or not.
  public let errorCode: Int64?
  /// Apple's words, for people, at most `AppStoreErrorBody.messageMax` characters.
  public let errorMessage: String?

  /// Apple's name for the number; nil where it is none that we know.
  public var errorName: String? { errorCode.flatMap(AppStoreKnownError.of)?.name }

  /// For a call that got no reply.
  public static let lost = AppStoreFailure(kind: .unknown, status: 0, errorCode: nil, errorMessage: nil)

  /// - Parameter now: when it came, milliseconds since 1970 UTC.
  /// - Returns: nil for any 2xx.
  public init?(_ response: HTTPResponse, now: Int64) {
    guard !(200..<300).contains(response.status) else { return nil }
    let error = AppStoreErrorBody(response.body)
    status = response.status
    errorCode = error.errorCode
    errorMessage = error.errorMessage
    kind = Self.kind(
      response.status, error.errorCode, retryAt: RetryAfter.instant(response.fields["Retry-After"], now: now))
  }

  /// A success that could not be read.
  init(status: Int, _ fault: AppStoreReplyFault) {
    self.init(kind: .unreadable(fault), status: status, errorCode: nil, errorMessage: nil)
  }

  private init(kind: Kind, status: Int, errorCode: Int64?, errorMessage: String?) {
    self.kind = kind
    self.status = status
    self.errorCode = errorCode
    self.errorMessage = errorMessage
  }

  private static func kind(_ status: Int, _ code: Int64?, retryAt: Int64?) -> Kind {
    switch status {
    case ..<100: .unknown
    case 401: .unauthorised
    case 429: .limited(until: retryAt)
    // Time-outs of a gateway; and what is neither a reply of Apple's nor final.
    case 408, 425, 100..<400: .passing
    case 400..<500: refusal(status, code)
    default: .passing
    }
  }

  private static func refusal(_ status: Int, _ code: Int64?) -> Kind {
    switch code {
    // Apple calls these retryable by name, though they come with a 404.
    case 4_040_002, 4_040_004, 4_040_006: .passing
    // The number is not on Apple's pages, so it only adds advice.
    case 4_000_209: .fixAndSend(.leaveOutPercentage)
    case 4_000_005, 4_000_014, 4_000_017: .fixAndSend(.startAgain)
    case 4_000_012: .fixAndSend(.beginLater)
    case 4_000_187: .fixAndSend(.nameOriginal)
    case 4_040_008: .refused(.notYet)
    // These say what is missing, and it is not a purchase.
    case 4_040_001, 4_040_003, 4_040_007: .refused(nil)
    default: .refused(status == 404 ? .checkEnvironment : nil)
    }
  }

  /// What happened and what to do, for whoever operates this; no part of the body but Apple's message.
  public var description: String {
    guard status >= 100 else { return "the App Store gave no reply; whether it acted is not known" }
    var text = "the App Store answered \(status)"
    if let errorCode { text += " with \(errorCode)" + (errorName.map { " \($0)" } ?? "") }
    // The sentence goes on.
    if let errorMessage {
      text += ": " + (errorMessage.hasSuffix(".") ? String(errorMessage.dropLast()) : errorMessage)
    }
    return text + "; " + advice
  }

  private var advice: String {
    if let known = errorCode.flatMap(AppStoreKnownError.of), known.status == status { return known.words }
    return switch kind {
    case .refused(.checkEnvironment): "it is not known there: check sandbox against production, and the app of the key"
    case .refused(.notYet): "it may be there in some seconds"
    case .refused(nil) where status == 400 && errorCode == nil:
      "Apple cannot read it, and the same again would be refused again: look for a proxy that changes bodies, or update this program"
    case .refused(nil): "the same again would be refused again: compare what was sent with Apple's words"
    case .fixAndSend: "a mended one may be taken"
    case .passing where status < 400:
      "this is no answer of Apple's API, look at the appStore addresses and for a proxy between: later again"
    case .passing: "a fault on Apple's side or on the way: later again"
    case .limited(let until):
      until == nil ? "too many calls: later again" : "too many calls: wait until the instant that Apple names"
    case .unauthorised:
      "the token was not taken: check the clock, that the key is an In-App Purchase key, its id, its issuer, the bundle "
        + "id, and that the app is released where this is Production"
    case .unknown: "whether it acted is not known"
    case .unreadable(let fault): "\(fault)"
    }
  }
}
