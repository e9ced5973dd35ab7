/// A signature as JWS carries it (r‖s, fixed width) turned into the DER that OpenSSL reads.
enum ECDSASignatureDER {
  /// Longest result: SEQUENCE head, two INTEGER heads, two numbers of 48 bytes with a leading zero.
  static let bytesMax = 2 + 2 * (2 + 49)

  /// Writes SEQUENCE { r, s } with the shortest numbers and returns its count. All heads are two bytes long, since
  /// the content stays below 128.
  static func write(
    _ signature: UnsafeBufferPointer<UInt8>, coordinateBytes: Int, to output: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var place = 2
    for start in [0, coordinateBytes] {
      var first = start
      let end = start + coordinateBytes
      while first < end - 1, signature[first] == 0 { first += 1 }
      let lead = signature[first] & 0x80 == 0 ? 0 : 1
      output[place] = 0x02
      output[place + 1] = UInt8(end - first + lead)
      place += 2
      if lead == 1 {
        output[place] = 0
        place += 1
      }
      for index in first..<end {
        output[place] = signature[index]
        place += 1
      }
    }
    output[0] = 0x30
    output[1] = UInt8(place - 2)
    return place
  }
}
