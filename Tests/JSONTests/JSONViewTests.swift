import JSON
import Testing

@Suite("A view into a document") struct JSONViewTests {
  private func root(_ text: String) throws -> JSONView { try JSONDocument(bytes: Array(text.utf8)).root }

  @Test("tells each value's place, brackets and quotes included")
  func ranges() throws {
    let text = "{\"a\": [1, \"xy\"], \"b\": {\"c\": -2.50}}"
    let view = try root(text)
    func slice(_ view: JSONView?) -> String? { view.map { String(decoding: $0.bytes, as: UTF8.self) } }
    #expect(slice(view) == text)
    #expect(slice(view["a"]) == "[1, \"xy\"]")
    #expect(slice(view["a"]?.elements?[1]) == "\"xy\"")
    #expect(slice(view["b"]?["c"]) == "-2.50")
    #expect(view["b"]?.position.column == 23)
  }

  @Test("gives nil for what is absent or of another kind, and tells null from absent")
  func absence() throws {
    let view = try root("{\"n\":null,\"s\":\"1\",\"i\":1}")
    #expect(view["x"] == nil)
    #expect(view["n"]?.isNull == true)
    #expect(view["s"]?.int64 == nil)
    #expect(view["i"]?.string == nil)
    #expect(view["i"]?["x"] == nil)
    #expect(view["i"]?.elements == nil && view["i"]?.members == nil && view["i"]?.bool == nil)
  }

  @Test(
    "reads integers to the last digit and nothing else as one",
    arguments: [
      ("0", 0), ("-0", 0), ("9007199254740993", 9_007_199_254_740_993), ("9223372036854775807", .max),
      ("-9223372036854775808", .min), ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1.0", nil),
      ("1e3", nil),
    ] as [(String, Int64?)])
  func integers(text: String, expected: Int64?) throws {
    let view = try root(text)
    #expect(view.int64 == expected)
    #expect(view.numberText == text)
    #expect(JSONValue(view).int64 == expected)
  }

  @Test("resolves escapes")
  func escapes() throws {
    let view = try root("\"\\u65e5\\u672c \\ud83d\\ude00 \\/ \\u0000 \\\\n\"")
    #expect(view.string == "日本 😀 / \0 \\n")
    #expect(view.isEscaped)
    #expect(try root("\"plain\"").isEscaped == false)
  }

  @Test("finds a member whose key is written with escapes, and tells apart what only looks alike")
  func keys() throws {
    let view = try root("{\"\\u0061\":1,\"e\\u0301\":2,\"é\":3}")
    #expect(view["a"]?.int64 == 1)
    #expect(view["e\u{301}"]?.int64 == 2)
    #expect(view["\u{E9}"]?.int64 == 3)
    #expect(view.members?.map(\.key.utf8.count) == [1, 3, 2])
  }

  @Test("leaves members out by their names, however they are written") func others() throws {
    let view = try root("{\"a\":1,\"\\u0062\":2,\"bb\":3,\"\":4,\"e\\u0301\":5}")
    #expect(view.members(otherThan: ["a", "b"])?.map(\.key) == ["bb", "", "e\u{301}"])
    #expect(view.members(otherThan: ["", "é", "bb"])?.map(\.value.int64) == [1, 2, 5])
    #expect(view.members(otherThan: [])?.count == 5)
    #expect(view["a"]?.members(otherThan: []) == nil)
  }
}
