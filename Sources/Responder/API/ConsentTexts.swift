import Contracts
import Cryptography
import EventLog
import Service

/// The consent texts that were declared, read from the apps' streams as far as they go at each call. Blocks.
final class ConsentTexts: Sendable {
  private static let batch = 500
  private static let triesMax = 4

  private let log: any EventLog
  private let clock: WallClock
  private let logger: Logger
  private let known = Monitor<[String: Declared]>([:])

  init(log: any EventLog, clock: WallClock, logger: Logger) {
    self.log = log
    self.clock = clock
    self.logger = logger
  }

  /// What an app's stream says, up to a version of it.
  private struct Declared: Sendable {
    var version: Int64 = 0
    /// By text version, then language.
    var texts: [String: [String: Text]] = [:]
  }

  private struct Text: Sendable {
    var digest: String
    var event: String
    var position: Int64
  }

  /// What a withdrawal has for a digest where nobody knows to which text it was said: that of no text at all.
  private static let ofNoText = SHA256.digest(of: [UInt8]()).hex

  /// The digest of the text that a customer saw.
  /// - Throws: where it is not known, and where it is not the declared one. A withdrawal is never refused for its text:
  ///   a no counts whatever it was said to.
  func digest(for consent: ConsentCall) throws(Problem) -> String {
    let texts = try declared(consent.bundleID).texts[consent.textVersion] ?? [:]
    let candidates = consent.language.map { [texts[$0]].compactMap { $0 } } ?? Array(texts.values)
    if let digest = consent.textDigest {
      if !texts.isEmpty, consent.granted, !candidates.contains(where: { $0.digest == digest }) {
        throw Problem(
          .consentTextDiffers, detail: "version \(consent.textVersion) is declared, and this digest is not of it")
      }
      return digest
    }
    let digests = Set(candidates.map(\.digest))
    if !consent.granted { return digests.count == 1 ? digests.first! : Self.ofNoText }
    guard digests.count <= 1 else {
      let languages = texts.keys.sorted().joined(separator: ", ")
      throw Problem(
        .consentTextUnknown, detail: "this version is declared in \(languages): send language, or textDigest")
    }
    guard let digest = digests.first else {
      throw Problem(
        .consentTextUnknown,
        detail: "declare the text, or send textDigest: the SHA-256 of the text's UTF-8 bytes, in hex")
    }
    return digest
  }

  /// Brings a text into the log. A version in a language has one text for ever.
  func declare(_ text: ConsentTextDeclared) throws(Problem) -> Recorder.Receipt {
    let stream = StreamName(Streams.app(text.bundleID))
    for _ in 0..<Self.triesMax {
      let declared = try declared(text.bundleID)
      if let held = declared.texts[text.version]?[text.language] {
        guard held.digest == text.digest else {
          throw Problem(
            .consentTextDiffers,
            detail: "this version has another text in this language: give the new text a new version")
        }
        return Recorder.Receipt(id: held.event, position: held.position, isNew: false)
      }
      let id = EventIDs.next(.text, stream: stream.text, version: declared.version + 1)
      let draft = EventDraft(text, id: id, stream: stream, app: text.bundleID, occurredAt: clock.now())
      let outcome: AppendOutcome
      do throws(AppendError) {
        outcome = try log.append([draft], expecting: [stream: .exactly(declared.version)])
      } catch { throw unavailable("\(error)") }
      if case .recorded(let recordings) = outcome, case .appended(let position) = recordings[0] {
        logger.info("consent text declared", ["event.id": .text(id)])
        return Recorder.Receipt(id: id, position: position.value, isNew: true)
      }
    }
    throw Problem(.changedMeanwhile)
  }

  private func declared(_ app: String) throws(Problem) -> Declared {
    var declared = known.withLock { $0[app] } ?? Declared()
    while true {
      let events: [RecordedEvent]
      do throws(LogReadError) {
        events = try log.read(stream: StreamName(Streams.app(app)), after: declared.version, limit: Self.batch)
      } catch { throw unavailable("\(error)") }
      guard let last = events.last else { break }
      for event in events where event.type == EventType.consentTextDeclared.rawValue {
        // What cannot be read declares nothing.
        guard let data = event.data, let text = try? ConsentTextDeclared(data: data, schema: event.schema) else {
          continue
        }
        declared.texts[text.version, default: [:]][text.language] = Text(
          digest: text.digest, event: event.id.text, position: event.position.value)
      }
      declared.version = last.version
    }
    let read = declared
    // Another call may have read further meanwhile.
    known.change { known in if known[app].map({ $0.version < read.version }) ?? true { known[app] = read } }
    return declared
  }

  private func unavailable(_ reason: String) -> Problem {
    logger.error("consent texts cannot be read or written", ["reason": .text(reason)])
    return Problem(.unavailable)
  }
}
