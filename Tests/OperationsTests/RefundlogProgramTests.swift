import Service
import Testing

@Suite("refundlog") struct RefundlogProgramTests {
  @Test("names its release")
  func version() {
    #expect(Refundlog(["--version"]).printed == "refundlog \(Release.version)\n")
  }

  @Test("explains itself, each group and each command")
  func help() {
    #expect(Refundlog(["--help"]).code == .success)
    #expect(Refundlog(["help"]).printed.contains("refundlog log verify"))
    #expect(Refundlog(["help", "apps", "add"]).printed == Refundlog(["apps", "add", "--help"]).printed)
    #expect(Refundlog(["help", "apps", "add"]).printed.contains("--bundle-id ID"))
    let bare = Refundlog([])
    #expect(bare.code == .usage && bare.printed == Refundlog(["--help"]).printed)
  }

  @Test("lists the commands of a group that is named alone")
  func group() {
    let log = Refundlog(["log"])
    #expect(log.code == .usage && log.complained.isEmpty)
    #expect(log.printed.contains("refundlog log tail") && log.printed.contains("refundlog log verify"))
    #expect(Refundlog(["log", "--help"]).code == .success)
  }

  @Test(
    "says what is not understood, and what was probably meant",
    arguments: [
      (["nonsense"], "nonsense is no command\n"), (["lgo", "tail"], "did you mean refundlog log tail?"),
      (["log", "tial"], "log tial is no command; did you mean refundlog log tail?"),
      (["seting"], "did you mean refundlog settings?"), (["log", "tail", "--folow"], "did you mean --follow?"),
      (["log", "verify", "extra"], "extra is not understood here\nUsage: refundlog log verify"),
      (["apps", "remove"], "BUNDLE-ID is missing\nUsage: refundlog apps remove BUNDLE-ID"),
      (["\u{1B}[2J"], "\\u{1b}[2J is no command"),
    ])
  func notUnderstood(words: [String], sentence: String) {
    let result = Refundlog(words)
    #expect(result.code == .usage && result.complained.contains(sentence) && result.printed.isEmpty)
  }

  @Test("escapes what would steer a terminal in what it says of a word that was typed") func steering() {
    let result = Refundlog(["log", "stats", "--data", "/nowhere\u{1B}[31m"])
    #expect(result.code == .unavailable && result.complained.contains("/nowhere\\u{1b}[31m/events.sqlite"))
  }
}
