import Contracts
import JSON

/// What a customer of a story bought.
struct DemoPurchase: Sendable {
  /// Apple's id of it; another one for each renewal.
  var transaction: String
  /// What it is called in the app.
  var product: String
  /// Apple's word.
  var type = "Consumable"
  /// Thousandths of a dollar.
  var price: Int64 = 9_990
  /// The customer's account token. Apple passes it on, the back end knows whose it is.
  let account: String
  /// The app it was bought in.
  var bundleID = DemoSettings.bundleID

  /// - Parameter number: 1 to 999, another one for each story.
  init(_ number: Int, product: String, type: String = "Consumable", price: Int64 = 9_990) {
    let digits = String(1_000 + number).dropFirst()
    transaction = "2000000000000\(digits)"
    account = "7e3fb204-2e31-4a3c-9c1d-5d3d3f0b9\(digits)"
    self.product = "\(DemoSettings.bundleID).\(product)"
    self.type = type
    self.price = price
  }

  /// - Precondition: the transaction is one of the App Store's.
  var key: PurchaseKey {
    guard let key = try? PurchaseKey(environment: DemoSettings.environment, transactionID: transaction) else {
      preconditionFailure("\(transaction) is no transaction id")
    }
    return key
  }

  /// As the simulator is told of it.
  var members: JSONObject {
    [
      "productId": .string(product), "type": .string(type), "price": .number(JSONNumber(price)), "currency": "USD",
      "appAccountToken": .string(account),
    ]
  }
}
