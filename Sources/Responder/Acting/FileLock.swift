import Glibc
import Service

/// A lock on a file that one process at a time holds. Goes with its process, however that ends.
final class FileLock {
  private let path: String
  private var descriptor: Int32
  private var isHeld = false
  /// Why the file could not be opened when the lock was asked for last; nil where it could, whoever holds it.
  private(set) var fault: FileError?

  /// - Parameter path: of a file for nothing else, made where it is absent.
  /// - Throws: where it cannot be opened for writing.
  init(_ path: String) throws(FileError) {
    self.path = path
    descriptor = try Self.opened(path)
  }

  deinit { close(descriptor) }

  /// Takes the lock where it is free; once held it stays so, unless somebody removed the file: another would lock a new
  /// one then. Waits for nobody.
  func hold() -> Bool {
    fault = nil
    if FileIdentity(path: path) != FileIdentity(descriptor: descriptor) {
      isHeld = false
      do throws(FileError) {
        let again = try Self.opened(path)
        close(descriptor)
        descriptor = again
      } catch {
        fault = error
        return false
      }
    }
    if !isHeld { isHeld = flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
    return isHeld
  }

  func release() {
    flock(descriptor, LOCK_UN)
    isHeld = false
  }

  private static func opened(_ path: String) throws(FileError) -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o660)
    guard descriptor >= 0 else { throw FileError(path: path, doing: "open") }
    do throws(FileError) {
      if let slash = path.lastIndex(of: "/") { try Files.give(path, toOwnerOf: String(path[..<slash])) }
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }
}
