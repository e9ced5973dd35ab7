import AppStore
import Cryptography
import JSON

/// What a refused token says of itself. Proves nothing, and only chooses the words in which it is
/// refused.
struct UnprovenClaims {
  private static let limits = JSONLimits(bytesMax: 256 << 10, depthMax: 16, nodesMax: 4_096)

  private let root: JSONView?

  init(token: ArraySlice<UInt8>) {
    let parts = token.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[1].count <= Self.limits.bytesMax, let payload = Base64URL.decode(parts[1]) else {
      root = nil
      return
    }
    root = (try? JSONDocument(bytes: payload.bytes, limits: Self.limits))?.root
  }

  /// Signed by Xcode or by a local test, neither of which has Apple's certificates.
  var isLocal: Bool {
    let environment = (root?["data"]?["environment"] ?? root?["environment"])?.string
    return environment == "Xcode" || environment == "LocalTesting"
  }

  var isNotificationWithoutDate: Bool {
    root?["notificationType"]?.string != nil && (root?["signedDate"]?.int64 ?? 0) <= 0
  }
}
