import Service
import Testing

@testable import Responder

@Suite("Why Apple refuses a token") struct TokenDiagnosisTests {
  private static let apple = Story.start
  private static let seconds = apple / 1000

  private func diagnosis(
    ahead: Int64 = 0, environment: String = "Production", takenAt: Int64? = nil, takenIn: [String] = [],
    isDated: Bool = true
  ) -> TokenDiagnosis {
    TokenDiagnosis(
      app: Story.bundleID, environment: environment, keyID: "ABC123DEFG",
      issuerID: "57246542-96fe-1a63-e053-0824d011072a",
      issuedAt: Self.seconds + ahead - 30, expiresAt: Self.seconds + ahead + 270,
      refusedAt: isDated ? (Self.apple, Self.apple + ahead * 1_000) : nil, takenAt: takenAt, takenIn: takenIn)
  }

  @Test("is told in order: key id, issuer, bundle, kind of key, release; the clock last where it is right")
  func unskewed() {
    let causes = diagnosis().causes
    let words = [
      "key id ABC123DEFG", "issuer id 57246542", "bundle id com.example.app", "In-App Purchase key", "revoked",
      "no released version", "hardly this machine's clock",
    ]
    #expect(causes.count == words.count)
    for (cause, word) in zip(causes, words) { #expect(cause.contains(word)) }
    #expect(causes.last?.contains(RFC3339.text(Self.apple)) == true, "with what Apple's Date said")
  }

  @Test("is the clock first where the token was of the future, or had expired", arguments: [40, -330]) func skewed(
    ahead: Int64
  ) {
    let first = diagnosis(ahead: ahead).causes[0]
    #expect(first.contains("this machine's clock is \(abs(ahead)) s \(ahead > 0 ? "ahead" : "behind")"))
    #expect(first.contains(RFC3339.text(Self.apple)) && first.contains(RFC3339.text(Self.apple + ahead * 1_000)))
  }

  @Test("is not the clock where it is off by less than a token allows for", arguments: [20, -90, -260]) func within(
    ahead: Int64
  ) {
    let diagnosis = diagnosis(ahead: ahead)
    #expect(diagnosis.causes[0].contains("key id") && diagnosis.causes.last?.contains("hardly") == true)
  }

  @Test("is the missing release where the sandbox takes the same tokens, and no key that is good is doubted")
  func release() {
    let causes = diagnosis(takenIn: ["Sandbox"]).causes
    #expect(causes[0].contains("no released version in Production"))
    #expect(!causes.contains { $0.contains("issuer id") || $0.contains("key id") })
    #expect(!diagnosis(environment: "Sandbox").text.contains("released version"))
  }

  @Test("is a revoked key where Apple took it before") func revoked() {
    let causes = diagnosis(takenAt: Self.apple - Story.hour).causes
    #expect(causes[0].contains("revoked") && causes[0].contains(RFC3339.text(Self.apple - Story.hour)))
  }

  @Test("says so where nothing was measured, and fits into a log line") func unmeasured() {
    #expect(diagnosis(isDated: false).text.contains("no Date"))
    #expect(diagnosis().text.utf8.count < Logger.textBytesMax)
    #expect(diagnosis(ahead: 40, takenAt: Self.apple).text.utf8.count < Logger.textBytesMax)
  }
}
