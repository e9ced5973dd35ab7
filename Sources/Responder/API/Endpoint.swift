import Contracts
import HTTPTypes

/// One call of the API. `contracts/openapi.json` lists the same ones.
struct Endpoint: Sendable {
  let method: HTTPMethod
  /// Path with names for its parts, as in `/v1/cases/{environment}/{transactionId}`.
  let template: String
  let scope: APIScope
  /// Runs on a worker.
  let run: @Sendable (Call) throws(Problem) -> HTTPResponse

  init(
    _ method: HTTPMethod, _ template: String, _ scope: APIScope,
    _ run: @escaping @Sendable (Call) throws(Problem) -> HTTPResponse
  ) {
    self.method = method
    self.template = template
    self.scope = scope
    self.run = run
  }
}

/// A request that was let in.
struct Call: Sendable {
  let request: HTTPRequest
  /// Named parts of the path.
  let parameters: [String: String]
  let caller: Caller

  var body: [UInt8] { request.body }
  var idempotencyKey: String? { request.fields["Idempotency-Key"] }

  func part(_ name: String) -> String { parameters[name] ?? "" }

  func purchase() throws(Problem) -> PurchaseKey {
    do throws(PurchaseKeyError) {
      return try PurchaseKey(environment: part("environment"), transactionID: part("transactionId"))
    } catch { throw Problem(.purchaseInvalid, detail: error.description) }
  }
}
