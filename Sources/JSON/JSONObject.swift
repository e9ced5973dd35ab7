/// The members of an object in order of appearance. Two objects are equal when they hold the same members,
/// in whatever order.
public struct JSONObject: Sendable, Equatable {
  public struct Member: Sendable, Equatable {
    public var key: String
    public var value: JSONValue
  }

  /// In order of appearance; no two have the same key.
  public private(set) var members: [Member]

  public init() { members = [] }

  public var isEmpty: Bool { members.isEmpty }
  public var count: Int { members.count }
  public var keys: [String] { members.map(\.key) }

  /// The value of that name; setting nil takes the member away, setting a new one puts it last.
  public subscript(key: String) -> JSONValue? {
    get { index(of: key).map { members[$0].value } }
    set {
      switch (index(of: key), newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(key: key, value: value))
      case (nil, nil): break
      }
    }
  }

  /// Reads a view's members, whose keys the reader has found to be different.
  init(distinct members: [Member]) { self.members = members }

  public static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.members.allSatisfy { right[$0.key] == $0.value }
  }

  // By bytes: `String` would also call equal what only looks alike.
  private func index(of key: String) -> Int? {
    members.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// - Precondition: no key stands twice.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init()
    for (key, value) in elements {
      precondition(self[key] == nil, "the key \(key) stands twice in a literal")
      self[key] = value
    }
  }
}
