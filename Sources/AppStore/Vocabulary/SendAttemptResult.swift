/// How Apple fared with one delivery of a notification. Source: App Store Server API, «sendAttemptResult».
public enum SendAttemptResult: OpenText {
  case success, timedOut, tlsIssue, circularRedirect, noResponse, socketIssue, unsupportedCharset
  case invalidResponse, prematureClose, unsuccessfulHttpResponseCode, other
  case unknown(String)

  public init(rawValue: String) {
    switch rawValue {
    case "SUCCESS": self = .success
    case "TIMED_OUT": self = .timedOut
    case "TLS_ISSUE": self = .tlsIssue
    case "CIRCULAR_REDIRECT": self = .circularRedirect
    case "NO_RESPONSE": self = .noResponse
    case "SOCKET_ISSUE": self = .socketIssue
    case "UNSUPPORTED_CHARSET": self = .unsupportedCharset
    case "INVALID_RESPONSE": self = .invalidResponse
    case "PREMATURE_CLOSE": self = .prematureClose
    case "UNSUCCESSFUL_HTTP_RESPONSE_CODE": self = .unsuccessfulHttpResponseCode
    case "OTHER": self = .other
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: String {
    switch self {
    case .success: "SUCCESS"
    case .timedOut: "TIMED_OUT"
    case .tlsIssue: "TLS_ISSUE"
    case .circularRedirect: "CIRCULAR_REDIRECT"
    case .noResponse: "NO_RESPONSE"
    case .socketIssue: "SOCKET_ISSUE"
    case .unsupportedCharset: "UNSUPPORTED_CHARSET"
    case .invalidResponse: "INVALID_RESPONSE"
    case .prematureClose: "PREMATURE_CLOSE"
    case .unsuccessfulHttpResponseCode: "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    case .other: "OTHER"
    case .unknown(let rawValue): rawValue
    }
  }
}
