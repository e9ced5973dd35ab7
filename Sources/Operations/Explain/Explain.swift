import AppStore
import Contracts
import EventLog
import JSON
import Receiver
import Service

/// `refundlog explain`
struct Explain: Command {
  static let page = CommandPage(
    name: "explain", words: ["FILE|-"],
    summary: "Takes one notification through every check, step by step, and says what the receiver would do with it",
    details: """
      FILE holds what Apple posted, a bare token, or a notification in decoded form: an event of log tail --json, its
      data, or the payload alone. Of a decoded one the log may have the signatures; then those are verified. - is
      standard input. Nothing is sent, kept or changed.

      Trusted are Apple's root and what receiver.trustAnchors names. Ends with 0 where it is genuine and for one of the
      apps in the settings, else with 1. What is shown may be personal data: it is everything the notification says.
      """,
    options: [.settings, .data, .json])

  private let surroundings: RefundlogProgram.Surroundings
  private let bytes: [UInt8]
  /// nil: no settings are named.
  private let settings: ReceiverSettings?
  private let folder: String
  private let asJSON: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    asJSON = arguments.has("json")
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    if let path = SettingsFile.path(arguments, surroundings) {
      do throws(SettingsError) {
        settings = try SettingsReader.load(file: path, environment: surroundings.variables, ReceiverSettings.init)
      } catch { throw CommandError(.settings, error.description) }
    } else {
      settings = nil
    }
    bytes = try Self.read(arguments.words[0], surroundings)
  }

  func run() throws(CommandError) {
    let findings = try found()
    surroundings.print(
      asJSON ? ExplainJSON(findings).value.text() + "\n" : ExplainText(findings: findings).description)
    if !findings.isGenuineAndOurs { throw CommandError(.failure, Shown.text(findings.conclusion)) }
  }

  private func found() throws(CommandError) -> ExplainFindings {
    let log: Result<LocalEventLog, CommandError>
    do throws(CommandError) { log = .success(try LocalEventLog.reading(folder)) } catch { log = .failure(error) }
    switch ExplainInput(bytes) {
    case .token(let token, _, let words): return try findings(of: token, words, body: body(of: token), log)
    case .decoded(let notification, let uuid, let words):
      if let uuid, case .success(let log) = log, let event = try event(uuid, log), let token = try token(of: event, log)
      {
        let words = "\(words); the log has it with its signatures, at position \(event.position)"
        return try findings(of: token[...], words, body: body(of: token[...]), .success(log))
      }
      return ExplainFindings(
        form: words, content: NotificationContent(notification), place: try place(uuid, log))
    case .other(let words): return ExplainFindings(form: words, fate: fate(of: bytes), place: .unknown)
    }
  }

  private func findings(
    of token: ArraySlice<UInt8>, _ words: String, body: [UInt8], _ log: Result<LocalEventLog, CommandError>
  ) throws(CommandError) -> ExplainFindings {
    let explanation = SignedDataVerifier(anchors: try anchors()).explainNotification(token)
    var identity: NotificationIdentity?
    var uuid: String?
    switch explanation.verdict {
    case .success(let notification): (identity, uuid) = (notification.identity, notification.notificationUUID)
    case .failure(.genuineButUnusable(let unusable)):
      (identity, uuid) = (unusable.identity, unusable.payload.notificationUUID)
    case .failure(.refused): break
    }
    let content = NotificationContent(unproven: token)
    return ExplainFindings(
      form: words, explanation: explanation,
      identity: identity.flatMap { identity in settings.map { IdentityComparison(identity, $0.apps) } },
      content: content, fate: fate(of: body),
      place: try place(uuid ?? content?.value["notificationUUID"]?.string, log))
  }

  private func anchors() throws(CommandError) -> [TrustAnchor] {
    if let settings { return settings.anchors }
    do throws(TrustAnchorError) { return [try TrustAnchor.appleRootCAG3()] } catch {
      throw CommandError(.failure, error.description)
    }
  }

  // MARK: In the receiver

  private func body(of token: ArraySlice<UInt8>) -> [UInt8] {
    // As it was given where that is a body; its members beside the token count too.
    if case .token(_, .body, _) = ExplainInput(bytes) { return bytes }
    return JSONValue.object(["signedPayload": .string(String(decoding: token, as: UTF8.self))]).bytes()
  }

  private func fate(of body: [UInt8]) -> ExplainFindings.Fate? {
    guard let settings else { return nil }
    switch ReceiverForecast(settings).reply(to: body) {
    case .appended(let stream):
      return .init(status: 200, words: "appended to \(stream), or known already")
    case .parked(let reason, let detail):
      return .init(
        status: 200, words: "parked (\(reason.rawValue)): \(detail). It is kept, and fed in when the settings fit it")
    case .refused(let problem):
      return .init(status: problem.status, code: problem.code.rawValue, words: problem.description)
    }
  }

  // MARK: In the log

  private func place(
    _ uuid: String?, _ log: Result<LocalEventLog, CommandError>
  ) throws(CommandError) -> ExplainFindings.Place {
    switch log {
    case .failure(let error): return .notLooked(error.description)
    case .success(let log):
      guard let uuid else { return .notLooked("it has no notificationUUID") }
      guard let event = try event(uuid, log) else { return .unknown }
      return .known(position: event.position, receivedAt: event.occurredAt)
    }
  }

  private func event(_ uuid: String, _ log: LocalEventLog) throws(CommandError) -> RecordedEvent? {
    do throws(LogReadError) { return try log.read(id: EventID(EventIDs.notification(uuid))) } catch {
      throw CommandError(error)
    }
  }

  private func token(of event: RecordedEvent, _ log: LocalEventLog) throws(CommandError) -> [UInt8]? {
    do throws(LogReadError) { return try log.signedToken(of: event) } catch { throw CommandError(error) }
  }

  private static func read(
    _ path: String, _ surroundings: RefundlogProgram.Surroundings
  ) throws(CommandError) -> [UInt8] {
    if path == "-" {
      guard let bytes = surroundings.input(ExplainInput.bytesMax) else {
        throw CommandError(
          .unavailable, "standard input cannot be read, or has more than \(ExplainInput.bytesMax) bytes")
      }
      return bytes
    }
    do throws(FileError) { return try Files.read(path, bytesMax: ExplainInput.bytesMax) } catch {
      throw CommandError(.unavailable, error.description)
    }
  }
}
