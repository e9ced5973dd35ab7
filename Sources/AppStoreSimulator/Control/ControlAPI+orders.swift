import HTTPTypes
import JSON

/// `PUT /simulator/v1/orders/{id}`: which purchases an order has, for Look Up Order ID.
extension ControlAPI {
  /// More stand in no mail.
  private static let purchasesMax = 100

  func putOrder(_ call: ControlCall) throws(ControlError) -> HTTPResponse? {
    let id = call.parameters["id"]!
    guard (1...64).contains(id.utf8.count), id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
      throw .badRequest("an order id is 1 to 64 letters and digits, such as MK5ABCDEF1")
    }
    let members = try call.members(["transactions"])
    guard let transactions = try members.texts("transactions", max: Self.purchasesMax), !transactions.isEmpty else {
      throw .badRequest("transactions is missing: the ids of the purchases of the order")
    }
    for id in transactions where ledger.purchase(id) == nil {
      throw .notFound("there is no purchase \(id.prefix(64)): PUT /simulator/v1/transactions/{id} first")
    }
    guard ledger.edit({ $0.register(order: id, of: transactions) }) else {
      throw .tooMany("there are \(Book.ordersMax) orders, which is all it keeps: start the simulator again")
    }
    let body: JSONValue = ["orderId": .string(id), "transactions": .array(transactions.map(JSONValue.string))]
    return .json(body.bytes())
  }
}
