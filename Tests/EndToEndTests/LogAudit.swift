import EventLog
import JSON

/// Reads the log event by event, and says where it breaks what must hold at every moment. Shares no code with the
/// responder, whose mistakes it is there to find.
struct LogAudit {
  /// A CONSUMPTION_REQUEST, with what became of it.
  struct Request {
    var purchase: String
    var signedAt: Int64
    var claims: [Claim] = []
    var withheld: String?

    var isAnswered: Bool { claims.contains { $0.results.contains("sent") } }
    /// Apple refused the body for good.
    var isRefused: Bool { claims.last?.results.contains { ["refused", "fixAndSend"].contains($0) } ?? false }
    var hasEnded: Bool { isAnswered || isRefused || withheld != nil }
  }

  struct Claim {
    var id: String
    var position: Position
    var body: String
    /// `sent`, or the class of the failure; one that comes after `unknown` stands behind it.
    var results: [String] = []
    /// Of the first of them.
    var settledAt: Position?
  }

  private(set) var position = Position.start
  /// By id of the event that opened it.
  private(set) var requests: [String: Request] = [:]
  /// Ids of notifications, in the order of the log.
  private(set) var notifications: [String] = []
  /// By purchase: Apple's decisions, each with its instant.
  private(set) var decisions: [String: [(id: String, signedAt: Int64)]] = [:]
  /// By notification: how many Outcomes it has.
  private(set) var outcomes: [String: Int] = [:]
  private(set) var evidence = 0
  /// What must not be, in words.
  private(set) var violations: [String] = []

  var openRequests: Int { requests.values.count { !$0.hasEnded || $0.claims.last?.results.isEmpty == true } }

  /// Whether something is left to do: a request without end, a decision without outcome.
  var isSettled: Bool {
    openRequests == 0 && decisions.values.allSatisfy { $0.allSatisfy { outcomes[$0.id] != nil } }
  }

  /// Takes what the log has grown by.
  mutating func advance(_ log: any EventLog) throws {
    while true {
      let events = try log.read(after: position, limit: 500)
      if events.isEmpty { return }
      for event in events { try fold(event) }
    }
  }

  private mutating func fold(_ event: RecordedEvent) throws {
    if event.position != position.next { violations.append("position \(event.position) follows \(position)") }
    position = event.position
    let data = try JSONValue(bytes: event.data ?? [])
    let request = data["request"]?.string ?? ""
    let claim = data["claim"]?.string ?? ""
    switch event.type {
    case "NotificationReceived": foldNotification(event, data)
    case "EvidenceRecorded": evidence += 1
    case "ConsumptionPrepared": foldClaim(event, of: request, body: data["body"]?.string ?? "")
    case "ConsumptionSent": settle(request, claim, "sent", event)
    case "ConsumptionFailed": settle(request, claim, data["class"]?.string ?? "", event)
    case "ConsumptionWithheld":
      guard let known = requests[request] else { return refuse(event, "withholds what nobody asked for") }
      if known.hasEnded { refuse(event, "withholds what had ended") }
      if let open = known.claims.last, open.results.isEmpty { refuse(event, "withholds while \(open.id) is open") }
      requests[request]!.withheld = data["reason"]?.string ?? ""
    case "Outcome": outcomes[event.causation?.text ?? "", default: 0] += 1
    default: break
    }
  }

  private mutating func foldNotification(_ event: RecordedEvent, _ data: JSONValue) {
    notifications.append(event.id.text)
    let signedAt = data["notification"]?["signedDate"]?.int64 ?? 0
    switch data["notification"]?["notificationType"]?.string {
    case "CONSUMPTION_REQUEST": requests[event.id.text] = Request(purchase: event.stream.text, signedAt: signedAt)
    case "REFUND", "REFUND_DECLINED", "REFUND_REVERSED":
      decisions[event.stream.text, default: []].append((event.id.text, signedAt))
    default: break
    }
  }

  private mutating func foldClaim(_ event: RecordedEvent, of id: String, body: String) {
    guard let request = requests[id] else { return refuse(event, "claims what nobody asked for") }
    // What Apple took, or refused, may be told anew with another body, three times at most.
    let taken = request.claims.filter { $0.results.contains("sent") }
    if request.hasEnded, request.withheld != nil || taken.count > 3 || request.claims.last?.body == body {
      refuse(event, "claims what had ended")
    }
    if let before = request.claims.last, before.results.isEmpty { refuse(event, "claims while \(before.id) is open") }
    if let decision = decisions[request.purchase]?.first(where: { $0.signedAt >= request.signedAt }) {
      refuse(event, "claims after the decision \(decision.id)")
    }
    requests[id]!.claims.append(Claim(id: event.id.text, position: event.position, body: body))
  }

  private mutating func settle(_ request: String, _ claim: String, _ result: String, _ event: RecordedEvent) {
    guard let index = requests[request]?.claims.firstIndex(where: { $0.id == claim }) else {
      return refuse(event, "is the result of a claim that is not there")
    }
    let before = requests[request]!.claims[index].results
    if !before.isEmpty, before != ["unknown"] { refuse(event, "is a second result of \(claim)") }
    requests[request]!.claims[index].results.append(result)
    if before.isEmpty { requests[request]!.claims[index].settledAt = event.position }
  }

  private mutating func refuse(_ event: RecordedEvent, _ words: String) {
    violations.append("\(event.type) \(event.id) at \(event.position) \(words)")
  }

  // MARK: Against the App Store's record

  /// What is wrong with the calls that the App Store got, one request per purchase.
  func faults(of calls: [WatchedAppStore.Call]) -> [String] {
    var faults: [String] = []
    let byPurchase = Dictionary(
      requests.values.map { (String($0.purchase.split(separator: "/").last!), $0) },
      uniquingKeysWith: { first, _ in first })
    for (transaction, calls) in Dictionary(grouping: calls, by: \.transactionID) {
      guard let request = byPurchase[transaction] else {
        faults.append("\(transaction): called, and nobody asked")
        continue
      }
      var earlier: Position?
      var busyUntil: Int64 = .min
      for call in calls.sorted(by: { $0.startedAt < $1.startedAt }) {
        // The claim of a call is the newest that stood in the log when its first byte came.
        let claim = request.claims.last { $0.position <= call.head ?? .start }
        if let claim {
          if claim.position == earlier { faults.append("\(transaction): called twice for \(claim.id)") }
          if let settledAt = claim.settledAt, settledAt <= call.head ?? .start {
            faults.append("\(transaction): called for \(claim.id), which had its result")
          }
        } else {
          faults.append("\(transaction): called without a claim in the log")
        }
        earlier = claim?.position
        if call.startedAt < busyUntil { faults.append("\(transaction): two calls at once") }
        busyUntil = call.endedAt ?? .max
        if call.endedAt == nil { faults.append("\(transaction): a call without end") }
      }
    }
    return faults
  }
}
