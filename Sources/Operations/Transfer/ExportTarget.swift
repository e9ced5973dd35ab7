import EventLog
import Glibc
import Service

/// Where an export goes: to whoever called, or into a file that gets its name when it is whole.
final class ExportTarget {
  private static let chunk = 64 * 1_024

  private let print: (String) -> Void
  private let file: (path: String, draft: FileDraft)?
  private var buffer: [UInt8] = []

  /// Permissions of the file, as of a backup: it holds what customers did. Only inside the data folder is the group that of
  /// the services.
  private static let mode: UInt32 = 0o600

  /// - Parameter path: of the file; nil prints.
  init(path: String?, print: @escaping (String) -> Void) throws(TransferError) {
    self.print = print
    guard let path else {
      file = nil
      return
    }
    // A link that leads nowhere is something too.
    if Files.isThere(path) { throw .occupied(path: path) }
    do throws(FileError) { file = (path, try FileDraft(of: path, mode: Self.mode)) } catch { throw .file(error) }
  }

  /// Takes whole lines.
  func put(_ line: [UInt8]) throws(TransferError) {
    buffer += line
    if buffer.count >= Self.chunk { try flush() }
  }

  /// The file has its name and is on disk when this returns.
  func finish() throws(TransferError) {
    try flush()
    guard let file else { return }
    do throws(FileError) {
      guard try file.draft.finish(as: file.path) else { throw FileError(path: file.path, doing: "rename") }
    } catch { throw Files.isThere(file.path) ? .occupied(path: file.path) : .file(error) }
  }

  private func flush() throws(TransferError) {
    defer { buffer.removeAll(keepingCapacity: true) }
    guard let file else { return print(String(decoding: buffer, as: UTF8.self)) }
    var rest = buffer[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(file.draft.descriptor, $0.baseAddress, $0.count) }
      if written < 0 && errno == EINTR { continue }
      guard written >= 0 else { throw .file(FileError(path: file.draft.path, doing: "write")) }
      rest = rest.dropFirst(written)
    }
  }
}
