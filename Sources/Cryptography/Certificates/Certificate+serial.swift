import COpenSSL

extension Certificate {
  /// The serial number as hex digits without leading zeros, as certificate tools show it.
  public var serial: String {
    guard let number = X509_get0_serialNumber(handle.pointer), let big = ASN1_INTEGER_to_BN(number, nil),
      let text = BN_bn2hex(big)
    else { preconditionFailure("out of memory for a serial number") }
    defer {
      BN_free(big)
      CRYPTO_free(text, nil, 0)
    }
    let digits = String(cString: text).lowercased()
    return digits.hasPrefix("0") && digits.count > 1 ? String(digits.drop { $0 == "0" }) : digits
  }
}
