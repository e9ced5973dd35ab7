import AppStore
import EventLog
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Receiver

@Suite("A word of Apple that this release does not know") struct UnknownWordsTests {
  private static let sentence = "uses a word that this release does not know"

  private func counts(_ metrics: MetricRegistry) -> [String] {
    metrics.text().split(separator: "\n").map(String.init).filter { $0.hasPrefix("refundlog_unknown_words_total{") }
  }

  @Test("is counted each time, told of once, and kept as it was signed") func noticed() throws {
    let store = SignedStore()
    let fixture = try IntakeFixture(apps: [SignedStore.app], anchors: [store.anchor])
    let transaction = SignedStore.transaction { $0["ofTomorrow"] = ["x", 1] }
    for number in 1...3 {
      let token = store.sign(
        store.notification(type: "SEATS_DANCED", subtype: "WALTZ", uuid: store.uuid(number), transaction: transaction))
      #expect(try fixture.post(token: token).status == 200)
      // A repetition says nothing new.
      #expect(try fixture.post(token: token).status == 200)
    }
    #expect(
      counts(fixture.metrics) == [
        #"refundlog_unknown_words_total{kind="member",word="data.signedTransactionInfo.ofTomorrow"} 3"#,
        #"refundlog_unknown_words_total{kind="subtype",word="WALTZ"} 3"#,
        #"refundlog_unknown_words_total{kind="type",word="SEATS_DANCED"} 3"#,
      ])
    let lines = fixture.lines.filter { $0.contains(Self.sentence) }
    #expect(lines.count == 3)
    for word in ["SEATS_DANCED", "WALTZ", "data.signedTransactionInfo.ofTomorrow"] {
      #expect(lines.count { $0.contains("\"\(word)\"") } == 1)
    }
    let events = try fixture.events()
    #expect(events.count == 3 && events.allSatisfy { $0.kind == "SEATS_DANCED/WALTZ" })
    #expect(String(decoding: events[0].data ?? [], as: UTF8.self).contains(#""ofTomorrow":["x",1]"#))
  }

  @Test(
    "is not what known notifications hold",
    arguments: ReceivedToken.derived.filter { $0.id.hasPrefix("p") } + ReceivedToken.realSandbox)
  func known(token: ReceivedToken) throws {
    guard let app = try? token.app() else { return }
    let fixture = try IntakeFixture(
      apps: [app], anchors: token.roots.map { try TrustAnchor(path: "\(token.folder)/\($0)") })
    guard try fixture.post(token: token.token()).status == 200, try !fixture.events().isEmpty else { return }
    let newer = ["p14-unknown-type", "p26-unicode-and-escapes"]
    #expect(counts(fixture.metrics).isEmpty != newer.contains(token.id), "\(counts(fixture.metrics))")
  }

  @Test("is counted without being told of, where there are more than anyone reads") func bounds() throws {
    let store = SignedStore()
    let fixture = try IntakeFixture(apps: [SignedStore.app], anchors: [store.anchor])
    let long = String(repeating: "w", count: 300)
    let transaction = SignedStore.transaction { transaction in
      transaction[long] = 1
      for number in 0..<40 { transaction["new\(number)"] = 1 }
    }
    let token = store.sign(store.notification(transaction: transaction))
    #expect(try fixture.post(token: token).status == 200)
    #expect(counts(fixture.metrics).count == UnknownWords.wordsMax)
    #expect(fixture.lines.count { $0.contains(Self.sentence) } == UnknownWords.wordsMax)
    #expect(!fixture.lines.joined().contains(long))
    let registry = MetricRegistry()
    let lines = Lines()
    let watch = VocabularyWatch(registry, logger: Logger(format: .json, clock: .fixed(1)) { lines.add($0) })
    for number in 0..<1_200 { watch.note(.init(type: "T\(number)"), of: "notification/1") }
    #expect(lines.all.count == 1_000)
    #expect(counts(registry).contains(#"refundlog_unknown_words_total{kind="other",word="other"} 200"#))
  }
}

extension UnknownWords {
  /// As if a notification of that type had come.
  fileprivate init(type: String) { self.init([Word(kind: .type, text: type)]) }
}
