import AppStoreSimulator
import JSON
import Receiver
import Responder
import Service
import Testing

@Suite("refundlog settings") struct SettingsCommandTests {
  @Test("lists every key that a program reads, once, with kind, default, meaning and variable")
  func all() throws {
    let json = try JSONValue(bytes: Array(Refundlog(["settings", "--json"]).printed.utf8))
    let listed = try #require(json["keys"]?.array)
    let read =
      SettingsReader.keys(ReceiverSettings.init) + SettingsReader.keys(ResponderSettings.init)
      + SettingsReader.keys(SimulatorSettings.init)
    #expect(Set(listed.map { $0["key"]?.string }) == Set(read.map(\.path)))
    #expect(listed.count == Set(read.map(\.path)).count)
    let words = Refundlog(["settings"]).printed
    for key in read { #expect(words.contains("\(key.path)  (\(key.kind);")) }
    let port = try #require(listed.first { $0["key"]?.string == "receiver.port" })
    #expect(port["default"]?.string == "8080" && port["variable"]?.string == "REFUNDLOG_RECEIVER_PORT")
    #expect(port["programs"]?.text() == #"["refund-receiver"]"#)
    let member = try #require(listed.first { $0["key"]?.string == "apps[].bundleId" })
    #expect(member["variable"] == nil && member["default"] == nil)
    #expect(member["programs"]?.text() == #"["refund-receiver","refund-responder"]"#)
  }
}
