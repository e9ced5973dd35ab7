/// Why a connection did not come about or could not be used on.
struct ConnectionFailure: Error {
  var phase: HTTPClientError.Phase
  var reason: String
}
