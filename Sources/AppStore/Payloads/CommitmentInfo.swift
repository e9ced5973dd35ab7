public import JSON

/// Where a purchase stands in its 12 months, since API 1.21. Source: App Store Server API, «commitmentInfo».
public struct CommitmentInfo: DecodedPayload {
  public let view: JSONView

  public init(view: JSONView) { self.view = view }

  public var billingPeriodNumber: Int64? { integer("billingPeriodNumber") }
  public var commitmentExpiresDate: Int64? { integer("commitmentExpiresDate") }
  public var commitmentPrice: Int64? { integer("commitmentPrice") }
  public var totalBillingPeriods: Int64? { integer("totalBillingPeriods") }
}
