import AppStore
import Cryptography
import TestSupport
import Testing

@Suite("Explaining a verification") struct VerificationExplanationTests {
  private static let rows = (VectorRow.load(Project.vectors) + VectorRow.load(Project.sharedVectors)).filter {
    $0.kind == "notification"
  }

  @Test("decides as verifying does, and its last step is the one that failed", arguments: rows)
  func verdict(row: VectorRow) throws {
    let token = try row.bytes(row.file)[...]
    let explanation = try row.verifier().explainNotification(token)
    var refusal: VerificationRefusal?
    let verifier = try row.verifier()
    do throws(VerificationError) { _ = try verifier.verifyNotification(token) } catch { refusal = error.refusal }
    switch explanation.verdict {
    case .success: #expect(refusal == nil)
    case .failure(let error): #expect(error.refusal == refusal)
    }
    let failed = explanation.steps.filter { !$0.passed }
    #expect(failed.map(\.failure) == (refusal.map { [$0.code] } ?? []))
    #expect(refusal == nil || explanation.steps.last == failed.first)
    #expect(refusal == nil || failed.first?.words == refusal?.explanation)
  }

  @Test("tells every step of the outer token and of the inner one, also after the verifier has seen them")
  func steps() throws {
    let store = FixtureStore()
    let verifier = store.verifier()
    let token = store.sign(store.notification())
    _ = try verifier.verifyNotification(token[...])
    let steps = verifier.explainNotification(token[...]).steps
    #expect(
      steps.filter { $0.slot == .outer }.map(\.name) == [
        .parts, .header, .algorithm, .certificates, .chain, .marks, .signature, .payload, .date, .kind, .usable,
      ])
    #expect(
      steps.filter { $0.slot == .transaction }.map(\.name) == [
        .parts, .header, .signature, .payload, .date, .kind, .belonging,
      ])
    #expect(steps.first { $0.slot == .transaction && $0.name == .header }?.words.contains("same as") == true)
  }

  @Test("shows the certificates also where they lead nowhere") func certificates() throws {
    let store = FixtureStore()
    let stranger = FixtureStore()
    let explanation = store.verifier().explainNotification(stranger.sign(stranger.notification())[...])
    #expect(explanation.steps.last?.name == .chain && explanation.steps.last?.failure == .chain)
    #expect(explanation.certificates[.outer] == stranger.signing.certificates)
    #expect(explanation.certificates[.outer]?.allSatisfy { !$0.serial.isEmpty && $0.serial.first != "0" } == true)
  }
}
