import AppStore
import Service

/// Why Apple may refuse an app's token: the causes in order of likelihood, each with what was measured.
struct TokenDiagnosis: Sendable {
  var app: String
  var environment: String
  var keyID: String
  var issuerID: String
  /// When the token was issued and expires by its own words, seconds since 1970.
  var issuedAt: Int64
  var expiresAt: Int64
  /// What Apple's Date said with the refusal, and this machine's clock then, milliseconds since 1970; nil where no Date came.
  var refusedAt: (apple: Int64, ours: Int64)?
  /// When Apple last took a token of the app in this environment; nil where that was not seen.
  var takenAt: Int64?
  /// Other environments of the app in which Apple took a token.
  var takenIn: [String]

  /// For whoever is awake at night.
  var text: String {
    "likely causes, the likeliest first: "
      + causes.enumerated().map { "(\($0.offset + 1)) \($0.element)" }.joined(separator: "; ")
  }

  var causes: [String] {
    var causes: [String] = []
    if isDatedWrong { causes.append(clock) }
    let others = takenIn.joined(separator: ", ")
    if let takenAt {
      causes.append(
        "the key \(keyID) was revoked, or is another one than before: Apple took a token of the app on "
          + "\(RFC3339.text(takenAt)); App Store Connect shows its keys")
    }
    if !takenIn.isEmpty {
      if environment == "Production" {
        causes.append(
          "the app has no released version in Production yet: Apple takes its tokens in \(others), so that key, issuer and "
            + "bundle are right")
      } else {
        causes.append("something at Apple: it takes the app's tokens in \(others)")
      }
    } else {
      causes.append("the key id \(keyID) is not that of the key file")
      causes.append("the issuer id \(issuerID) is not that of the account")
      causes.append("the bundle id \(app) is not of an app of that account, or is spelled otherwise there")
      causes.append(
        "the key is no In-App Purchase key: other keys of App Store Connect look alike and are not taken here")
      if takenAt == nil { causes.append("the key was revoked: App Store Connect shows it") }
      if environment == "Production" { causes.append("the app has no released version in Production yet") }
    }
    if !isDatedWrong { causes.append(clock) }
    return causes
  }

  /// Whether the token is of no use by Apple's own clock.
  private var isDatedWrong: Bool {
    guard let now = refusedAt?.apple else { return false }
    // Dates are in whole seconds, and the call took its time.
    return issuedAt > now / 1000 + 1 || expiresAt < now / 1000
  }

  private var clock: String {
    guard let refusedAt else { return "this machine's clock: Apple's reply had no Date to compare it with" }
    let ahead = (refusedAt.ours - refusedAt.apple) / 1000
    let measured = "Apple's Date said \(RFC3339.text(refusedAt.apple)), this machine \(RFC3339.text(refusedAt.ours))"
    if issuedAt > refusedAt.apple / 1000 + 1 {
      return "this machine's clock is \(ahead) s ahead, the token was of the future: \(measured)"
    }
    if expiresAt < refusedAt.apple / 1000 {
      return "this machine's clock is \(-ahead) s behind, the token had expired: \(measured)"
    }
    return "hardly this machine's clock: \(measured)"
  }
}
