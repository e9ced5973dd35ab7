import AppStore
import Contracts
import EventLog
import JSON
import Service

@testable import AppStoreSimulator
@testable import Responder

/// What customers, Apple's people and the developer's back end do: purchases, consents and withdrawals, refund requests and
/// decisions, at drawn instants and told late.
struct CustomerLives {
  private static let minute: Int64 = 60_000
  private static let hour: Int64 = 3_600_000

  let world: World
  let accounts: [String]
  private let end: Int64
  private let purchases: [Purchase]

  init(_ world: World, until end: Int64) {
    self.world = world
    self.end = end
    let scheduler = world.scheduler
    accounts = (0..<4).map { "3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d\(10 + $0)" }
    var purchases: [Purchase] = []
    for number in 0..<Int(scheduler.draw(2...8)) {
      let app = Scenery.shared.apps[Int(scheduler.draw(0...1))]
      let environment: ServerEnvironment = scheduler.isOne(in: 3) ? .sandbox : .production
      let store = StoreApp(
        bundleId: app.identity.bundleId, appAppleId: app.identity.appAppleId, environment: environment)
      let type: ProductType = scheduler.isOne(in: 3) ? .autoRenewableSubscription : .consumable
      let account = scheduler.isOne(in: 8) ? JSONValue.null : .string(accounts[Int(scheduler.draw(0...3))])
      let purchase = try! PurchaseTemplate(app: store).purchase(
        "20000000000000\(10 + number)",
        given: ["appAccountToken": account, "appTransactionId": .string("70000000000000\(10 + number)")], type: type,
        now: scheduler.now)
      purchases.append(purchase)
      if scheduler.isOne(in: 10) { world.hideFromApple(purchase.transactionId) }
      _ = try! world.store.ledger.register(purchase)
    }
    self.purchases = purchases
  }

  func begin() {
    let scheduler = world.scheduler
    for purchase in purchases { scheduler.start("purchase \(purchase.transactionId)") { live(with: purchase) } }
    for account in accounts {
      for app in Scenery.shared.apps { scheduler.start("customer") { consent(account, app.identity.bundleId) } }
    }
  }

  // MARK: A purchase

  private func live(with purchase: Purchase) {
    let scheduler = world.scheduler
    for _ in 0..<scheduler.draw(1...3) {
      scheduler.pause(until: scheduler.now + scheduler.draw(0...(end - World.start) / 2))
      guard scheduler.now < end else { return }
      switch scheduler.draw(0...9) {
      case 0: decide(purchase)
      case 1: tell(purchase) { Notices.about($0, .didChangeRenewalStatus, .autoRenewDisabled, in: $1) }
      case 2: forge(purchase)
      default:
        ask(purchase)
        if scheduler.isOne(in: 4) { ask(purchase) }
        if scheduler.isOne(in: 2) {
          scheduler.pause(milliseconds: scheduler.draw(0...20 * Self.hour))
          guard scheduler.now < end else { return }
          decide(purchase)
        }
      }
    }
  }

  private func ask(_ purchase: Purchase) {
    let reason = world.scheduler.isOne(in: 4) ? nil : "UNINTENDED_PURCHASE"
    tell(purchase) { Notices.consumptionRequest($0, reason: reason, in: $1) }
  }

  private func decide(_ purchase: Purchase) {
    let scheduler = world.scheduler
    var kinds: [Decision] = [Decision(.refund), .prorated, Decision(.declined)]
    if world.store.ledger.purchase(purchase.transactionId)!.isRefunded { kinds = [Decision(.reversed)] }
    let decision = kinds[Int(scheduler.draw(0...Int64(kinds.count - 1)))]
    let now = scheduler.now
    _ = world.store.ledger.edit { book in book.change(purchase.transactionId) { decision.apply(to: &$0, now: now) } }
    tell(purchase) { Notices.decision(decision, $0, in: $1) }
    // Apple signs one notification a millisecond.
    scheduler.pause(milliseconds: 1)
  }

  private func forge(_ purchase: Purchase) {
    tell(purchase) { purchase, book in
      var payload = Notices.consumptionRequest(purchase, reason: nil, in: book)
      payload["forged"] = true
      return payload
    }
  }

  private func tell(_ purchase: Purchase, _ notice: @escaping @Sendable (Purchase, Book) -> JSONObject) {
    let scheduler = world.scheduler
    let now = world.store.ledger.purchase(purchase.transactionId)!
    let payload = world.store.ledger.edit { notice(now, $0) }
    let late: Int64 =
      switch scheduler.draw(0...9) {
      case 0: scheduler.draw(0...3 * 24 * Self.hour)
      case 1, 2: scheduler.draw(0...70 * Self.minute)
      default: scheduler.draw(0...5_000)
      }
    world.store.post(now, about: payload, after: min(late, max(0, end - scheduler.now)))
  }

  // MARK: A customer

  private func consent(_ account: String, _ bundleID: String) {
    let scheduler = world.scheduler
    var granted = true
    // Some never say anything.
    for _ in 0..<scheduler.draw(0...3) {
      scheduler.pause(until: scheduler.now + scheduler.draw(0...(end - World.start) / 2))
      guard scheduler.now < end else { return }
      tell(
        World.Statement(
          account: account, bundleID: bundleID, granted: granted, statedAt: world.clock.now(), key: world.uuid()))
      granted = scheduler.isOne(in: 2)
    }
  }

  /// As the back end does it: the same key until it is taken.
  /// - Parameter isAgain: all of them are told in one go.
  func tell(_ statement: World.Statement, isAgain: Bool = false) {
    let scheduler = world.scheduler
    // At times the later one is quicker.
    if !isAgain, scheduler.isOne(in: 4) { scheduler.pause(milliseconds: scheduler.draw(0...2 * Self.hour)) }
    while !world.isOver {
      if let responder = world.responders.filter(\.isAlive).randomElement(using: &scheduler.random) {
        var isTaken = false
        var hasEnded = false
        let process = responder.process
        scheduler.start("statement", in: process) { [world] in
          isTaken = record(statement, SimulatedLog(process, in: world))
          hasEnded = true
        }
        while !hasEnded, process.isAlive { scheduler.pause(milliseconds: 5) }
        if isTaken { return world.taken(statement) }
      }
      scheduler.pause(milliseconds: 10_000)
    }
  }

  private func record(_ statement: World.Statement, _ log: any EventLog) -> Bool {
    let recorder = Recorder(
      log: log, clock: world.clock,
      logger: Logger(format: .text, clock: .system) { [world] in world.audit.said($0) })
    let record = ConsentRecorded(
      bundleID: statement.bundleID, account: statement.account, granted: statement.granted, textVersion: "1",
      textDigest: String(repeating: "0", count: 64), channel: ChannelWord("app"), statedAt: statement.statedAt)
    let customer = log.keyedDigest([Array(statement.bundleID.utf8), Array(statement.account.utf8)])
    return
      (try? recorder.record(
        Recorder.Statement(
          prefix: .consent, stream: StreamName(Streams.customer(customer)), app: statement.bundleID,
          customer: customer, statedAt: statement.statedAt, type: .consentRecorded, data: record.encoded()),
        key: statement.key, scope: "backend")) != nil
  }

  /// At the worst moment: a claim that rests on the customer's consent is on its way into the log, or was just written.
  func mayWithdraw(_ customer: String) {
    let scheduler = world.scheduler
    guard !world.weather.isCalm, scheduler.isOne(in: 40) else { return }
    let said = world.statements.last {
      world.log.keyedDigest([Array($0.bundleID.utf8), Array($0.account.utf8)]) == customer
    }
    guard var statement = said, statement.granted else { return }
    (statement.granted, statement.statedAt, statement.key) = (false, world.clock.now(), world.uuid())
    // Nobody gets a turn before it is there.
    guard record(statement, world.log) else { return }
    world.taken(statement)
    world.tell("a customer withdraws at the worst moment")
    world.logHasGrown()
  }
}
