import TestSupport
import Testing

@Suite("The demo", .serialized) struct DemoTests {
  @Test("plays its story with real processes and ends well", .timeLimit(.minutes(2)))
  func once() throws {
    let (code, output) = try run("\(Programs.folder)/refundlog", ["demo", "--once"])
    #expect(code == 0, "\(output)")
    #expect(output.contains(#""consumptionPercentage":94000"#))
    #expect(output.contains("nothing altered, removed or inserted"))
  }
}
