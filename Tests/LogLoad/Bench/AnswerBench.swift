import AppStore
import AppStoreSimulator
import Cryptography
import HTTPClient
import HTTPTypes
import JSON
import Service

/// How soon an answer leaves once the receiver has a request, and how many signed calls a second one machine makes.
struct AnswerBench {
  let folder: String
  let seconds: Double
  /// A Python with httpx, as `env` finds it.
  let python: String

  /// Single requests that are measured, and those before them, by which every sender has opened its connection.
  private static let requests = 300
  private static let firstRequests = 20

  /// - Parameter remark: told what was left out, and why.
  func run(remark: (String) -> Void) throws -> [BenchRow] {
    let folder = folder + "/answer"
    try Files.makeFolder(folder)
    defer { _ = try? Files.removeFolder(folder) }
    let identity = try StoreIdentity(folder: folder + "/identity")
    let store = try StandInStore(folder: folder)
    defer { store.stop() }
    return try delays(identity, store, folder) + puts(identity, store, folder, remark)
  }

  // MARK: From the receiver's 200 to the call

  private func delays(_ identity: StoreIdentity, _ store: StandInStore, _ folder: String) throws -> [BenchRow] {
    let sync = try DiskLimit(folder: folder).syncs(ofBytes: 8_192, seconds: 0.5).latencies.members()
    let services = try IdleServices(folder: folder, identity: identity, store: store)
    defer { services.stop() }
    let client = HTTPClient()
    var random = SplitMix(seed: UInt64(MonotonicClock.nanoseconds()))
    var delays = Latencies()
    for number in 0..<Self.firstRequests + Self.requests {
      let id = String(2_000_000_000_000_000 + number)
      let body = Self.notification(id, identity)
      Pause.milliseconds(UInt32.random(in: 60...120, using: &random))
      let reply = try client.send(
        HTTPClientRequest(.post, services.notifications, fields: ["Content-Type": "application/json"], body: body))
      let takenAt = MonotonicClock.nanoseconds()
      guard reply.status == 200 else { throw LoadError("the receiver answered \(reply.status)") }
      let arrivedAt = try store.arrival(of: id, within: 20_000)
      if number >= Self.firstRequests { delays.add(max(0, arrivedAt - takenAt)) }
    }
    let found = JSONValue.object(delays.members())
    let limit = try Double(JSONValue.object(sync).integer("p50Us")) / 1_000
    return try [("p50Us", 20.0), ("p99Us", 100.0), ("worstUs", nil)].map { member, most in
      let value = try Double(found.integer(member)) / 1_000
      return BenchRow(
        "answer.\(member)", "the receiver's 200 to the call at the App Store, \(member.dropLast(2))", value, "ms",
        to: ("one fdatasync, p50", limit), asked: most.map { "below \(Int($0)) ms" }, isMet: most.map { value < $0 })
    }
  }

  private static func notification(_ id: String, _ identity: StoreIdentity) -> [UInt8] {
    let now = JSONValue.number(JSONNumber(WallClock.system.now()))
    let bought = JSONValue.number(JSONNumber(WallClock.system.now() - 86_400_000))
    func signed(_ object: JSONObject) -> JSONValue {
      .string(String(decoding: identity.signing.sign(JSONValue.object(object).bytes()), as: UTF8.self))
    }
    let transaction: JSONObject = [
      "transactionId": .string(id), "originalTransactionId": .string(id), "bundleId": .string(IdleServices.bundleID),
      "productId": "com.example.app.coins", "type": "Consumable", "quantity": 1, "purchaseDate": bought,
      "originalPurchaseDate": bought, "inAppOwnershipType": "PURCHASED", "environment": "Production",
      "signedDate": now, "price": 9_990, "currency": "USD", "storefront": "USA",
    ]
    let data: JSONObject = [
      "bundleId": .string(IdleServices.bundleID), "appAppleId": 1_470_168_111, "environment": "Production",
      "signedTransactionInfo": signed(transaction), "consumptionRequestReason": "UNINTENDED_PURCHASE",
    ]
    let payload: JSONObject = [
      "notificationType": "CONSUMPTION_REQUEST", "notificationUUID": .string(SecureRandom.uuid()), "version": "2.0",
      "signedDate": now, "data": .object(data),
    ]
    return JSONValue.object(["signedPayload": signed(payload)]).bytes()
  }

  // MARK: Signed calls

  private func puts(
    _ identity: StoreIdentity, _ store: StandInStore, _ folder: String, _ remark: (String) -> Void
  ) throws -> [BenchRow] {
    let httpx = HttpxPuts(python: python, folder: folder)
    var isLeftOut = false
    return try [1, 8].map { connections in
      let ours = try SignedPuts(store: store, keyPath: identity.apiKeyPath).perSecond(connections, seconds: seconds)
      let key = "puts.\(connections).perSecond"
      let name = "signed PUTs over TLS, \(connections == 1 ? "one kept connection" : "\(connections) kept connections")"
      if !isLeftOut {
        switch try httpx.perSecond(connections, seconds: seconds, store: store, keyPath: identity.apiKeyPath) {
        case .measured(let theirs):
          return BenchRow(
            key, name, ours, "/s", to: ("httpx", theirs), asked: "5 times", isMet: ours >= 5 * theirs)
        case .absent(let reason):
          remark("the comparison with httpx was left out: \(reason); name a Python that has it by --python")
          isLeftOut = true
        }
      }
      return BenchRow(key, name, ours, "/s")
    }
  }
}
