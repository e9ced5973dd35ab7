public import JSON

/// A problem as clients see it: RFC 9457, `application/problem+json`. Holds no secret and nothing of a payload.
public struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
  public static let mediaType = "application/problem+json"

  public var code: ProblemCode
  /// What is the matter this time and what to do, for the person who reads the answer; nil where the title says
  /// it all.
  public var detail: String?
  /// The members that are at fault, in the order in which they were looked at.
  public var errors: [ProblemMember]

  public init(_ code: ProblemCode, detail: String? = nil, errors: [ProblemMember] = []) {
    self.code = code
    self.detail = detail
    self.errors = errors
  }

  public var status: Int { code.status }

  /// The body: `type`, `title`, `status`, and `detail` and `errors` where there are any.
  public func encoded() -> [UInt8] { json.bytes() }

  /// The same inside another document.
  public var json: JSONValue {
    var writer = MemberWriter(additional: JSONObject())
    writer.put("type", code.type)
    writer.put("title", code.title)
    writer.put("status", Int64(status))
    writer.put("detail", detail)
    if !errors.isEmpty { writer.put("errors", json: .array(errors.map(\.json))) }
    return .object(writer.members)
  }

  public var description: String {
    ([code.title + (detail.map { ": \($0)" } ?? "")] + errors.map { "\($0.member): \($0.detail)" })
      .joined(separator: "; ")
  }
}
