/// Which connection has to be looked at next. A binary heap; entries of connections that are gone stay until they
/// come up, and a connection whose deadline moved back is put in again then.
struct DeadlineHeap {
  private var entries: [(deadline: Int64, token: ConnectionToken)] = []

  var first: Int64? { entries.first?.deadline }

  mutating func insert(_ deadline: Int64, _ token: ConnectionToken) {
    entries.append((deadline, token))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].deadline < entries[parent].deadline else { return }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes out an entry that is due at `now`.
  mutating func popDue(at now: Int64) -> ConnectionToken? {
    guard let first = entries.first, first.deadline <= now else { return nil }
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
        if entries[child].deadline < entries[least].deadline { least = child }
      }
      guard least != parent else { return first.token }
      entries.swapAt(parent, least)
      parent = least
    }
  }
}
