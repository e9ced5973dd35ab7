import Contracts
import Cryptography
import EventLog
import HTTPTypes
import JSON
import Service

/// A customer bought 1,000 coins, spent 940 of them, and asks Apple for the money back.
struct CoinPackStory {
  let stage: DemoStage
  let say: (String) -> Void

  private static let transaction = "2000000000000940"
  private static let account = "7e3fb204-2e31-4a3c-9c1d-5d3d3f0b9a11"
  private static let body =
    #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED","consumptionPercentage":94000}"#

  /// A further request by the same customer, who has agreed already.
  static let another =
    #"{"transaction":{"productId":"\#(DemoStage.product)","type":"Consumable","appAccountToken":"\#(account)"}}"#

  /// - Throws: `CommandError` at the first thing that is not as it must be.
  func play() throws(CommandError) {
    say("\nA customer bought 1,000 coins (transaction \(Self.transaction)) and has spent 940 of them.")
    try tellConsent()
    try tellEvidence()
    try askForRefund()
    try seeAnswer()
    try decline()
    try seeOutcome()
    say("\nAs it stands in the log:")
    for event in try events() { say(EventLine(event: event).description) }
  }

  private func tellConsent() throws(CommandError) {
    _ = try stage.backend(
      .put, "/v1/consents",
      [
        "bundleId": .string(DemoStage.bundleID), "account": .string(Self.account), "granted": true,
        "textVersion": "2026-01",
        "textDigest": .string(SHA256.digest(of: "We may tell Apple how much was used.".utf8).hex),
        "channel": "app", "statedAt": now,
      ])
    say("The app's back end tells the responder that this customer agreed to sharing consumption data with Apple.")
  }

  private func tellEvidence() throws(CommandError) {
    _ = try stage.backend(
      .put, "/v1/evidence/Sandbox/\(Self.transaction)",
      [
        "bundleId": .string(DemoStage.bundleID), "statedAt": now,
        "values": ["unitsGranted": 1000, "unitsUsed": 940],
      ])
    say("It also tells what it knows of the purchase: 940 of 1,000 units used.")
  }

  private func askForRefund() throws(CommandError) {
    _ = try stage.simulator(
      .put, "/simulator/v1/transactions/\(Self.transaction)",
      [
        "productId": .string(DemoStage.product), "type": "Consumable", "price": 9_990, "currency": "USD",
        "appAccountToken": .string(Self.account),
      ])
    _ = try stage.simulator(
      .post, "/simulator/v1/refund-requests",
      ["transaction": .string(Self.transaction), "consumptionRequestReason": "UNSATISFIED_WITH_PURCHASE"])
    say("\nNow the customer asks Apple for a refund. The App Store posts a signed CONSUMPTION_REQUEST;")
    say("the receiver proves the signature, appends the notification to the log, and says 200.")
  }

  private func seeAnswer() throws(CommandError) {
    let sent = try event(.consumptionSent)
    let prepared = try event(.consumptionPrepared)
    let answers = try stage.simulator(.get, "/simulator/v1/answers?transactionId=\(Self.transaction)")
    let told = answers["answers"]?.array ?? answers.array ?? []
    try must(told.count == 1, "the App Store was told \(told.count) times, once is right")
    try must(told[0]["body"]?.string == Self.body, "the App Store was told \(told[0]["body"]?.string ?? "nothing")")
    try must(sent.causation == prepared.id, "the result does not name its claim")
    say("\nThe responder claims the one attempt in the log, then tells Apple, which takes it:")
    say("  \(Self.body)")
    for (member, words) in try sources(of: prepared) where member != "customerConsented" {
      say("  \(member): \(words)")
    }
  }

  private func decline() throws(CommandError) {
    _ = try stage.simulator(
      .post, "/simulator/v1/decisions",
      ["transactionId": .string(Self.transaction), "decision": "REFUND_DECLINED"])
    say("\nApple decides and posts REFUND_DECLINED.")
  }

  private func seeOutcome() throws(CommandError) {
    let outcome = try event(.outcome)
    let data = try decoded(Outcome.self, outcome)
    try must(data.decision == .declined, "the outcome is \(data.kind.rawValue), declined is right")
    try must(data.answers == [EventIDs.claim(try purchase(), attempt: 1)], "the outcome does not name the answer")
    let all = try events().map(\.type)
    try must(
      all
        == [
          EventType.evidenceRecorded, .notificationReceived, .consumptionPrepared, .consumptionSent,
          .notificationReceived, .outcome,
        ].map(\.rawValue), "the purchase's stream holds \(all.joined(separator: ", "))")
    say("The responder records the outcome: declined, after one answer.")
  }

  // MARK: Looking into the log

  private func events() throws(CommandError) -> [RecordedEvent] {
    let log = try LocalEventLog.reading(stage.data)
    do throws(LogReadError) {
      return try log.read(stream: StreamName("purchase/Sandbox/\(Self.transaction)"), after: 0, limit: 100)
    } catch { throw CommandError(error) }
  }

  /// Waits for the purchase's event of a type.
  private func event(_ type: EventType) throws(CommandError) -> RecordedEvent {
    try stage.wait(for: "the event \(type.rawValue)") { () throws(CommandError) -> RecordedEvent? in
      try events().first { $0.type == type.rawValue }
    }
  }

  private func sources(of prepared: RecordedEvent) throws(CommandError) -> [(key: String, value: String)] {
    try decoded(ConsumptionPrepared.self, prepared).sources.sorted { $0.key < $1.key }
  }

  private func decoded<Data: EventData>(_ type: Data.Type, _ event: RecordedEvent) throws(CommandError) -> Data {
    do throws(ContractError) { return try Data(data: event.data ?? []) } catch {
      throw CommandError(.failure, "\(event.id) cannot be read: \(error)")
    }
  }

  private func purchase() throws(CommandError) -> PurchaseKey {
    do throws(PurchaseKeyError) {
      return try PurchaseKey(environment: "Sandbox", transactionID: Self.transaction)
    } catch { throw CommandError(.failure, error.description) }
  }

  private var now: JSONValue { .number(JSONNumber(WallClock.system.now())) }

  private func must(_ holds: Bool, _ otherwise: String) throws(CommandError) {
    if !holds { throw CommandError(.failure, "the story ended wrongly: \(otherwise)") }
  }
}
