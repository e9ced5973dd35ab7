import CLinux
import Glibc
import Service

/// Waits at the bell with inotify. Watching the `-wal` file instead would wake before a commit is visible.
///
/// `@unchecked Sendable`: what changes is touched by the thread that waits, and `wake` writes to a descriptor.
final class BellWakeups: LogWakeups, @unchecked Sendable {
  private let path: String
  private let notify: Int32
  private let calls: Int32
  private var watch: Int32 = -1
  /// The bell that is watched. A folder that is moved away takes it along without a word.
  private var watched: FileIdentity?

  init(path: String) {
    self.path = path
    notify = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    calls = clinux_eventfd()
    arm()
  }

  deinit { for descriptor in [notify, calls] where descriptor >= 0 { close(descriptor) } }

  func wake() {
    var one: UInt64 = 1
    _ = write(calls, &one, 8)
  }

  func wait(milliseconds: Int) {
    if watch < 0 || FileIdentity(path: path) != watched { arm() }
    // No watch (the bell is absent, or no inotify instance is left): only the time wakes then, and who calls.
    var descriptors = [watch < 0 ? -1 : notify, calls].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&descriptors, 2, Int32(clamping: min(milliseconds, 1_000))) > 0 else { return }
    var told: UInt64 = 0
    if descriptors[1].revents != 0 { _ = read(calls, &told, 8) }
    var buffer = [UInt8](repeating: 0, count: 4_096)
    var gone = false
    while true {
      let count = read(notify, &buffer, buffer.count)
      guard count > 0 else { break }
      gone = gone || Self.tellsRemoval(buffer[..<count])
    }
    if gone { watch = -1 }
  }

  private func arm() {
    guard notify >= 0 else { return }
    if watch >= 0 { inotify_rm_watch(notify, watch) }
    watched = FileIdentity(path: path)
    watch = inotify_add_watch(notify, path, UInt32(IN_MODIFY | IN_DELETE_SELF | IN_MOVE_SELF))
  }

  private static func tellsRemoval(_ events: ArraySlice<UInt8>) -> Bool {
    events.withUnsafeBytes { bytes in
      var offset = 0
      while offset + MemoryLayout<inotify_event>.size <= bytes.count {
        let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
        if event.mask & UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF) != 0 { return true }
        offset += MemoryLayout<inotify_event>.size + Int(event.len)
      }
      return false
    }
  }
}
