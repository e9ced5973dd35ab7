import AppStore
import Testing

@Suite("An app's identity") struct IdentityTests {
  private func app(
    _ bundleId: String = "com.example.app", _ appAppleId: Int64? = 42,
    _ environments: Set<ServerEnvironment> = [.production, .sandbox]
  ) throws -> AppIdentity {
    try AppIdentity(bundleId: bundleId, appAppleId: appAppleId, environments: environments)
  }

  @Test("needs its parts, for Production the app id too") func parts() {
    #expect(throws: AppIdentityError.appAppleIdMissing(bundleId: "com.example.app")) { try app("com.example.app", nil) }
    #expect(throws: AppIdentityError.bundleIdEmpty) { try app("") }
    #expect(throws: AppIdentityError.noEnvironment(bundleId: "a")) { try app("a", 1, []) }
    #expect(throws: AppIdentityError.appAppleIdNotPositive(bundleId: "a", 0)) { try app("a", 0) }
    #expect(throws: Never.self) { try app("a", nil, [.sandbox]) }
    #expect("\(AppIdentityError.appAppleIdMissing(bundleId: "a"))".contains("App Store Connect"))
  }

  @Test("cannot be set up for what Xcode signs", arguments: ["Xcode", "LocalTesting", "sandbox", "SANDBOX", ""])
  func closed(name: String) {
    #expect(ServerEnvironment(rawValue: name) == nil)
    #expect(ServerEnvironment(Environment(rawValue: name)) == nil)
  }

  @Test(
    "decides what is ours",
    arguments: [
      ("com.example.app", 42, "Production", nil),
      ("com.example.app", 43, "Production", .appAppleId),
      ("com.example.app", nil, "Production", .appAppleId),
      ("com.example.app", nil, "Sandbox", nil),
      ("com.example.app", 43, "Sandbox", nil),
      ("com.example.App", 42, "Sandbox", .bundleId),
      ("com.example.app ", 42, "Sandbox", .bundleId),
      (nil, 42, "Sandbox", .bundleId),
      ("com.example.app", 42, "Xcode", .environment),
      ("com.example.app", 42, nil, .environment),
    ] as [(String?, Int64?, String?, IdentityVerdict.Member?)])
  func verdicts(bundleId: String?, appAppleId: Int64?, environment: String?, expected: IdentityVerdict.Member?) throws {
    let identity = NotificationIdentity(
      bundleId: bundleId, appAppleId: appAppleId, environment: environment.map(Environment.init(rawValue:)))
    let ours = try app()
    let verdict = identity.judge(against: [try app("com.example.other"), ours])
    switch verdict {
    case .accepted(let app):
      #expect(expected == nil)
      #expect(app == ours)
    case .notConfigured(let member, _, let received):
      #expect(member == expected)
      #expect(member != .bundleId || received == bundleId)
      #expect(!"\(verdict)".isEmpty)
    }
  }

  @Test("may be told in two entries, one per environment") func twoEntries() throws {
    let production = try app("a", 1, [.production])
    let sandbox = try app("a", nil, [.sandbox])
    let identity = NotificationIdentity(bundleId: "a", environment: .sandbox)
    #expect(identity.judge(against: [production, sandbox]) == .accepted(sandbox))
    #expect(
      identity.judge(against: [production])
        == .notConfigured(.environment, expected: "Production", received: "Sandbox"))
    #expect(identity.judge(against: []) == .notConfigured(.bundleId, expected: "nothing", received: "a"))
  }

  @Test("compares bytes, not what looks alike") func lookAlikes() throws {
    // Cyrillic, and the combining form of what looks like one letter.
    for received in ["com.\u{435}xample.app", "com.exa\u{301}mple.app"] {
      let identity = NotificationIdentity(bundleId: received, environment: .sandbox)
      #expect(identity.judge(against: [try app("com.example.app")]).code == .bundleId)
    }
  }

  @Test(
    "has a bundle id of the characters that one may have", arguments: ["com.example.\u{e9}", "a b", "a/b", "a\u{0}b"])
  func malformed(bundleId: String) {
    #expect(throws: AppIdentityError.bundleIdMalformed(bundleId)) { try app(bundleId) }
  }
}
