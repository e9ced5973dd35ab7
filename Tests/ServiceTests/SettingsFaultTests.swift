import Service
import TestSupport
import Testing

@Suite("A fault in settings") struct SettingsFaultTests {
  @Test(
    "is told with its place, what stands there and what is allowed",
    arguments: [
      ("{}", "s.json: name is missing; it is text: what it is called"),
      (#"{"name":5}"#, "s.json, line 1, column 9: name is 5; allowed is text"),
      (#"{"name":null}"#, "s.json, line 1, column 9: name is null; allowed is text"),
      (
        "{\"name\":\"x\",\n  \"count\": \"3\"}",
        "s.json, line 2, column 12: count is \"3\"; allowed is integer from 1 to 10"
      ),
      (#"{"name":"x","count":0}"#, "s.json, line 1, column 21: count is 0; allowed is integer from 1 to 10"),
      (#"{"name":"x","count":11}"#, "s.json, line 1, column 21: count is 11; allowed is integer from 1 to 10"),
      (#"{"name":"x","count":2.5}"#, "s.json, line 1, column 21: count is 2.5; allowed is integer from 1 to 10"),
      (#"{"name":"x","limit":-1}"#, "s.json, line 1, column 21: limit is -1; allowed is integer from 0 to 100"),
      (#"{"name":"x","isOpen":1}"#, "s.json, line 1, column 22: isOpen is 1; allowed is true or false"),
      (#"{"name":"x","colour":"blue"}"#, "s.json, line 1, column 22: colour is \"blue\"; allowed is one of red, green"),
      (#"{"name":"x","speed":0}"#, "s.json, line 1, column 21: speed is 0; allowed is number above 0.0, at most 8.0"),
      (
        #"{"name":"x","speed":8.1}"#,
        "s.json, line 1, column 21: speed is 8.1; allowed is number above 0.0, at most 8.0"
      ),
      (
        #"{"name":"x","since":"2026-02-30T00:00:00Z"}"#,
        "s.json, line 1, column 21: since is \"2026-02-30T00:00:00Z\"; allowed is milliseconds since 1970, or text as "
          + "2026-11-30T09:00:00Z"
      ),
      (
        #"{"name":"x","since":253402300800000}"#,
        "s.json, line 1, column 21: since is 253402300800000; allowed is milliseconds since 1970, or text as "
          + "2026-11-30T09:00:00Z"
      ),
      (#"{"name":"x","words":["a",1]}"#, "s.json, line 1, column 21: words is [\"a\",1]; allowed is list of texts"),
      (#"{"name":"x","server":8080}"#, "s.json, line 1, column 22: server is 8080; allowed is an object"),
      (#"{"name":"x","extra":[]}"#, "s.json, line 1, column 21: extra is []; allowed is an object"),
      ("{\"name\":\"x\",\"items\":{\n}}", "s.json, line 1, column 21: items is { }; allowed is a list of objects"),
      (
        #"{"name":"x","items":[{"name":"a"},{"name":"b","count":10}]}"#,
        "s.json, line 1, column 55: items[1].count is 10; allowed is integer from 0 to 9"
      ),
      (#"{"name":"x","items":[{}]}"#, "s.json: items[0].name is missing; it is text: its name"),
    ])
  func place(text: String, fault: String) {
    #expect(SettingsFixture.faults(text) == [fault])
  }

  @Test(
    "is an unknown key, with the one that was probably meant",
    arguments: [
      (
        #"{"name":"x","server":{"prot":1}}"#,
        "s.json, line 1: server.prot is not a key; did you mean port? Known are port"
      ),
      (
        #"{"name":"x","items":[{"name":"a","zzzzzz":1}]}"#,
        "s.json, line 1: items[0].zzzzzz is not a key. Known are count, name"
      ),
      (
        "{\"name\":\"x\",\n\"extra\":{\"Depth\":1}}",
        "s.json, line 2: extra.Depth is not a key; did you mean depth? Known are depth"
      ),
    ])
  func unknown(text: String, fault: String) {
    #expect(SettingsFixture.faults(text) == [fault])
  }

  @Test("in a variable names the variable")
  func variables() {
    let name = ["REFUNDLOG_NAME": "x"]
    func fault(_ key: String, _ value: String) -> [String] {
      SettingsFixture.faults(nil, name.merging([key: value]) { $1 })
    }
    #expect(fault("REFUNDLOG_COUNT", "ten") == ["REFUNDLOG_COUNT: count is \"ten\"; allowed is integer from 1 to 10"])
    #expect(fault("REFUNDLOG_NAME", "") == ["REFUNDLOG_NAME: name is \"\"; allowed is text"])
    #expect(fault("REFUNDLOG_IS_OPEN", "yes") == ["REFUNDLOG_IS_OPEN: isOpen is \"yes\"; allowed is true or false"])
    #expect(fault("REFUNDLOG_WORDS", "a,b") == ["REFUNDLOG_WORDS: words is \"a,b\"; allowed is list of texts"])
    #expect(fault("REFUNDLOG_SPEED", "nan").count == 1)
    #expect(
      fault("REFUNDLOG_ITEMS", #"[{"name":1}]"#) == [
        "REFUNDLOG_ITEMS, line 1, column 10: items[0].name is 1; allowed is text"
      ])
    #expect(
      fault("REFUNDLOG_SERVER", #"{"prot":1}"#) == [
        "REFUNDLOG_SERVER, line 1: server.prot is not a key; did you mean port? Known are port"
      ])
    let broken = fault("REFUNDLOG_ITEMS", "[{]")
    #expect(broken.count == 1)
    #expect(broken.first?.hasPrefix("REFUNDLOG_ITEMS: items is no JSON: line 1, column 3: ") == true)
  }

  @Test("does not hide the others")
  func several() {
    let faults = SettingsFixture.faults(#"{"count":0,"colour":1,"server":{"port":70000},"items":[{}],"nmae":"x"}"#)
    #expect(faults.count == 6)
    #expect(faults.contains { $0.contains("name is missing") })
    #expect(faults.contains { $0.contains("count is 0") })
    #expect(faults.contains { $0.contains("colour is 1") })
    #expect(faults.contains { $0.contains("server.port is 70000") })
    #expect(faults.contains { $0.contains("items[0].name is missing") })
    #expect(faults.contains { $0.contains("nmae is not a key; did you mean name?") })
  }

  @Test(
    "is a file that is no JSON, with line and column",
    arguments: [
      ("", "s.json, line 1, column 1: "), ("{\"name\":\n\"x\",}", "s.json, line 2, column 5: "),
      ("{\"name\":\"x\",\n\"name\":\"y\"}", "s.json, line 2, column 1: "),
      ("[]", "s.json: settings are one JSON object"),
    ])
  func noJSON(text: String, beginning: String) {
    let faults = SettingsFixture.faults(text)
    #expect(faults.count == 1)
    #expect(faults.first?.hasPrefix(beginning) == true, "\(faults)")
  }

  @Test(
    "never shows a secret that was put in the place of its file's path",
    arguments: ["hunter2-of-the-back-end", "-----BEGIN PRIVATE KEY-----\\nhunter2\\n-----END PRIVATE KEY-----"])
  func pastedSecret(value: String) {
    let faults = SettingsFixture.faults("{\"name\":\"x\",\n\"secretFile\":\"\(value)\"}")
    #expect(
      faults == [
        "s.json, line 2, column 14: secretFile must be the path of a file that holds the secret, not the secret; "
          + "cannot open it: No such file or directory"
      ])
  }

  @Test("is a file that is not there")
  func noFile() {
    let error = #expect(throws: SettingsError.self) {
      _ = try SettingsReader.load(file: "/nowhere/s.json", environment: [:], SettingsFixture.init)
    }
    #expect(error?.faults == ["/nowhere/s.json: cannot open: No such file or directory"])
  }
}
