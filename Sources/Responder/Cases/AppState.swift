import Contracts
import EventLog

/// What the operator declared for an app, folded from the app's stream.
struct AppState: Codable, Equatable, Sendable {
  var version: Int64 = 0
  /// By product id; `*` stands for every product without one of its own.
  var statements: [String: Statement] = [:]
  var basis: Basis?
  var policy: Policy?
  /// Versions of the consent text that count; nil where none was ever declared: then every version does.
  var acceptedTexts: [String]?
  /// Version → language → SHA-256 of the text, in hex.
  var texts: [String: [String: String]] = [:]

  struct Statement: Codable, Equatable, Sendable {
    var deliveryStatus: String
    var sampleContentProvided: Bool
    var by: String
    /// Id of the event.
    var event: String
  }

  struct Basis: Codable, Equatable, Sendable {
    var kind: String
    var textVersion: String
    var effectiveFrom: Int64
    var optOut: String
    var coversUnidentified: Bool
    /// Id of the event.
    var event: String
  }

  struct Policy: Codable, Equatable, Sendable {
    var digest: String
    /// Id of the event.
    var event: String
  }

  /// The statement that counts for a product, and the product id it was made for.
  func statement(for product: String?) -> (product: String, statement: Statement)? {
    for name in [product, "*"] {
      if let name, let statement = statements[name] { return (name, statement) }
    }
    return nil
  }

  mutating func fold(_ event: RecordedEvent, by upcasters: Upcasters = .released) throws(ContractError) {
    version = event.version
    guard let type = EventType(rawValue: event.type), let data = event.data else { return }
    let schema = event.schema
    switch type {
    case .productStatementDeclared:
      let declared = try ProductStatementDeclared(data: data, schema: schema, upcasters: upcasters)
      if declared.withdrawn == true {
        statements[declared.productID] = nil
        return
      }
      statements[declared.productID] = Statement(
        deliveryStatus: declared.deliveryStatus.text, sampleContentProvided: declared.sampleContentProvided,
        by: declared.by, event: event.id.text)
    case .consentBasisDeclared:
      let declared = try ConsentBasisDeclared(data: data, schema: schema, upcasters: upcasters)
      basis = Basis(
        kind: declared.kind.rawValue, textVersion: declared.textVersion, effectiveFrom: declared.effectiveFrom,
        optOut: declared.optOut, coversUnidentified: declared.coversUnidentified, event: event.id.text)
    case .acceptedTextsDeclared:
      acceptedTexts = try AcceptedTextsDeclared(data: data, schema: schema, upcasters: upcasters).versions
    case .consentTextDeclared:
      let declared = try ConsentTextDeclared(data: data, schema: schema, upcasters: upcasters)
      texts[declared.version, default: [:]][declared.language] = declared.digest
    case .policyLoaded:
      policy = Policy(
        digest: try PolicyLoaded(data: data, schema: schema, upcasters: upcasters).digest, event: event.id.text)
    default: return
    }
  }
}
