/// Method of a request, case-sensitive (RFC 9110 §9.1); the set is open.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  public var rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { rawValue = value }

  public var description: String { rawValue }

  public static let get: HTTPMethod = "GET"
  public static let head: HTTPMethod = "HEAD"
  public static let post: HTTPMethod = "POST"
  public static let put: HTTPMethod = "PUT"
  public static let patch: HTTPMethod = "PATCH"
  public static let delete: HTTPMethod = "DELETE"
  public static let options: HTTPMethod = "OPTIONS"
}
