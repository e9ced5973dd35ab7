import COpenSSL
import COpenSSLShims
import Glibc

extension Certificate {
  /// Makes a certificate that signs itself: a root.
  public static func selfSigned(_ template: CertificateTemplate, key: ECDSAPrivateKey) -> Certificate {
    make(template, subjectKey: key.handle, issuer: nil, issuerKey: key)
  }

  /// Makes a certificate for `subjectKey`, issued by `self` with its key `issuerKey`. Whether `self` may issue is not
  /// looked at: tests need false ones too.
  public func issue(
    _ template: CertificateTemplate, for subjectKey: ECDSAPublicKey, issuerKey: ECDSAPrivateKey
  ) -> Certificate {
    Self.make(template, subjectKey: subjectKey.handle, issuer: self, issuerKey: issuerKey)
  }

  /// Signs with SHA-384, as all of Apple's issuers do. A template that cannot be written (a name longer than X.509
  /// allows, a malformed number) is a fault of the caller.
  private static func make(
    _ template: CertificateTemplate, subjectKey: KeyHandle, issuer: Certificate?, issuerKey: ECDSAPrivateKey
  ) -> Certificate {
    guard let pointer = X509_new() else { preconditionFailure("out of memory for a certificate") }
    defer { X509_free(pointer) }
    must(X509_set_version(pointer, 2), "version")
    setSerial(pointer)
    setName(X509_get_subject_name(pointer), template)
    let issuerPointer = issuer?.handle.pointer ?? pointer
    must(X509_set_issuer_name(pointer, X509_get_subject_name(issuerPointer)), "issuer")
    must(ASN1_TIME_set(X509_getm_notBefore(pointer), time_t(template.notBefore / 1000)) == nil ? 0 : 1, "notBefore")
    must(ASN1_TIME_set(X509_getm_notAfter(pointer), time_t(template.notAfter / 1000)) == nil ? 0 : 1, "notAfter")
    must(X509_set_pubkey(pointer, subjectKey.pointer), "public key")
    addExtensions(pointer, issuer: issuerPointer, template)
    must(X509_sign(pointer, issuerKey.handle.pointer, Algorithms.sha384) > 0 ? 1 : 0, "signature")
    do {
      return try Certificate(der: CertificateHandle.encoded(pointer))
    } catch {
      preconditionFailure("a certificate just made could not be read: \(error)")
    }
  }

  private static func setSerial(_ pointer: OpaquePointer) {
    // 16 random bytes, the first bit clear and the second set: positive and always of the same length.
    var bytes = SecureRandom.bytes(16)
    bytes[0] = bytes[0] & 0x7f | 0x40
    guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { preconditionFailure("out of memory") }
    defer { BN_free(number) }
    must(BN_to_ASN1_INTEGER(number, X509_get_serialNumber(pointer)) == nil ? 0 : 1, "serial number")
  }

  private static func setName(_ name: OpaquePointer?, _ template: CertificateTemplate) {
    let parts = [("CN", template.commonName), ("O", template.organization), ("C", template.country)]
    for (field, value) in parts where !value.isEmpty {
      let bytes = Array(value.utf8)
      // 0x1000 is MBSTRING_UTF8, which Swift does not see.
      must(X509_NAME_add_entry_by_txt(name, field, 0x1000, bytes, Int32(bytes.count), -1, 0), field)
    }
  }

  private static func addExtensions(_ pointer: OpaquePointer, issuer: OpaquePointer, _ template: CertificateTemplate) {
    func add(_ nid: Int32, _ text: String) {
      must(copenssl_x509_add_extension(pointer, issuer, nid, text), text)
    }
    let limit = template.pathLength.map { ",pathlen:\($0)" } ?? ""
    add(NID_basic_constraints, template.isAuthority ? "critical,CA:TRUE\(limit)" : "critical,CA:FALSE")
    add(NID_key_usage, template.isAuthority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature")
    if template.hasKeyIdentifiers {
      add(NID_subject_key_identifier, "hash")
      if issuer != pointer { add(NID_authority_key_identifier, "keyid:always") }
    }
    if let names = template.alternativeNames { add(NID_subject_alt_name, names) }
    for marker in template.markers {
      guard let object = OBJ_txt2obj(marker, 1), let null = ASN1_OCTET_STRING_new() else {
        preconditionFailure("not the number of an extension: \(marker)")
      }
      defer {
        ASN1_OBJECT_free(object)
        ASN1_OCTET_STRING_free(null)
      }
      must(ASN1_OCTET_STRING_set(null, [0x05, 0x00], 2), marker)
      guard let entry = X509_EXTENSION_create_by_OBJ(nil, object, 0, null) else {
        preconditionFailure("an extension could not be written: \(marker)")
      }
      defer { X509_EXTENSION_free(entry) }
      must(X509_add_ext(pointer, entry, -1), marker)
    }
  }

  private static func must(_ result: Int32, _ what: String) {
    precondition(result == 1, "a certificate could not be made at «\(what)»")
  }
}
