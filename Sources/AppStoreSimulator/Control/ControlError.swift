import HTTPTypes
import JSON

/// Why a call of the control API was not done; the sentence goes to the caller.
enum ControlError: Error, Equatable, CustomStringConvertible {
  case badRequest(String)
  case notFound(String)
  case conflict(String)
  /// A bound is reached.
  case tooMany(String)

  var description: String {
    switch self {
    case .badRequest(let sentence), .notFound(let sentence), .conflict(let sentence), .tooMany(let sentence):
      sentence
    }
  }

  var response: HTTPResponse {
    let status =
      switch self {
      case .badRequest: 400
      case .notFound: 404
      case .conflict: 409
      case .tooMany: 503
      }
    let body: JSONValue = ["error": .string(description)]
    return .json(body.bytes(), status: status)
  }
}
