import AppStore
import Contracts
import EventLog
import JSON
import Testing

@testable import Responder

@Suite("A person's word on a case") struct ReviewJudgeTests {
  private static let start = Story.start
  private static let hour = Story.hour

  /// Consent, facts and a policy: everything an answer needs.
  private func ready(
    _ values: EvidenceValues = Story.facts, type: String = "Consumable", environment: String = "Production"
  ) throws -> Story {
    let story = Story(environment: environment)
    try story.policy()
    try story.consent(true)
    try story.evidence(values)
    try story.request { $0["type"] = .string(type) }
    return story
  }

  private func answered(_ story: Story, at now: Int64 = start) throws {
    try story.claimNext(at: now) { try story.sent($0, at: now) }
  }

  // MARK: Holding

  @Test("holds the preference, while the facts go out at once, and Apple hears it when the hold ends")
  func holdPreference()
    throws
  {
    let story = try ready()
    try story.review(.prefer, preference: "GRANT_FULL", note: "asked the shop")
    let hold = try story.review(.hold)
    let first = try story.nextClaim().prepared
    #expect(!first.body.contains("refundPreference"))
    #expect(first.sources["refundPreference"]?.contains(hold) == true)
    try answered(story)
    let end = Self.start + 12 * Self.hour - 600_000 - 2 * Self.hour
    #expect(try story.step(at: Self.start + 300_000) == .rest(nil, until: end))
    #expect(try story.nextClaim(at: end).prepared.body.contains("GRANT_FULL"))
    try story.review(.release)
    #expect(try story.nextClaim(at: Self.start + 300_000).prepared.body.contains("GRANT_FULL"))
  }

  @Test("holds the whole answer where it says so, until it is released") func hold() throws {
    let story = try ready()
    try story.review(.hold, all: true)
    let end = Self.start + 12 * Self.hour - 600_000 - 2 * Self.hour
    #expect(try story.step() == .rest(.person("mia"), until: end))
    #expect(try story.step(at: end - 1) == .rest(.person("mia"), until: end))
    #expect(try story.nextClaim(at: end).prepared.attempt == 1, "it ends by itself two hours before the answer is due")
    try story.review(.release)
    #expect(try story.nextClaim().prepared.attempt == 1)
  }

  @Test("holds it as long as it says, or until somebody says to answer now") func holdUntil() throws {
    let story = try ready()
    try story.review(.hold, until: Self.start + 5, all: true)
    #expect(try story.step(at: Self.start + 4) == .rest(.person("mia"), until: Self.start + 5))
    #expect(try story.nextClaim(at: Self.start + 5).prepared.attempt == 1)
    try story.review(.hold, all: true)
    try story.review(.answerNow)
    #expect(try story.nextClaim().prepared.attempt == 1)
  }

  @Test("never holds up what would not be sent anyway: consent comes first") func holdWithoutConsent() throws {
    let story = try ready()
    try story.review(.hold, all: true)
    try story.consent(false, statedAt: Self.start)
    #expect(try story.step() == .rest(.consent, until: Self.start + 12 * Self.hour))
  }

  @Test("lets the sandbox wait as long as it is open") func sandboxHold() throws {
    let story = try ready(environment: "Sandbox")
    try story.review(.hold, all: true)
    #expect(try story.step() == .rest(.person("mia"), until: Self.start + 12 * Self.hour - 600_000))
  }

  // MARK: Preferring

  struct PreferenceRow: Sendable, CustomTestStringConvertible {
    let word: String
    let type: String
    var delivery = "DELIVERED"
    var share: Int64?
    /// nil: the member is left out.
    let sent: String?
    var testDescription: String { "\(word) for \(type), \(delivery), used \(share.map(String.init) ?? "unknown")" }
  }

  @Test(
    "is what Apple is told, as far as Apple's rules allow",
    arguments: [
      PreferenceRow(word: "DECLINE", type: "Consumable", sent: "DECLINE"),
      PreferenceRow(word: "GRANT_FULL", type: "Non-Consumable", sent: "GRANT_FULL"),
      PreferenceRow(word: "NO_PREFERENCE", type: "Consumable", sent: nil),
      PreferenceRow(word: "MAYBE", type: "Consumable", sent: nil),
      PreferenceRow(word: "GRANT_PRORATED", type: "Auto-Renewable Subscription", sent: "GRANT_PRORATED"),
      PreferenceRow(word: "GRANT_PRORATED", type: "Consumable", sent: nil),
      PreferenceRow(word: "GRANT_PRORATED", type: "Consumable", share: 0, sent: "GRANT_FULL"),
      PreferenceRow(word: "GRANT_PRORATED", type: "Non-Consumable", share: 1, sent: "GRANT_PRORATED"),
      PreferenceRow(word: "GRANT_PRORATED", type: "Non-Renewing Subscription", share: 99_999, sent: "GRANT_PRORATED"),
      PreferenceRow(word: "GRANT_PRORATED", type: "Consumable", share: 100_000, sent: nil),
      PreferenceRow(word: "GRANT_PRORATED", type: "Consumable", delivery: "UNDELIVERED_OTHER", sent: "GRANT_FULL"),
      PreferenceRow(word: "GRANT_PRORATED", type: "Hologram", sent: nil),
    ])
  func preference(row: PreferenceRow) throws {
    var values = EvidenceValues(deliveryStatus: DeliveryStatusWord(row.delivery), sampleContentProvided: false)
    values.consumptionPercentage = row.share
    let story = try ready(values, type: row.type)
    let said = try story.review(.prefer, preference: row.word, note: "a good customer")
    let prepared = try story.nextClaim().prepared
    let body = try JSONValue(bytes: Array(prepared.body.utf8)).object ?? [:]
    #expect(body["refundPreference"]?.string == row.sent)
    #expect(prepared.sources["refundPreference"]?.contains(said) == true)
    if row.word == "GRANT_PRORATED", row.sent != "GRANT_PRORATED" {
      #expect(prepared.sources["refundPreference"]?.contains("in place of GRANT_PRORATED") == true)
    }
  }

  // MARK: Answering again

  @Test("makes Apple hear the new preference, five minutes after the answer before") func changedPreference() throws {
    let story = try ready()
    try answered(story)
    try story.review(.prefer, preference: "GRANT_FULL", note: "she wrote to us")
    #expect(try story.step(at: Self.start + 1) == .rest(.appStore, until: Self.start + 300_000))
    let again = try story.nextClaim(at: Self.start + 300_000).prepared
    #expect(again.attempt == 2)
    #expect(again.body.contains(#""refundPreference":"GRANT_FULL""#))
    try answered(story, at: Self.start + 300_000)
    #expect(try story.step(at: Self.start + Self.hour) == .rest(nil, until: nil), "Apple was told already")
  }

  @Test("has the same answer sent once more, and only once") func answerAgain() throws {
    let story = try ready()
    try answered(story)
    try story.review(.answerAgain)
    let again = try story.nextClaim(at: Self.start + 300_000).prepared
    #expect(try again.body == story.state().requests[0].attempts[0].body)
    try answered(story, at: Self.start + 300_000)
    #expect(try story.step(at: Self.start + Self.hour) == .rest(nil, until: nil))
  }

  @Test("has a refused body tried again") func refused() throws {
    let story = try ready()
    try story.claimNext { try story.failed($0, .refused) }
    #expect(try story.step() == .rest(nil, until: nil))
    try story.review(.answerNow)
    #expect(try story.nextClaim().prepared.attempt == 2)
  }

  @Test("does not wait for an instant that the App Store named, once") func wish() throws {
    let story = try ready()
    try story.claimNext { try story.failed($0, .passing, retryAt: Self.start + Self.hour) }
    #expect(try story.step() == .rest(.appStore, until: Self.start + Self.hour))
    try story.review(.answerNow)
    try story.claimNext(at: Self.start + 1) { try story.failed($0, .passing, retryAt: Self.start + Self.hour) }
    #expect(try story.step(at: Self.start + 2) == .rest(.appStore, until: Self.start + Self.hour))
  }

  @Test("counts for nothing past the window, after Apple's decision, or after a withdrawal") func tooLate() throws {
    let late = try ready()
    try answered(late)
    try late.review(.answerAgain)
    #expect(try late.step(at: Self.start + 12 * Self.hour) == .rest(nil, until: nil))

    let withdrawn = try ready()
    try answered(withdrawn)
    try withdrawn.consent(false, statedAt: Self.start + 1)
    try withdrawn.review(.answerAgain)
    #expect(try withdrawn.step(at: Self.start + Self.hour) == .rest(nil, until: nil))

    let decided = try ready()
    try answered(decided)
    try decided.notification("REFUND_DECLINED", signedAt: Self.start + 2)
    guard case .recordOutcome(let outcome, let id, _) = try decided.step() else {
      Issue.record("the decision is recorded first")
      return
    }
    try decided.add(
      EventDraft(outcome, id: id, stream: decided.stream, app: Story.bundleID, occurredAt: Self.start + 2))
    try decided.review(.answerAgain)
    #expect(try decided.step(at: Self.start + Self.hour) == .rest(nil, until: nil))
  }
}

@Suite("What Apple was told is told anew") struct AnswerAgainTests {
  private static let start = Story.start

  private func answered() throws -> Story {
    let story = Story()
    try story.policy()
    try story.consent(true)
    try story.evidence(Story.facts(share: 10_000))
    try story.request()
    try story.claimNext { try story.sent($0) }
    return story
  }

  @Test("where facts that came later change the body, three times at most") func threeTimes() throws {
    let story = try answered()
    for number in 1...4 as ClosedRange<Int64> {
      let now = Self.start + number * 300_000
      try story.evidence(Story.facts(share: 10_000 + number), statedAt: Self.start + number)
      guard number < 4 else {
        #expect(try story.step(at: now) == .rest(nil, until: nil))
        break
      }
      #expect(try story.step(at: now - 1) == .rest(.appStore, until: now))
      try story.claimNext(at: now) { claim in
        #expect(claim.body.contains("\(10_000 + number)"))
        try story.sent(claim, at: now)
      }
    }
  }

  @Test("not where facts came and change nothing") func sameBody() throws {
    let story = try answered()
    try story.evidence(Story.facts(share: 10_000), statedAt: Self.start + 1)
    #expect(try story.step(at: Self.start + Story.hour) == .rest(nil, until: nil))
    #expect(try story.state().watchedUntil == Self.start + 12 * Story.hour)
  }

  @Test("once more where the second attempt failed, and no more where it was refused") func secondFailed() throws {
    let story = try answered()
    let now = Self.start + 300_000
    try story.evidence(Story.facts(share: 20_000), statedAt: Self.start + 1)
    try story.claimNext(at: now) { try story.failed($0, .passing, retryAt: now + 2_000) }
    #expect(try story.step(at: now) == .rest(.appStore, until: now + 2_000))
    try story.claimNext(at: now + 2_000) { try story.failed($0, .refused) }
    #expect(try story.step(at: now + 2_001) == .rest(nil, until: nil))
  }

  @Test("where a body was refused and the facts are mended") func mended() throws {
    let story = Story()
    try story.policy()
    try story.consent(true)
    try story.evidence(Story.facts(share: 10_000))
    try story.request()
    try story.claimNext { try story.failed($0, .refused) }
    #expect(try story.step() == .rest(nil, until: nil))
    try story.evidence(Story.facts(share: 20_000), statedAt: Self.start + 1)
    #expect(try story.nextClaim().prepared.body.contains("20000"))
  }

  @Test("and a call of it without a result is settled, also after the window closed") func settledLate() throws {
    let story = try answered()
    let now = Self.start + 300_000
    try story.evidence(Story.facts(share: 20_000), statedAt: Self.start + 1)
    try story.claimNext(at: now) { _ in }
    #expect(try story.state().isOpen, "whoever starts later looks at it")
    guard case .settleUnknown(_, let attempt) = try story.step(at: Self.start + 14 * Story.hour) else {
      Issue.record("it is settled")
      return
    }
    #expect(attempt.number == 2)
  }

  @Test("never while the call before has no result yet") func inFlight() throws {
    let story = try answered()
    let now = Self.start + 300_000
    try story.evidence(Story.facts(share: 20_000), statedAt: Self.start + 1)
    try story.claimNext(at: now) { _ in }
    try story.evidence(Story.facts(share: 30_000), statedAt: Self.start + 2)
    guard case .rest(.appStore, _) = try story.step(at: now + 1) else {
      Issue.record("one call at a time")
      return
    }
  }
}

@Suite("Whose purchase it is") struct CustomerFindingTests {
  private func request(account: String?) throws -> Story {
    let story = Story()
    try story.policy()
    try story.statement("*")
    try story.consent(true)
    try story.request(account: account)
    return story
  }

  @Test("is the backend's word where Apple names no account") func link() throws {
    let story = try request(account: nil)
    #expect(try story.step() == .rest(.customer, until: Story.start + 12 * Story.hour))
    try story.link()
    #expect(try story.nextClaim().expecting[story.customerStream] == .exactly(1))
  }

  @Test("is never the backend's word about another app's purchase") func otherApp() throws {
    let story = try request(account: nil)
    try story.link(app: "com.example.other")
    #expect(try story.step() == .rest(.customer, until: Story.start + 12 * Story.hour))
  }

  @Test("is what the purchase itself says, whatever the backend says") func token() throws {
    let story = try request(account: Story.account)
    try story.link("somebody else")
    #expect(try story.state().customer == story.customer)
  }

  @Test("is the newest word by its author's time") func newest() throws {
    let story = try request(account: nil)
    try story.link(statedAt: Story.start - 1)
    try story.link("somebody else", statedAt: Story.start - 2)
    #expect(try story.state().customer == story.customer)
  }
}

@Suite("A text that customers agreed to") struct AcceptedTextTests {
  @Test("counts while it is among the accepted ones, and is as if nobody had agreed when it is not") func accepted()
    throws
  {
    let story = Story()
    try story.policy()
    try story.statement("*")
    try story.consent(true)
    try story.request()
    try story.acceptedTexts("1", "2")
    #expect(try story.nextClaim().prepared.basis.hasPrefix("consent/"))
    try story.acceptedTexts("2")
    #expect(try story.step() == .rest(.consent, until: Story.start + 12 * Story.hour))
    let terms = try story.terms()
    #expect(try story.nextClaim().prepared.basis == terms, "terms cover it as they cover anyone who was never asked")
    try story.consent(false, statedAt: Story.start)
    #expect(try story.step() == .rest(.consent, until: Story.start + 12 * Story.hour), "a withdrawal always counts")
  }
}
