import Glibc
import HTTPClient
import HTTPTypes
import Service
import TestSupport

@testable import Operations

/// A receiver whose calls fail by rule, and senders that do not let go.
final class FaultStage {
  let folder = TemporaryFolder()
  let installation: Installation
  let control: FaultControl
  let recording: String
  let receiver: KillableProgram
  let traffic: NoticeTraffic

  init() throws {
    var installation = try Installation(in: folder.path, production: 1, sandbox: 1)
    control = try FaultControl(in: folder.path)
    recording = folder.path + "/recording"
    installation.programs = try PreloadedLibrary(
      in: folder.path, watching: installation.data, recording: recording, control: control.path
    ).programs
    receiver = try installation.program("refund-receiver")
    self.installation = installation
    traffic = NoticeTraffic(installation)
    try receiver.startAndWait()
  }

  deinit { receiver.kill() }

  /// What `/readyz` says.
  func readiness() -> (status: Int, text: String) {
    let url = try? HTTPURL("http://127.0.0.1:\(installation.ports.receiver)/readyz")
    let response = url.flatMap { try? HTTPClient().send(HTTPClientRequest(.get, $0)) }
    return (response?.status ?? 0, response.map { String(decoding: $0.body, as: UTF8.self) } ?? "")
  }

  /// Posts one notification that no one has posted before.
  func postOne(_ number: Int) throws -> HTTPResponse {
    let notice = traffic.notice(number)
    return try installation.reply(to: notice.token, path: "/v1/notifications/\(notice.uuid)", with: HTTPClient())
  }

  /// The power goes at the end and now and then before, and whatever was not synced is gone with it.
  func cutsThatLose(seed: UInt64, _ cuts: Int) throws -> [String] {
    PowerCutRecording.kill(receiver, recording: recording)
    let recording = try PowerCutRecording(recording, of: installation.data)
    var random = SeededRandom(seed: seed)
    var disk = CutDisk(recording)
    var faults: [String] = []
    let steps = (0..<cuts).map { _ in Int.random(in: 0...recording.steps.count, using: &random) }.sorted()
    for step in steps + [recording.steps.count] {
      disk.advance(to: step)
      let target = TemporaryFolder(inMemory: true)
      try disk.cut(step == recording.steps.count ? .nothing : .sectors, into: target.path + "/data", with: &random)
      let left = SurvivingFolder(target.path + "/data")
      let missing = left.missing(of: disk.acknowledged)
      if let fault = left.fault ?? (missing.isEmpty ? nil : "\(missing.count) lost, such as \(missing[0])") {
        faults.append("cut at step \(step) of \(recording.steps.count): \(fault)")
      }
    }
    return faults
  }
}
