/// A word of a vocabulary that somebody else may extend: known ones have names, unknown ones survive as they came.
public struct Word<Vocabulary: KnownWords>: Sendable, Hashable, CustomStringConvertible {
  public let text: String

  public init(_ text: String) { self.text = text }

  /// Whether this release knows the word; an unknown one is kept and shown, never refused on reading.
  public var isKnown: Bool { Vocabulary.known.contains(text) }

  public var description: String { text }

  public static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
}

/// Names a vocabulary and lists the words this release knows of it.
public protocol KnownWords: Sendable {
  static var known: [String] { get }
}
