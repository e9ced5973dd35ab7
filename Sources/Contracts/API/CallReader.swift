import JSON

/// Takes the members of a request's body and collects everything that is wrong with them, so that a backend's
/// author sees all of it at once. Members nobody knows are refused: a misspelt one would be lost in silence.
struct CallReader: OptionalMembers {
  /// More than these are not told.
  static let faultsMax = 20
  /// Bounds of one body.
  static let limits = JSONLimits(bytesMax: 64 * 1024, depthMax: 16, nodesMax: 4096)

  private let path: String
  private(set) var rest: JSONObject
  private(set) var faults: [ProblemMember] = []
  private var known: [String] = []

  init(_ members: JSONObject, path: String) {
    rest = members
    self.path = path
  }

  static func object(_ body: [UInt8], limits: JSONLimits = CallReader.limits) throws(Problem) -> JSONObject {
    let json: JSONValue
    do {
      json = try JSONValue(bytes: body, limits: limits)
    } catch {
      throw Problem(.malformedJSON, detail: error.description)
    }
    guard let object = json.object else {
      throw Problem(.malformedJSON, detail: "the body is \(Found.words(for: json)), it must be an object")
    }
    return object
  }

  mutating func required<Value>(_ name: String, _ shape: Shape<Value>) -> Value? {
    guard rest[name] != nil else {
      known.append(name)
      refuse(name, "is missing; it is \(shape.allowed)")
      return nil
    }
    return optional(name, shape)
  }

  mutating func optional<Value>(_ name: String, _ shape: Shape<Value>) -> Value? {
    known.append(name)
    guard let json = rest[name] else { return nil }
    rest[name] = nil
    guard let value = shape.read(json) else {
      refuse(name, "is \(Found.words(for: json)); allowed is \(shape.allowed)")
      return nil
    }
    return value
  }

  mutating func refuse(_ name: String, _ detail: String) {
    guard faults.count < Self.faultsMax else { return }
    faults.append(ProblemMember(member: place(of: name), detail: detail))
  }

  /// Whether something was found wrong with the member.
  func hasFault(of name: String) -> Bool { faults.contains { $0.member == place(of: name) } }

  /// The customer's account token; the all-zero one stands for nobody.
  mutating func account() -> String? {
    let account = required("account", .name)
    if let account, LowerCase.ascii(account) == "00000000-0000-0000-0000-000000000000" {
      refuse("account", "is the all-zero UUID, which stands for no customer")
    }
    return account
  }

  /// A part of the address; a wrong one is told with the members.
  mutating func path<Value>(_ name: String, _ text: String, _ shape: Shape<Value>) throws(Problem) -> Value {
    if let value = shape.read(.string(text)) { return value }
    refuse(name, "in the address: allowed is \(shape.allowed)")
    throw Problem(.invalidMembers, errors: faults)
  }

  /// Takes over what a reader of an inner object found.
  mutating func add(_ inner: [ProblemMember]) {
    faults.append(contentsOf: inner.prefix(Self.faultsMax - faults.count))
  }

  /// Refuses what nobody took. Called last.
  mutating func refuseUnknown(_ advice: String = "") {
    let allowed = known.joined(separator: ", ")
    for key in rest.keys.prefix(Self.faultsMax) {
      refuse(String(key.prefix(64)), "is not known here; allowed are \(allowed)\(advice)")
    }
  }

  /// The instant a statement was made.
  mutating func statedAt(now: Int64) -> Int64? {
    guard let instant = required("statedAt", .instant) else { return nil }
    if instant < 1_000_000_000_000 {
      refuse("statedAt", "is \(instant), which is before 2001; it is in milliseconds since 1970, not in seconds")
    } else if instant > now, instant - now > 300_000 {
      refuse(
        "statedAt",
        "is \((instant - now) / 1000) s in the future; up to 300 s are allowed, so check the clock it was taken from")
    }
    return instant
  }

  func place(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}

extension Shape where Value == String {
  /// Words of a person.
  static var note: Self {
    Self("a text of 1 to 4000 bytes") { json in
      json.string.flatMap { (1...4_000).contains($0.utf8.count) ? $0 : nil }
    }
  }

  /// What a customer reads before agreeing.
  static var consentText: Self {
    Self("a text of 1 to 50000 bytes") { json in
      json.string.flatMap { (1...50_000).contains($0.utf8.count) ? $0 : nil }
    }
  }

  /// A language tag (BCP 47), by its shape.
  static var language: Self {
    Self("a language tag such as en or de-AT") { json in
      json.string.flatMap { text in
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return text.utf8.count <= 35 && parts.allSatisfy { (1...8).contains($0.utf8.count) && isAlphanumeric($0) }
          ? text : nil
      }
    }
  }

  private static func isAlphanumeric(_ text: Substring) -> Bool {
    text.utf8.allSatisfy {
      $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_")
        && isAllowedInBundleID($0)
    }
  }

  /// A bundle id, which becomes part of streams and ids.
  static var bundleID: Self {
    Self("a bundle id of 1 to 155 letters, digits, dots, hyphens or underscores") { json in
      json.string.flatMap { text in
        (1...155).contains(text.utf8.count) && text.utf8.allSatisfy(isAllowedInBundleID) ? text : nil
      }
    }
  }

  private static func isAllowedInBundleID(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
