/// A set of words that Apple may extend at any time: what we do not know is kept as it came.
public protocol OpenText: RawRepresentable, Hashable, Sendable, CustomStringConvertible where RawValue == String {
  /// Never fails; a word outside the known set becomes `unknown`.
  init(rawValue: String)
}

extension OpenText {
  public var description: String { rawValue }
}

/// A set of numbers that Apple may extend at any time: what we do not know is kept as it came.
public protocol OpenNumber: RawRepresentable, Hashable, Sendable, CustomStringConvertible where RawValue == Int64 {
  /// Never fails; a number outside the known set becomes `unknown`.
  init(rawValue: Int64)
}

extension OpenNumber {
  public var description: String { String(rawValue) }
}
