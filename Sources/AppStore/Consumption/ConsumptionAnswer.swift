/// An answer together with the endpoint it is made for: neither can be had without the other.
public enum ConsumptionAnswer: Sendable, Hashable {
  case version1(ConsumptionRequestV1)
  case version2(ConsumptionRequest)

  public var version: ConsumptionVersion {
    switch self {
    case .version1: .version1
    case .version2: .version2
    }
  }

  /// The exact bytes to send.
  public var body: [UInt8] {
    switch self {
    case .version1(let request): request.body
    case .version2(let request): request.body
    }
  }
}
