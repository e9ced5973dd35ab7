public import JSON

/// A payload of Apple, or a part of one, read member by member when asked.
///
/// Nothing here fails: a member that is absent, or that is not what Apple's pages say it is, is nil; a word that
/// we do not know is kept as `unknown`. What is really there can be seen in `view`.
public protocol DecodedPayload: Sendable {
  var view: JSONView { get }
  init(view: JSONView)
}

extension DecodedPayload {
  func text(_ name: String) -> String? { view[name]?.string }

  func integer(_ name: String) -> Int64? { view[name]?.int64 }

  func flag(_ name: String) -> Bool? { view[name]?.bool }

  func word<Word: OpenText>(_ name: String) -> Word? { text(name).map { Word(rawValue: $0) } }

  func number<Number: OpenNumber>(_ name: String) -> Number? { integer(name).map { Number(rawValue: $0) } }

  func part<Part: DecodedPayload>(_ name: String) -> Part? {
    guard let part = view[name], part.kind == .object else { return nil }
    return Part(view: part)
  }

  func members(outside known: Set<String>) -> [(key: String, value: JSONView)] {
    (view.members ?? []).filter { !known.contains($0.key) }
  }
}
