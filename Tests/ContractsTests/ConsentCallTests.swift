import Contracts
import JSON
import Testing

private let now: Int64 = 1_794_301_200_000

@Suite("PUT /v1/consents") struct ConsentCallTests {
  static let good: JSONObject = [
    "bundleId": "com.example.game", "account": "user-42", "granted": true, "textVersion": "2026-09", "channel": "app",
    "statedAt": .number(JSONNumber(now)),
  ]

  private func read(_ change: (inout JSONObject) -> Void) throws -> ConsentCall {
    var object = Self.good
    change(&object)
    return try ConsentCall(body: JSONValue.object(object).bytes(), now: now)
  }

  @Test("becomes the event it says")
  func event() throws {
    let digest = String(repeating: "a", count: 64)
    let event = try read { _ in }.event(textDigest: digest, by: "backend")
    #expect(
      event
        == ConsentRecorded(
          bundleID: "com.example.game", account: "user-42", granted: true, textVersion: "2026-09", textDigest: digest,
          channel: ChannelWord("app"), statedAt: now, by: "backend"))
    #expect(try read { $0["textDigest"] = .string(digest) }.textDigest == digest)
  }

  @Test(
    "is refused without a member it needs",
    arguments: ["bundleId", "account", "granted", "textVersion", "channel", "statedAt"])
  func required(name: String) {
    let found = problem { _ = try read { $0[name] = nil } }
    #expect(found?.status == 422)
    #expect(found?.errors.map(\.member) == [name])
  }

  @Test("is told all of its faults at once, the misspelt member too")
  func allFaults() {
    let found = problem {
      _ = try read {
        $0["granted"] = "yes"
        $0["textversion"] = "2026-09"
        $0["textVersion"] = nil
      }
    }
    #expect(found?.errors.map(\.member) == ["granted", "textVersion", "textversion"])
  }

  @Test("refuses Apple's tracking prompt as a channel", arguments: ["att", "ATT", "AppTrackingTransparency"])
  func trackingPrompt(channel: String) {
    let found = problem { _ = try read { $0["channel"] = .string(channel) } }
    #expect(found?.errors.first?.member == "channel")
    #expect(found?.errors.first?.detail.contains("tracking prompt") == true)
  }

  @Test("takes a channel nobody here knows")
  func openChannel() throws { #expect(try read { $0["channel"] = "voice" }.channel.text == "voice") }

  @Test("refuses the all-zero account, a dirty bundle id and a short digest")
  func shapes() {
    for (name, value): (String, JSONValue) in [
      ("account", "00000000-0000-0000-0000-000000000000"), ("account", ""), ("bundleId", "com.example/game"),
      ("textDigest", "abc"), ("account", .string(String(repeating: "x", count: 256))),
    ] {
      #expect(problem { _ = try read { $0[name] = value } }?.errors.map(\.member) == [name])
    }
  }

  @Test("is refused more than 5 min ahead of the clock", arguments: [(0, true), (300_000, true), (300_001, false)])
  func future(ahead: Int64, allowed: Bool) {
    let found = problem { _ = try read { $0["statedAt"] = .number(JSONNumber(now + ahead)) } }
    #expect((found == nil) == allowed)
  }

  @Test("says so where seconds were sent for milliseconds, and stands any integer")
  func seconds() {
    let found = problem { _ = try read { $0["statedAt"] = .number(JSONNumber(now / 1000)) } }
    #expect(found?.errors.first?.detail.contains("milliseconds") == true)
    for extreme in [Int64.min, .max] {
      #expect(problem { _ = try read { $0["statedAt"] = .number(JSONNumber(extreme)) } } != nil)
    }
  }

  @Test("is refused where the body is not one object", arguments: ["", "[]", "null", "{\"a\":1,\"a\":1}", "{} {}"])
  func notObject(text: String) {
    #expect(problem { _ = try ConsentCall(body: Array(text.utf8), now: now) }?.code == .malformedJSON)
  }

  @Test("never shows what was sent as a text")
  func discreet() {
    let found = problem { _ = try read { $0["statedAt"] = "secret-token" } }
    #expect(found?.description.contains("secret-token") == false)
  }

  @Test("tells at most 20 faults, whatever is sent")
  func bounded() {
    let found = problem { _ = try read { for number in 0..<500 { $0["x\(number)"] = 1 } } }
    #expect(found?.errors.count == 20)
  }

  @Test("names its place in a batch")
  func batch() {
    let found = problem { _ = try ConsentCall(members: JSONObject(), path: "items[3]", now: now) }
    #expect(found?.errors.first?.member == "items[3].bundleId")
  }
}
