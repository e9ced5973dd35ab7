import Testing

@testable import Operations

@Suite("The narrator of the demo") struct NarratorTests {
  private func lines(_ tell: (Narrator) -> Void) -> [String] {
    var printed = ""
    tell(Narrator { printed += $0 })
    return printed.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  @Test("breaks between words at column 100 and no sooner", arguments: [(91, 1), (92, 2)])
  func width(letters: Int, expected: Int) {
    // The clock takes nine columns.
    let told = lines {
      $0.tell(String(repeating: "a", count: 45) + " " + String(repeating: "b", count: letters - 46), at: 0)
    }
    #expect(told.count == expected && told.allSatisfy { $0.count <= 100 })
    #expect(told[0].hasPrefix("  00:00  aaa"))
    if expected == 2 { #expect(told[1].hasPrefix("         bbb")) }
  }

  @Test("breaks a body behind a comma, and leaves nothing out")
  func body() {
    let body = Story.delivered(94_000)
    let told = lines { $0.quote(body) }
    #expect(told.count == 2 && told.allSatisfy { $0.count <= 100 })
    #expect(told.map { String($0.drop { $0 == " " }) }.joined() == body)
  }
}
