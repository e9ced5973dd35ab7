import Contracts
import JSON
import TestSupport
import Testing

@Suite("A notification received") struct NotificationReceivedTests {
  static let golden: [(row: JSONValue, data: String)] = {
    let bytes = Project.bytes("\(Project.vectors)/format1-golden.json") ?? []
    let events = (try? JSONValue(bytes: bytes))?["events"]?.array ?? []
    return events.compactMap { event in
      guard let row = event["row"], let data = event["data"]?.string else { return nil }
      return (row, data)
    }
  }()

  @Test("has the bytes of the golden rows", arguments: golden)
  func goldenRows(row: JSONValue, text: String) throws {
    let event = try NotificationReceived(data: Array(text.utf8))
    #expect(event.encoded() == Array(text.utf8))
    #expect(row["id"]?.string == EventIDs.notification(event.notificationUUID))
    #expect(row["signed_at"]?.int64 == event.signedDate)
    #expect(row["occurred_at"]?.int64 == event.firstReceivedAt)
    #expect(row["app"]?.string == event.bundleID)
    #expect(row["environment"]?.string == event.environment)
    #expect(row["kind"]?.string == event.notificationType + (event.subtype.map { "/\($0)" } ?? ""))
    let stream =
      try event.notification["data"]?["signedTransactionInfo"]?["transactionId"]?.string
      .map { try PurchaseKey(environment: event.environment, transactionID: $0).stream } ?? Streams.app(event.bundleID)
    #expect(row["stream"]?.string == stream)
  }

  @Test("is there in four golden rows")
  func goldenCount() { #expect(Self.golden.count == 4) }

  @Test("tells where the notification begins, and copies it as it is")
  func offset() throws {
    let notification = Array(#"{ "notificationType":"TEST" , "notificationUUID":"A\/b","signedDate":17 }"#.utf8)
    let built = NotificationReceived.data(
      bundleID: "com.example.\"é\"", environment: "Sandbox", firstReceivedAt: -5, notification: notification,
      via: .import)
    #expect(Array(built.bytes[built.notificationOffset...].prefix(notification.count)) == notification)
    let event = try NotificationReceived(data: built.bytes)
    #expect(event.notificationRange == built.notificationOffset..<built.notificationOffset + notification.count)
    #expect(Array(event.notification.bytes) == notification)
    #expect(event.bundleID == "com.example.\"é\"")
    #expect(event.firstReceivedAt == -5)
    #expect(event.via == .import)
    #expect(event.notificationUUID == "A/b")
    #expect(event.encoded() == built.bytes)
  }

  @Test("is put in its own order where it comes in another")
  func order() throws {
    let notification = #"{"signedDate":1,"notificationUUID":"u","notificationType":"TEST"}"#
    let event = try NotificationReceived(
      data: Array(
        #"{"via":"push","x":1,"notification":\#(notification),"firstReceivedAt":1,"environment":"E","bundleId":"b"}"#
          .utf8))
    #expect(
      String(decoding: event.encoded(), as: UTF8.self)
        == #"{"bundleId":"b","environment":"E","firstReceivedAt":1,"notification":\#(notification),"via":"push","x":1}"#
    )
  }

  @Test("differs where one byte of the notification does")
  func equality() throws {
    let data = { (space: String) in
      NotificationReceived.data(
        bundleID: "b", environment: "E", firstReceivedAt: 1,
        notification: Array(#"{"signedDate":1,\#(space)"notificationUUID":"u","notificationType":"TEST"}"#.utf8),
        via: .push
      ).bytes
    }
    #expect(try NotificationReceived(data: data("")) == NotificationReceived(data: data("")))
    #expect(try NotificationReceived(data: data("")) != NotificationReceived(data: data(" ")))
  }

  @Test(
    "names the member of the notification that is missing",
    arguments: ["notificationType", "notificationUUID", "signedDate"])
  func inner(name: String) throws {
    var object: JSONObject = ["notificationType": "TEST", "notificationUUID": "u", "signedDate": 1]
    object[name] = nil
    let data = NotificationReceived.data(
      bundleID: "b", environment: "E", firstReceivedAt: 1, notification: JSONValue.object(object).bytes(), via: .push)
    #expect(contractError { _ = try NotificationReceived(data: data.bytes) }?.member == "notification.\(name)")
  }
}
