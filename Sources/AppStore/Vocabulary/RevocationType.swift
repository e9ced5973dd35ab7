/// How a purchase was taken back, since API 1.19. Source: App Store Server API, «revocationType».
public enum RevocationType: OpenText {
  case refundFull, refundProrated, familyRevoke, assignmentRevoke
  case unknown(String)

  public init(rawValue: String) {
    switch rawValue {
    case "REFUND_FULL": self = .refundFull
    case "REFUND_PRORATED": self = .refundProrated
    case "FAMILY_REVOKE": self = .familyRevoke
    case "ASSIGNMENT_REVOKE": self = .assignmentRevoke
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: String {
    switch self {
    case .refundFull: "REFUND_FULL"
    case .refundProrated: "REFUND_PRORATED"
    case .familyRevoke: "FAMILY_REVOKE"
    case .assignmentRevoke: "ASSIGNMENT_REVOKE"
    case .unknown(let rawValue): rawValue
    }
  }
}
