import Contracts
import Testing

@testable import Operations

@Suite("An answer in words") struct AnswerWordsTests {
  private func lines(_ body: String, _ sources: [String: String]) -> [String] {
    let claim = ConsumptionPrepared(
      request: "notification/a", attempt: 1, endpointVersion: 2, body: body, rule: "default",
      policy: String(repeating: "0", count: 64), basis: "consent/a", sources: sources, claimant: "c", sendBy: 1,
      late: false)
    return AnswerWords(said: CasePage.Said(claim)).lines
  }

  @Test("names the source of each value, equal ones once, without ids of events")
  func sources() {
    let declared = "declared by settings for product * (statement/app/com.example/3)"
    #expect(
      lines(
        Story.delivered(94_000),
        [
          "basis": "the customer agreed to text version 2026-01", "sampleContentProvided": declared,
          "deliveryStatus": declared, "refundPreference": "left out: the policy states none",
          "consumptionPercentage": "940 used of 1000 granted, stated by backend (evidence/purchase/Production/1/1)",
        ]) == [
          "customerConsented: the customer agreed to text version 2026-01",
          "sampleContentProvided, deliveryStatus: declared in the settings, for every product",
          "consumptionPercentage: 940 of 1,000 units used, stated by backend",
        ])
  }

  @Test("says why a share was left out")
  func leftOut() {
    let words = "left out: nobody stated it"
    #expect(lines(Story.delivered, ["consumptionPercentage": words]) == ["consumptionPercentage: \(words)"])
  }

  @Test(
    "comes down to delivery and share in the table",
    arguments: [
      (Story.delivered, "DELIVERED"), (Story.delivered(0), "DELIVERED, 0 %"),
      (Story.delivered(33_333), "DELIVERED, 33.333 %"), ("no JSON", "no JSON"),
    ])
  func short(body: String, words: String) { #expect(AnswerWords.short(body) == words) }

  @Test("stands in a table that keeps to its width, each line with its number")
  func table() {
    let row = StoryRow(
      title: String(repeating: "t", count: 60), told: String(repeating: "u", count: 60),
      ended: String(repeating: "v", count: 60))
    let lines = StoryRow.lines([row] + Array(repeating: StoryRow(title: "a", told: "b", ended: "c"), count: 11))
    #expect(lines.allSatisfy { $0.count <= Narrator.columns } && lines.count == 13)
    #expect(lines[1].hasPrefix(" 1  ttt") && lines[1].hasSuffix("vv…") && lines[12].hasPrefix("12  a"))
  }
}
