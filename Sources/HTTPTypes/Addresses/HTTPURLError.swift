/// Why a text is not a URL we call. The text itself is not repeated: it may hold a secret.
public enum HTTPURLError: Error, Hashable, Sendable, CustomStringConvertible {
  case scheme, userInfo, host, port, target, fragment

  public var description: String {
    switch self {
    case .scheme: "the URL does not begin with http:// or https://"
    case .userInfo: "the URL holds a user name or password: give credentials in a setting of their own"
    case .host: "the URL's host is neither a name of letters, digits, dots and hyphens nor an IPv4 or [IPv6] address"
    case .port: "the URL's port is not a number from 1 to 65535"
    case .target: "the URL's path or query has characters that must be percent-encoded (RFC 3986)"
    case .fragment: "the URL has a fragment (#), which is never sent to a server"
    }
  }
}
