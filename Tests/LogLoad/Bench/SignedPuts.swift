import AppStore
import Cryptography
import HTTPClient
import HTTPTypes
import Service

/// Answers as the responder sends them, as fast as they go: each with a token of its own, each thread over one kept
/// connection.
struct SignedPuts: Sendable {
  static let transactionID = "2000000000999999"
  static let body =
    #"{"consumptionPercentage":25000,"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false}"#

  let store: StandInStore
  let keyPath: String

  func perSecond(_ connections: Int, seconds: Double) throws -> Double {
    let key = try ECDSAPrivateKey(pem: Files.read(keyPath, bytesMax: ECDSAPrivateKey.fileBytesMax))
    let tokens = try BearerTokenMaker(
      keyId: IdleServices.keyID, issuerId: IdleServices.issuerID, bundleId: IdleServices.bundleID, key: key)
    let api = try store.api
    var settings = HTTPClientSettings()
    settings.authoritiesPath = store.authoritiesPath
    let made = Monitor<(count: Int, faults: [String])>((0, []))
    let began = MonotonicClock.nanoseconds()
    let deadline = began + Int64(seconds * 1e9)
    let threads = (0..<connections).map { [settings] number in
      OwnedThread(name: "put.\(number)") {
        let client = HTTPClient(settings: settings)
        var count = 0
        do {
          while MonotonicClock.nanoseconds() < deadline {
            try Self.put(api, tokens, client)
            count += 1
          }
        } catch { made.change { $0.faults.append("\(error)") } }
        made.change { $0.count += count }
      }
    }
    for thread in threads { thread.join() }
    let elapsed = Double(MonotonicClock.nanoseconds() - began) / 1e9
    let (count, faults) = made.withLock { ($0.count, $0.faults) }
    if let fault = faults.first { throw LoadError("a signed PUT failed: \(fault)") }
    return Double(count) / elapsed
  }

  private static func put(_ api: AppStoreServerAPI, _ tokens: BearerTokenMaker, _ client: HTTPClient) throws {
    let request = api.sendConsumption(
      transactionId: transactionID, environment: .production, version: .version2, body: Array(body.utf8),
      token: tokens.token(now: WallClock.system.now()))
    guard let request else { throw LoadError("\(transactionID) cannot stand in a path") }
    let reply = try client.send(
      HTTPClientRequest(request.method, request.url, fields: request.fields, body: request.body))
    guard reply.status == 202 else { throw LoadError("it was answered \(reply.status)") }
  }
}
