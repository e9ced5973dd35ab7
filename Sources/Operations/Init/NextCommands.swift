import JSON
import Service

/// What to type next, word for word.
struct NextCommands {
  let text: String

  init(_ steps: InitSteps, programs: String) {
    let settings = AbsolutePath.quoted(steps.settings)
    func start(_ program: String) -> String {
      "  \(AbsolutePath.quoted("\(programs)/\(program)")) --settings \(settings)\n"
    }
    let refundlog = AbsolutePath.quoted("\(programs)/refundlog")
    var text = "\nNext, each in a terminal of its own:\n"
    if steps.isRehearsal { text += start("appstore-simulator") }
    text += start("refund-receiver") + start("refund-responder")
    text += "  \(refundlog) log tail --follow --settings \(settings)\n"
    if steps.isRehearsal {
      text += Self.rehearsal(steps)
    } else {
      text += """

        Then look what is set up:
          \(refundlog) apps list --settings \(settings)
        In App Store Connect, under App Information, give the https URL of your reverse proxy that leads to the receiver's
        /v1/notifications, version 2, for each environment.

        """
    }
    self.text = text
  }

  /// A customer who agreed asks for money back.
  private static func rehearsal(_ steps: InitSteps) -> String {
    let root = (try? SettingsFile(steps.settings))?.root
    let responder = root?["responder"]?["port"]?.int64 ?? 8081
    let simulator = root?["simulator"]?["port"]?.int64 ?? 8090
    let bundleID = JSONValue.string(root?["simulator"]?["bundleId"]?.string ?? "com.example.app").text()
    let account = "9f1c2a52-8f1e-4f0e-9c5c-2f3d1a7b6e10"
    let transaction = "2000000000000001"
    let token = "-H \"Authorization: Bearer $(cat \(AbsolutePath.quoted(steps.token)))\""
    let backend = "http://127.0.0.1:\(responder)/v1"
    let store = "http://127.0.0.1:\(simulator)/simulator/v1"
    return """

      When all run, play it through. A customer agrees; your back end knows the purchase; the customer asks Apple for money
      back; a moment later, see what Apple was told:
        curl -sS -w '\\n' -X PUT \(backend)/consents \(token) -d '{"bundleId": \(bundleID), "account": "\(account)", "granted": true, "textVersion": "1", "textDigest": "'$(printf text | sha256sum | cut -c1-64)'", "channel": "app", "statedAt": '$(date +%s)000'}'
        curl -sS -w '\\n' -X PUT \(backend)/evidence/Sandbox/\(transaction) \(token) -d '{"bundleId": \(bundleID), "statedAt": '$(date +%s)000', "values": {"deliveryStatus": "DELIVERED", "sampleContentProvided": false, "unitsGranted": 1000, "unitsUsed": 400}}'
        curl -sS -w '\\n' -X POST \(store)/refund-requests -d '{"transaction": {"transactionId": "\(transaction)", "type": "Consumable", "appAccountToken": "\(account)"}, "consumptionRequestReason": "UNINTENDED_PURCHASE"}'
        curl -sS -w '\\n' '\(store)/answers?transactionId=\(transaction)'

      """
  }
}
