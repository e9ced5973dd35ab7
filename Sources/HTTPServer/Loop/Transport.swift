import Glibc

/// A non-blocking socket with or without TLS; the same few outcomes for both.
struct Transport {
  enum Outcome: Equatable {
    /// So many bytes; 0 for a handshake that is complete.
    case moved(Int)
    case wantsRead
    case wantsWrite
    /// The peer sends no more.
    case ended
    case failed
  }

  let socket: Int32
  let tls: TLSSession?

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    if let tls { return tls.read(into: buffer) }
    let count = recv(socket, buffer.baseAddress, buffer.count, 0)
    if count > 0 { return .moved(count) }
    if count == 0 { return .ended }
    return errno == EAGAIN || errno == EINTR ? .wantsRead : .failed
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    if let tls { return tls.write(bytes) }
    let count = send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    if count >= 0 { return .moved(count) }
    return errno == EAGAIN || errno == EINTR ? .wantsWrite : .failed
  }

  /// Nothing more is sent; the peer can still send, and what it sends is thrown away.
  func endSending() {
    tls?.sayGoodbye()
    shutdown(socket, Int32(SHUT_WR))
  }

  /// Throws away what the peer sent. Under TLS too the bytes are taken from the socket as they are.
  func discard(using buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    Transport(socket: socket, tls: nil).read(into: buffer)
  }
}
