import HTTPTypes

/// Builds calls to the App Store Server API. Sending them is somebody else's.
public struct AppStoreServerAPI: Sendable {
  public var production: AppStoreAddress
  public var sandbox: AppStoreAddress

  public init(production: AppStoreAddress = .production, sandbox: AppStoreAddress = .sandbox) {
    self.production = production
    self.sandbox = sandbox
  }

  public func address(of environment: ServerEnvironment) -> AppStoreAddress {
    environment == .production ? production : sandbox
  }

  /// Send Consumption Information.
  /// - Parameters:
  ///   - transactionId: of the transaction in the CONSUMPTION_REQUEST, not the original one's.
  ///   - version: the one that the body is made for.
  ///   - body: of a `ConsumptionAnswer`; the exact bytes that are sent.
  /// - Returns: nil where the id could not stand in a path; see `TransactionID`.
  /// - Source: App Store Server API, «Send Consumption Information» and «Send Consumption Information V1».
  public func sendConsumption(
    transactionId: String, environment: ServerEnvironment, version: ConsumptionVersion, body: [UInt8],
    token: BearerToken
  ) -> AppStoreRequest? {
    guard TransactionID.isWellFormed(transactionId) else { return nil }
    return request(
      .put, address(of: environment), "/inApps/v\(version.rawValue)/transactions/consumption/\(transactionId)",
      body: body, token: token)
  }

  /// A call, ready to be sent; its reply is read by `AppStoreReply`.
  /// - Parameters:
  ///   - tokens: makes a new token, for this call alone.
  ///   - now: milliseconds since 1970 UTC.
  public func request(
    _ call: some AppStoreCall, environment: ServerEnvironment, tokens: BearerTokenMaker, now: Int64
  ) throws(AppStoreCallError) -> AppStoreRequest {
    guard call.kind.isOffered(in: environment) else { throw .notOffered(call.kind, environment) }
    let request = request(
      call.method, address(of: environment), call.target, body: call.body, token: tokens.token(now: now))
    guard let request else { throw .address }
    return request
  }

  private func request(
    _ method: HTTPMethod, _ address: AppStoreAddress, _ target: String, body: [UInt8], token: BearerToken
  ) -> AppStoreRequest? {
    address.url(target).map { url in
      var fields: HTTPFields = ["Authorization": token.authorization, "Accept": "application/json"]
      if !body.isEmpty { fields["Content-Type"] = "application/json" }
      return AppStoreRequest(method: method, url: url, fields: fields, body: body)
    }
  }
}
