import Contracts
import EventLog
import Service

@testable import Receiver

/// The receiver's own way from a body to a reply, in a process that crashes.
final class SimulatedReceiver: @unchecked Sendable {
  private let world: World
  private(set) var process: SimulatedProcess

  init(_ world: World) {
    self.world = world
    process = SimulatedProcess("receiver", in: world)
  }

  var isAlive: Bool { process.isAlive }

  func restart() { process = SimulatedProcess("receiver", in: world) }

  func crash() { process.crash("as drawn") }

  /// Posts one body, and waits for the reply.
  /// - Returns: whether it was 200.
  func take(_ body: [UInt8], uuid: String) -> Bool {
    let scheduler = world.scheduler
    scheduler.pause(milliseconds: scheduler.draw(1...400))
    let process = process
    guard process.isAlive else { return false }
    var status: Int?
    var hasEnded = false
    scheduler.start("receive", in: process) { [self] in
      status = reply(to: body, process)
      hasEnded = true
    }
    while !hasEnded { scheduler.pause(milliseconds: 5) }
    guard let status else { return false }
    if status == 200 { world.audit.acknowledged(uuid) }
    // The reply is lost at times.
    return status == 200 && (world.weather.isCalm || !scheduler.isOne(in: 20))
  }

  /// nil where it crashed before it replied.
  private func reply(to body: [UInt8], _ process: SimulatedProcess) -> Int? {
    guard process.step(), let token = try? NotificationBody.signedPayload(body) else { return nil }
    let log = SimulatedLog(process, in: world)
    switch NotificationJudge(setup: Scenery.shared.setup, log: log).judge(token, receivedAt: world.clock.now()) {
    case .event(let draft, _):
      let isStored = (try? log.append([draft])) != nil
      guard process.step() else { return nil }
      return isStored ? 200 : 503
    case .parked: return process.step() ? 500 : nil
    case .refused(let problem): return process.step() ? problem.status : nil
    }
  }
}
