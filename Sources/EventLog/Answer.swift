import Service

/// One answer that one thread waits for and another gives.
final class Answer<Value: Sendable>: Sendable {
  private let result = Monitor<Result<Value, AppendError>?>(nil)

  func give(_ result: Result<Value, AppendError>) { self.result.change { $0 = result } }

  func wait() throws(AppendError) -> Value { try result.wait { $0 }!.get() }
}
