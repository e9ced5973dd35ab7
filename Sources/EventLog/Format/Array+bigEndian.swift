extension [UInt8] {
  mutating func append(bigEndian value: some FixedWidthInteger & UnsignedInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}
