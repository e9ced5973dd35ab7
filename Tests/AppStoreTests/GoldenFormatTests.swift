import AppStore
import Cryptography
import JSON
import TestSupport
import Testing

/// What the log writes of a notification can be made of what verification returns.
@Suite("A verified notification") struct GoldenFormatTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let file: String
    let data: String
    let seams: [UInt8]
    var testDescription: String { file }
  }

  static let rows: [Row] = {
    guard let bytes = Project.bytes("\(Project.vectors)/format1-golden.json"),
      let document = try? JSONDocument(bytes: bytes)
    else { return [] }
    return (document.root["events"]?.elements ?? []).compactMap { event in
      guard let file = event["file"]?.string, let data = event["data"]?.string,
        let seams = event["seams"]?.string.flatMap({ Hex.decode($0) })
      else { return nil }
      return Row(file: file, data: data, seams: seams)
    }
  }()

  @Test("is there for some events") func count() { #expect(!Self.rows.isEmpty) }

  @Test("holds every piece of the golden event", arguments: rows)
  func pieces(row: Row) throws {
    let token = try #require(Project.bytes("\(Project.vectors)/jws/derived/\(row.file)"))
    let anchor = try TrustAnchor(path: "\(Project.vectors)/certs/derived/root.der")
    let notification = try SignedDataVerifier(anchors: [anchor]).verifyNotification(token[...])
    var payload = notification.outer.payload.bytes
    for inner in notification.inner.reversed() {
      payload.replaceSubrange(inner.range, with: inner.token.payload.bytes)
    }
    #expect(row.data.contains("\"notification\":" + String(decoding: payload, as: UTF8.self) + ",\"via\""))
    let tokens = [notification.outer] + notification.inner.map(\.token)
    var digests: [SHA256Digest] = []
    for token in tokens where !digests.contains(token.headerDigest) { digests.append(token.headerDigest) }
    #expect(row.seams[0] == 1)
    #expect(Int(row.seams[1]) == digests.count)
    #expect(Array(row.seams[2..<2 + 32 * digests.count]) == digests.flatMap(\.bytes))
    for (index, token) in tokens.enumerated() {
      let end = 3 + 32 * digests.count + 73 * (index + 1)
      #expect(Array(row.seams[end - 64..<end]) == token.signature)
      #expect(SHA256.digest(of: token.header) == token.headerDigest)
    }
  }
}
