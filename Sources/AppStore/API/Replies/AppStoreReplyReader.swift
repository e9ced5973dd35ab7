import JSON

/// Reads the members of a reply; a member that is null counts as absent. Strict where we need a member, and blind for all
/// others, which Apple may add at any time.
public struct AppStoreReplyReader: Sendable {
  /// A page of twenty notifications has about 400 KB.
  public static let bytesMax = 4 << 20
  /// A page has at most 20 or 50 elements.
  public static let elementsMax = 1000
  /// A page token or revision has some dozens.
  public static let tokenBytesMax = 4096

  private let view: JSONView

  public init(_ body: [UInt8]) throws(AppStoreReplyFault) {
    guard body.count <= Self.bytesMax else { throw .tooLarge(bytes: body.count) }
    let document: JSONDocument
    do throws(JSONError) { document = try JSONDocument(bytes: body, limits: JSONLimits(bytesMax: Self.bytesMax)) } catch
    {
      throw .notJSON(line: error.line, column: error.column)
    }
    guard document.root.kind == .object else { throw .notObject }
    view = document.root
  }

  private init(view: JSONView) { self.view = view }

  private subscript(name: String) -> JSONView? { view[name].flatMap { $0.isNull ? nil : $0 } }

  public func optionalText(_ name: String) throws(AppStoreReplyFault) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.string else { throw .member(name, wanted: "a text") }
    return text
  }

  public func text(_ name: String) throws(AppStoreReplyFault) -> String {
    guard let text = try optionalText(name), !text.isEmpty else { throw .member(name, wanted: "a text") }
    return text
  }

  /// A short text that is sent back to Apple.
  public func token(_ name: String) throws(AppStoreReplyFault) -> String? {
    guard let text = try optionalText(name), !text.isEmpty else { return nil }
    guard text.utf8.count <= Self.tokenBytesMax else {
      throw .member(name, wanted: "a text of at most \(Self.tokenBytesMax) bytes")
    }
    return text
  }

  public func integer(_ name: String) throws(AppStoreReplyFault) -> Int64? {
    guard let value = self[name] else { return nil }
    guard let number = value.int64 else { throw .member(name, wanted: "a whole number") }
    return number
  }

  /// - Returns: false where it is absent.
  public func flag(_ name: String) throws(AppStoreReplyFault) -> Bool {
    guard let value = self[name] else { return false }
    guard let flag = value.bool else { throw .member(name, wanted: "true or false") }
    return flag
  }

  /// - Returns: none where it is absent.
  public func texts(_ name: String) throws(AppStoreReplyFault) -> [String] {
    var texts: [String] = []
    for element in try elements(name) {
      guard let text = element.string else { throw .member(name, wanted: "a list of texts") }
      texts.append(text)
    }
    return texts
  }

  /// - Returns: none where it is absent.
  public func parts<Part>(
    _ name: String, _ read: (AppStoreReplyReader) throws(AppStoreReplyFault) -> Part
  ) throws(AppStoreReplyFault) -> [Part] {
    var parts: [Part] = []
    for element in try elements(name) {
      guard element.kind == .object else { throw .member(name, wanted: "a list of objects") }
      parts.append(try read(AppStoreReplyReader(view: element)))
    }
    return parts
  }

  private func elements(_ name: String) throws(AppStoreReplyFault) -> [JSONView] {
    guard let value = self[name] else { return [] }
    guard let elements = value.elements else { throw .member(name, wanted: "a list") }
    guard elements.count <= Self.elementsMax else { throw .tooMany(name, max: Self.elementsMax) }
    return elements
  }
}
