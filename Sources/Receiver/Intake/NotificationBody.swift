import Contracts
import JSON

/// The body Apple posts: one object with one member `signedPayload`.
/// Source: App Store Server Notifications, «responseBodyV2».
enum NotificationBody {
  /// Room for a version 1 body too, which carries a whole receipt, so that it is told apart from
  /// broken JSON.
  private static let limits = JSONLimits(bytesMax: 1 << 20, depthMax: 16, nodesMax: 65_536)
  /// How far into a body that is no JSON the names of version 1 are looked for.
  private static let searchedBytes = 4_096
  private static let version1Names = ["notification_type", "unified_receipt"]

  /// The token's bytes, not looked at yet.
  static func signedPayload(_ body: [UInt8]) throws(Problem) -> ArraySlice<UInt8> {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(bytes: body, limits: limits)
    } catch {
      if version1Names.contains(where: { body.prefix(searchedBytes).firstRange(of: Array($0.utf8)) != nil }) {
        throw version1
      }
      throw Problem(.malformedJSON, detail: error.description)
    }
    let root = document.root
    if let token = root["signedPayload"]?.stringBytes { return token }
    if version1Names.contains(where: { root[$0] != nil }) { throw version1 }
    throw Problem(.notSignedPayload, detail: "the body must be an object with the text member signedPayload")
  }

  private static var version1: Problem {
    Problem(
      .notificationVersion1,
      detail: "in App Store Connect, App Information, choose version 2 for the App Store Server Notifications URL")
  }
}
