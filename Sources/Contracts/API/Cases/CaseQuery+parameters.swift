extension CaseQuery {
  /// Reads the parameters of `GET /v1/cases`; each may stand once.
  /// - Throws: `Problem` with everything that is wrong.
  public init(parameters: [(name: String, value: String)]) throws(Problem) {
    self.init()
    var faults: [ProblemMember] = []
    var seen: Set<String> = []
    func refuse(_ name: String, _ detail: String) {
      if faults.count < CallReader.faultsMax { faults.append(ProblemMember(member: name, detail: detail)) }
    }
    for (name, value) in parameters {
      guard Self.parameters.contains(name) else {
        refuse(String(name.prefix(64)), "is not known here; allowed are \(Self.parameters.joined(separator: ", "))")
        continue
      }
      guard seen.insert(name).inserted else {
        refuse(name, "stands twice")
        continue
      }
      if let fault = take(name, value) { refuse(name, fault) }
    }
    if !faults.isEmpty { throw Problem(.invalidMembers, errors: faults) }
  }

  /// Names of the parameters.
  public static let parameters = [
    "transactionId", "originalTransactionId", "customer", "app", "environment", "state", "outcome", "dueBefore",
    "limit", "after",
  ]

  /// - Returns: what is wrong with it; nil where it was taken.
  private mutating func take(_ name: String, _ value: String) -> String? {
    guard (1...255).contains(value.utf8.count) else { return "has 1 to 255 bytes" }
    switch name {
    case "transactionId": transactionID = value
    case "originalTransactionId": originalTransactionID = value
    case "customer":
      guard HexDigits.areDigest(value) else { return "is the customer's pseudonym, 64 lower-case hex digits" }
      customer = value
    case "app": apps = [value]
    case "environment": environment = value
    case "state":
      guard let word = CasePhase(rawValue: value) else { return Self.oneOf(CasePhase.self) }
      phase = word
    case "outcome":
      guard let word = Outcome.Kind(rawValue: value) else { return Self.oneOf(Outcome.Kind.self) }
      outcome = word
    case "dueBefore":
      guard let instant = Int64(value) else { return "is an integer, milliseconds since 1970 UTC" }
      dueBefore = instant
    case "limit":
      guard let number = Int(value), Self.limits.contains(number) else {
        return "is an integer from \(Self.limits.lowerBound) to \(Self.limits.upperBound)"
      }
      limit = number
    default: after = value
    }
    return nil
  }

  private static func oneOf<Word: ClosedWord>(_ type: Word.Type) -> String {
    "is one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))"
  }
}
