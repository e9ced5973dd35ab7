import Contracts
import HTTPTypes
import JSON

/// What Apple decides, and what becomes of it in the case.
extension Step {
  /// Apple posts its decision.
  /// - Parameter members: what Apple says of a refund besides.
  static func decides(_ decision: String, _ members: JSONObject = [:], _ words: String = "Apple decides") -> Step {
    Step("\(words), and posts \(decision)\(extras(members)).") { (scene) throws(CommandError) in
      var call: JSONObject = ["transactionId": .string(scene.purchase.transaction), "decision": .string(decision)]
      for member in members.members { call[member.key] = member.value }
      try scene.stage.simulator(.post, "decisions", .object(call))
    }
  }

  /// The case ends so: all of Apple's decisions, oldest first, in words, each recorded with the answers given until then.
  static func ends(_ decisions: String..., answers: Int = 1) -> Step {
    Step { (scene) throws(CommandError) in
      let page = try scene.wait(for: "outcome: \(decisions.joined(separator: ", "))") { page in
        page.outcomes.count == decisions.count && page.outcomes.allSatisfy(\.isRecorded)
      }
      try scene.expect("what Apple decided", page.outcomes.map(EndingWords.words), is: decisions)
      try scene.expect("answers Apple had when it decided last", page.outcomes.last?.said.count ?? 0, is: answers)
      let told = answers == 0 ? "without an answer" : answers == 1 ? "after one answer" : "after \(answers) answers"
      let history = decisions.count > 1 ? " The earlier outcome stays in the history: \(decisions[0])." : ""
      scene.tell("The case's outcome: \(decisions.last!), \(told).\(history)")
    }
  }

  private static func extras(_ members: JSONObject) -> String {
    let words = members.members.map { "\($0.key) \($0.value.string ?? $0.value.text())" }
    return words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"
  }
}
