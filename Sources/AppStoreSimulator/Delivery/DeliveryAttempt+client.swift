import AppStore
import HTTPClient
import HTTPTypes
import Service

extension DeliveryAttempt {
  /// What came back. Redirects are not followed: how far Apple does is not documented.
  init(_ response: HTTPResponse, from url: HTTPURL, at now: Int64) {
    let isRedirect = [301, 302, 303, 307, 308].contains(response.status)
    let result: SendAttemptResult =
      if (200...206).contains(response.status) {
        .success
      } else if isRedirect, response.fields["Location"] == url.description {
        .circularRedirect
      } else {
        .unsuccessfulHttpResponseCode
      }
    self.init(attemptDate: now, result: result, status: response.status)
  }

  /// No reply came.
  /// - Parameter isLate: whether the time for it was over.
  init(_ error: HTTPClientError, isLate: Bool, at now: Int64) {
    let result: SendAttemptResult =
      switch error.failure.phase {
      case .request: .other
      case .resolve: .socketIssue
      case .connect: isLate ? .timedOut : .socketIssue
      case .trust, .handshake, .verification: .tlsIssue
      case .write: isLate ? .timedOut : .socketIssue
      case .firstByte: isLate ? .timedOut : .noResponse
      case .reply:
        // The client's words for a connection that ended, against a reply that is no HTTP.
        if isLate {
          .timedOut
        } else if error.failure.reason.contains("ended") {
          .prematureClose
        } else {
          .invalidResponse
        }
      }
    self.init(attemptDate: now, result: result, status: nil, error: error.description)
  }
}
