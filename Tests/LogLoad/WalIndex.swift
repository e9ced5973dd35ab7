import Glibc

/// What SQLite's shared index of the write-ahead log says about writers and checkpoints
/// (https://www.sqlite.org/walformat.html, «The WAL-Index File Format»); equal while neither works.
struct WalIndex: Equatable {
  /// Frames that are committed.
  let frames: UInt32
  /// Of them, those that a checkpoint has begun to copy and those it has copied.
  let copying: UInt32
  let copied: UInt32
  /// Changes when the write-ahead log begins anew.
  private let salt: UInt64

  init(folder: String) {
    var bytes = [UInt8](repeating: 0, count: 136)
    let file = open(folder + "/events.sqlite-shm", O_RDONLY | O_CLOEXEC)
    if file >= 0 {
      pread(file, &bytes, bytes.count, 0)
      close(file)
    }
    let index = bytes.withUnsafeBytes { bytes in
      (
        frames: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self),
        salt: bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self),
        copied: bytes.loadUnaligned(fromByteOffset: 96, as: UInt32.self),
        copying: bytes.loadUnaligned(fromByteOffset: 128, as: UInt32.self)
      )
    }
    frames = index.frames
    salt = index.salt
    copied = index.copied
    copying = index.copying
  }
}
