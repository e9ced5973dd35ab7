import Glibc
import JSON
import Service
import TestSupport
import Testing

@Suite("refundlog tokens") struct TokensCommandTests {
  @Test("makes a token that is shown once, lists it without itself, and ends it") func life() throws {
    let folder = TemporaryFolder()
    func tokens(_ words: String...) -> Refundlog { Refundlog(["tokens"] + words + ["--data", folder.path]) }
    #expect(tokens("list").printed.contains("There is no token"))
    #expect(tokens("remove", "shop").complained.contains("no token named shop"))
    #expect(access("\(folder.path)/responder-state.sqlite", F_OK) != 0, "who only looks makes no file")

    let added = tokens("add", "shop", "--scopes", "backend,read", "--apps", "com.example.one")
    #expect(added.code == .success)
    let token = added.printed.split(separator: "\n").first.map(String.init) ?? ""
    #expect(token.hasPrefix("rfl_") && added.printed == "\(token)\n", "nothing else, so that it can be put into a file")
    #expect(added.complained.contains("once"))

    let list = tokens("list", "--json")
    let entry = try #require(try JSONValue(bytes: Array(list.printed.utf8))["tokens"]?.array?.first)
    #expect(entry["name"] == "shop" && entry["scopes"] == ["backend", "read"])
    #expect(entry["bundleIds"] == ["com.example.one"] && entry["revokedAt"] == nil)
    #expect(!list.printed.contains(token) && !tokens("list").printed.contains(token))
    #expect(tokens("list").printed.contains("in force"))

    #expect(tokens("add", "shop", "--scopes", "read").complained.contains("already"))
    #expect(tokens("remove", "shop").code == .success)
    #expect(tokens("list").printed.contains("removed 2026-"))
    #expect(tokens("remove", "shop").code == .failure)
  }

  @Test(
    "refuses what it does not know",
    arguments: [
      (["add", "shop"], "--scopes is missing"), (["add", "shop", "--scopes", "all"], "--scopes holds all"),
      (["add", "a shop", "--scopes", "read"], "1 to 64 letters"), (["add"], "NAME"),
      (["add", "backend", "--scopes", "read"], "the name of the settings' token"),
    ])
  func refused(words: [String], sentence: String) {
    let folder = TemporaryFolder()
    let result = Refundlog(["tokens"] + words + ["--data", folder.path])
    #expect(result.code != .success)
    #expect(result.complained.contains(sentence), "\(result.complained)")
  }
}
