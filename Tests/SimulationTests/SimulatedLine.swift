import HTTPClient
import HTTPTypes
import Service

/// The network between a responder and the App Store: slow, and at times it loses what it was given.
struct SimulatedLine: HTTPSending {
  let process: SimulatedProcess
  let world: World
  /// The claim that the call is made for; nil where Apple is only asked for its time.
  let claim: String?
  /// The time as the process has it, put right by Apple's.
  let clock: WallClock

  /// A call on its way: the process may end while it is.
  private final class Wire {
    var reply: HTTPResponse?
    var hasEnded = false
  }

  func send(_ request: HTTPClientRequest, mayWrite: () -> Bool) throws(HTTPClientError) -> HTTPResponse {
    let scheduler = world.scheduler
    guard process.pause(milliseconds: scheduler.draw(1...200)) else { throw stopped(.connect, "crashed") }
    if !world.weather.isCalm, scheduler.isOne(in: 40) { throw stopped(.connect, "refused") }
    guard mayWrite(), process.isAlive else { throw stopped(.request, "the caller changed its mind") }
    if let claim { world.audit.leaves(claim, request, now: clock.now()) }
    let wire = Wire()
    let isCalm = world.weather.isCalm
    let (there, back) = (
      isCalm ? scheduler.draw(1...50) : scheduler.draw(1...4_000), isCalm ? 20 : scheduler.draw(1...20_000)
    )
    scheduler.start("wire") { [world, claim] in
      scheduler.pause(milliseconds: there)
      let reply = world.store.take(request, for: claim)
      if let claim { world.audit.landed(claim) }
      scheduler.pause(milliseconds: back)
      wire.reply = reply
      wire.hasEnded = true
    }
    let deadline = scheduler.now + 16_000
    while !wire.hasEnded, scheduler.now < deadline {
      guard process.pause(milliseconds: min(500, deadline - scheduler.now)) else { break }
      if !world.weather.isCalm, scheduler.isOne(in: 100) { process.crash("in the middle of a call") }
    }
    if let claim { world.audit.gaveUp(claim) }
    guard process.isAlive, let reply = wire.reply else {
      throw .unknown(.init(origin: request.url.origin.description, phase: .reply, reason: "no reply in time"))
    }
    return reply
  }

  private func stopped(_ phase: HTTPClientError.Phase, _ reason: String) -> HTTPClientError {
    .notSent(.init(origin: "the App Store", phase: phase, reason: reason))
  }
}
