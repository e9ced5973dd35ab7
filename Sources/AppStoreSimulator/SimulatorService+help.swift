extension SimulatorService {
  /// Flags that stand for the common keys.
  public static let flags: KeyValuePairs = [
    "address": "simulator.address", "port": "simulator.port", "data-folder": "simulator.dataFolder",
    "notification-url": "simulator.notificationURL", "bundle-id": "simulator.bundleId",
    "app-apple-id": "simulator.appAppleId", "environment": "simulator.environment", "key-id": "simulator.keyId",
    "issuer-id": "simulator.issuerId", "decide": "simulator.decide",
    "decide-after-milliseconds": "simulator.decideAfterMilliseconds",
    "decide-unanswered-after-milliseconds": "simulator.decideUnansweredAfterMilliseconds",
    "production-port": "simulator.productionPort", "redelivery": "simulator.redelivery",
    "scenario-file": "simulator.scenarioFile",
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
    5. Decide: REFUND, REFUND_DECLINED, or REFUND_REVERSED after a refund.
         curl -X POST http://127.0.0.1:8090/simulator/v1/decisions -d '{"transactionId": "2000000000000001",
           "decision": "REFUND", "revocationType": "REFUND_PRORATED", "revocationPercentage": 40000}'
       Or let it decide by itself, by --decide for all requests or by "scenario" for one.
    6. Write the whole story down and have it played: the same calls as steps, one after the other.
         cat > story.json <<END
         {"steps": [{"do": "refundRequest", "transaction": {"transactionId": "2000000000000002"}},
                    {"do": "awaitAnswer", "transactionId": "2000000000000002", "withinMilliseconds": 60000},
                    {"do": "decision", "transactionId": "2000000000000002", "decision": "REFUND", "afterMilliseconds": 5000},
                    {"do": "decision", "transactionId": "2000000000000002", "decision": "REFUND_REVERSED"}]}
         END
         curl -X POST http://127.0.0.1:8090/simulator/v1/scenarios -d @story.json
       --scenario-file story.json plays it at the start.

    The calls, under /simulator/v1. A reply to a notification comes after its first attempt: 200 with what the receiver
    replied, 202 where a fault put it off, 502 where no reply came.
         PUT    transactions/{id}   members of a transaction payload over defaults; null leaves one out. Any id: also
                                    one of a real token that the receiver was given.
         POST   refund-requests     transaction (id, members, or none for a new one), consumptionRequestReason;
                                    scenario: \(Scenario.words),
                                    or an object with decide, afterMilliseconds, unansweredAfterMilliseconds,
                                    repeatAfterMilliseconds, renewalOffAfterMilliseconds, reverseAfterMilliseconds,
                                    then, thenAfterMilliseconds; typed: into the sandbox's sheet
         POST   decisions           transactionId, decision, revocationType, revocationPercentage, revocationReason;
                                    a revocationType of null makes a refund of the old shape
         POST   events              notificationType, subtype, transaction: any kind there is; a subscription is
                                    carried along. With what a kind takes: an unknown member is told what there is
         POST   notifications       any decoded payload; objects at data.signedTransactionInfo and
                                    data.signedRenewalInfo are signed first, then the whole
         GET    notifications/{uuid}/body   the exact body that was posted, to post it by hand with curl
         GET    notifications       what was posted, each attempt in Apple's words; ?transactionId=
         GET    answers             what the responder told, and what it was answered; ?transactionId=
         GET    calls               every call of Apple's API, of whatever kind, and what it was answered; ?transactionId=
         PUT    orders/{id}         transactions: ids; which purchases an order has, for Look Up Order ID
         POST   faults              fault, times, transactionId. Of calls: unauthenticated, rateLimited, serverError,
                                    error, slow, lostReply, cut, skewedDate; call says of which, and without it they
                                    are of answers: \(StoreCall.allCases.prefix(4).map(\.rawValue).joined(separator: ", ")),
                                    \(StoreCall.allCases.dropFirst(4).prefix(3).map(\.rawValue).joined(separator: ", ")),
                                    \(StoreCall.allCases.dropFirst(7).map(\.rawValue).joined(separator: ", ")), any.
                                    error replies status, with errorCode and errorMessage or with any body, and
                                    retryAfter. Of deliveries: duplicate, hold, drop, delay
         GET, DELETE faults         what is on order; takes all off, or faults/{id}
         POST   scenarios           plays a scenario file: name, steps; each with do, afterMilliseconds, comment. do is
                                    \(ScenarioStep.Word.allCases.map(\.rawValue).joined(separator: ", "));
                                    the rest of a step is what the call of that name takes
         GET    scenarios           how they go
    refund-requests and events take bundleId, appAppleId and environment for another app or environment.

    Apple's own calls, with Apple's checks, errors and limits; a token for each is made with the key:
         PUT    /inApps/v2/transactions/consumption/{transactionId}, and v1 for purchases with advancedCommerceInfo
         GET    /inApps/v1/transactions/{transactionId}
         GET    /inApps/v2/history/{transactionId}
         GET    /inApps/v2/refund/lookup/{transactionId}
         PUT    /inApps/v1/transactions/{originalTransactionId}/appAccountToken
         POST   /inApps/v1/notifications/history
         POST   /inApps/v1/notifications/test, GET /inApps/v1/notifications/test/{token}
         GET    /inApps/v1/lookup/{orderId}, in Production alone
    Apple's pages give no number for these errors, which have one of ours:
    \(StoreError.ofOurNumber.map { "     \($0.code!) \($0.name)" }.joined(separator: "\n"))
    and 4000209 ConsumptionPercentageAutoRenewableSubscriptionError and 4000227
    InvalidAssignedTransactionNotSupportedError are not certain. Decide by the status, keep the number.

    Purchases, calls, answers and notifications are kept in memory, the newest 10000 of each kind of record.
    """
}
