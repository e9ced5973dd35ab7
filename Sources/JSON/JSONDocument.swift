/// One JSON text that has been read whole and found good, with the place of every value in it.
///
/// The bytes are kept as they came: signatures are verified over them and numbers are read from them.
/// Values are made only when asked for, so a document that is mostly passed on costs one scan.
public final class JSONDocument: Sendable {
  /// The text as it was given.
  public let bytes: [UInt8]
  let tape: [JSONNode]

  /// Reads a whole text strictly: RFC 8259, no byte order mark, no equal keys in one object, valid UTF-8, no
  /// lone surrogates, nothing after the value.
  /// - Throws: `JSONError` with reason, line and column of the first fault.
  public init(bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    self.bytes = bytes
    tape = try JSONReader.read(bytes, limits: limits)
  }

  /// The one value that the text is.
  public var root: JSONView { JSONView(document: self, index: 0) }

  /// Line and column, from 1, of a byte offset; columns count bytes.
  public func position(of offset: Int) -> (line: Int, column: Int) {
    JSONReader.position(of: offset, in: bytes)
  }
}

/// One value, or key, on the tape. The nodes of an array or object follow it directly; `next` leads past them.
struct JSONNode {
  enum Kind: UInt8 { case null, trueLiteral, falseLiteral, number, string, array, object }
  var kind: Kind
  /// A string in which a backslash stands.
  var escaped = false
  /// First byte of the value, quotes and brackets included.
  var start: UInt32
  /// One past its last byte.
  var end: UInt32
  /// Index of the node that follows this one and everything inside it.
  var next: UInt32
}
