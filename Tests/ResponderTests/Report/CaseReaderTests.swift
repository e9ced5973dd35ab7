import Contracts
import EventLog
import JSON
import SQLite
import Service
import TestSupport
import Testing

@testable import Responder

@Suite("Reading cases") struct CaseReaderTests {
  private static let start = Story.start
  private static let hour = Story.hour

  /// A reader beside a projection that holds all of the log.
  private func reader(
    _ log: MemoryEventLog, in folder: borrowing TemporaryFolder, at now: Int64 = start
  ) throws -> CaseReader {
    let projector = try Projector(log: log, store: CaseStore(folder: folder.path))
    while try projector.advance() != nil {}
    return CaseReader(folder: folder.path, log: log, clock: .fixed(now))
  }

  @Test("tells an answered and decided case whole: bytes, sources, consent, what was said before")
  func page() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.policy()
    let consent = try story.consent(true)
    try story.evidence(Story.facts(share: 5_000))
    let request = try story.request()
    let claim = try story.nextClaim().prepared
    try story.claim(claim)
    try story.sent(claim)
    try story.notification("REFUND", signedAt: Self.start + 9) {
      $0["revocationDate"] = .number(JSONNumber(Self.start + 8))
      $0["revocationType"] = "REFUND_FULL"
    }
    let page = try #require(try reader(story.log, in: folder).page(of: story.key))
    #expect(page.summary.phase == .decided)
    #expect(page.summary.outcome == .refunded)
    #expect(page.summary.extent == .full)
    #expect(page.purchase?.productID == "gems")
    let told = try #require(page.requests.first)
    #expect(told.id == request)
    #expect(told.reason == "UNINTENDED_PURCHASE")
    #expect(told.state == .answered)
    #expect(told.due == Self.start + 12 * Self.hour - 600_000)
    #expect(told.closed == Self.start + 12 * Self.hour)
    let attempt = try #require(told.attempts.first)
    #expect(attempt.state == .accepted)
    #expect(attempt.status == 202)
    #expect(attempt.said?.body == claim.body)
    #expect(attempt.said?.basis == consent)
    #expect(attempt.said?.sources["basis"] == "the customer agreed to text version 1")
    #expect(page.outcomes.map(\.said) == [[1]], "what Apple had when it decided")
    #expect(page.outcomes.first?.isRecorded == false)
    #expect(
      page.evidence.map(\.member) == ["deliveryStatus", "sampleContentProvided", "consumptionPercentage", "known"])
    #expect(page.consent.state == .allowed)
    #expect(page.consent.event == consent)
    #expect(
      page.timeline.map(\.gist) == [
        "the customer agreed to text version 1 (app)",
        "stated by backend: deliveryStatus DELIVERED, sampleContentProvided false, consumptionPercentage 5000",
        "Apple asks for facts; reason of the customer: UNINTENDED_PURCHASE",
        "attempt 1: \(claim.body.utf8.count) bytes for Apple, rule default", "attempt 1: Apple took it (202)",
        "Apple: REFUND",
      ])
    #expect(page.timeline.map(\.position) == [2, 3, 4, 5, 6, 7])
  }

  @Test("tells a refund that no request came before as such, with an upgrade where Apple marks it, until one comes")
  func withoutRequest() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.notification("REFUND", signedAt: Self.start + 9) {
      $0["revocationDate"] = .number(JSONNumber(Self.start + 8))
      $0["revocationType"] = "REFUND_PRORATED"
      $0["revocationPercentage"] = 30_000
      $0["isUpgraded"] = true
    }
    try story.settle(at: Self.start + 10)
    var page = try #require(try reader(story.log, in: folder).page(of: story.key))
    #expect(page.outcomes.map(\.isWithoutRequest) == [true] && page.outcomes.map(\.isUpgraded) == [true])
    #expect(page.summary.isWithoutRequest && page.summary.isUpgraded)
    #expect(page.json["outcomes"]?.array?.first?["withoutRequest"] == true)
    #expect(page.json["summary"]?["upgraded"] == true)
    #expect(
      page.timeline.last?.gist == "Apple decided: refunded (prorated), without a refund request, after an upgrade")
    // A request that was signed after it changes nothing about it; one that was signed before, and comes only now, does.
    try story.request(signedAt: Self.start + 20)
    page = try #require(try reader(story.log, in: folder).page(of: story.key))
    #expect(page.summary.isWithoutRequest)
    try story.request(signedAt: Self.start + 1)
    page = try #require(try reader(story.log, in: folder).page(of: story.key))
    #expect(page.outcomes.map(\.isWithoutRequest) == [false] && !page.summary.isWithoutRequest)
    #expect(page.json["summary"]?["withoutRequest"] == nil)
  }

  @Test("tells one decision once, however often it was announced") func announcedTwice() throws {
    let folder = TemporaryFolder()
    let story = Story()
    for after in [5, 6] as [Int64] {
      try story.notification("REFUND", signedAt: Self.start + after) { $0["revocationDate"] = 7 }
    }
    try story.settle(at: Self.start + 9)
    let page = try #require(try reader(story.log, in: folder).page(of: story.key))
    #expect(page.outcomes.count == 1 && page.outcomes.first?.isRecorded == true)
    #expect(try story.log.read(after: .start, limit: 9).count { $0.type == "Outcome" } == 1)
  }

  @Test("tells how many seats were refunded, and of how many") func seats() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.notification("REFUND", subtype: "SEATS", signedAt: Self.start + 9) {
      $0["quantity"] = 5
      $0["multiSeatInfo"] = ["revokedSeatQuantity": 2, "invitationManagement": "DEVELOPER"]
    }
    try story.settle(at: Self.start + 10)
    let page = try #require(try reader(story.log, in: folder).page(of: story.key))
    let decision = try #require(page.outcomes.first)
    #expect(decision.extent == .seats && decision.revokedSeats == 2 && decision.quantity == 5)
    #expect(page.timeline.last?.gist == "Apple decided: refunded (seats, 2 of 5), without a refund request")
  }

  struct RevocationRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let type: String
    var subtype: String? = nil
    let members: JSONObject
    let isRevoked: Bool
    let words: String
  }

  static let revocations = [
    RevocationRow(
      testDescription: "a full refund", type: "REFUND",
      members: ["revocationDate": 5, "revocationType": "REFUND_FULL", "revocationReason": 1], isRevoked: true,
      words: "Taken back: refunded in full."),
    RevocationRow(
      testDescription: "a partial refund", type: "REFUND",
      members: ["revocationDate": 5, "revocationType": "REFUND_PRORATED", "revocationPercentage": 45_333],
      isRevoked: true, words: "Taken back: refunded in part, 45.333 % of the price."),
    RevocationRow(
      testDescription: "a refund of before those words", type: "REFUND", members: ["revocationDate": 5],
      isRevoked: true, words: "Taken back: Apple did not say how."),
    RevocationRow(
      testDescription: "a word of tomorrow", type: "REFUND",
      members: ["revocationDate": 5, "revocationType": "NEW_REVOCATION"], isRevoked: true,
      words: "Taken back: NEW_REVOCATION, a word of Apple that this release does not know."),
    RevocationRow(
      testDescription: "a reversal", type: "REFUND_REVERSED", members: [:], isRevoked: false, words: "Not taken back."),
    RevocationRow(
      testDescription: "the end of Family Sharing", type: "REVOKE",
      members: ["revocationDate": 5, "revocationType": "FAMILY_REVOKE", "inAppOwnershipType": "FAMILY_SHARED"],
      isRevoked: true, words: "Taken back: Family Sharing ended, which is no refund."),
    RevocationRow(
      testDescription: "the end of an assignment", type: "REVOKE",
      members: ["revocationDate": 5, "revocationType": "ASSIGNMENT_REVOKE"], isRevoked: true,
      words: "Taken back: the assignment ended, which is no refund."),
    RevocationRow(
      testDescription: "a refund of seats", type: "REFUND", subtype: "SEATS",
      members: ["quantity": 5, "multiSeatInfo": ["revokedSeatQuantity": 2]], isRevoked: false,
      words: "Not taken back: 2 of 5 seats were, the others stand."),
    RevocationRow(
      testDescription: "a refund of all seats", type: "REFUND",
      members: [
        "quantity": 5, "revocationDate": 5, "revocationType": "REFUND_FULL",
        "multiSeatInfo": ["revokedSeatQuantity": 5],
      ], isRevoked: true, words: "Taken back: refunded in full."),
    RevocationRow(
      testDescription: "a refund of seats that were added", type: "REFUND",
      members: ["revocationDate": 5, "additionalTransactionReason": "SEATS_ADDED", "expiresDate": 9],
      isRevoked: false,
      words: "Taken back: Apple did not say how. Not the purchase, as far as is known: it adds seats to a period that "
        + "another transaction began."),
  ]

  @Test("tells whether the purchase was taken back, which is not the same as a refund", arguments: revocations)
  func revocation(row: RevocationRow) throws {
    let folder = TemporaryFolder()
    let story = Story()
    // An older word never undoes it, though it comes last.
    try story.notification(row.type, subtype: row.subtype, signedAt: Self.start + 9) { transaction in
      for member in row.members.members { transaction[member.key] = member.value }
    }
    try story.request()
    let page = try #require(try reader(story.log, in: folder).page(of: story.key))
    let revocation = try #require(page.purchase?.revocation)
    #expect(revocation.isRevoked == row.isRevoked)
    #expect(revocation.words == row.words)
    #expect(revocation.at == (row.members["revocationDate"] == nil ? nil : 5))
    #expect(page.json["purchase"]?["revocation"]?["revoked"] == .bool(row.isRevoked))
    if row.type == "REVOKE" { #expect(page.outcomes.isEmpty, "that is no decision about a refund") }
  }

  @Test("holds a purchase of seats for taken back only when each transaction of its period was") func period() throws {
    let folder = TemporaryFolder()
    let log = Story.memory()
    let (first, added, earlier) = (
      Story(transactionID: "1", log: log), Story(transactionID: "2", log: log), Story(transactionID: "3", log: log)
    )
    func tell(_ story: Story, _ type: String, _ number: Int, isRevoked: Bool, expires: Int64 = 9) throws {
      try story.notification(type, uuid: number, signedAt: Self.start + Int64(number)) {
        $0["originalTransactionId"] = "1"
        $0["expiresDate"] = .number(JSONNumber(expires))
        $0["multiSeatInfo"] = ["revokedSeatQuantity": 1]
        if story.key.transactionID == "2" { $0["additionalTransactionReason"] = "SEATS_ADDED" }
        if isRevoked { $0["revocationDate"] = 5 }
      }
    }
    func revoked(_ story: Story) throws -> CasePage.Revocation? {
      try reader(log, in: folder).page(of: story.key)?.purchase?.revocation
    }
    // The first has no case: what is known of it stands in its stream.
    try tell(first, "SUBSCRIBED", 1, isRevoked: false)
    try tell(added, "REFUND", 2, isRevoked: true)
    #expect(try revoked(added)?.isRevoked == false)
    #expect(
      try revoked(added)?.words.hasSuffix("Not the purchase: transaction 1 stands for the same period.") == true)
    try tell(earlier, "REFUND_DECLINED", 3, isRevoked: false, expires: 8)
    try tell(first, "REFUND", 4, isRevoked: true)
    #expect(try revoked(added)?.isRevoked == true)
    #expect(try revoked(first)?.isRevoked == true, "another period says nothing about this one")
    try tell(added, "REFUND_REVERSED", 5, isRevoked: false)
    #expect(try revoked(added)?.isRevoked == false && revoked(first)?.isRevoked == false)
  }

  @Test("has no case for a revocation or seats taken back alone, and says on a case that they are no refunds")
  func noRefunds() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.notification("REVOKE")
    try story.notification("UNCLAIM_SEATS")
    try story.notification("OF_TOMORROW", subtype: "EVEN_NEWER")
    #expect(try reader(story.log, in: folder).page(of: story.key) == nil)
    try story.request()
    let page = try #require(try reader(story.log, in: folder).page(of: story.key))
    #expect(page.summary.outcome == nil)
    #expect(
      page.timeline.prefix(3).map(\.gist) == [
        "Apple: REVOKE (shared or assigned access ended; no refund)",
        "Apple: UNCLAIM_SEATS (seats were taken back; no refund)",
        "Apple: OF_TOMORROW/EVEN_NEWER (of a type that this release does not know; kept as it came)",
      ])
  }

  @Test("takes renewal that was switched off near a refund request for the App Store's act, and no cancellation")
  func renewals() throws {
    let folder = TemporaryFolder()
    let story = Story()
    let near = RenewalChange.nearRequest
    let rows: [(subtype: String, after: Int64, isOfAppStore: Bool)] = [
      ("AUTO_RENEW_DISABLED", -near - 1, false), ("AUTO_RENEW_ENABLED", -near, false),
      ("AUTO_RENEW_DISABLED", -near, true), ("AUTO_RENEW_DISABLED", 30_000, true),
      ("AUTO_RENEW_ENABLED", 31_000, false),
      ("AUTO_RENEW_DISABLED", near, true), ("AUTO_RENEW_DISABLED", near + 1, false),
    ]
    // Half of them come before the request.
    for (number, row) in rows.enumerated().reversed() {
      if number == 3 { try story.request() }
      try story.notification(
        "DID_CHANGE_RENEWAL_STATUS", subtype: row.subtype, signedAt: Self.start + row.after)
    }
    try story.notification("REFUND_DECLINED", signedAt: Self.start + 2 * near)
    let page = try #require(try reader(story.log, in: folder).page(of: story.key))
    #expect(page.renewals.map { $0.at - Self.start } == rows.map(\.after).sorted())
    for change in page.renewals {
      let row = rows.first { $0.after == change.at - Self.start && ($0.subtype == "AUTO_RENEW_ENABLED") == change.isOn }
      #expect(change.isProbablyOfAppStore == row?.isOfAppStore, "\(change)")
    }
    #expect(page.cancellations == 2)
    #expect(page.json["cancellations"] == 2)
    #expect(
      page.timeline.map(\.gist).contains(
        "Apple: renewal was switched off, probably by the App Store because of the refund request"))
    #expect(page.summary.outcome == .declined)
  }

  @Test("tells how renewal was changed by the renewal's own state where Apple names no subtype, and keeps the newest")
  func manyRenewals() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.notification("REFUND_DECLINED")
    for number in 1...60 {
      try story.notification(
        "DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_DISABLED", signedAt: Self.start + Int64(number))
    }
    try story.renewalStatus(0, signedAt: Self.start + 61)
    try story.renewalStatus(1, signedAt: Self.start + 62)
    try story.renewalStatus(7, signedAt: Self.start + 63)
    let page = try #require(try reader(story.log, in: folder).page(of: story.key))
    #expect(page.renewals.count == 50 && page.renewals.first?.at == Self.start + 13)
    #expect(page.renewals.suffix(2).map(\.isOn) == [false, true])
  }

  @Test("tells no reason and an unknown reason apart") func reasons() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.notification("CONSUMPTION_REQUEST")
    try story.notification("CONSUMPTION_REQUEST", signedAt: Self.start + 1, reason: "A_WORD_OF_TOMORROW")
    let page = try #require(try reader(story.log, in: folder).page(of: story.key))
    #expect(page.requests.map(\.reason) == [nil, "A_WORD_OF_TOMORROW"])
    #expect(page.requests.map(\.reasonWords) == ["none given", "A_WORD_OF_TOMORROW"])
    let json = try #require(page.json["requests"]?.array)
    #expect(json[0]["reason"] == nil)
    #expect(json[0]["reasonWords"] == "none given")
    #expect(json[1]["reason"] == "A_WORD_OF_TOMORROW")
  }

  @Test("judges at the instant of reading what a request waits for, and until when") func waiting() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.policy()
    try story.request()
    let closed = Self.start + 12 * Self.hour
    var found = try reader(story.log, in: folder).cases(matching: CaseQuery()).cases
    #expect(found.map(\.phase) == [.waiting])
    #expect(found.first?.waitsFor == "consent of the customer")
    #expect(found.first?.waitsUntil == closed)
    try story.consent(true)
    found = try reader(story.log, in: folder).cases(matching: CaseQuery(phase: .waiting)).cases
    #expect(found.first?.waitsFor == "facts: deliveryStatus, sampleContentProvided")
    try story.evidence(Story.facts)
    found = try reader(story.log, in: folder).cases(matching: CaseQuery()).cases
    #expect(found.map(\.phase) == [.open])
    let claim = try story.nextClaim().prepared
    try story.claim(claim)
    try story.failed(claim, .limit, retryAt: Self.start + 11 * Self.hour)
    found = try reader(story.log, in: folder).cases(matching: CaseQuery()).cases
    #expect(found.first?.waitsFor == "Apple's limit of calls")
    #expect(found.first?.due == closed - 600_000 && found.first?.closed == closed)
    #expect(found.first?.waitsUntil == Self.start + 11 * Self.hour)
    // The same rows, read after the window.
    found = try reader(story.log, in: folder, at: closed).cases(matching: CaseQuery()).cases
    #expect(found.map(\.phase) == [.open])
    #expect(found.first?.waitsFor == nil)
  }

  /// A request for which the log holds all that is needed.
  private func ready() throws -> Story {
    let story = Story()
    try story.policy()
    try story.consent(true)
    try story.evidence(Story.facts)
    try story.request()
    return story
  }

  /// The words for the first request.
  private func words(_ story: Story) throws -> String? {
    let folder = TemporaryFolder()
    return try reader(story.log, in: folder).page(of: story.key)?.requests.first?.words
  }

  @Test("says that an answer waits for a token or a limit of Apple's, and promises no more than it sees")
  func held() throws {
    let story = try ready()
    #expect(
      try words(story)
        == "Everything is there; it is answered next, where the app has a key and Apple takes calls of it.")
    let first = try story.nextClaim().prepared
    try story.claim(first)
    try story.failed(first, .unauthorised)
    #expect(
      try words(story) == "It waits for a token that Apple takes; every five minutes one call of the app tries.")
    let second = try story.nextClaim().prepared
    try story.claim(second)
    try story.failed(second, .limit, retryAt: Self.start + Self.hour)
    #expect(
      try words(story)
        == "It is waiting until \(RFC3339.text(Self.start + Self.hour)) because Apple limited our calls.")
  }

  @Test("says of every case of the app that Apple limited its calls, and of no other's") func limitOfApp() throws {
    let folder = TemporaryFolder()
    let story = try ready()
    let until = Self.start + Self.hour
    let claim = try story.nextClaim().prepared
    try story.claim(claim)
    try story.failed(claim, .limit, retryAt: until)
    let other = Story(transactionID: "2000000000000002", log: story.log)
    try other.evidence(Story.facts)
    try other.notification("CONSUMPTION_REQUEST", uuid: 77)
    let sandbox = Story(environment: "Sandbox", transactionID: "2000000000000003", log: story.log)
    try sandbox.evidence(Story.facts)
    try sandbox.notification("CONSUMPTION_REQUEST", uuid: 78)

    let reader = try reader(story.log, in: folder)
    let page = try #require(try reader.page(of: other.key)?.requests.first)
    #expect(page.state == .waiting)
    #expect(page.words == "It is waiting until \(RFC3339.text(until)) because Apple limited our calls.")
    #expect(page.waitsUntil == until)
    #expect(try reader.page(of: sandbox.key)?.requests.first?.state == .open)
    let list = try reader.cases(matching: CaseQuery()).cases
    #expect(list.first { $0.purchase == other.key }?.waitsFor == "Apple's limit of calls")
    #expect(list.first { $0.purchase == other.key }?.waitsUntil == until)
    // The same, read when it has passed.
    let later = try self.reader(story.log, in: folder, at: until)
    #expect(try later.page(of: other.key)?.requests.first?.state == .open)
  }

  @Test("says that nothing is sent while a stream that an answer rests on cannot be read", arguments: [0, 1, 2])
  func basisStuck(way: Int) throws {
    let story = try ready()
    let (stream, type) = [
      (story.customerStream, "ConsentRecorded"), (story.appStream, "PolicyLoaded"), (story.stream, "EvidenceRecorded"),
    ][way]
    try story.add(
      EventDraft(id: EventID("consent/x"), stream: stream, type: type, occurredAt: 1, data: Array("{}".utf8)))
    #expect(
      try words(story)
        == "It waits for a release that can read the event at position 5; nothing is sent before.")
  }

  @Test("leaves nothing in the line of an event that steers a terminal or the direction of writing") func gist() throws
  {
    let folder = TemporaryFolder()
    let story = Story()
    try story.request()
    try story.review(.note, note: "a\u{202E}b\u{1B}c\u{2028}d")
    let page = try #require(try reader(story.log, in: folder).page(of: story.key))
    #expect(page.timeline.last?.gist == "note by mia: a b c d")
  }

  @Test("says what to do about a state of another release") func foreign() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.request()
    let cases = try reader(story.log, in: folder)
    let sqlite = try SQLiteConnection(
      path: "\(folder.path)/cases-v\(CaseStoreSchema.version).sqlite", mode: .readWrite)
    try sqlite.execute("UPDATE cases SET state = '{}'")
    let error = #expect(throws: CaseReaderError.self) { try cases.page(of: story.key) }
    #expect(error?.description.contains("stop the responder, remove the file") == true)
  }

  @Test("tells a request without consent as withheld, which is no failure") func withheld() throws {
    let folder = TemporaryFolder()
    let story = Story()
    let request = try story.request()
    try story.add(
      ConsumptionWithheld(request: request, reason: .noConsent, explanation: "nobody\nsaid yes"), .withheld,
      to: story.stream)
    let cases = try reader(story.log, in: folder)
    #expect(try cases.cases(matching: CaseQuery(phase: .failed)).cases.isEmpty)
    let summary = try #require(try cases.cases(matching: CaseQuery(phase: .withheld)).cases.first)
    #expect(summary.withheld == .noConsent)
    let page = try #require(try cases.page(of: story.key))
    #expect(page.requests[0].withheld?.explanation == "nobody\nsaid yes")
    #expect(page.requests[0].words == "It was not answered: no consent was on record.")
    #expect(page.timeline.last?.gist == "not answered (noConsent): nobody said yes", "one line is one line")
  }

  /// Seven cases: due at 1 … 4 hours, three ended.
  private func seven() throws -> MemoryEventLog {
    let log = Story.memory()
    for number in 1...7 {
      let story = Story(environment: number == 2 ? "Sandbox" : "Production", transactionID: "\(number)", log: log)
      let signedAt = Self.start - Int64(8 - number) * Self.hour
      let kind = number > 4 ? "REFUND" : "CONSUMPTION_REQUEST"
      try story.notification(
        kind, uuid: number, signedAt: signedAt, account: number == 3 ? nil : Story.account
      ) { if number == 4 { $0["originalTransactionId"] = "1" } }
    }
    return log
  }

  private static let queries: [(CaseQuery, [String])] = [
    (CaseQuery(), ["2", "1", "3", "4", "7", "6", "5"]), (CaseQuery(transactionID: "3"), ["3"]),
    (CaseQuery(originalTransactionID: "1"), ["1", "4"]), (CaseQuery(environment: "Sandbox"), ["2"]),
    (CaseQuery(apps: ["com.example.app", "x"]), ["2", "1", "3", "4", "7", "6", "5"]), (CaseQuery(apps: ["x"]), []),
    (CaseQuery(apps: []), []), (CaseQuery(phase: .decided), ["7", "6", "5"]),
    (CaseQuery(outcome: .refunded), ["7", "6", "5"]), (CaseQuery(outcome: .declined), []),
    (CaseQuery(phase: .open), ["2", "1", "3", "4"]), (CaseQuery(phase: .waiting), ["2", "1", "3", "4"]),
    (CaseQuery(dueBefore: start + 6 * hour), ["2", "1"]), (CaseQuery(transactionID: "' OR 1=1 --"), []),
  ]

  @Test("finds cases by what is known of them, due first and then the newest", arguments: queries.indices)
  func search(row: Int) throws {
    let folder = TemporaryFolder()
    let (query, expected) = Self.queries[row]
    let cases = try reader(seven(), in: folder)
    let found = try cases.cases(matching: query)
    #expect(found.cases.map(\.purchase.transactionID) == expected)
    #expect(found.next == nil)
    // In pages of every size the same.
    for limit in 1...3 {
      var query = query
      query.limit = limit
      var paged: [String] = []
      repeat {
        let page = try cases.cases(matching: query)
        #expect(page.cases.count <= limit)
        paged += page.cases.map(\.purchase.transactionID)
        query.after = page.next
      } while query.after != nil
      #expect(paged == expected)
    }
  }

  @Test("finds a customer's cases by pseudonym") func customer() throws {
    let folder = TemporaryFolder()
    let log = try seven()
    let customer = Story(log: log).customer
    let found = try reader(log, in: folder).cases(matching: CaseQuery(customer: customer)).cases
    #expect(Set(found.map(\.purchase.transactionID)) == ["1", "2", "4", "5", "6", "7"])
  }

  @Test(
    "takes no place to go on from that it did not give out",
    arguments: ["", "x", "c1", "c1.1.2.3", "c1.a.2.Production.1", "c1.1.2.production.1", "c1.1.2.Production.a b"])
  func cursor(text: String) throws {
    let folder = TemporaryFolder()
    let cases = try reader(seven(), in: folder)
    #expect(throws: CaseReaderError.cursorInvalid) { try cases.cases(matching: CaseQuery(after: text)) }
  }

  @Test("has no page for a purchase without a case") func noCase() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.evidence(Story.facts)
    let page = try reader(story.log, in: folder).page(of: story.key)
    #expect(page == nil)
  }

  @Test("shows where a case is stuck, and does not hide what came after") func stuck() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.request()
    try story.add(
      EventDraft(
        id: EventID("evidence/x"), stream: story.stream, type: "EvidenceRecorded", occurredAt: 1, data: Array("{}".utf8)
      ))
    try story.notification("REFUND", signedAt: Self.start + 1)
    let page = try #require(try reader(story.log, in: folder).page(of: story.key))
    #expect(page.summary.isStuck)
    #expect(page.stuck?.position == 2)
    #expect(page.timeline.count == 3)
    #expect(page.timeline[1].gist.hasPrefix("cannot be read"))
  }

  @Test("tells what was stated of the original purchase as such") func original() throws {
    let folder = TemporaryFolder()
    let story = Story(transactionID: "2")
    try story.evidence(Story.facts, of: PurchaseKey(environment: "Production", transactionID: "1"))
    try story.request { $0["originalTransactionId"] = "1" }
    let page = try #require(try reader(story.log, in: folder).page(of: story.key))
    #expect(page.evidence.map(\.member) == ["deliveryStatus", "sampleContentProvided"])
    #expect(page.evidence.map(\.isOfOriginal) == [true, true])
  }

  @Test("says what is the matter where there is no projection, one of another release, or of another log")
  func absent() throws {
    let folder = TemporaryFolder()
    let log = try seven()
    let reader = CaseReader(folder: folder.path, log: log, clock: .fixed(Self.start))
    let path = "\(folder.path)/cases-v\(CaseStoreSchema.version).sqlite"
    #expect(throws: CaseReaderError.absent(path: path)) { try reader.through() }
    try Files.write([], to: folder.path + "/cases-v1.sqlite")
    #expect(throws: CaseReaderError.otherVersion(path: path, found: ["cases-v1.sqlite"])) { try reader.through() }
    _ = try self.reader(log, in: folder)
    #expect(try reader.through() == 7)
    // The same log as it was before: cases that are not in it any more are not shown.
    let shorter = CaseReader(folder: folder.path, log: Story.memory(), clock: .fixed(Self.start))
    #expect(throws: CaseReaderError.logUnreadable(.lost(from: Position(1), through: Position(7)))) {
      try shorter.through()
    }
    let other = CaseReader(
      folder: folder.path, log: Story.memory(id: "00000000-0000-4000-8000-000000000002"), clock: .fixed(Self.start))
    #expect(throws: CaseReaderError.ofOtherLog(path: path)) { try other.cases(matching: CaseQuery()) }
  }

  @Test("opens a data folder beside a responder that writes, and sees each news") func folder() throws {
    let folder = TemporaryFolder()
    #expect(throws: CaseReaderError.self) { try CaseReader(folder: folder.path, clock: .fixed(Self.start)) }
    let log = try LocalEventLog.open(folder.path, clock: .fixed(Self.start))
    defer { log.close() }
    #expect(throws: CaseReaderError.absent(path: "\(folder.path)/cases-v\(CaseStoreSchema.version).sqlite")) {
      try CaseReader(folder: folder.path, clock: .fixed(Self.start))
    }
    let projector = try Projector(log: log, store: CaseStore(folder: folder.path))
    _ = try projector.advance()
    let reader = try CaseReader(folder: folder.path, clock: .fixed(Self.start))
    #expect(try reader.cases(matching: CaseQuery()).cases.isEmpty)
    for event in try seven().read(after: .start, limit: 100) { _ = try log.append([event.draft]) }
    while try projector.advance() != nil {}
    #expect(try reader.cases(matching: CaseQuery()).cases.count == 7)
    #expect(try reader.through() == 7)
  }

  @Test("tells that a restore holds sending up, and which requests may have been answered before it")
  func restored() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.policy()
    try story.consent(true)
    try story.evidence(Story.facts)
    try story.request()
    let reader = try reader(story.log, in: folder)
    #expect(try reader.cases(matching: CaseQuery()).sendingPausedSince == nil)
    try story.restored(at: Self.start + 9)
    let projector = try Projector(log: story.log, store: CaseStore(folder: folder.path))
    while try projector.advance() != nil {}
    let list = try reader.cases(matching: CaseQuery(phase: .waiting))
    #expect(list.sendingPausedSince == Self.start + 9)
    #expect(list.cases.first?.waitsFor == "refundlog resume, as the log was restored")
    let page = try #require(try reader.page(of: story.key))
    #expect(page.sendingPausedSince == Self.start + 9)
    #expect(page.requests.first?.mayHaveBeenAnswered == true)
    #expect(page.json["requests"]?.array?.first?["mayHaveBeenAnswered"]?.bool == true)
    try story.resumed()
    while try projector.advance() != nil {}
    #expect(try reader.page(of: story.key)?.sendingPausedSince == nil)
    // Resuming does not bring back what nobody knows.
    #expect(try reader.page(of: story.key)?.requests.first?.mayHaveBeenAnswered == true)
  }

  @Test("keeps the newest thousand events of a long story") func long() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.request(account: nil)
    for number in 1...1_200 {
      try story.add(
        EventDraft(
          AccessConfirmed(state: .ended, statedAt: Int64(number), by: "b"), id: "access/\(number)",
          stream: story.stream, app: Story.bundleID, occurredAt: Int64(number)))
    }
    let page = try #require(try reader(story.log, in: folder).page(of: story.key))
    #expect(page.timeline.count == CasePage.timelineMax)
    #expect(page.isTimelineCut)
    #expect(page.timeline.last?.position == 1_201)
  }
}
