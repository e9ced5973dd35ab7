import AppStore
import Contracts
import EventLog
import FoundationEssentials
import JSON
import Testing

@testable import Responder

@Suite("A purchase of the Advanced Commerce API", .timeLimit(.minutes(5))) struct AdvancedCommerceTests {
  private static let start = Story.start
  /// What stands in a body of which nothing but the two facts is known.
  private static let bare =
    #"{"customerConsented":true,"consumptionStatus":0,"platform":0,"sampleContentProvided":false,"deliveryStatus":0,"#
    + #""appAccountToken":"3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10","accountTenure":0,"playTime":0,"#
    + #""lifetimeDollarsRefunded":0,"lifetimeDollarsPurchased":0,"userStatus":0}"#

  private func ready(
    _ values: EvidenceValues = Story.facts, account: String? = Story.account,
    change: (inout JSONObject) -> Void = { _ in }
  ) throws -> Story {
    let story = Story()
    try story.policy()
    try story.terms(coversUnidentified: true)
    try story.evidence(values)
    try story.request(account: account) { transaction in
      transaction["advancedCommerceInfo"] = ["requestReferenceId": "1"]
      change(&transaction)
    }
    return story
  }

  @Test("is answered at endpoint version 1, what nobody stated as undeclared") func bare() throws {
    let prepared = try ready().nextClaim().prepared
    #expect(prepared.endpointVersion == 1)
    #expect(prepared.body == Self.bare)
    #expect(prepared.sources["platform"] == "undeclared")
    #expect(prepared.sources["appAccountToken"] == "from the purchase itself")
    #expect(prepared.sources["consumptionStatus"]?.hasPrefix("undeclared") == true)
    // Every member of the body has its source, but for the consent, which is the basis.
    let members = try JSONValue(bytes: Array(prepared.body.utf8)).object!.keys
    for member in members { #expect(prepared.sources[member] != nil, "\(member) has a source") }
  }

  @Test("is answered with what was stated of the account, in Apple's numbers") func stated() throws {
    var values = Story.facts(share: 100_000)
    values.deliveryStatus = DeliveryStatusWord("DELIVERED")
    values.account = AccountValues(
      accountTenure: 4, playTime: 3, lifetimeDollarsRefunded: 1, lifetimeDollarsPurchased: 2, userStatus: 1,
      platform: 2)
    let story = try ready(values)
    let event = try story.evidence(EvidenceValues(account: AccountValues(playTime: 7)), statedAt: Self.start - 10)
    let prepared = try story.nextClaim().prepared
    #expect(
      prepared.body
        == #"{"customerConsented":true,"consumptionStatus":3,"platform":2,"sampleContentProvided":false,"#
        + #""deliveryStatus":0,"appAccountToken":"3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10","accountTenure":4,"#
        + #""playTime":7,"lifetimeDollarsRefunded":1,"lifetimeDollarsPurchased":2,"userStatus":1}"#)
    #expect(prepared.sources["playTime"]?.contains(event) == true)
  }

  @Test(
    "is told without a token where the purchase has none that is a UUID",
    arguments: [nil, "user-42", "00000000-0000-0000-0000-000000000000"])
  func noToken(account: String?) throws {
    let prepared = try ready(account: account).nextClaim().prepared
    #expect(prepared.body.contains(#""appAccountToken":"","#))
    #expect(prepared.sources["appAccountToken"] == "empty: the purchase carries no UUID")
  }

  @Test("of an ordinary kind keeps no token in the projection") func ordinary() throws {
    let story = Story()
    try story.request()
    #expect(try story.state().purchase?.accountToken == nil)
    #expect(String(decoding: try story.state().text, as: UTF8.self).contains(Story.account) == false)
  }

  @Test(
    "is answered for consumables and auto-renewables alone",
    arguments: [
      ("Consumable", true), ("Auto-Renewable Subscription", true), ("Non-Consumable", false),
      ("Non-Renewing Subscription", false), ("Lease", false),
    ])
  func types(type: String, isAnswered: Bool) throws {
    let story = try ready { $0["type"] = .string(type) }
    switch try story.step() {
    case .claim(let claim): #expect(isAnswered && claim.prepared.endpointVersion == 1)
    case .withhold(let withheld):
      #expect(!isAnswered && withheld.reason == .notAnswerable)
      #expect(withheld.explanation.contains("Advanced Commerce"))
    case let step: Issue.record("neither claimed nor withheld: \(step)")
    }
  }

  @Test(
    "carries a person's preference, where version 1 has a number for it",
    arguments: [
      ("DECLINE", #","refundPreference":2}"#), ("GRANT_FULL", #","refundPreference":1}"#), ("GRANT_PRORATED", nil),
      ("NO_PREFERENCE", nil),
    ] as [(String, String?)])
  func preference(word: String, end: String?) throws {
    let story = try ready(Story.facts(share: 50_000))
    try story.review(.prefer, preference: word)
    let prepared = try story.nextClaim().prepared
    if let end {
      #expect(prepared.body.hasSuffix(end))
      #expect(prepared.sources["refundPreference"]?.hasPrefix("preferred by mia") == true)
    } else {
      #expect(!prepared.body.contains("refundPreference"))
      #expect(prepared.sources["refundPreference"]?.hasPrefix("left out") == true)
    }
  }

  @Test("is told anew when what was stated of the account changes") func again() throws {
    let story = try ready()
    let first = try story.nextClaim().prepared
    try story.claim(first)
    try story.sent(first)
    #expect(throws: Story.NoClaim.self) { try story.nextClaim(at: Self.start + 300_000) }
    try story.evidence(EvidenceValues(account: AccountValues(userStatus: 2)), statedAt: Self.start)
    let second = try story.nextClaim(at: Self.start + 300_000).prepared
    #expect(second.endpointVersion == 1 && second.body.contains(#""userStatus":2"#))
  }

  @Test("lives through being written down and read back") func stored() throws {
    var values = Story.facts
    values.account = AccountValues(accountTenure: 1, userStatus: 0)
    let state = try ready(values).state()
    #expect(try JSONDecoder().decode(CaseState.self, from: Data(state.text)) == state)
  }

  @Test("is sent to that endpoint") func sent() throws {
    let rig = try ResponderRig()
    try rig.start()
    try rig.story.policy()
    try rig.story.evidence(Story.facts)
    try rig.story.consent(true)
    try rig.story.request { $0["advancedCommerceInfo"] = ["requestReferenceId": "1"] }
    try rig.wait(for: .consumptionSent)
    let call = try #require(rig.appStore.calls.first)
    #expect(call.path == "/sandbox/inApps/v1/transactions/consumption/2000000000000001")
    #expect(call.body == Self.bare)
  }

  @Test("is not sent under a version that this release does not know") func unknownVersion() throws {
    let rig = try ResponderRig()
    let request = try rig.story.request()
    let prepared = ConsumptionPrepared(
      request: request, attempt: 1, endpointVersion: 3, body: "{}", rule: "default", policy: Story.digest,
      basis: "consent/x", sources: [:], claimant: "test", sendBy: Story.start + 20_000, late: false)
    let id = try rig.story.claim(prepared)
    let position = try rig.story.log.head().position
    try rig.call().make(
      WonClaim(
        state: try rig.story.state(), prepared: prepared, id: id, position: position, streams: [],
        environment: .sandbox, tokens: try ResponderRig.tokens()))
    #expect(rig.appStore.calls.isEmpty)
    let failed = try ConsumptionFailed(data: try #require(try rig.events(.consumptionFailed).first?.data))
    #expect(failed.failure == .refused && failed.explanation.contains("version 3"))
  }
}
