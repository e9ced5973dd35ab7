import AppStore
import Cryptography
import EventLog
import JSON
import Service

/// The findings for machines.
struct ExplainJSON {
  let value: JSONValue

  init(_ findings: ExplainFindings) {
    var object: JSONObject = [
      "given": .string(findings.form), "genuine": .bool(findings.isGenuine),
      "ours": findings.identity.map { .bool($0.isOurs) } ?? .null, "conclusion": .string(findings.conclusion),
    ]
    if let explanation = findings.explanation {
      object["steps"] = .array(explanation.steps.map(Self.step))
      var certificates = JSONObject()
      for slot in TokenSlot.allCases {
        certificates[slot.rawValue] = explanation.certificates[slot].map { .array($0.map(Self.certificate)) }
      }
      object["certificates"] = .object(certificates)
    }
    if let identity = findings.identity {
      object["identity"] = .array(
        identity.rows.map { row in
          var member: JSONObject = ["name": .string(row.name), "expected": .string(row.expected)]
          member["received"] = row.received.map { .string($0) }
          return .object(member)
        })
    }
    object["content"] = findings.content?.value
    object["unknownMembers"] = findings.content.map { .array($0.unknownMembers.map { .string($0) }) }
    if let fate = findings.fate {
      var receiver: JSONObject = ["status": .number(JSONNumber(Int64(fate.status))), "words": .string(fate.words)]
      receiver["code"] = fate.code.map { .string($0) }
      object["receiver"] = .object(receiver)
    }
    switch findings.place {
    case .known(let position, let receivedAt):
      object["log"] = ["position": .number(JSONNumber(position.value)), "receivedAt": .number(JSONNumber(receivedAt))]
    case .unknown: object["log"] = .null
    case .notLooked: break
    }
    value = .object(object)
  }

  private static func step(_ step: VerificationStep) -> JSONValue {
    var object: JSONObject = [
      "slot": .string(step.slot.rawValue), "name": .string(step.name.rawValue), "passed": .bool(step.passed),
      "words": .string(step.words),
    ]
    object["code"] = step.failure.map { .string($0.rawValue) }
    return .object(object)
  }

  private static func certificate(_ certificate: Certificate) -> JSONValue {
    [
      "subject": .string(certificate.subject), "serial": .string(certificate.serial),
      "notBefore": .number(JSONNumber(certificate.notBefore)), "notAfter": .number(JSONNumber(certificate.notAfter)),
      "marks": .array(
        [StoreChain.leafMark, StoreChain.intermediateMark].filter(certificate.hasExtension).map { .string($0) }),
      "fingerprint": .string(certificate.fingerprint.hex),
    ]
  }
}
