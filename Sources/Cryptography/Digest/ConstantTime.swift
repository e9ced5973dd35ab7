import COpenSSL

/// Comparison of secrets.
public enum ConstantTime {
  /// Takes the same time wherever the two differ; only their counts can be told from outside.
  public static func equal(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    withBytes(left) { left in
      withBytes(right) { right in
        guard left.count == right.count else { return false }
        guard left.count > 0 else { return true }
        return CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
      }
    }
  }
}
