/// The words after a program's name: `--flag value`, `--flag=value`, `--switch`, and the rest in order.
public struct Arguments: Sendable, Equatable {
  /// A word that is not understood; the text says what is.
  public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    public var description: String
    public init(_ description: String) { self.description = description }
  }

  private var values: [String: String] = [:]
  private var switches: Set<String> = []
  /// What is no flag, in order.
  public private(set) var words: [String] = []

  /// - Parameters:
  ///   - flags: names, without dashes, that take a value.
  ///   - switches: names that take none.
  public init(_ arguments: [String], flags: [String], switches: [String] = []) throws(Fault) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      // A variable of a script that is not set; what would be meant by it is another thing.
      if word.isEmpty { throw Fault("one of the words is empty") }
      guard word.hasPrefix("--"), word.count > 2 else {
        words.append(word)
        continue
      }
      let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      if switches.contains(parts[0]) {
        if parts.count == 2 { throw Fault("--\(parts[0]) takes no value") }
        self.switches.insert(parts[0])
      } else if flags.contains(parts[0]) {
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), parts.count == 2 || !value.hasPrefix("--")
        else { throw Fault("--\(parts[0]) needs a value; one that begins with -- is written --\(parts[0])=VALUE") }
        if value.isEmpty, parts.count == 1 {
          throw Fault("--\(parts[0]) is empty; where that is meant it is written --\(parts[0])=")
        }
        guard values.updateValue(value, forKey: parts[0]) == nil else { throw Fault("--\(parts[0]) stands twice") }
      } else {
        let known = (flags + switches).sorted()
        let near = Nearest.word(to: parts[0], among: known).map { "; did you mean --\($0)?" } ?? "."
        throw Fault(
          "--\(parts[0]) is not known here\(near) Known are \(known.map { "--\($0)" }.joined(separator: ", "))")
      }
    }
  }

  public subscript(flag: String) -> String? { values[flag] }

  public func has(_ name: String) -> Bool { switches.contains(name) }
}
