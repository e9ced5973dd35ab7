import Service
import Testing

@testable import Responder

@Suite("States and their texts") struct StateTextsTests {
  private final class Counted: Decodable {
    static let decoded = Monitor(0)
    init(from decoder: any Decoder) { Self.decoded.change { $0 += 1 } }
  }

  @Test("a text is decoded once as long as it is the newest of its key, and not too many others came") func once()
    throws
  {
    var texts = StateTexts<Int, Counted>()
    func decoded(_ key: Int, _ text: String) throws -> Int {
      let before = Counted.decoded.withLock { $0 }
      _ = try texts.state(key, text: Array(text.utf8))
      return Counted.decoded.withLock { $0 } - before
    }
    #expect(try (decoded(1, "{}"), decoded(1, "{}")) == (1, 0))
    #expect(try (decoded(1, "{ }"), decoded(1, "{}")) == (1, 1), "another text")
    for key in 2...StateTexts<Int, Counted>.most { #expect(try decoded(key, "{}") == 1) }
    #expect(try decoded(1, "{}") == 0)
    #expect(try (decoded(0, "{}"), decoded(1, "{}")) == (1, 1), "one too many")
    #expect(throws: ProjectionError.self) { try decoded(1, "{") }
  }
}
