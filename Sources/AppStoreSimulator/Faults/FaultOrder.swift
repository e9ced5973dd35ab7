import JSON

/// A fault on order: what, how often, and for which calls or notifications.
struct FaultOrder: Equatable, Sendable {
  static let timesMax: Int64 = 1_000_000
  static let copiesMax: Int64 = 100
  /// Longer than any wait of a client.
  private static let slowMax: Int64 = 600_000
  private static let yearMilliseconds: Int64 = 31_536_000_000

  let number: Int
  let fault: Fault
  /// nil for every purchase.
  let transactionId: String?
  /// nil for every type.
  let notificationType: String?
  /// Of calls: the kinds it applies to.
  let calls: Set<StoreCall>
  /// How often it still applies.
  var timesLeft: Int64
  /// How often it has.
  var applied: Int64 = 0

  /// Reads a call.
  init(_ object: JSONObject, number: Int) throws(ControlError) {
    self.number = number
    let call = CallMembers(object)
    let name = try call.text("fault") ?? ""
    let own: [String]
    switch name {
    case "unauthenticated": (fault, own) = (.unauthenticated, [])
    case "serverError": (fault, own) = (.serverError, [])
    case "error":
      let told = try ToldReply(call)
      (fault, own) = (.error(told), ToldReply.members)
    case "lostReply": (fault, own) = (.lostReply, [])
    case "cut": (fault, own) = (.cut, [])
    case "hold": (fault, own) = (.hold, [])
    case "drop": (fault, own) = (.drop, [])
    case "rateLimited":
      let ahead = try call.integer("aheadMilliseconds", in: -Self.yearMilliseconds...Self.yearMilliseconds) ?? 60_000
      let form = try call.word("form", Fault.RetryAfterForm.self) ?? .milliseconds
      (fault, own) = (.rateLimited(aheadMilliseconds: ahead, form), ["aheadMilliseconds", "form"])
    case "slow":
      let milliseconds = try call.integer("milliseconds", in: 0...Self.slowMax) ?? 5000
      (fault, own) = (.slow(milliseconds: milliseconds), ["milliseconds"])
    case "skewedDate":
      let off = try call.integer("milliseconds", in: -Self.yearMilliseconds...Self.yearMilliseconds) ?? 90_000
      (fault, own) = (.skewedDate(milliseconds: off), ["milliseconds"])
    case "duplicate":
      let copies = Int(try call.integer("copies", in: 2...Self.copiesMax) ?? 2)
      let together = try call.flag("together") ?? true
      (fault, own) = (.duplicate(copies: copies, together: together), ["copies", "together"])
    case "delay":
      let milliseconds = try call.integer("milliseconds", in: 0...Self.yearMilliseconds) ?? 60_000
      (fault, own) = (.delay(milliseconds: milliseconds), ["milliseconds"])
    default:
      throw .badRequest(
        "fault is not one of unauthenticated, rateLimited, serverError, error, slow, lostReply, cut, skewedDate (of calls), "
          + "duplicate, hold, drop, delay (of deliveries)")
    }
    transactionId = try call.text("transactionId")
    notificationType = try call.text("notificationType")
    if notificationType != nil, fault.place == .answer {
      throw .badRequest("notificationType goes with faults of deliveries; \(name) is one of calls")
    }
    calls = try Self.calls(call)
    if call["call"] != nil, fault.place == .delivery {
      throw .badRequest("call goes with faults of calls; \(name) is one of deliveries")
    }
    timesLeft = try call.integer("times", in: 1...Self.timesMax) ?? 1
    try call.refuseOthers(than: ["fault", "times", "transactionId", "notificationType", "call"] + own)
  }

  /// Who says nothing means the call that brings an answer.
  private static func calls(_ members: CallMembers) throws(ControlError) -> Set<StoreCall> {
    guard let name = try members.text("call") else { return [.consumption] }
    if name == "any" { return Set(StoreCall.allCases) }
    guard let call = StoreCall(rawValue: name) else {
      throw .badRequest("call is not one of \(StoreCall.names), any")
    }
    return [call]
  }

  func fits(_ place: Fault.Place, transactionId: String?, notificationType: String?, call: StoreCall?) -> Bool {
    fault.place == place && timesLeft > 0 && (call.map(calls.contains) ?? true)
      && (self.transactionId == nil || self.transactionId == transactionId)
      && (self.notificationType == nil || self.notificationType == notificationType)
  }

  var json: JSONValue {
    var object: JSONObject = [
      "id": .number(JSONNumber(Int64(number))), "fault": .string(fault.name), "on": .string(fault.place.rawValue),
      "timesLeft": .number(JSONNumber(timesLeft)), "applied": .number(JSONNumber(applied)),
    ]
    if fault.place == .answer {
      object["calls"] = .array(StoreCall.allCases.filter(calls.contains).map { .string($0.rawValue) })
    }
    object["transactionId"] = transactionId.map(JSONValue.string)
    object["notificationType"] = notificationType.map(JSONValue.string)
    return .object(object)
  }
}
