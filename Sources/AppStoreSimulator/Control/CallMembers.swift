import AppStore
import JSON

/// Reads the members of a call's body, each once; what is wrong becomes a sentence about the member.
struct CallMembers {
  let object: JSONObject

  init(_ object: JSONObject) { self.object = object }

  subscript(key: String) -> JSONValue? { object[key] }

  func text(_ key: String) throws(ControlError) -> String? {
    guard let value = object[key] else { return nil }
    guard let text = value.string, !text.isEmpty else { throw .badRequest("\(key) is not a text") }
    return text
  }

  func integer(_ key: String, in range: ClosedRange<Int64>) throws(ControlError) -> Int64? {
    guard let value = object[key] else { return nil }
    guard let number = value.int64, range.contains(number) else {
      throw .badRequest("\(key) is no integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func flag(_ key: String) throws(ControlError) -> Bool? {
    guard let value = object[key] else { return nil }
    guard let flag = value.bool else { throw .badRequest("\(key) is neither true nor false") }
    return flag
  }

  func texts(_ key: String, max: Int) throws(ControlError) -> [String]? {
    guard let value = object[key] else { return nil }
    guard let list = value.array, list.count <= max, list.allSatisfy({ $0.string != nil }) else {
      throw .badRequest("\(key) is no list of at most \(max) texts")
    }
    return list.compactMap(\.string)
  }

  func word<Word: RawRepresentable & CaseIterable>(
    _ key: String, _: Word.Type
  ) throws(ControlError) -> Word? where Word.RawValue == String {
    guard let value = object[key] else { return nil }
    guard let word = value.string.flatMap(Word.init(rawValue:)) else {
      throw .badRequest("\(key) is not one of " + Word.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return word
  }

  func refuseOthers(than known: [String]) throws(ControlError) {
    if let unknown = object.keys.first(where: { !known.contains($0) }) {
      throw .badRequest("\(unknown.prefix(60)) is not known here; known are \(known.joined(separator: ", "))")
    }
  }
}
