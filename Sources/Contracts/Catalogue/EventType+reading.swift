import JSON

extension EventType {
  /// The one value that the data of an event of this type is.
  func root(of data: [UInt8]) throws(ContractError) -> JSONView {
    do {
      return try JSONDocument(bytes: data).root
    } catch {
      throw ContractError(
        event: rawValue, member: "", found: "no JSON at line \(error.line), column \(error.column)",
        allowed: "an object")
    }
  }

  /// Its members.
  func object(_ view: JSONView) throws(ContractError) -> JSONObject {
    let json = JSONValue(view)
    guard let object = json.object else {
      throw ContractError(event: rawValue, member: "", found: Found.words(for: json), allowed: "an object")
    }
    return object
  }
}
