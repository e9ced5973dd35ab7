import Contracts
import JSON

/// What the responder makes of it: checks, each against the case and against what reached the App Store.
extension Step {
  /// The newest request was answered with exactly this body, once.
  static func answered(_ body: String, _ words: String = "Apple is told, and takes it:") -> Step {
    Step { (scene) throws(CommandError) in
      let count = scene.requests
      let page = try scene.wait(for: "Apple is told \(body)") { page in
        page.requests.count == count && page.requests.last?.state == .answered
      }
      let taken = try scene.taken()
      try scene.expect("how often Apple was told, over all requests", taken.count, is: count)
      try scene.expect("what Apple was told", taken.last ?? "nothing", is: body)
      guard let attempt = page.requests.last?.attempts.last, let said = attempt.said else {
        throw Scene.wrong(expected: "an attempt with its claim in the log", found: "none")
      }
      try scene.expect("what the log says that Apple was told", said.body, is: body)
      scene.tell(words, at: attempt.repliedAt ?? scene.stage.clock.now)
      scene.quote(body)
      for line in AnswerWords(said: said).lines { scene.add(line) }
    }
  }

  /// The newest request waits.
  static func waits(for what: String) -> Step {
    Step { (scene) throws(CommandError) in
      let page = try scene.wait(for: "the request waits for \(what)") { $0.requests.last?.waitsFor == what }
      try scene.expect("how often Apple was told", try scene.taken().count, is: scene.requests - 1)
      let until = page.requests.last?.waitsUntil.map(DemoClock.text) ?? "?"
      scene.tell("Nothing is sent. The case shows that it waits for \(what), until \(until).")
    }
  }

  /// The newest request ended without an answer, and nothing at all reached the App Store.
  static func withheld(_ reason: ConsumptionWithheld.Reason) -> Step {
    Step { (scene) throws(CommandError) in
      let page = try scene.wait(for: "the request is withheld as \(reason.rawValue)") {
        $0.requests.last?.state == .withheld
      }
      guard let withheld = page.requests.last?.withheld else {
        throw Scene.wrong(expected: "a reason for the missing answer", found: "none")
      }
      try scene.expect("why nothing was sent", withheld.reason, is: reason.rawValue)
      try scene.expect("how often Apple was called", try scene.calls().count, is: 0)
      scene.tell(
        "The request ends without an answer: withheld, \(reason.rawValue) (\(withheld.explanation ?? "no words")). "
          + "Apple was told nothing.", at: withheld.at)
    }
  }
}
