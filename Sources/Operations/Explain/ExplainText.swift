import AppStore
import Cryptography
import JSON
import Service

/// The findings for people.
struct ExplainText: CustomStringConvertible {
  let findings: ExplainFindings

  var description: String {
    var text = "Given: \(Shown.text(findings.form))\n"
    for slot in TokenSlot.allCases { text += checks(slot) }
    if let identity = findings.identity {
      text += "\nWhose it is: \(Shown.text(identity.words))\n"
      text +=
        Table(
          rows: identity.rows.map { row in
            ["  \(row.name)", "received \(row.received ?? "none")"]
              + (row.expected.isEmpty ? [] : ["expected \(row.expected)"])
          }
        ).description
    } else if findings.explanation != nil {
      text += "\nWhose it is: not compared; name the settings with --settings FILE\n"
    }
    text += said
    if let fate = findings.fate {
      text +=
        "\nThe receiver would answer \(fate.status)\(fate.code.map { " \($0)" } ?? ""): \(Shown.text(fate.words))\n"
    }
    switch findings.place {
    case .known(let position, let receivedAt):
      text += "In the log: at position \(position), received \(RFC3339.text(receivedAt))\n"
    case .unknown: text += "In the log: no\n"
    case .notLooked(let reason): text += "In the log: not looked, \(Shown.text(reason))\n"
    }
    return text + "\nSo: \(Shown.text(findings.conclusion))\n"
  }

  private func checks(_ slot: TokenSlot) -> String {
    let steps = findings.explanation?.steps.filter { $0.slot == slot } ?? []
    if steps.isEmpty { return "" }
    var text = slot == .outer ? "\nThe notification\n" : "\nIn it, \(slot.rawValue)\n"
    // Long words stand behind the names without widening a column.
    for step in steps {
      let name = step.name.rawValue + String(repeating: " ", count: 12 - step.name.rawValue.count)
      let code = step.failure.map { "\($0.rawValue): " } ?? ""
      text += "  \(step.passed ? "ok  " : "FAIL")  \(name)  \(Shown.text(code + step.words))\n"
      if step.name == .certificates { text += certificates(slot) }
    }
    return text
  }

  private func certificates(_ slot: TokenSlot) -> String {
    let places = ["leaf", "intermediate", "offered as root, not trusted for that"]
    return (findings.explanation?.certificates[slot] ?? []).enumerated().map { index, certificate in
      let mark =
        certificate.hasExtension(StoreChain.leafMark)
        ? ", marked \(StoreChain.leafMark)"
        : certificate.hasExtension(StoreChain.intermediateMark) ? ", marked \(StoreChain.intermediateMark)" : ""
      return "          \(index + 1) \(places[min(index, 2)]): \(Shown.text(certificate.subject))\n"
        + "            serial \(certificate.serial), \(RFC3339.text(certificate.notBefore)) to "
        + "\(RFC3339.text(certificate.notAfter))\(mark)\n"
    }.joined()
  }

  private var said: String {
    guard let content = findings.content else { return "" }
    var text = "\nWhat it says\(findings.isGenuine ? "" : " (claimed, not proven)"):\n"
    text += PrettyJSON.text(content.value).split(separator: "\n").map { "  \(Shown.text(String($0)))\n" }.joined()
    if !content.unknownMembers.isEmpty {
      text += "Members that this release does not know: \(Shown.text(content.unknownMembers.joined(separator: ", ")))\n"
    }
    return text
  }
}
