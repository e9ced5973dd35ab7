/// Lends the bytes of any collection in one piece: without a copy where they lie in one piece already.
func withBytes<Bytes: Collection<UInt8>, Result>(
  _ bytes: Bytes, _ body: (UnsafeBufferPointer<UInt8>) -> Result
) -> Result {
  if let result = bytes.withContiguousStorageIfAvailable(body) { return result }
  return Array(bytes).withUnsafeBufferPointer(body)
}
