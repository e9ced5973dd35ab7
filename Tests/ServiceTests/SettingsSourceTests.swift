import Glibc
import TestSupport
import Testing

@testable import Service

@Suite("Settings that change while a service runs") struct SettingsSourceTests: ~Copyable {
  private let folder = TemporaryFolder()
  private var file: String { folder.path + "/settings.json" }
  private var secret: String { folder.path + "/token" }

  private func source() -> SettingsSource<[UInt8]> {
    SettingsSource(file: file, environment: [:], warn: { _ in }) { reader in
      reader.secret(of: "tokenFile", at: reader.text("tokenFile", nil, "a token"))
    }
  }

  private func write(_ text: String, to path: String) throws { try Files.write(Array(text.utf8), to: path) }

  @Test("are looked at no more than once while nothing changes") func quiet() throws {
    try write("one", to: secret)
    try write(#"{"tokenFile":"\#(secret)"}"#, to: file)
    var source = source()
    #expect(try source.load() == Array("one".utf8))
    #expect(!source.hasChanged)
  }

  @Test("are noticed in the file and in a file that it names") func noticed() throws {
    try write("one", to: secret)
    try write(#"{"tokenFile":"\#(secret)"}"#, to: file)
    var source = source()
    _ = try source.load()
    try write("two", to: secret)
    #expect(source.hasChanged)
    #expect(try source.load() == Array("two".utf8))
    #expect(!source.hasChanged)
    try write(#"{ "tokenFile":"\#(secret)"}"#, to: file)
    #expect(source.hasChanged)
  }

  @Test("are told once where they are wrong, and noticed again when they are mended") func mended() throws {
    try write("one", to: secret)
    try write(#"{"tokenFile":"\#(secret)"}"#, to: file)
    var source = source()
    _ = try source.load()
    try write("{", to: file)
    #expect(source.hasChanged)
    #expect(throws: SettingsError.self) { try source.load() }
    #expect(!source.hasChanged)
    try write(#"{"tokenFile":"\#(secret)-two"}"#, to: file)
    #expect(throws: SettingsError.self) { try source.load() }
    #expect(!source.hasChanged)
    try write("two", to: secret + "-two")
    #expect(source.hasChanged)
    #expect(try source.load() == Array("two".utf8))
  }
}

@Suite("A variable of the environment with our prefix") struct UnknownVariableTests {
  private func warnings(_ variables: [String: String]) throws -> [String] {
    var warnings: [String] = []
    try SettingsReader.load(file: nil, environment: variables, warn: { warnings.append($0) }) { reader in
      reader.object("receiver") { _ = $0.integer("port", in: 0...65_535, 8080, "a port") }
      reader.leave("responder")
    }
    return warnings
  }

  @Test("is warned about where it looks like a slip", arguments: ["REFUNDLOG_RECEIVER_PROT", "REFUNDLOG_RECEIVERPORT"])
  func slip(name: String) throws {
    #expect(
      try warnings([name: "1"]) == [
        "\(name) is the variable of no key and is not looked at; did you mean REFUNDLOG_RECEIVER_PORT?"
      ])
  }

  @Test(
    "is left alone where it is a key's, another program's, or an orchestrator's",
    arguments: [
      "REFUNDLOG_RECEIVER_PORT", "REFUNDLOG_RESPONDER_PORT", "REFUNDLOG_SETTINGS",
      "REFUNDLOG_PORT_8080_TCP_PROTO", "OTHER_RECEIVER_PROT",
    ])
  func fine(name: String) throws { #expect(try warnings([name: "1"]) == []) }
}
