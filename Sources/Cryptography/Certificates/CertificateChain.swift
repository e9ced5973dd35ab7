import COpenSSL
import COpenSSLShims

/// A path leaf, intermediate, anchor whose signatures and constraints hold (RFC 5280 §6), whatever the date. Dates are
/// judged apart with `judge(at:)`, so that a path can be kept and judged at many instants.
public struct CertificateChain: Sendable {
  public let leaf: Certificate
  public let intermediate: Certificate
  /// The pinned certificate the path ends in; what a sender offers as root plays no part.
  public let anchor: Certificate

  /// Finds the anchor of exactly the path leaf, intermediate, anchor.
  /// - Throws: any `CertificateChainError` but `validity`.
  public init(leaf: Certificate, intermediate: Certificate, anchors: [Certificate]) throws(CertificateChainError) {
    guard !anchors.isEmpty else { throw .noAnchors }
    guard intermediate.isAuthority else { throw .notAuthority(subject: intermediate.subject) }
    // One anchor at a time: two of one name and different keys would otherwise hide each other.
    var failure = CertificateChainError.untrusted(reason: "no anchor issued the intermediate")
    for anchor in anchors {
      guard let found = Self.failure(of: leaf, intermediate, anchor) else {
        self.leaf = leaf
        self.intermediate = intermediate
        self.anchor = anchor
        return
      }
      if case .untrusted = failure { failure = found }
    }
    throw failure
  }

  /// Path and dates in one: the path must hold and every certificate of it be inside its dates at the instant.
  public static func verify(
    leaf: Certificate, intermediate: Certificate, anchors: [Certificate], at milliseconds: Int64
  ) throws(CertificateChainError) -> CertificateChain {
    let chain = try CertificateChain(leaf: leaf, intermediate: intermediate, anchors: anchors)
    try chain.judge(at: milliseconds)
    return chain
  }

  /// - Throws: `CertificateChainError.validity` naming the first certificate outside its dates.
  public func judge(at milliseconds: Int64) throws(CertificateChainError) {
    let places: [(CertificateChainError.Place, Certificate)] = [
      (.leaf, leaf), (.intermediate, intermediate), (.anchor, anchor),
    ]
    for (place, certificate) in places where !certificate.isValid(at: milliseconds) {
      throw .validity(place, notBefore: certificate.notBefore, notAfter: certificate.notAfter, at: milliseconds)
    }
  }

  private static func failure(
    of leaf: Certificate, _ intermediate: Certificate, _ anchor: Certificate
  ) -> CertificateChainError? {
    defer { OpenSSLErrors.clear() }
    guard let context = X509_STORE_CTX_new(), let store = X509_STORE_new(),
      let untrusted = copenssl_x509_stack_new(), let trusted = copenssl_x509_stack_new()
    else { preconditionFailure("out of memory for a certificate path") }
    defer {
      X509_STORE_CTX_free(context)
      X509_STORE_free(store)
      copenssl_x509_stack_free(untrusted)
      copenssl_x509_stack_free(trusted)
    }
    guard copenssl_x509_stack_push(untrusted, intermediate.handle.pointer) > 0,
      copenssl_x509_stack_push(trusted, anchor.handle.pointer) > 0,
      X509_STORE_CTX_init(context, store, leaf.handle.pointer, untrusted) == 1
    else { preconditionFailure("out of memory for a certificate path") }
    X509_STORE_CTX_set0_trusted_stack(context, trusted)
    let parameters = X509_STORE_CTX_get0_param(context)
    X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_NO_CHECK_TIME))
    // Level 2: keys of at least 112 bits of strength and no SHA-1 below the anchor.
    X509_VERIFY_PARAM_set_auth_level(parameters, 2)
    guard X509_verify_cert(context) == 1 else { return reason(X509_STORE_CTX_get_error(context), intermediate) }
    let path = X509_STORE_CTX_get0_chain(context)
    let isExact =
      copenssl_x509_stack_count(path) == 3
      && X509_cmp(copenssl_x509_stack_value(path, 0), leaf.handle.pointer) == 0
      && X509_cmp(copenssl_x509_stack_value(path, 1), intermediate.handle.pointer) == 0
      && X509_cmp(copenssl_x509_stack_value(path, 2), anchor.handle.pointer) == 0
    return isExact ? nil : .untrusted(reason: "the path is not leaf, intermediate, anchor")
  }

  private static func reason(_ code: Int32, _ intermediate: Certificate) -> CertificateChainError {
    let text = String(cString: X509_verify_cert_error_string(Int(code)))
    return switch code {
    case X509_V_ERR_INVALID_CA: .notAuthority(subject: intermediate.subject)
    case X509_V_ERR_PATH_LENGTH_EXCEEDED: .pathLength
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
      X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_CERT_SIGNATURE_FAILURE,
      X509_V_ERR_CERT_UNTRUSTED:
      .untrusted(reason: text)
    default: .refused(reason: text)
    }
  }
}
