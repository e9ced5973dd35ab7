/// What a certificate that we make shall say. For stand-ins of Apple's authorities and for tests; nothing here makes a
/// certificate that the world would trust.
public struct CertificateTemplate: Sendable {
  public var commonName: String
  public var organization: String
  public var country: String
  /// Milliseconds since 1970 UTC, cut to whole seconds.
  public var notBefore: Int64
  public var notAfter: Int64
  /// Whether it may issue others; then key usage is signing of certificates, else signing of data.
  public var isAuthority: Bool
  /// How many authorities may stand below it; nil for no limit.
  public var pathLength: Int?
  /// Numbers of further extensions, each holding NULL, as Apple marks its certificates.
  public var markers: [String]
  /// DNS names or addresses as OpenSSL writes them (`DNS:localhost,IP:127.0.0.1`), for a TLS server; nil for none.
  public var alternativeNames: String?
  /// Whether subject and authority key identifiers are written, as RFC 5280 §4.2.1 wants.
  public var hasKeyIdentifiers: Bool

  public init(
    commonName: String, organization: String = "Example", country: String = "US", notBefore: Int64, notAfter: Int64,
    isAuthority: Bool = false, pathLength: Int? = nil, markers: [String] = [], alternativeNames: String? = nil,
    hasKeyIdentifiers: Bool = true
  ) {
    self.commonName = commonName
    self.organization = organization
    self.country = country
    self.notBefore = notBefore
    self.notAfter = notAfter
    self.isAuthority = isAuthority
    self.pathLength = pathLength
    self.markers = markers
    self.alternativeNames = alternativeNames
    self.hasKeyIdentifiers = hasKeyIdentifiers
  }
}
