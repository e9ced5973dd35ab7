import AppStore
import HTTPTypes
import JSON
import Testing

@testable import AppStoreSimulator

@Suite("An event", .timeLimit(.minutes(5))) struct EventTests {
  private static let monthly: JSONValue = ["type": "Auto-Renewable Subscription", "transactionId": "2000000000000001"]

  /// Of each kind the payload's own object, and the subscription's status where there is one.
  static let kinds: [(type: String, subtype: String?, object: String, status: Int64?)] = [
    ("CONSUMPTION_REQUEST", nil, "data", nil), ("REFUND", nil, "data", nil), ("REFUND", "SEATS", "data", nil),
    ("REFUND_DECLINED", nil, "data", nil), ("REVOKE", nil, "data", nil), ("ONE_TIME_CHARGE", nil, "data", nil),
    ("SUBSCRIBED", "INITIAL_BUY", "data", 1), ("SUBSCRIBED", "RESUBSCRIBE", "data", 1), ("DID_RENEW", nil, "data", 1),
    ("DID_RENEW", "BILLING_RECOVERY", "data", 1), ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", "data", 1),
    ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", "data", 1), ("DID_CHANGE_RENEWAL_PREF", "UPGRADE", "data", 1),
    ("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", "data", 1), ("DID_FAIL_TO_RENEW", nil, "data", 3),
    ("DID_FAIL_TO_RENEW", "GRACE_PERIOD", "data", 4), ("GRACE_PERIOD_EXPIRED", nil, "data", 3),
    ("EXPIRED", "VOLUNTARY", "data", 2), ("EXPIRED", "BILLING_RETRY", "data", 2), ("EXPIRED", nil, "data", 2),
    ("EXPIRED", "PRICE_INCREASE", "data", 2), ("EXPIRED", "PRODUCT_NOT_FOR_SALE", "data", 2),
    ("OFFER_REDEEMED", nil, "data", 1), ("OFFER_REDEEMED", "UPGRADE", "data", 1),
    ("OFFER_REDEEMED", "DOWNGRADE", "data", 1), ("PRICE_INCREASE", "PENDING", "data", 1),
    ("PRICE_INCREASE", "ACCEPTED", "data", 1), ("PRICE_CHANGE", nil, "data", 1), ("RENEWAL_EXTENDED", nil, "data", 1),
    ("RENEWAL_EXTENSION", "FAILURE", "data", 1), ("RENEWAL_EXTENSION", "SUMMARY", "summary", nil),
    ("METADATA_UPDATE", nil, "data", 1), ("MIGRATION", nil, "data", 1), ("TEST", nil, "data", nil),
    ("RESCIND_CONSENT", nil, "appData", nil), ("UNCLAIM_SEATS", nil, "unclaimInfo", nil),
    ("EXTERNAL_PURCHASE_TOKEN", "CREATED", "externalPurchaseToken", nil),
    ("EXTERNAL_PURCHASE_TOKEN", "ACTIVE_TOKEN_REMINDER", "externalPurchaseToken", nil),
    ("EXTERNAL_PURCHASE_TOKEN", "UNREPORTED", "externalPurchaseToken", nil),
  ]

  @Test("of every kind is one line, signed, and about the set app") func everyKind() throws {
    let stage = try Stage { $0.appAppleId = 1_234_567_890 }
    for kind in Self.kinds {
      var call: JSONObject = ["notificationType": .string(kind.type)]
      call["subtype"] = kind.subtype.map(JSONValue.string)
      let reply = try stage.call(.post, "/simulator/v1/events", .object(call))
      #expect(reply.status == 200 && reply.json["subtype"]?.string == kind.subtype, "\(kind): \(reply.json)")
      let told = try #require(try stage.notifications().last)
      #expect(told.notificationType.rawValue == kind.type && told.payload.subtype?.rawValue == kind.subtype)
      let objects = ["data", "summary", "externalPurchaseToken", "appData", "unclaimInfo"]
      #expect(objects.filter { told.payload.view[$0] != nil } == [kind.object], "\(kind)")
      #expect(told.payload.data?.status?.rawValue == kind.status, "\(kind)")
      #expect((told.renewalInfo != nil) == (kind.status != nil), "\(kind)")
      let apps = [try AppIdentity(bundleId: "com.example.app", appAppleId: 1_234_567_890, environments: [.sandbox])]
      guard case .accepted = told.identity.judge(against: apps) else {
        Issue.record("\(kind) is about \(told.identity)")
        continue
      }
    }
    #expect(try stage.notifications().count == Self.kinds.count)
    // What is told is exactly what there is; reversals have a test of their own.
    let known = EventKind.all.flatMap { kind in kind.subtypes.map { "\(kind.type) \($0?.rawValue ?? "")" } }
    let told = Self.kinds.map { "\($0.type) \($0.subtype ?? "")" } + ["REFUND_REVERSED "]
    #expect(Set(known) == Set(told) && known.count == told.count)
  }

  @Test("carries a subscription through its life") func life() throws {
    let stage = try Stage()
    let first = try tell(stage, "SUBSCRIBED", "INITIAL_BUY", ["transaction": Self.monthly])
    let id = try #require(first.transaction?.transactionId)
    #expect(id == "2000000000000001" && first.transaction?.purchaseDate == Stage.now)
    #expect(first.renewalInfo?.autoRenewStatus == .on && first.renewalInfo?.renewalPrice == 4990)

    let renewed = try tell(stage, "DID_RENEW", nil, ["transaction": .string(id)])
    let second = try #require(renewed.transaction?.transactionId)
    #expect(second != id && renewed.transaction?.originalTransactionId == id)
    #expect(renewed.transaction?.transactionReason == .renewal)
    #expect(renewed.transaction?.accountToken == first.transaction?.accountToken)
    #expect(renewed.transaction?.webOrderLineItemId != first.transaction?.webOrderLineItemId)
    // The new period is a purchase of its own, for which answers are taken.
    #expect(try stage.answer(second).status == 202)

    let lower = try tell(
      stage, "DID_CHANGE_RENEWAL_PREF", "DOWNGRADE",
      ["transaction": .string(id), "productId": "com.example.app.small", "price": 1990])
    #expect(lower.transaction?.transactionId == second && lower.renewalInfo?.renewalPrice == 1990)
    #expect(lower.renewalInfo?.autoRenewProductId == "com.example.app.small")
    let smaller = try tell(stage, "DID_RENEW", nil, ["transaction": .string(second)])
    #expect(smaller.transaction?.productId == "com.example.app.small" && smaller.transaction?.price == 1990)

    let higher = try tell(
      stage, "DID_CHANGE_RENEWAL_PREF", "UPGRADE", ["transaction": .string(id), "productId": "com.example.app.large"])
    #expect(higher.transaction?.productId == "com.example.app.large" && higher.transaction?.originalTransactionId == id)
    #expect(higher.transaction?.transactionReason == .purchase && higher.transaction?.isUpgraded == nil)
    // A refund of the period that the upgrade ended, while the subscription runs on.
    let old = try #require(smaller.transaction?.transactionId)
    let refund = try tell(
      stage, "REFUND", nil,
      ["transaction": .string(old), "revocationType": "REFUND_PRORATED", "revocationPercentage": 30000])
    #expect(refund.transaction?.isUpgraded == true && refund.transaction?.revocationPercentage == 30000)
    #expect(refund.payload.data?.status == .active && refund.renewalInfo?.productId == "com.example.app.large")

    let off = try tell(stage, "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", ["transaction": .string(id)])
    #expect(off.renewalInfo?.autoRenewStatus == .off && off.renewalInfo?.renewalPrice == nil)
    let over = try tell(stage, "EXPIRED", "VOLUNTARY", ["transaction": .string(id)])
    #expect(over.payload.data?.status == .expired && over.renewalInfo?.expirationIntent == .canceled)
    #expect(over.transaction?.expiresDate == Stage.now)
    let back = try tell(stage, "SUBSCRIBED", "RESUBSCRIBE", ["transaction": .string(id)])
    #expect(back.payload.data?.status == .active && back.renewalInfo?.autoRenewStatus == .on)
    // Its periods are as long as they were, though the last one was cut short.
    #expect(back.transaction?.expiresDate == Stage.now + 30 * 86_400_000)
    #expect(back.renewalInfo?.expirationIntent == nil && back.transaction?.originalTransactionId == id)
    let newest = try #require(back.transaction?.transactionId)
    let refunded = try tell(stage, "REFUND", nil, ["transaction": .string(newest)])
    #expect(refunded.payload.data?.status == .revoked)
    let reversed = try tell(stage, "REFUND_REVERSED", nil, ["transaction": .string(newest)])
    #expect(reversed.payload.data?.status == .active && reversed.transaction?.revocationDate == nil)
  }

  @Test("of a refund has each of its shapes") func refunds() throws {
    let stage = try Stage()
    let full = try tell(stage, "REFUND", nil, ["revocationReason": 1]).transaction
    #expect(full?.revocationType == .refundFull && full?.revocationPercentage == 100_000)
    #expect(full?.revocationReason?.rawValue == 1 && full?.revocationDate == Stage.now)
    let old = try tell(stage, "REFUND", nil, ["revocationType": .null]).transaction
    #expect(old?.revocationDate == Stage.now && old?.revocationType == nil && old?.revocationPercentage == nil)
    let seats = try tell(stage, "REFUND", "SEATS", ["seats": 2, "transaction": ["quantity": 5]]).transaction
    #expect(seats?.multiSeatInfo?.revokedSeatQuantity == 2 && seats?.revocationDate == nil)
    let family = try tell(stage, "REVOKE", nil, ["transaction": Self.monthly])
    #expect(family.transaction?.revocationType == .familyRevoke && family.payload.data?.status == .revoked)
    #expect(family.transaction?.inAppOwnershipType == .familyShared)
    let assigned = try tell(stage, "REVOKE", nil, ["transaction": ["inAppOwnershipType": "ASSIGNED"]])
    #expect(assigned.transaction?.revocationType == .assignmentRevoke)
  }

  @Test("that a parent withdrew consent carries a signed app transaction") func rescindConsent() throws {
    let stage = try Stage()
    let told = try tell(stage, "RESCIND_CONSENT", nil, ["appTransactionId": "700000000000000007"])
    let inner = try #require(told.inner.first { $0.slot == .appTransaction })
    #expect(inner.token.payload.root["appTransactionId"]?.string == "700000000000000007")
    #expect(inner.token.payload.root["receiptType"]?.string == "Sandbox")
  }

  @Test("can be about another app, and another environment") func others() throws {
    let stage = try Stage { $0.appAppleId = 1 }
    let foreign = try tell(stage, "CONSUMPTION_REQUEST", nil, ["bundleId": "com.example.other"])
    #expect(foreign.identity == NotificationIdentity(bundleId: "com.example.other", environment: .sandbox))
    #expect(foreign.transaction?.bundleId == "com.example.other")
    let production = try tell(
      stage, "SUBSCRIBED", "INITIAL_BUY",
      ["bundleId": "com.example.other", "appAppleId": 77, "environment": "Production"])
    #expect(
      production.identity
        == NotificationIdentity(bundleId: "com.example.other", appAppleId: 77, environment: .production))
    #expect(production.renewalInfo?.environment == .production)
    let id = try #require(production.transaction?.transactionId)
    // What follows about the same purchase is about the same app.
    let refund = try tell(stage, "REFUND", nil, ["transaction": .string(id)])
    #expect(refund.identity == production.identity)
    // Here it is the sandbox that is asked, which does not know it.
    #expect(try stage.answer(id).status == 404)
    let conflict = try stage.call(
      .post, "/simulator/v1/events",
      ["notificationType": "REFUND", "transaction": .string(id), "bundleId": "com.example.app"])
    #expect(conflict.status == 409)
  }

  @Test(
    "that cannot be is refused with a sentence",
    arguments: [
      (#"{}"#, 400, "METADATA_UPDATE"), (#"{"notificationType":"GIFT"}"#, 400, "not one of"),
      (#"{"notificationType":"EXPIRED","subtype":"UPGRADE"}"#, 400, "VOLUNTARY"),
      (#"{"notificationType":"SUBSCRIBED"}"#, 400, "INITIAL_BUY"),
      (#"{"notificationType":"TEST","transaction":"1"}"#, 400, "not about a purchase"),
      (#"{"notificationType":"TEST","seats":1}"#, 400, "not known here"),
      (#"{"notificationType":"REFUND","seats":1}"#, 400, "SEATS"),
      (#"{"notificationType":"REFUND","subtype":"SEATS","revocationType":null}"#, 400, "seats"),
      (#"{"notificationType":"REFUND","revocationType":null,"revocationPercentage":1}"#, 400, "old shape"),
      (#"{"notificationType":"REFUND","transaction":"1","environment":"Xcode"}"#, 400, "Production, Sandbox"),
      (#"{"notificationType":"REFUND_REVERSED","transaction":"1"}"#, 409, "not refunded"),
      (#"{"notificationType":"DID_RENEW","transaction":"1"}"#, 409, "no auto-renewable"),
      (#"{"notificationType":"RENEWAL_EXTENDED","days":91}"#, 400, "1 to 90"),
    ] as [(String, Int, String)])
  func refused(body: String, status: Int, words: String) throws {
    let stage = try Stage()
    _ = try stage.call(.put, "/simulator/v1/transactions/1")
    let reply = try stage.call(.post, "/simulator/v1/events", bytes: Array(body.utf8))
    #expect(reply.status == status && reply.json["error"]?.string?.contains(words) == true, "\(reply)")
    #expect(stage.receptions == 0)
  }

  private func tell(
    _ stage: Stage, _ type: String, _ subtype: String?, _ members: JSONObject
  ) throws -> VerifiedNotification {
    var call = members
    call["notificationType"] = .string(type)
    call["subtype"] = subtype.map(JSONValue.string)
    let reply = try stage.call(.post, "/simulator/v1/events", .object(call))
    #expect(reply.status == 200, "\(type): \(reply.json)")
    return try #require(try stage.notifications().last)
  }
}
