import COpenSSL
import COpenSSLShims

/// A buffer that OpenSSL writes into or reads from; freed with its owner.
struct MemoryBIO: ~Copyable {
  let pointer: OpaquePointer

  /// An empty buffer to write into.
  init() {
    guard let pointer = BIO_new(BIO_s_mem()) else { preconditionFailure("out of memory for a buffer of OpenSSL") }
    self.pointer = pointer
  }

  /// A buffer to read `bytes` from, which must outlive it.
  init(reading bytes: UnsafeBufferPointer<UInt8>) {
    guard let pointer = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
      preconditionFailure("out of memory for a buffer of OpenSSL")
    }
    self.pointer = pointer
  }

  deinit { BIO_free(pointer) }

  /// What has been written.
  var bytes: [UInt8] {
    var start: UnsafeMutablePointer<CChar>?
    let count = copenssl_bio_memory(pointer, &start)
    guard count > 0, let start else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}
