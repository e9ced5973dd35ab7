import AppStore
import Cryptography
import JSON

/// The life of a subscription.
extension StoreEvent {
  private static let day: Int64 = 86_400_000
  /// Which lengths Apple offers does not matter here.
  private static let graceMilliseconds = 16 * day

  /// - Returns: the period that is told of, changed or new; nil where the book is full.
  func happen(toSubscriptionOf purchase: Purchase, in book: inout Book, now: Int64) -> Purchase? {
    let latest = book.latest(of: purchase)
    switch kind.type {
    case .subscribed:
      return subtype == .resubscribe ? begin(after: latest, .purchase, at: now, in: &book) : latest
    case .didRenew:
      end(latest, at: now, in: &book)
      return begin(after: latest, .renewal, at: now, in: &book)
    case .didChangeRenewalPref, .offerRedeemed: return change(latest, at: now, in: &book)
    case .renewalExtended: return extend(latest, in: &book)
    case .expired: return expire(latest, at: now, in: &book)
    case .priceChange, .metadataUpdate, .migration:
      note(of: latest, in: &book)
      return book.change(latest.transactionId) { purchase in
        // These are about purchases of the Advanced Commerce API alone.
        if !purchase.isAdvancedCommerce {
          purchase.members["advancedCommerceInfo"] = ["requestReferenceId": .string(SecureRandom.uuid())]
        }
      }
    default:
      note(of: latest, at: now, in: &book)
      return latest
    }
  }

  /// What concerns renewal alone and leaves the transaction as it is.
  private func note(of latest: Purchase, at now: Int64 = 0, in book: inout Book) {
    book.changeSubscription(of: latest) { subscription in
      switch (kind.type, subtype) {
      case (.didChangeRenewalStatus, _): subscription.renews = subtype == .autoRenewEnabled
      case (.didFailToRenew, .gracePeriod?):
        subscription.status = .gracePeriod
        subscription.gracePeriodExpiresDate = max(latest.expiresDate ?? now, now) + Self.graceMilliseconds
        subscription.isInBillingRetryPeriod = true
        subscription.expirationIntent = .billingError
      case (.didFailToRenew, _), (.gracePeriodExpired, _):
        subscription.status = .billingRetry
        subscription.isInBillingRetryPeriod = true
        subscription.expirationIntent = .billingError
      case (.priceIncrease, _):
        subscription.priceIncreaseStatus = subtype == .accepted ? 1 : 0
        subscription.renewalPrice = price ?? subscription.renewalPrice
      case (.priceChange, _): subscription.renewalPrice = price ?? subscription.renewalPrice
      default: break
      }
    }
  }

  /// A new period with an id of its own and the same original one.
  private func begin(
    after last: Purchase, _ reason: TransactionReason, at begin: Int64, as product: String? = nil,
    price: Int64? = nil, in book: inout Book
  ) -> Purchase? {
    let subscription = book.subscription(of: last)
    var members = last.members
    for key in [
      "isUpgraded", "offerType", "offerIdentifier", "offerDiscountType", "offerPeriod", "multiSeatInfo",
    ] {
      members[key] = nil
    }
    let id = PurchaseTemplate.newTransactionId()
    let length = (last.expiresDate ?? 0) - (last.purchaseDate ?? 0)
    members["transactionId"] = .string(id)
    members["originalTransactionId"] = .string(last.originalTransactionId)
    members["webOrderLineItemId"] = .string(PurchaseTemplate.newTransactionId())
    members["purchaseDate"] = .number(JSONNumber(begin))
    members["expiresDate"] = .number(JSONNumber(begin + (length > 0 ? length : 30 * Self.day)))
    members["transactionReason"] = .string(reason.rawValue)
    if let product = product ?? subscription.renewalProductId { members["productId"] = .string(product) }
    if let price = price ?? subscription.renewalPrice { members["price"] = .number(JSONNumber(price)) }
    var period = Purchase(transactionId: id, members: members, appAppleId: last.appAppleId)
    period.dropRevocation()
    guard book.register(period) != nil else { return nil }
    book.changeSubscription(of: period) {
      if reason == .purchase { $0.renews = true }
      $0.begin(period)
    }
    return period
  }

  /// An upgrade begins at once and ends the old period; a downgrade waits for the renewal.
  private func change(_ latest: Purchase, at now: Int64, in book: inout Book) -> Purchase? {
    let product =
      productId ?? (subtype == nil ? nil : (latest.productId ?? "subscription") + ".\(subtype!.rawValue.lowercased())")
    var told: Purchase? = latest
    switch subtype {
    case .upgrade?:
      book.change(latest.transactionId) { $0.members["isUpgraded"] = true }
      told = begin(after: latest, .purchase, at: now, as: product, price: price, in: &book)
    case .downgrade?:
      book.changeSubscription(of: latest) {
        $0.renewalProductId = product
        $0.renewalPrice = price
      }
    default: break
    }
    guard kind.type == .offerRedeemed, let redeemed = told else { return told }
    return book.change(redeemed.transactionId) { purchase in
      // A promotional offer where nothing is said.
      purchase.members["offerType"] = 2
      purchase.members["offerIdentifier"] = "offer"
      purchase.members.merge(offer)
    }
  }

  private func extend(_ latest: Purchase, in book: inout Book) -> Purchase? {
    book.change(latest.transactionId) { purchase in
      purchase.members["expiresDate"] = .number(JSONNumber((purchase.expiresDate ?? 0) + days * Self.day))
    }
  }

  private func expire(_ latest: Purchase, at now: Int64, in book: inout Book) -> Purchase? {
    book.changeSubscription(of: latest) { subscription in
      subscription.status = .expired
      subscription.renews = false
      subscription.isInBillingRetryPeriod = false
      subscription.gracePeriodExpiresDate = nil
      subscription.expirationIntent =
        switch subtype {
        case .voluntary?: .canceled
        case .billingRetry?: .billingError
        case .priceIncrease?: .priceIncreaseRefused
        case .productNotForSale?: .productUnavailable
        default: .other
        }
    }
    return end(latest, at: now, in: &book)
  }

  /// A period whose end lies ahead ends now: nothing of the kind happens before it is over.
  @discardableResult
  private func end(_ period: Purchase, at now: Int64, in book: inout Book) -> Purchase? {
    book.change(period.transactionId) { purchase in
      if purchase.expiresDate ?? 0 > now { purchase.members["expiresDate"] = .number(JSONNumber(now)) }
    }
  }
}
