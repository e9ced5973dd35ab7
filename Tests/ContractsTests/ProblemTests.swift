import Contracts
import TestSupport
import Testing

@Suite("A problem") struct ProblemTests {
  @Test("is problem+json with a stable type")
  func body() {
    let problem = Problem(
      .invalidMembers, detail: "mend \"these\"", errors: [ProblemMember(member: "values.a", detail: "is missing")])
    #expect(
      String(decoding: problem.encoded(), as: UTF8.self)
        == #"{"type":"urn:refundlog:problem:invalid-members","title":"Members of the body are missing or not what they "#
        + #"may be","status":422,"detail":"mend \"these\"","errors":[{"member":"values.a","detail":"is missing"}]}"#)
    #expect(
      String(decoding: Problem(.notFound).encoded(), as: UTF8.self)
        == #"{"type":"urn:refundlog:problem:not-found","title":"There is nothing at this address","status":404}"#)
  }

  @Test(
    "has a kind in lower case and hyphens, an error status and a title", arguments: ProblemCode.allCases)
  func codes(code: ProblemCode) {
    #expect((400...599).contains(code.status))
    #expect(!code.title.isEmpty)
    #expect(code.rawValue.utf8.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2D })
  }

  @Test("has its kind, status and title in the README", arguments: ProblemCode.allCases)
  func documented(code: ProblemCode) throws {
    let readme = String(decoding: try #require(Project.bytes("\(Project.root)/contracts/README.md")), as: UTF8.self)
    #expect(readme.contains("| `\(code.rawValue)` | \(code.status) | \(code.title) |"))
  }
}
