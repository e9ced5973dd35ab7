import HTTPTypes
import Testing

@Suite("Damaged bytes")
struct ParserMutationTests {
  /// Numbers that are the same in every run.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  private static let pieces = [
    "\r\n", "\n", "\r", " ", "\t", ":", "0", "5", "F", ";", ",", "chunked", "Content-Length: 3\r\n", "\0", "ä", "%",
    "HTTP/1.0",
    "Transfer-Encoding: chunked\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
  ].map { Array($0.utf8) }

  @Test("mean the same to a request parser however they are cut", arguments: 0..<8)
  func requests(seed: Int) {
    var numbers = Numbers(state: UInt64(seed))
    let samples = (RequestParserTests.taken + RequestParserTests.refused).map { Array($0.bytes.utf8) }
    for _ in 0..<250 {
      let bytes = Self.damaged(samples.randomElement(using: &numbers)!, &numbers)
      guard !bytes.isEmpty else { continue }
      let limits = HTTPLimits(headBytesMax: 120, bodyBytesMax: 20, fieldsMax: 5)
      let whole = ParserScript.run(bytes, cuts: [], limits: limits)
      #expect(ParserScript.run(bytes, cuts: Array(1..<bytes.count), limits: limits) == whole, "\(bytes)")
      let cut = Int.random(in: 0...bytes.count, using: &numbers)
      #expect(ParserScript.run(bytes, cuts: [cut], limits: limits) == whole, "\(bytes) cut at \(cut)")
    }
  }

  @Test("mean the same to a response parser however they are cut", arguments: 0..<8)
  func responses(seed: Int) {
    var numbers = Numbers(state: UInt64(seed) &+ 1000)
    let samples = [
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\n\r\nuntil the end",
    ].map { Array($0.utf8) }
    for _ in 0..<250 {
      let bytes = Self.damaged(samples.randomElement(using: &numbers)!, &numbers)
      guard let text = String(validating: bytes, as: UTF8.self), !bytes.isEmpty else { continue }
      let limits = HTTPLimits(headBytesMax: 60, bodyBytesMax: 10, fieldsMax: 3)
      let whole = ParserScript.response(text, cuts: [], ends: true, limits: limits)
      let pieces = ParserScript.response(text, cuts: Array(1..<bytes.count), ends: true, limits: limits)
      #expect(pieces == whole, "\(bytes)")
    }
  }

  /// One to three places changed, taken out, or filled with something that means something.
  private static func damaged(_ sample: [UInt8], _ numbers: inout Numbers) -> [UInt8] {
    var bytes = sample
    for _ in 0..<Int.random(in: 1...3, using: &numbers) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &numbers)
      switch Int.random(in: 0..<3, using: &numbers) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
      case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...4, using: &numbers)))
      default: bytes.insert(contentsOf: pieces.randomElement(using: &numbers)!, at: place)
      }
    }
    return bytes
  }
}
