import COpenSSL

/// SHA-256 (FIPS 180-4): of a whole with `digest(of:)`, or of parts as they come.
public struct SHA256: ~Copyable, Sendable {
  // Sendable although it holds a pointer: the value is its only owner and cannot be copied.
  private nonisolated(unsafe) let context: OpaquePointer

  public init() {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex2(context, Algorithms.sha256, nil) == 1 else {
      preconditionFailure("out of memory for a SHA-256")
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  public mutating func update(_ bytes: some Collection<UInt8>) {
    withBytes(bytes) { bytes in
      guard bytes.count > 0 else { return }
      precondition(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1, "SHA-256 refused to go on")
    }
  }

  /// The digest of what came since the last one; begins anew. For many short texts one after the other: making a
  /// context for each costs as much as hashing it.
  public mutating func next(_ bytes: UnsafeRawBufferPointer) -> SHA256Digest {
    SHA256Digest { output in
      let done =
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 && EVP_DigestFinal_ex(context, output, nil) == 1
        && EVP_DigestInit_ex2(context, Algorithms.sha256, nil) == 1
      precondition(done, "SHA-256 refused to go on")
    }
  }

  public consuming func finish() -> SHA256Digest {
    SHA256Digest { output in
      precondition(EVP_DigestFinal_ex(context, output, nil) == 1, "SHA-256 refused to end")
    }
  }

  public static func digest(of bytes: some Collection<UInt8>) -> SHA256Digest {
    withBytes(bytes) { bytes in
      SHA256Digest { output in
        let done = EVP_Digest(bytes.baseAddress, bytes.count, output, nil, Algorithms.sha256, nil)
        precondition(done == 1, "out of memory for a SHA-256")
      }
    }
  }
}
