import Contracts
import Testing

@Suite("A name") struct NameTests {
  let purchase = try! PurchaseKey(environment: "Sandbox", transactionID: "2000009000000001")
  let digits = String(repeating: "0123456789abcdef", count: 4)

  @Test("of a stream is as FORMAT has it")
  func streams() {
    #expect(purchase.stream == "purchase/Sandbox/2000009000000001")
    #expect(Streams.purchase(purchase) == purchase.stream)
    #expect(Streams.app("com.example.game") == "app/com.example.game")
    #expect(Streams.customer(digits) == "customer/\(digits)")
    #expect(Streams.alarm("diskFull") == "alarm/diskFull")
    #expect(Streams.log == "log")
  }

  @Test("of a purchase is read back")
  func parse() {
    #expect(PurchaseKey(stream: "purchase/Sandbox/2000009000000001") == purchase)
    for stream in [
      "", "purchase", "purchase/Sandbox", "purchase/Sandbox/", "purchase//1", "purchase/Sandbox/1/2",
      "/purchase/Sandbox/1",
      "Purchase/Sandbox/1", "purchase/sandbox/1", "app/com.example/1", "purchase/Sandbox/1 ",
    ] {
      #expect(PurchaseKey(stream: stream) == nil, "\(stream)")
    }
  }

  @Test(
    "of an environment is Apple's spelling, or one nobody knows",
    arguments: [
      ("Production", true), ("Sandbox", true), ("Xcode", true), ("LocalTesting", true), ("Preview", true),
      ("preview", true),
      ("production", false), ("SANDBOX", false), ("xcode", false), ("localtesting", false), ("", false),
      ("Sand box", false),
      ("Sandbox/1", false), ("Sandböx", false), (String(repeating: "E", count: 64), true),
      (String(repeating: "E", count: 65), false),
    ])
  func environments(text: String, allowed: Bool) {
    #expect(((try? PurchaseKey(environment: text, transactionID: "1")) != nil) == allowed)
  }

  @Test(
    "of a transaction has safe characters only",
    arguments: [
      ("0", true), ("2000009000000001", true), ("a-B_9", true), ("", false), ("1/2", false), ("..", false),
      ("1%", false),
      ("1\n", false), ("１", false), (String(repeating: "1", count: 64), true),
      (String(repeating: "1", count: 65), false),
    ])
  func transactions(text: String, allowed: Bool) {
    #expect(((try? PurchaseKey(environment: "Sandbox", transactionID: text)) != nil) == allowed)
  }

  @Test("that is none is an error that says what is allowed")
  func errors() {
    #expect(throws: PurchaseKeyError.environment("sandbox", allowed: "Sandbox, spelled so")) {
      try PurchaseKey(environment: "sandbox", transactionID: "1")
    }
    let error = #expect(throws: PurchaseKeyError.self) { try PurchaseKey(environment: "Sandbox", transactionID: "1/2") }
    #expect(
      error?.description
        == "transactionId \"1/2\" names no transaction: allowed is 1 to 64 ASCII letters, digits, - or _")
  }
}
