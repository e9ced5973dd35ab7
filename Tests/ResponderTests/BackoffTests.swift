import Testing

@testable import Responder

@Suite("The wait after a passing failure") struct BackoffTests {
  @Test(
    "doubles, up to five minutes",
    arguments: [(1, 2_000), (2, 4_000), (5, 32_000), (8, 256_000), (9, 300_000), (50, 300_000), (0, 2_000)]
      as [(Int, Int64)])
  func doubling(attempt: Int, milliseconds: Int64) {
    #expect(Backoff(speed: 1) { 1 }.milliseconds(after: attempt) == milliseconds)
    #expect(Backoff(speed: 1) { 0 }.milliseconds(after: attempt) == milliseconds * 3 / 4)
  }
}
