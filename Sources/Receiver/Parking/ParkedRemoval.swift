/// Removes for good what a person has looked at: what a stranger sent, or what no release will take
/// in. Works beside running receivers, through the same lock.
public struct ParkedRemoval {
  /// So many are removed at once; a running receiver parks between two steps.
  private static let stepMax = 256

  private let folder: String
  private let store: StateStore

  /// Opens the state of a data folder, which is not made where it is absent.
  public init(folder: String) throws(ReceiverStateError) {
    _ = try ReceiverState(folder: folder)
    self.folder = folder
    // Bounds play no part: nothing is added.
    store = try StateStore(
      folder: folder, parking: ParkingUsage(limits: ParkingLimits(), configured: []), quarantine: QuarantineLimits())
  }

  /// Removes those with these numbers.
  /// - Parameter removed: told after each step what is gone.
  /// - Throws: when the state could not be written; what was told is gone then.
  public func remove(_ ids: [Int64], _ removed: ([RemovedNotification]) -> Void) throws(ReceiverStateError) {
    var rest = ids[...]
    while !rest.isEmpty {
      removed(try store.remove(Array(rest.prefix(Self.stepMax))))
      rest = rest.dropFirst(Self.stepMax)
    }
  }

  /// Removes all of a bundle that are parked now.
  public func remove(
    bundleID: String, _ removed: ([RemovedNotification]) -> Void
  ) throws(ReceiverStateError) {
    let ids = try ReceiverState(folder: folder).parkedIDs(bundleID: bundleID)
    try remove(ids, removed)
  }
}
