/// The body of `PUT /v1/links/{environment}/{transactionId}`: whose purchase it is, says the backend.
public struct LinkCall: Sendable, Equatable {
  public var bundleID: String
  /// The account token as the backend knows it; never logged.
  public var account: String
  /// When the backend looked. Milliseconds since 1970, UTC.
  public var statedAt: Int64

  /// - Parameter now: milliseconds since 1970, UTC; a statement more than 5 min after it is refused.
  /// - Throws: `Problem` with everything that is wrong.
  public init(body: [UInt8], now: Int64) throws(Problem) {
    var reader = CallReader(try CallReader.object(body), path: "")
    let bundleID = reader.required("bundleId", .bundleID)
    let account = reader.account()
    let statedAt = reader.statedAt(now: now)
    reader.refuseUnknown()
    guard reader.faults.isEmpty, let bundleID, let account, let statedAt else {
      throw Problem(.invalidMembers, errors: reader.faults)
    }
    self.bundleID = bundleID
    self.account = account
    self.statedAt = statedAt
  }

  /// The event it becomes.
  /// - Parameter by: name of the API token.
  public func event(of purchase: PurchaseKey, by: String) -> CustomerLinked {
    CustomerLinked(bundleID: bundleID, purchase: purchase, account: account, statedAt: statedAt, by: by)
  }
}
