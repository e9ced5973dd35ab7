/// What became of a notification that was to be parked.
enum ParkingOutcome: Sendable, Equatable {
  /// On disk now; so many notifications of all bundles are parked.
  case parked(inAll: Int)
  /// It was there before; this was its n-th delivery.
  case known(deliveries: Int64)
  /// A bound is reached. Nothing was pushed out, nothing was kept.
  case full(bound: String)
  /// Nothing is known to be kept.
  case failed(reason: String)
}
