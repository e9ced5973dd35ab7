/// Until when Apple limits the calls of apps: what one case met holds for the others of its app and environment. Each app is
/// looked up once.
struct AppLimits {
  /// Open cases of an app in an environment that met a limit. The loop calls those first whose answer is due first, so
  /// that it is one of them that met it last.
  static let statement = """
    SELECT state FROM (SELECT environment, state FROM cases WHERE app = ? AND due IS NOT NULL ORDER BY due LIMIT 2000)
      WHERE environment = ? AND instr(state, '"limited"') > 0
    """

  let now: Int64
  private var known: [CallGates.Name: Int64?] = [:]

  init(now: Int64) { self.now = now }

  /// nil where no limit holds.
  /// - Parameter cases: gives those of `statement`.
  mutating func until(
    of state: CaseState, _ cases: (_ app: String, _ environment: String) throws(CaseReaderError) -> [CaseState]
  ) throws(CaseReaderError) -> Int64? {
    guard let name = CallGates.Name(state) else { return nil }
    if let until = known[name] { return until }
    let ends = try cases(name.app, name.environment).flatMap(\.requests).flatMap(\.attempts).compactMap {
      attempt -> Int64? in
      if case .limited(let retryAt) = attempt.result { retryAt } else { nil }
    }
    let until = ends.max().flatMap { $0 > now ? $0 : nil }
    known[name] = .some(until)
    return until
  }
}
