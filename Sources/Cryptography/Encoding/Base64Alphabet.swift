/// One of the two alphabets of RFC 4648 as tables both ways, and the loops over whole groups that both share.
struct Base64Alphabet: Sendable {
  /// Marks a character outside the alphabet; its high bits survive being or-ed with good values.
  private static let outside: UInt8 = 0xff

  private let characters: [UInt8]
  private let values: [UInt8]

  static let standard = Base64Alphabet(last: "+/")
  static let url = Base64Alphabet(last: "-_")

  private init(last: String) {
    characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8) + Array(last.utf8)
    var values = [UInt8](repeating: Self.outside, count: 256)
    for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
    self.values = values
  }

  /// Decodes `input`, which has no padding. Nil for a character outside the alphabet or a count no bytes
  /// can have; `isCanonical` is false where bits beyond the last byte are set.
  func decode(_ input: UnsafeBufferPointer<UInt8>) -> (bytes: [UInt8], isCanonical: Bool)? {
    let rest = input.count & 3
    guard rest != 1 else { return nil }
    guard input.count > 0 else { return ([], true) }
    let count = input.count / 4 * 3 + (rest == 0 ? 0 : rest - 1)
    var seen: UInt8 = 0
    var spare: UInt32 = 0
    let bytes = values.withUnsafeBufferPointer { table in
      [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
        let table = table.baseAddress!
        var read = input.baseAddress!
        var write = output.baseAddress!
        for _ in 0..<(input.count >> 2) {
          let a = table[Int(read[0])]
          let b = table[Int(read[1])]
          let c = table[Int(read[2])]
          let d = table[Int(read[3])]
          seen |= a | b | c | d
          write[0] = a << 2 | b >> 4
          write[1] = b << 4 | c >> 2
          write[2] = c << 6 | d
          read += 4
          write += 3
        }
        if rest > 0 {
          let a = table[Int(read[0])]
          let b = table[Int(read[1])]
          let c = rest == 3 ? table[Int(read[2])] : 0
          seen |= a | b | c
          let group = UInt32(a) << 18 | UInt32(b & 63) << 12 | UInt32(c & 63) << 6
          write[0] = UInt8(truncatingIfNeeded: group >> 16)
          if rest == 3 { write[1] = UInt8(truncatingIfNeeded: group >> 8) }
          spare = rest == 3 ? group & 0xff : group & 0xffff
        }
        initialized = count
      }
    }
    guard seen < 64 else { return nil }
    return (bytes, spare == 0)
  }

  /// Encodes without padding, then appends `=` up to a whole group where `padded`.
  func encode(_ input: UnsafeBufferPointer<UInt8>, padded: Bool) -> [UInt8] {
    let rest = input.count % 3
    let plain = input.count / 3 * 4 + (rest == 0 ? 0 : rest + 1)
    let count = padded ? (plain + 3) / 4 * 4 : plain
    return characters.withUnsafeBufferPointer { table in
      [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
        let table = table.baseAddress!
        var index = 0
        var place = 0
        while index + 3 <= input.count {
          let group = UInt32(input[index]) << 16 | UInt32(input[index + 1]) << 8 | UInt32(input[index + 2])
          output[place] = table[Int(group >> 18)]
          output[place + 1] = table[Int(group >> 12 & 63)]
          output[place + 2] = table[Int(group >> 6 & 63)]
          output[place + 3] = table[Int(group & 63)]
          index += 3
          place += 4
        }
        if rest > 0 {
          let group = UInt32(input[index]) << 16 | (rest == 2 ? UInt32(input[index + 1]) << 8 : 0)
          output[place] = table[Int(group >> 18)]
          output[place + 1] = table[Int(group >> 12 & 63)]
          if rest == 2 { output[place + 2] = table[Int(group >> 6 & 63)] }
          place += rest + 1
        }
        while place < count {
          output[place] = UInt8(ascii: "=")
          place += 1
        }
        initialized = count
      }
    }
  }
}
