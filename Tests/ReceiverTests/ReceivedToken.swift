import AppStore
import JSON
import TestSupport
import Testing

/// A signed notification of the vectors, with what a receiver must know to take it.
struct ReceivedToken: Sendable, CustomTestStringConvertible {
  let folder: String
  let id: String
  let file: String
  let roots: [String]
  let environment: ServerEnvironment
  let bundleID: String
  let appAppleID: Int64?
  let isAccepted: Bool

  var testDescription: String { id }

  /// Notifications of a set; with a verdict of their own, or that of the house where either is right.
  static func load(_ folder: String?) -> [ReceivedToken] {
    guard let folder, let bytes = Project.bytes("\(folder)/cases.json"), let root = try? JSONDocument(bytes: bytes).root
    else { return [] }
    return (root["cases"]?.elements ?? []).compactMap { row in
      guard row["kind"]?.string == "notification", row["validityTime"]?.string == "signedDate",
        let environment = row["config"]?["environment"]?.string.flatMap(ServerEnvironment.init(rawValue:))
      else { return nil }
      return ReceivedToken(
        folder: folder, id: row["id"]!.string!, file: row["file"]!.string!,
        roots: (row["roots"]?.elements ?? []).compactMap(\.string), environment: environment,
        bundleID: row["config"]!["bundleId"]!.string!, appAppleID: row["config"]?["appAppleId"]?.int64,
        isAccepted: row["verdict"]?.string == "accept")
    }
  }

  static let derived = load(Project.vectors)
  static let realSandbox = load(Project.sharedVectors).filter { $0.file.contains("real-sandbox") && $0.isAccepted }

  static func derived(_ id: String) throws -> ReceivedToken {
    try #require(derived.first { $0.id == id })
  }

  func token() throws -> [UInt8] { try #require(Project.bytes("\(folder)/\(file)")) }

  func verified() throws -> VerifiedNotification {
    let anchors = try roots.map { try TrustAnchor(path: "\(folder)/\($0)") }
    return try SignedDataVerifier(anchors: anchors).verifyNotification(token()[...])
  }

  func app() throws -> AppIdentity {
    try AppIdentity(bundleId: bundleID, appAppleId: appAppleID, environments: [environment])
  }
}
