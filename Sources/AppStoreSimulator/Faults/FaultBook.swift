import Service

/// The faults on order, counted down as they apply.
final class FaultBook: Sendable {
  static let ordersMax = 1000

  private struct State {
    var orders: [FaultOrder] = []
    var numbers = 0
  }

  private let state = Monitor(State())

  func nextNumber() -> Int {
    state.withLock { state in
      state.numbers += 1
      return state.numbers
    }
  }

  func add(_ order: FaultOrder) throws(ControlError) {
    let isTaken = state.withLock { state in
      // Those that have run out are kept for whoever asks, as long as there is room.
      if state.orders.count >= Self.ordersMax, let used = state.orders.firstIndex(where: { $0.timesLeft == 0 }) {
        state.orders.remove(at: used)
      }
      guard state.orders.count < Self.ordersMax else { return false }
      state.orders.append(order)
      return true
    }
    guard isTaken else { throw .tooMany("\(Self.ordersMax) faults are on order: DELETE /simulator/v1/faults first") }
  }

  /// Oldest first.
  func orders() -> [FaultOrder] { state.withLock { $0.orders } }

  /// - Parameter number: nil for all of them.
  /// - Returns: how many there were.
  func remove(_ number: Int? = nil) -> Int {
    state.withLock { state in
      let before = state.orders.count
      state.orders.removeAll { number == nil || $0.number == number }
      return before - state.orders.count
    }
  }

  /// Faults that apply now, at most one of each aspect, oldest first; each is counted.
  /// - Parameter where: which of them can apply.
  func take(
    _ place: Fault.Place, transactionId: String?, notificationType: String? = nil, call: StoreCall? = nil,
    where suits: (Fault) -> Bool = { _ in true }
  ) -> [Fault] {
    state.withLock { state in
      var taken: [Fault] = []
      for index in state.orders.indices {
        let order = state.orders[index]
        guard
          order.fits(place, transactionId: transactionId, notificationType: notificationType, call: call),
          suits(order.fault), !taken.contains(where: { $0.aspect == order.fault.aspect })
        else { continue }
        state.orders[index].timesLeft -= 1
        state.orders[index].applied += 1
        taken.append(order.fault)
      }
      return taken
    }
  }
}
