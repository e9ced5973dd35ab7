/// What is parked now, by bundle, and whether more of a bundle has room.
struct ParkingUsage: Sendable {
  /// A bundle by its bytes: Swift's == on text calls equal what is only canonically equivalent.
  struct Bucket: Hashable, Sendable {
    let bundle: [UInt8]
    let isProduction: Bool

    init(bundle: String?, isProduction: Bool) {
      self.bundle = Array((bundle ?? "").utf8)
      self.isProduction = isProduction
    }

    init(_ notification: ParkedNotification) {
      self.init(
        bundle: notification.bundleID,
        isProduction: ParkingShare.isProduction(environment: notification.environment, type: notification.type))
    }
  }

  var limits: ParkingLimits
  /// Bundle ids in the settings.
  var configured: Set<[UInt8]> {
    didSet { sumUp() }
  }
  private var buckets: [Bucket: ParkingLimits.Amount] = [:]
  private var shares: [ParkingShare: ParkingLimits.Amount] = [:]
  private(set) var count = 0
  /// Of bundles in the settings.
  var countForApps: Int { shares[.configured]?.count ?? 0 }

  init(limits: ParkingLimits, configured: Set<[UInt8]>) {
    self.limits = limits
    self.configured = configured
  }

  func share(of bucket: Bucket) -> ParkingShare {
    if configured.contains(bucket.bundle) { return .configured }
    return bucket.isProduction ? .foreignProduction : .foreignRest
  }

  /// The bound that so many more bytes of the bundle would pass; nil where there is room.
  func objection(to bucket: Bucket, bytes: Int) -> String? {
    let share = share(of: bucket)
    let own = amount(of: bucket.bundle)
    let limit = share == .configured ? limits.perApp : limits.perForeignBundle
    if !Self.fits(own, bytes, limit) {
      return share == .configured
        ? "receiver.parked.perApp or perAppMegabytes is used up by this app"
        : "receiver.parked.perForeignBundle or perForeignBundleMegabytes is used up by this bundle"
    }
    if share != .configured, !Self.fits(shares[share] ?? .none, bytes, limits.foreign) {
      return "receiver.parked.foreign or foreignMegabytes is used up by bundles that are not set up"
    }
    return nil
  }

  mutating func add(_ bucket: Bucket, bytes: Int) { change(bucket, count: 1, bytes: bytes) }
  mutating func remove(_ bucket: Bucket, bytes: Int) { change(bucket, count: -1, bytes: -bytes) }

  /// Begins again with what was counted elsewhere.
  mutating func replace(with amounts: [Bucket: ParkingLimits.Amount]) {
    buckets = amounts
    sumUp()
  }

  private func amount(of bundle: [UInt8]) -> ParkingLimits.Amount {
    [true, false].reduce(into: .none) { sum, isProduction in
      let part = buckets[Bucket(bundle: bundle, isProduction: isProduction)] ?? .none
      sum.count += part.count
      sum.bytes += part.bytes
    }
  }

  private mutating func change(_ bucket: Bucket, count: Int, bytes: Int) {
    var amount = buckets[bucket] ?? .none
    amount.count += count
    amount.bytes += bytes
    buckets[bucket] = amount.count > 0 ? amount : nil
    self.count += count
    let share = share(of: bucket)
    shares[share, default: .none].count += count
    shares[share, default: .none].bytes += bytes
  }

  private mutating func sumUp() {
    shares = [:]
    count = 0
    for (bucket, amount) in buckets {
      let share = share(of: bucket)
      shares[share, default: .none].count += amount.count
      shares[share, default: .none].bytes += amount.bytes
      count += amount.count
    }
  }

  private static func fits(_ used: ParkingLimits.Amount, _ bytes: Int, _ limit: ParkingLimits.Amount) -> Bool {
    used.count < limit.count && used.bytes + bytes <= limit.bytes
  }
}

extension ParkingUsage.Bucket {
  fileprivate init(bundle: [UInt8], isProduction: Bool) {
    self.bundle = bundle
    self.isProduction = isProduction
  }
}

extension ParkingLimits.Amount {
  fileprivate static var none: Self { Self(count: 0, bytes: 0) }
}
