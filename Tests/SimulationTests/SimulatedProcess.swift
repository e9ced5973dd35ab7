/// A program that may crash at any of its steps. What it does afterwards never happens.
final class SimulatedProcess: @unchecked Sendable {
  let name: String
  private let world: World
  private(set) var isAlive = true

  init(_ name: String, in world: World) {
    self.name = name
    self.world = world
  }

  /// Between two things it does: others get their turn, and it may crash.
  /// - Returns: whether it goes on.
  func step() -> Bool {
    guard isAlive else { return false }
    let scheduler = world.scheduler
    scheduler.pause(until: scheduler.now + (scheduler.isOne(in: 40) ? scheduler.draw(1...3_000) : 0))
    if isAlive, world.weather.crashes(scheduler) { crash("at a step") }
    return isAlive
  }

  /// - Returns: whether it goes on.
  func pause(milliseconds: Int64) -> Bool {
    guard isAlive else { return false }
    world.scheduler.pause(milliseconds: milliseconds)
    return isAlive
  }

  func crash(_ why: String) {
    guard isAlive else { return }
    isAlive = false
    world.tell("\(name) crashes \(why)")
    world.disturbed()
    world.scheduler.unwind(self)
  }
}
