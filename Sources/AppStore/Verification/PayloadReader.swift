import JSON

/// Reads the payload of a token whose signature has verified.
enum PayloadReader {
  static func read(_ bytes: [UInt8], limits: VerificationLimits) throws(VerificationRefusal) -> JSONDocument {
    let document: JSONDocument
    do {
      document = try JSONDocument(
        bytes: bytes,
        limits: JSONLimits(
          bytesMax: limits.tokenBytesMax, depthMax: limits.payloadDepthMax, nodesMax: limits.payloadNodesMax))
    } catch {
      // Place and kind of the fault, never the text: it may name a customer.
      throw VerificationRefusal(
        .payload, "the payload is not JSON as RFC 8259 wants it (line \(error.line), column \(error.column))")
    }
    guard document.root.kind == .object else {
      throw VerificationRefusal(.payload, "the payload is not a JSON object")
    }
    return document
  }
}
