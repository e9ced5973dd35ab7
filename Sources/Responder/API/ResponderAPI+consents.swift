import Contracts
import Cryptography
import EventLog
import HTTPTypes
import Service

extension ResponderAPI {
  /// `PUT /v1/consents`
  func consent(_ call: Call) throws(Problem) -> HTTPResponse {
    .receipt(try record(try ConsentCall(body: call.body, now: clock.now()), call.idempotencyKey, call.caller))
  }

  /// `POST /v1/consents`
  func consents(_ call: Call) throws(Problem) -> HTTPResponse {
    try batch(call) { item throws(Problem) in
      try record(
        try ConsentCall(members: item.members, path: item.path, now: clock.now()), item.key, call.caller)
    }
  }

  private func record(_ consent: ConsentCall, _ key: String?, _ caller: Caller) throws(Problem) -> Recorder.Receipt {
    try check(app: consent.bundleID, caller)
    let customer = customer(consent.account, app: consent.bundleID)
    return try recorder.record(
      Recorder.Statement(
        prefix: .consent, stream: StreamName(Streams.customer(customer)), app: consent.bundleID, customer: customer,
        statedAt: consent.statedAt, type: .consentRecorded,
        data: consent.event(textDigest: try texts.digest(for: consent), by: caller.name).encoded()),
      key: key, scope: caller.keySpace)
  }

  /// `PUT /v1/texts/{bundleId}/{version}/{language}`
  func consentText(_ call: Call) throws(Problem) -> HTTPResponse {
    let text = try ConsentTextCall(
      bundleID: call.part("bundleId"), version: call.part("version"), language: call.part("language"), body: call.body)
    try check(app: text.bundleID, call.caller)
    return .receipt(try texts.declare(text.event(digest: SHA256.digest(of: text.text.utf8).hex)))
  }

  /// `PUT /v1/texts/{bundleId}/accepted`
  func acceptedTexts(_ call: Call) throws(Problem) -> HTTPResponse {
    let accepted = try AcceptedTextsCall(bundleID: call.part("bundleId"), body: call.body)
    try check(app: accepted.bundleID, call.caller)
    return .receipt(
      try recorder.record(
        Recorder.Statement(
          prefix: .accepted, stream: StreamName(Streams.app(accepted.bundleID)), app: accepted.bundleID,
          statedAt: clock.now(), type: .acceptedTextsDeclared, data: accepted.event.encoded()),
        key: nil, scope: call.caller.keySpace))
  }
}
