public import JSON

/// The body of a batch: `{"items": [ … ]}`. Each element is a statement of its own, with a result of its own.
public struct BatchCall: Sendable {
  public static let itemsMax = 1_000
  /// Bounds of one batch; the HTTP server takes no more either.
  static let limits = JSONLimits(bytesMax: 1024 * 1024, depthMax: 16, nodesMax: 200_000)

  /// One element, with `key` taken out.
  public struct Item: Sendable, Equatable {
    /// Where it stands, as in `items[3]`.
    public var path: String
    public var members: JSONObject
    /// The element's own Idempotency-Key.
    public var key: String?
  }

  /// Each element, or what is wrong with it as a whole.
  public var items: [Result<Item, Problem>]

  /// - Throws: `Problem` where it is no batch.
  public init(body: [UInt8]) throws(Problem) {
    var reader = CallReader(try CallReader.object(body, limits: Self.limits), path: "")
    let elements = reader.required("items", Shape<[JSONValue]>("a list of objects") { $0.array })
    if let elements, !(1...Self.itemsMax).contains(elements.count) {
      reader.refuse("items", "holds \(elements.count); 1 to \(Self.itemsMax) are allowed")
    }
    reader.refuseUnknown()
    guard reader.faults.isEmpty, let elements else { throw Problem(.invalidMembers, errors: reader.faults) }
    items = elements.enumerated().map { Self.item($0.offset, $0.element) }
  }

  private static func item(_ index: Int, _ json: JSONValue) -> Result<Item, Problem> {
    let path = "items[\(index)]"
    func refused(_ member: String, _ detail: String) -> Result<Item, Problem> {
      .failure(Problem(.invalidMembers, errors: [ProblemMember(member: member, detail: detail)]))
    }
    guard var members = json.object else {
      return refused(path, "is \(Found.words(for: json)); allowed is an object")
    }
    let key = members["key"]
    members["key"] = nil
    guard let key else { return .success(Item(path: path, members: members, key: nil)) }
    guard let text = key.string else {
      return refused("\(path).key", "is \(Found.words(for: key)); allowed is a text, as in Idempotency-Key")
    }
    return .success(Item(path: path, members: members, key: text))
  }
}

extension EvidenceCall {
  /// An element of `POST /v1/evidence`, which names its purchase itself.
  public static func item(
    _ item: BatchCall.Item, now: Int64
  ) throws(Problem) -> (purchase: PurchaseKey, call: EvidenceCall) {
    var members = item.members
    let environment = members["environment"]?.string ?? ""
    let transactionID = members["transactionId"]?.string ?? ""
    members["environment"] = nil
    members["transactionId"] = nil
    let purchase: PurchaseKey
    do throws(PurchaseKeyError) {
      purchase = try PurchaseKey(environment: environment, transactionID: transactionID)
    } catch { throw Problem(.purchaseInvalid, detail: "\(item.path): \(error.description)") }
    return (purchase, try EvidenceCall(members: members, path: item.path, now: now))
  }
}
