import JSON
import Testing

@Suite("A JSON text") struct JSONDocumentTests {
  @Test(
    "is read when RFC 8259 allows it",
    arguments: [
      "null", "true", "false", "0", "-0", "10", "-1.5", "1e9", "1E+9", "1.25e-3", "123456789012345678901234567890",
      "\"\"", "\"plain text longer than eight bytes\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0000\"",
      "\"\\uD83D\\uDE00\"",
      "\"日本語 😀\"", "\"\u{7F}\"", "\"\u{2028}\"", "[]", "[ ]", "{}", "{ }", " \t\r\n[1 , 2]\n", "[[],[{}]]",
      "{\"a\":1,\"b\":{\"a\":1}}", "{\"\":0}", "[null,true,\"x\",-1]", "{\"a\":1,\"A\":2}", "{\"e\\u0301\":1,\"é\":2}",
    ])
  func accepted(text: String) throws {
    let document = try JSONDocument(bytes: Array(text.utf8))
    let value = JSONValue(document.root)
    #expect(try JSONValue(bytes: value.bytes()) == value)
  }

  @Test(
    "is refused with reason and place",
    arguments: [
      ("", JSONError.Reason.unexpectedEnd, 1, 1),
      (" ", .unexpectedEnd, 1, 2),
      ("[1,]", .unexpected(UInt8(ascii: "]"), expected: "a value"), 1, 4),
      ("[,1]", .unexpected(UInt8(ascii: ","), expected: "a value"), 1, 2),
      ("[1 2]", .unexpected(UInt8(ascii: "2"), expected: "',' or ']'"), 1, 4),
      ("[1,,2]", .unexpected(UInt8(ascii: ","), expected: "a value"), 1, 4),
      ("[", .unexpectedEnd, 1, 2),
      ("]", .unexpected(UInt8(ascii: "]"), expected: "a value"), 1, 1),
      ("[1}", .unexpected(UInt8(ascii: "}"), expected: "',' or ']'"), 1, 3),
      ("{\"a\"}", .unexpected(UInt8(ascii: "}"), expected: "':'"), 1, 5),
      ("{\"a\":}", .unexpected(UInt8(ascii: "}"), expected: "a value"), 1, 6),
      ("{\"a\":1,}", .unexpected(UInt8(ascii: "}"), expected: "a key in quotes"), 1, 8),
      ("{a:1}", .unexpected(UInt8(ascii: "a"), expected: "a key in quotes"), 1, 2),
      ("{1:1}", .unexpected(UInt8(ascii: "1"), expected: "a key in quotes"), 1, 2),
      ("{\"a\":1 \"b\":2}", .unexpected(UInt8(ascii: "\""), expected: "',' or '}'"), 1, 8),
      ("{'a':1}", .unexpected(UInt8(ascii: "'"), expected: "a key in quotes"), 1, 2),
      ("{\n \"a\": 1,\n \"a\": 2}", .duplicateKey("a"), 3, 2),
      ("{\"a\":1,\"\\u0061\":2}", .duplicateKey("a"), 1, 8),
      ("nul", .unexpectedEnd, 1, 4),
      ("nulL", .badLiteral, 1, 1),
      ("NaN", .badLiteral, 1, 1),
      ("Infinity", .badLiteral, 1, 1),
      ("True", .badLiteral, 1, 1),
      ("01", .badNumber, 1, 1),
      ("-01", .badNumber, 1, 1),
      ("-", .unexpectedEnd, 1, 1),
      ("-a", .badNumber, 1, 1),
      ("+1", .unexpected(UInt8(ascii: "+"), expected: "a value"), 1, 1),
      (".5", .unexpected(UInt8(ascii: "."), expected: "a value"), 1, 1),
      ("1.", .unexpectedEnd, 1, 1),
      ("[1.]", .badNumber, 1, 2),
      ("[1.e1]", .badNumber, 1, 2),
      ("[1e]", .badNumber, 1, 2),
      ("[1e+]", .badNumber, 1, 2),
      ("0x1", .trailing, 1, 2),
      ("1 2", .trailing, 1, 3),
      ("{} x", .trailing, 1, 4),
      ("// no\n1", .unexpected(UInt8(ascii: "/"), expected: "a value"), 1, 1),
      ("\"abc", .unexpectedEnd, 1, 5),
      ("\"abc\\", .unexpectedEnd, 1, 6),
      ("\"\\x\"", .badEscape, 1, 2),
      ("\"\\u12\"", .badEscape, 1, 2),
      ("\"\\u12", .unexpectedEnd, 1, 6),
      ("\"\\uD800\"", .loneSurrogate, 1, 2),
      ("\"\\uD800\\u0041\"", .loneSurrogate, 1, 2),
      ("\"\\uDC00\"", .loneSurrogate, 1, 2),
      ("\"a\tb\"", .controlCharacter(9), 1, 3),
      ("\"eight by\u{1}\"", .controlCharacter(1), 1, 10),
      ("\u{FEFF}1", .byteOrderMark, 1, 1),
    ] as [(String, JSONError.Reason, Int, Int)])
  func refused(text: String, reason: JSONError.Reason, line: Int, column: Int) {
    #expect {
      try JSONDocument(bytes: Array(text.utf8))
    } throws: { error in
      let error = error as? JSONError
      return error?.reason == reason && error?.line == line && error?.column == column
    }
  }

  @Test(
    "is refused where its bytes are not UTF-8",
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
      [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x28, 0xA1],
    ] as [[UInt8]])
  func notUTF8(bytes: [UInt8]) {
    for padding in ["", "seven b", "eight by"] {
      let text = Array("\"\(padding)".utf8) + bytes + Array("\"".utf8)
      #expect {
        try JSONDocument(bytes: text)
      } throws: { error in
        let error = error as? JSONError
        return error?.reason == .badUTF8 && error?.offset == padding.utf8.count + 1
      }
    }
  }

  @Test("is refused one past each bound and read at it")
  func bounds() throws {
    let limits = JSONLimits(bytesMax: 20, depthMax: 3, nodesMax: 5)
    func read(_ text: String) throws(JSONError) { _ = try JSONDocument(bytes: Array(text.utf8), limits: limits) }
    try read("[[[]]]")
    #expect { try read("[[[[]]]]") } throws: { ($0 as? JSONError)?.reason == .overLimit("nested values", max: 3) }
    try read("[1,2,3,4]")
    #expect { try read("[1,2,3,4,5]") } throws: { ($0 as? JSONError)?.reason == .overLimit("values", max: 5) }
    try read("\"" + String(repeating: "x", count: 18) + "\"")
    #expect { try read("\"" + String(repeating: "x", count: 19) + "\"") } throws: {
      ($0 as? JSONError)?.reason == .overLimit("bytes", max: 20)
    }
  }

  @Test("of a million opening brackets is refused without harm")
  func deep() {
    let text = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
    #expect { try JSONDocument(bytes: text) } throws: {
      ($0 as? JSONError)?.reason == .overLimit("nested values", max: 64)
    }
  }

  @Test("with many keys is refused for two equal ones, however they are written")
  func manyKeys() throws {
    let keys = (0..<1_000).map { "\"k\($0)\":0" }
    _ = try JSONDocument(bytes: Array("{\(keys.joined(separator: ","))}".utf8))
    let text = "{\(keys.joined(separator: ",")),\"\\u006B7\":0}"
    #expect { try JSONDocument(bytes: Array(text.utf8)) } throws: { ($0 as? JSONError)?.reason == .duplicateKey("k7") }
  }

  @Test("cut off anywhere is refused and never read as something else")
  func everyPrefix() throws {
    let text = Array("{\"a\":[1.5e3,\"\\u00e9\\n日\",{\"b\":null}],\"c\":[true,false]}".utf8)
    _ = try JSONDocument(bytes: text)
    for length in 0..<text.count {
      #expect(throws: JSONError.self) { try JSONDocument(bytes: Array(text[..<length])) }
    }
  }
}
