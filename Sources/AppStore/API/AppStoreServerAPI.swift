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

  /// Send Consumption Information, version 2.
  /// - Parameters:
  ///   - transactionId: of the transaction in the CONSUMPTION_REQUEST, not the original one's.
  ///   - body: of a `ConsumptionRequest`; the exact bytes that are sent.
  /// - Returns: nil where the id could not stand in a path; see `TransactionID`.
  /// - Source: App Store Server API, «Send Consumption Information».
  public func sendConsumption(
    transactionId: String, environment: ServerEnvironment, body: [UInt8], token: BearerToken
  ) -> AppStoreRequest? {
    guard TransactionID.isWellFormed(transactionId) else { return nil }
    return request(
      .put, address(of: environment), "/inApps/v2/transactions/consumption/\(transactionId)", body: body, token: token)
  }

  private func request(
    _ method: HTTPMethod, _ address: AppStoreAddress, _ path: String, body: [UInt8], token: BearerToken
  ) -> AppStoreRequest? {
    address.url(path).map { url in
      AppStoreRequest(
        method: method, url: url,
        fields: [
          "Authorization": token.authorization, "Content-Type": "application/json", "Accept": "application/json",
        ],
        body: body)
    }
  }
}
