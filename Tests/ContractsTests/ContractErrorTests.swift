import Contracts
import Testing

@Suite("A contract error") struct ContractErrorTests {
  @Test("says event, member, what was found and what is allowed")
  func words() {
    let error = contractError {
      _ = try ConsumptionWithheld(
        data: Array(#"{"explanation":"","reason":"forgotten","request":"notification/1"}"#.utf8))
    }
    #expect(
      error?.description
        == "ConsumptionWithheld.reason: found a text of 9 bytes, allowed is one of noConsent, noFacts, "
        + "unknownPurchase, notAnswerable, policy, expired, alreadyDecided")
  }

  @Test("tells a number, but never a text that might be a customer's")
  func discreet() {
    let token = "3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10"
    for text in [
      #"{"bundleId":"com.example","granted":"\#(token)"}"#, #"{"account":["\#(token)"],"bundleId":"com.example"}"#,
      #"{"account":{"\#(token)":1},"bundleId":"com.example"}"#,
    ] {
      let error = contractError { _ = try ConsentRecorded(data: Array(text.utf8)) }
      #expect(error != nil)
      #expect(error?.description.contains(token) == false)
    }
    let status = contractError {
      _ = try ConsumptionSent(data: Array(#"{"claim":"c","request":"r","status":404}"#.utf8))
    }
    #expect(status?.description == "ConsumptionSent.status: found the number 404, allowed is an integer, 200 to 299")
  }

  @Test("names members inside others by their path")
  func path() {
    let text = #"""
      {"bundleId":"b","by":"x","environment":"Sandbox","statedAt":1,"transactionId":"1","values":{"unitsUsed":-1}}
      """#
    #expect(contractError { _ = try EvidenceRecorded(data: Array(text.utf8)) }?.member == "values.unitsUsed")
  }
}
