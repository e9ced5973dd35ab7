import Service
import Testing

@Suite("The arguments of a program") struct ArgumentsTests {
  @Test("are flags with a value, switches, and words in order")
  func kinds() throws {
    let arguments = try Arguments(
      ["one", "--data", "folder", "--json", "two", "--after=5", "--note=", "-", "--"],
      flags: ["data", "after", "note"],
      switches: ["json", "follow"])
    #expect(arguments["data"] == "folder")
    #expect(arguments["after"] == "5")
    #expect(arguments["note"] == "")
    #expect(arguments.has("json"))
    #expect(!arguments.has("follow"))
    #expect(arguments.words == ["one", "two", "-", "--"])
  }

  @Test(
    "that are empty, as of a variable that is not set, are refused", arguments: [[""], ["--data", ""], ["a", ""]])
  func empty(words: [String]) {
    #expect { try Arguments(words, flags: ["data"]) } throws: { "\($0)".contains("empty") }
  }

  @Test("may have an equal sign inside a value, and a value that begins with dashes after one")
  func equalSigns() throws {
    let arguments = try Arguments(["--data=a=b", "--after=--x"], flags: ["data", "after"])
    #expect(arguments["data"] == "a=b")
    #expect(arguments["after"] == "--x")
  }

  @Test(
    "are refused in words that help",
    arguments: [
      (["--data"], "--data needs a value; one that begins with -- is written --data=VALUE"),
      (["--data", "--json"], "--data needs a value; one that begins with -- is written --data=VALUE"),
      (["--data", "a", "--data=b"], "--data stands twice"),
      (["--json=1"], "--json takes no value"),
      (["--dtaa", "x"], "--dtaa is not known here; did you mean --data? Known are --data, --json"),
      (["--zzzzzz"], "--zzzzzz is not known here. Known are --data, --json"),
    ])
  func refused(words: [String], text: String) {
    #expect(throws: Arguments.Fault(text)) { try Arguments(words, flags: ["data"], switches: ["json"]) }
  }
}
