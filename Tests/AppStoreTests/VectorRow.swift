import AppStore
import Cryptography
import JSON
import TestSupport
import Testing

/// One row of `cases.json`.
struct VectorRow: Sendable, CustomTestStringConvertible {
  let folder: String
  let id: String
  let kind: String
  let file: String
  let certificates: [String]
  let roots: [String]
  let environment: String
  let bundleId: String
  let appAppleId: Int64?
  let judgedAt: JudgedAt
  let verdict: String
  let reason: String?
  let stage: String?
  let expect: JSONValue?

  var testDescription: String { id }

  init(_ row: JSONView, folder: String) {
    func text(_ name: String) -> String? { row[name]?.string }
    self.folder = folder
    id = text("id") ?? "without id"
    kind = text("kind") ?? ""
    file = text("file") ?? ""
    certificates = (row["certificates"]?.elements ?? []).compactMap(\.string)
    roots = (row["roots"]?.elements ?? []).compactMap(\.string)
    environment = row["config"]?["environment"]?.string ?? ""
    bundleId = row["config"]?["bundleId"]?.string ?? ""
    appAppleId = row["config"]?["appAppleId"]?.int64
    let instant = row["validityTime"]?.int64 ?? row["effectiveTime"]?.int64.map { $0 * 1000 }
    judgedAt = instant.map { .fixed($0) } ?? .signedDate
    verdict = text("verdict") ?? ""
    reason = text("reason")
    stage = text("stage")
    expect = row["expect"].map(JSONValue.init)
  }

  static func load(_ folder: String?) -> [VectorRow] {
    guard let folder, let bytes = Project.bytes("\(folder)/cases.json"),
      let document = try? JSONDocument(bytes: bytes)
    else { return [] }
    return (document.root["cases"]?.elements ?? []).map { VectorRow($0, folder: folder) }
  }

  func bytes(_ path: String) throws -> [UInt8] { try #require(Project.bytes("\(folder)/\(path)")) }

  func verifier() throws -> SignedDataVerifier {
    let anchors = try roots.map { try TrustAnchor(file: bytes($0), source: $0) }
    return SignedDataVerifier(anchors: anchors, judgedAt: judgedAt)
  }

  /// The receiver that the row's configuration describes; nil where no such receiver can be set up.
  func app() throws -> AppIdentity? {
    guard let environment = ServerEnvironment(rawValue: environment) else { return nil }
    return try AppIdentity(bundleId: bundleId, appAppleId: appAppleId, environments: [environment])
  }
}

/// What a receiver of one app makes of a row: verification, then identity.
enum RowVerdict {
  case accepted(notification: VerifiedNotification?, payload: JSONView?)
  case refused(VerificationRefusal.Code, TokenSlot, unusable: Bool)

  static func of(_ row: VectorRow) throws -> RowVerdict {
    let verifier = try row.verifier()
    guard
      let app = try row.kind == "chain"
        ? .some(AppIdentity(bundleId: "none", appAppleId: nil, environments: [.sandbox])) : row.app()
    else { return .refused(.environment, .outer, unusable: false) }
    do {
      switch row.kind {
      case "notification":
        let notification = try verifier.verifyNotification(row.bytes(row.file)[...])
        return judged(notification.identity.judge(against: [app]), notification, notification.payload.view)
      case "transaction":
        let payload = try verifier.verifyTransaction(row.bytes(row.file)[...]).payload
        let identity = NotificationIdentity(bundleId: payload.bundleId, environment: payload.environment)
        return judged(identity.judgeWithoutAppAppleId(against: [app]), nil, payload.view)
      case "appTransaction":
        let payload = try verifier.verifyAppTransaction(row.bytes(row.file)[...]).payload
        let identity = NotificationIdentity(bundleId: payload.bundleId, environment: payload.receiptType)
        return judged(identity.judgeWithoutAppAppleId(against: [app]), nil, payload.view)
      case "renewalInfo":
        let payload = try verifier.verifyRenewalInfo(row.bytes(row.file)[...]).payload
        let identity = NotificationIdentity(bundleId: row.bundleId, environment: payload.environment)
        return judged(identity.judgeWithoutAppAppleId(against: [app]), nil, payload.view)
      case "chain":
        guard case .fixed(let instant) = row.judgedAt else { throw UnknownRow() }
        _ = try verifier.verifyChain(try row.certificates.map(row.bytes), at: instant)
        return .accepted(notification: nil, payload: nil)
      default: throw UnknownRow()
      }
    } catch let error as VerificationError {
      if case .genuineButUnusable = error { return .refused(error.code, error.refusal.slot, unusable: true) }
      return .refused(error.code, error.refusal.slot, unusable: false)
    }
  }

  private static func judged(
    _ verdict: IdentityVerdict, _ notification: VerifiedNotification?, _ payload: JSONView
  ) -> RowVerdict {
    if let code = verdict.code { return .refused(code, .outer, unusable: false) }
    return .accepted(notification: notification, payload: payload)
  }

  struct UnknownRow: Error {}
}
