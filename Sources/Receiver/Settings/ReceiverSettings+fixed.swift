import HTTPServer
import Service

extension ReceiverSettings {
  /// Keys of what differs and cannot change while the receiver runs.
  func differences(whereFixed other: ReceiverSettings) -> [String] {
    let all: [(key: String, differs: Bool)] = [
      ("data", data != other.data), ("receiver.path", path != other.path),
      ("receiver.address", server.address != other.server.address),
      ("receiver.port", server.port != other.server.port),
      ("receiver.threads", server.threads != other.server.threads),
      ("receiver.connections", server.connectionsMax != other.server.connectionsMax),
      ("log.format", log.format != other.log.format), ("log.level", log.level != other.log.level),
      ("clock", clock.speed != other.clock.speed),
    ]
    return all.filter(\.differs).map(\.key)
  }
}
