public import JSON

/// The values of one statement. Absent is not stated, and never zero.
public struct EvidenceValues: Sendable, Equatable {
  /// Whether it was delivered and works, in Apple's words. Open.
  public var deliveryStatus: DeliveryStatusWord?
  /// Share used in Apple's thousandths of a percent, 0 to 100,000: 94,000 is 94 %.
  public var consumptionPercentage: Int64?
  /// Whether a free sample, trial or description of the function was given before the purchase.
  public var sampleContentProvided: Bool?
  /// Units the purchase gave, for all of its quantity.
  public var unitsGranted: Int64?
  /// Units of this purchase that are used.
  public var unitsUsed: Int64?
  /// What the backend would prefer. Open.
  public var refundPreference: RefundPreferenceWord?
  /// What Apple's endpoint version 1 asks besides.
  public var account: AccountValues
  /// What the operator's own policy rules look at; never sent to Apple.
  public var attributes: JSONObject?
  /// Members this release does not know; they are written back as they came.
  public var additional: JSONObject

  public init(
    deliveryStatus: DeliveryStatusWord? = nil, consumptionPercentage: Int64? = nil,
    sampleContentProvided: Bool? = nil, unitsGranted: Int64? = nil, unitsUsed: Int64? = nil,
    refundPreference: RefundPreferenceWord? = nil, account: AccountValues = AccountValues(),
    attributes: JSONObject? = nil, additional: JSONObject = JSONObject()
  ) {
    self.deliveryStatus = deliveryStatus
    self.consumptionPercentage = consumptionPercentage
    self.sampleContentProvided = sampleContentProvided
    self.unitsGranted = unitsGranted
    self.unitsUsed = unitsUsed
    self.refundPreference = refundPreference
    self.account = account
    self.attributes = attributes
    self.additional = additional
  }

  /// Takes the values it knows; `additional` stays empty, since only the caller knows what a rest means.
  init<Reader: OptionalMembers>(members: inout Reader) throws(Reader.Failure) {
    deliveryStatus = try members.optional("deliveryStatus", .word())
    consumptionPercentage = try members.optional("consumptionPercentage", .integer(in: 0...100_000))
    sampleContentProvided = try members.optional("sampleContentProvided", .flag)
    unitsGranted = try members.optional("unitsGranted", .integer(in: 0 ... .max))
    unitsUsed = try members.optional("unitsUsed", .integer(in: 0 ... .max))
    refundPreference = try members.optional("refundPreference", .word())
    account = try AccountValues(members: &members)
    attributes = try members.optional("attributes", .object)
    additional = JSONObject()
  }

  var members: JSONObject {
    var writer = MemberWriter(additional: additional)
    writer.put("deliveryStatus", deliveryStatus)
    writer.put("consumptionPercentage", consumptionPercentage)
    writer.put("sampleContentProvided", sampleContentProvided)
    writer.put("unitsGranted", unitsGranted)
    writer.put("unitsUsed", unitsUsed)
    writer.put("refundPreference", refundPreference)
    account.write(to: &writer)
    writer.put("attributes", attributes)
    return writer.members
  }
}
