import Contracts
import JSON

/// The body Apple posts: one object with one member `signedPayload`.
/// Source: App Store Server Notifications, «responseBodyV2».
enum NotificationBody {
  private static let limits = JSONLimits(bytesMax: 1 << 20, depthMax: 8, nodesMax: 64)

  /// The token's bytes, not looked at yet.
  static func signedPayload(_ body: [UInt8]) throws(Problem) -> ArraySlice<UInt8> {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(bytes: body, limits: limits)
    } catch { throw Problem(.malformedJSON, detail: error.description) }
    let root = document.root
    if let token = root["signedPayload"]?.stringBytes { return token }
    if root["notification_type"] != nil || root["unified_receipt"] != nil {
      throw Problem(
        .notificationVersion1,
        detail: "in App Store Connect, App Information, choose version 2 for the App Store Server Notifications URL")
    }
    throw Problem(.notSignedPayload, detail: "the body must be an object with the text member signedPayload")
  }
}
