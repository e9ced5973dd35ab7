import COpenSSL

/// HMAC with SHA-256 (RFC 2104).
public enum HMACSHA256 {
  /// The 32 bytes of the code. A received code is compared with `ConstantTime.equal` or `isValid`.
  public static func code(of message: some Collection<UInt8>, key: some Collection<UInt8>) -> [UInt8] {
    withBytes(key) { key in
      withBytes(message) { message in
        [UInt8](unsafeUninitializedCapacity: 32) { output, count in
          // An empty key is a key too; OpenSSL takes a null pointer for «the key of last time».
          var nothing: UInt8 = 0
          let done = withUnsafePointer(to: &nothing) { nothing in
            HMAC(
              Algorithms.sha256, key.baseAddress ?? nothing, Int32(key.count), message.baseAddress, message.count,
              output.baseAddress, nil)
          }
          precondition(done != nil, "out of memory for an HMAC")
          count = 32
        }
      }
    }
  }

  /// Whether `code` belongs to the message; takes the same time wherever the two differ.
  public static func isValid(
    _ code: some Collection<UInt8>, for message: some Collection<UInt8>, key: some Collection<UInt8>
  ) -> Bool {
    ConstantTime.equal(self.code(of: message, key: key), code)
  }
}
