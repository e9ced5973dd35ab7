import AppStore
import HTTPServer
import Service
import TestSupport
import Testing

@testable import Receiver

@Suite("The receiver's settings") struct ReceiverSettingsTests {
  private func load(_ text: String, _ variables: [String: String] = [:]) throws -> ReceiverSettings {
    let folder = TemporaryFolder()
    try Files.write(Array(text.utf8), to: folder.path + "/s.json")
    return try SettingsReader.load(file: folder.path + "/s.json", environment: variables, ReceiverSettings.init)
  }

  @Test("have defaults for all but the apps")
  func defaults() throws {
    let settings = try load("{}")
    #expect(settings.path == "/v1/notifications" && settings.server.port == 8080 && settings.data == "data")
    #expect(settings.anchors.count == 1 && settings.anchors[0].source == "built in")
    #expect(settings.apps.isEmpty)
  }

  @Test("take a whole file that the responder reads too, and variables over it")
  func whole() throws {
    let settings = try load(
      """
      {"data": "d", "apps": [{"bundleId": "a.b", "appAppleId": 5, "environments": ["Production", "Sandbox"],
        "key": {"id": "K"}, "products": [], "consentBasis": {}}],
       "receiver": {"port": 1, "trustAnchors": ["\(Project.vectors)/certs/derived/root.der"]}, "responder": {"x": 1},
       "log": {"format": "text", "level": "debug"}}
      """, ["REFUNDLOG_RECEIVER_PORT": "2"])
    #expect(settings.server.port == 2 && settings.apps.map(\.bundleId) == ["a.b"])
    #expect(settings.anchors.count == 2)
  }

  @Test(
    "name the key of a bad value and what is allowed",
    arguments: [
      (#"{"receiver":{"port":70000}}"#, "receiver.port is 70000; allowed is integer from 0 to 65535"),
      (#"{"receiver":{"path":"x"}}"#, "receiver.path is x; it begins with /"),
      (#"{"receiver":{"prot":1}}"#, "receiver.prot is not a key; did you mean port?"),
      (#"{"apps":[{"environments":["Sandbox"]}]}"#, "apps[0].bundleId is missing"),
      (#"{"apps":[{"bundleId":"a.b","environments":["Production"]}]}"#, "set up for Production without its app id"),
      (#"{"apps":[{"bundleId":"a.b","environments":["Xcode"]}]}"#, "allowed are Production and Sandbox"),
      (#"{"clock":{"start":1}}"#, "clock may only be set where every App Store URL is this machine"),
      (#"{"receiver":{"trustAnchors":["/nowhere.der"]}}"#, "/nowhere.der"),
      (#"{"receiver":{"trustAnchors":["/etc/hostname"]}}"#, "/etc/hostname"),
    ])
  func faults(text: String, sentence: String) {
    #expect {
      try load(text)
    } throws: { error in
      let faults = (error as? SettingsError)?.faults ?? []
      return faults.count == 1 && faults[0].contains(sentence)
    }
  }

  @Test("let the clock be set where the App Store is this machine")
  func clock() throws {
    let settings = try load(
      #"{"clock":{"start":"2025-10-16T05:19:01.117Z"},"appStore":{"production":"http://127.0.0.1:1","sandbox":"http://localhost:2"}}"#
    )
    #expect(abs(settings.clock.now() - 1_760_591_941_117) < 60_000)
  }
}
