import HTTPServer
public import Service

/// The simulator as a program: started, announced, stopped.
public struct SimulatorService: ServiceProgram.Running {
  private let simulator: Simulator
  private let log: Logger
  public let ready: String

  public init(settings: SimulatorSettings) throws(StartError) {
    let log = Logger.standardError(format: settings.logFormat, level: settings.logLevel, clock: settings.clock)
    self.log = log
    do throws(StoreIdentityError) { simulator = try Simulator(settings: settings, log: log) } catch {
      throw StartError(.failure, "the data folder cannot be used: \(error)")
    }
    let port: UInt16
    let production: UInt16?
    do throws(HTTPServerError) { (port, production) = try simulator.start() } catch {
      throw StartError(.unavailable, error.description)
    }
    let address = settings.server.address
    let host = address.contains(":") ? "[\(address)]" : address
    ready =
      "http://\(host):\(port)\(production.map { ", Production at http://\(host):\($0)" } ?? ""), root \(simulator.identity.rootPath), key \(simulator.identity.apiKeyPath) "
      + "(id \(settings.keyId), issuer \(settings.issuerId))"
  }

  public func reload(_ settings: SimulatorSettings) {
    log.warning("changed settings take effect at the next start: what the simulator remembers would be lost")
  }

  public func stop() { simulator.stop() }
}

extension SimulatorService {
  /// Flags that stand for the common keys.
  public static let flags: KeyValuePairs = [
    "address": "simulator.address", "port": "simulator.port", "data-folder": "simulator.dataFolder",
    "notification-url": "simulator.notificationURL", "bundle-id": "simulator.bundleId",
    "app-apple-id": "simulator.appAppleId", "environment": "simulator.environment", "key-id": "simulator.keyId",
    "issuer-id": "simulator.issuerId", "decide": "simulator.decide",
    "decide-after-milliseconds": "simulator.decideAfterMilliseconds",
    "decide-unanswered-after-milliseconds": "simulator.decideUnansweredAfterMilliseconds",
  ]

  /// What `--help` says first: what it is, and a short walk.
  public static let about = """
    appstore-simulator stands in for Apple on this machine: it posts signed notifications, takes answers to refund
    requests with Apple's checks and errors, and decides. Nobody trusts its certificates who was not told to.

    A walk, with the receiver at http://127.0.0.1:8080:

    1. Start it. It makes root.pem and api-key.p8 in its data folder and keeps them over restarts.
         appstore-simulator --bundle-id com.example.app
    2. Then make a token, and start receiver and responder with these settings (paths as this program printed them):
         openssl rand -hex 16 > backend-token
         {"apps": [{"bundleId": "com.example.app", "environments": ["Sandbox"],
                    "key": {"id": "SIMULATOR1", "issuer": "5a3b1c00-0000-4000-8000-000000000001",
                            "file": "simulator-data/api-key.p8"},
                    "products": [{"productId": "*", "deliveryStatus": "DELIVERED", "sampleContentProvided": false}],
                    "consentBasis": {"kind": "terms", "textVersion": "1", "effectiveFrom": "2020-01-01T00:00:00Z",
                                     "optOut": "by mail", "coversUnidentified": true}}],
          "appStore": {"sandbox": "http://127.0.0.1:8090", "production": "http://127.0.0.1:8090"},
          "receiver": {"trustAnchors": ["simulator-data/root.pem"]},
          "responder": {"tokenFile": "backend-token"}}
    3. A customer asks for money back. The reply names the notification and what the receiver answered.
         curl -X POST http://127.0.0.1:8090/simulator/v1/refund-requests \\
           -d '{"transaction": {"transactionId": "2000000000000001", "type": "Consumable"},
                "consumptionRequestReason": "UNINTENDED_PURCHASE"}'
    4. See what the responder told Apple, and what Apple made of it.
         curl 'http://127.0.0.1:8090/simulator/v1/answers?transactionId=2000000000000001'
    5. Decide: REFUND, REFUND_DECLINED, or REFUND_REVERSED after a refund. With --decide REFUND it does so by itself,
       once for each request: some time after an answer, or, where so set, some time after a request that got none.
         curl -X POST http://127.0.0.1:8090/simulator/v1/decisions -d '{"transactionId": "2000000000000001",
           "decision": "REFUND", "revocationType": "REFUND_PRORATED", "revocationPercentage": 40000}'

    Further calls:
         PUT  /simulator/v1/transactions/{id}   members of a transaction payload over defaults; null leaves one out.
                                                Any id: also one of a real token that the receiver was given.
         POST /simulator/v1/notifications       any decoded payload; objects at data.signedTransactionInfo and
                                                data.signedRenewalInfo are signed first, then the whole.
         GET  /simulator/v1/notifications       what was posted, and what came back.

    Apple's own call is PUT /inApps/v2/transactions/consumption/{transactionId}. Its errors bear Apple's codes. Apple's
    pages give no number for these, which have one of ours:
    \(StoreError.ofOurNumber.map { "     \($0.code!) \($0.name)" }.joined(separator: "\n"))
    and 4000209 ConsumptionPercentageAutoRenewableSubscriptionError and 4000227
    InvalidAssignedTransactionNotSupportedError are not certain. Decide by the status, keep the number.

    Purchases, answers and notifications are kept in memory, the newest 10000 of each kind of record.
    """
}
