import Service
import Testing

@testable import Operations

/// `refundlog` in this process, with what it printed.
struct Refundlog {
  static let now: Int64 = 1_796_000_100_000

  let code: ExitCode
  let printed: String
  let complained: String

  /// - Parameters:
  ///   - answers: what a person at the terminal types, one line after the other; nil where nobody sits there.
  ///   - input: what stands on standard input.
  @discardableResult
  init(
    _ words: [String], variables: [String: String] = [:], answers: [String]? = nil, input: [UInt8] = [],
    now: Int64 = Self.now, inputDescriptor: Int32 = -1, isTerminal: Bool = false
  ) {
    var printed = ""
    var complained = ""
    var lines = (answers ?? [])[...]
    let code = RefundlogProgram(
      .init(
        print: { printed += $0 }, complain: { complained += $0 }, variables: variables, programs: "/nowhere",
        clock: .fixed(now), user: "ada", ask: answers == nil ? nil : { _ in lines.popFirst() },
        input: { $0 >= input.count ? input : nil }, inputDescriptor: inputDescriptor, isTerminal: isTerminal)
    ).run(words)
    (self.code, self.printed, self.complained) = (code, printed, complained)
  }
}
