import Service
import Synchronization

@testable import AppStoreSimulator

/// A clock that stands where it was set.
final class SetClock: Sendable {
  private let instant = Atomic(Stage.now)
  func set(_ instant: Int64) { self.instant.store(instant, ordering: .releasing) }
  var wall: WallClock { WallClock { self.instant.load(ordering: .acquiring) } }
}
