import Service

/// What goes wrong until the calm: crashes and restarts, a store that fails in every way, keys that are wrong for a while,
/// a clock that jumps.
struct Trouble {
  private static let minute: Int64 = 60_000

  let world: World
  private let customers: CustomerLives
  private let end: Int64

  init(_ world: World, _ customers: CustomerLives, until end: Int64) {
    self.world = world
    self.customers = customers
    self.end = end
  }

  func begin() {
    let scheduler = world.scheduler
    scheduler.start("store's weather") { weather() }
    scheduler.start("supervisor") { supervise() }
    if scheduler.isOne(in: 3) { scheduler.start("key") { changeKey() } }
    if scheduler.isOne(in: 3) { scheduler.start("clock") { shiftClock() } }
    if scheduler.isOne(in: 4) { scheduler.start("restore") { restore() } }
  }

  private func weather() {
    let scheduler = world.scheduler
    while scheduler.now < end {
      scheduler.pause(milliseconds: scheduler.draw(Self.minute...600 * Self.minute))
      world.weather.store = Weather.Store.allCases.randomElement(using: &scheduler.random)!
      world.tell("weather: the store is \(world.weather.store)")
      scheduler.pause(milliseconds: scheduler.draw(5_000...120 * Self.minute))
      world.weather.store = .clear
      world.tell("weather: the store is clear")
    }
  }

  /// Crashes what runs, and starts what has crashed.
  private func supervise() {
    let scheduler = world.scheduler
    while scheduler.now < end {
      scheduler.pause(milliseconds: scheduler.draw(1_000...60 * Self.minute))
      if scheduler.isOne(in: 6), let responder = world.responders.randomElement(using: &scheduler.random) {
        responder.process.crash("as drawn")
      }
      if scheduler.isOne(in: 10) { world.receiver.crash() }
      if world.isRestoring { continue }
      for responder in world.responders where !responder.isAlive { responder.start() }
      if !world.receiver.isAlive { world.receiver.restart() }
    }
  }

  /// The log is lost, and a backup of an hour or a day takes its place.
  private func restore() {
    let scheduler = world.scheduler
    scheduler.pause(milliseconds: scheduler.draw(0...(end - World.start) / 2))
    let at = scheduler.now
    guard let backup = world.backup() else { return }
    scheduler.pause(milliseconds: scheduler.draw(0...(end - World.start) / 4))
    world.restore(backup, told: at, by: customers)
  }

  private func changeKey() {
    let scheduler = world.scheduler
    scheduler.pause(milliseconds: scheduler.draw(0...12 * 60 * Self.minute))
    guard scheduler.now < end else { return }
    set(isWrong: true)
    scheduler.pause(milliseconds: scheduler.draw(Self.minute...8 * 60 * Self.minute))
    if scheduler.now < end { set(isWrong: false) }
  }

  private func set(isWrong: Bool) {
    world.isKeyWrong = isWrong
    world.tell("weather: the key is \(isWrong ? "wrong" : "right")")
    for responder in world.responders where responder.isAlive { responder.reload() }
  }

  /// By seconds, and at times by hours.
  private func shiftClock() {
    let scheduler = world.scheduler
    while scheduler.now < end {
      scheduler.pause(milliseconds: scheduler.draw(Self.minute...300 * Self.minute))
      guard scheduler.now < end else { return }
      let isFar = scheduler.isOne(in: 4)
      world.weather.clockAhead = isFar ? scheduler.draw(-840...840) * Self.minute : scheduler.draw(-90_000...40_000)
      world.tell("weather: the clock is \(world.weather.clockAhead) ms ahead")
    }
  }
}
