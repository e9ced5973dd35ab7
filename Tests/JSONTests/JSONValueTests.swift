import JSON
import Testing

@Suite("A JSON value") struct JSONValueTests {
  @Test("is written without white space, slashes as they are, only what must be escaped is")
  func writing() {
    let value: JSONValue = ["b": ["x/y", .null, true, -3], "a": "\"\\\u{8}\u{C}\n\r\t\u{1}\u{1F}\u{7F}é"]
    #expect(
      value.text() == "{\"b\":[\"x/y\",null,true,-3],\"a\":\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\u{7F}é\"}")
  }

  @Test("has its keys sorted by their bytes at every depth where asked")
  func sorting() {
    let value: JSONValue = ["b": 1, "a": ["z": 1, "B": 2, "é": 3], "A": 0, "": 9]
    #expect(value.text(sortedKeys: true) == "{\"\":9,\"A\":0,\"a\":{\"B\":2,\"z\":1,\"é\":3},\"b\":1}")
  }

  @Test("keeps the digits of a number as they came")
  func numbers() throws {
    let text = "[1.0,1e5,-0,123456789012345678901234567890.5]"
    #expect(try JSONValue(bytes: Array(text.utf8)).text() == text)
    #expect(JSONNumber("1.50")?.text == "1.50")
    #expect(JSONNumber("01") == nil && JSONNumber(" 1") == nil && JSONNumber("") == nil && JSONNumber("[1]") == nil)
  }

  @Test("of kind object is equal to one with the same members in another order")
  func equality() {
    #expect(["a": 1, "b": 2] as JSONValue == ["b": 2, "a": 1])
    #expect(["a": 1] as JSONValue != ["a": 1, "b": 2])
    #expect(["a": 1] as JSONValue != ["a": 2])
  }

  @Test("of kind object is changed in place")
  func changing() {
    var object: JSONObject = ["a": 1, "b": 2]
    object["a"] = 3
    object["c"] = 4
    object["b"] = nil
    #expect(object.keys == ["a", "c"])
    #expect(JSONValue.object(object).text() == "{\"a\":3,\"c\":4}")
  }
}
