import COpenSSL

/// Owns one EVP_PKEY and frees it.
///
/// `@unchecked Sendable`: the key is complete when it gets here and never changed; OpenSSL's calls on a
/// complete key may come from several threads at once.
final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes over the caller's reference.
  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { EVP_PKEY_free(pointer) }

  /// The curve; nil where this is no key on a curve we know.
  var curve: ECDSACurve? { groupName.flatMap(ECDSACurve.init(groupName:)) }

  /// Name of the curve, for messages; nil where the key is of another kind.
  var groupName: String? {
    var name = [CChar](repeating: 0, count: 64)
    var count = 0
    guard EVP_PKEY_get_group_name(pointer, &name, name.count, &count) == 1 else {
      OpenSSLErrors.clear()
      return nil
    }
    return String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
