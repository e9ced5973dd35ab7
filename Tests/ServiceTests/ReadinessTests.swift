import Glibc
import Service
import TestSupport
import Testing

@Suite("Readiness") struct ReadinessTests {
  /// A datagram socket at a path, or at an abstract name where it begins with a zero byte.
  private static func listen(_ path: [UInt8]) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    try #require(descriptor >= 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    try #require(bound == 0)
    return descriptor
  }

  private static func received(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  @Test("is one datagram to the socket that was named")
  func path() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/notify"
    let descriptor = try Self.listen(Array(path.utf8))
    defer { close(descriptor) }
    Readiness.announce(to: path)
    #expect(Self.received(descriptor) == "READY=1")
    #expect(Self.received(descriptor) == "")
  }

  @Test("reaches an abstract socket, written with @")
  func abstract() throws {
    let name = "refundlog-test-\(getpid())-\(MonotonicClock.nanoseconds())"
    let descriptor = try Self.listen([0] + Array(name.utf8))
    defer { close(descriptor) }
    Readiness.announce(to: "@" + name)
    #expect(Self.received(descriptor) == "READY=1")
  }

  @Test(
    "is passed over where nobody waits, or the name is none",
    arguments: [nil, "", "/nowhere/notify", "@nobody-\(getpid())", String(repeating: "x", count: 108)])
  func nobody(socket: String?) {
    // Nothing to see from outside but that it returns.
    #expect(Readiness.announce(to: socket) == ())
  }
}
