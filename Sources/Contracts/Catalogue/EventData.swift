public import JSON

/// The data of one type of event, as the log stores it.
public protocol EventData: Sendable, Equatable {
  static var type: EventType { get }

  /// Members this release does not know; they are written back as they came.
  var additional: JSONObject { get }

  /// - Parameter view: an object, somewhere in a document.
  /// - Throws: `ContractError` naming the first member that is missing or is not what it may be.
  init(view: JSONView) throws(ContractError)

  /// The bytes to store; the same value gives the same bytes.
  func encoded() -> [UInt8]
}

extension EventData {
  /// Reads what stands in the log, of any version that ever was.
  /// - Parameters:
  ///   - data: the bytes as the log stores them.
  ///   - schema: the column `schema` beside them.
  /// - Throws: `ContractError`, also where a newer release wrote the event.
  public init(data: [UInt8], schema: Int64, upcasters: Upcasters = .released) throws(ContractError) {
    try self.init(data: upcasters.newest(data, of: Self.type, schema: schema))
  }

  /// - Parameter data: bytes of the newest version.
  /// - Throws: `ContractError`; its `member` is empty where the bytes are no JSON object at all.
  public init(data: [UInt8]) throws(ContractError) { try self.init(view: Self.type.root(of: data)) }
}

/// Data with sorted keys and without white space: every event but NotificationReceived.
public protocol SortedEventData: EventData {
  /// Takes the members it knows; the rest is `additional`.
  init(members: inout MemberReader) throws(ContractError)

  /// Puts every member but the additional ones.
  func write(to members: inout MemberWriter)
}

extension SortedEventData {
  public init(view: JSONView) throws(ContractError) {
    var members = MemberReader(event: Self.type.rawValue, try Self.type.object(view))
    try self.init(members: &members)
  }

  public func encoded() -> [UInt8] {
    var writer = MemberWriter(additional: additional)
    write(to: &writer)
    return JSONValue.object(writer.members).bytes(sortedKeys: true)
  }
}
