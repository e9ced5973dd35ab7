import Glibc
import Service

/// New content for the settings file, which takes its place only when every program would start with it.
///
/// A crash at any point leaves the old file or the new one, never half of either.
enum SettingsDraft {
  /// - Parameters:
  ///   - path: a file that is there keeps its permissions and owner, also behind a link; a new one gets 0640.
  ///   - print: of the file when it was read, so that nobody's change is lost; nil where there was none.
  ///   - variables: of the environment; they go over the file in the check too.
  /// - Throws: every fault, and nothing has been changed then.
  static func put(_ text: [UInt8], at path: String, was print: FilePrint?, variables: [String: String])
    throws(CommandError)
  {
    let target = realpath(path, nil).map { resolved in
      defer { free(resolved) }
      return String(cString: resolved)
    }
    let place = target ?? path
    // A name of this process, so that two that change the file at once do not take each other's draft.
    let draft = "\(place).draft.\(getpid())"
    // One left by a crash, or laid there by somebody, has permissions of its own: never write into it.
    unlink(draft)
    do throws(FileError) { try write(text, to: draft, like: target) } catch {
      unlink(draft)
      throw CommandError(.unavailable, "\(error); nothing was changed")
    }
    let faults = SettingsFile.faults(of: draft, named: path, variables: variables)
    if !faults.isEmpty {
      unlink(draft)
      throw CommandError(
        .settings, "nothing was changed, as the services would not start with it:\n\(faults.joined(separator: "\n"))")
    }
    guard FilePrint(path) == print else {
      unlink(draft)
      throw CommandError(.failure, "\(path) was changed by somebody else meanwhile; nothing was changed: repeat it")
    }
    guard rename(draft, place) == 0 else {
      let error = FileError(path: place, doing: "rename")
      unlink(draft)
      throw CommandError(.unavailable, "\(error); nothing was changed")
    }
    syncFolder(of: place)
  }

  private static func write(_ text: [UInt8], to draft: String, like target: String?) throws(FileError) {
    var status = stat()
    let isThere = target.map { stat($0, &status) == 0 } ?? false
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isThere ? 0o600 : 0o640)
    guard descriptor >= 0 else { throw FileError(path: draft, doing: "open") }
    defer { close(descriptor) }
    if isThere {
      // Owner first: a change of owner may take permissions away.
      if status.st_uid != geteuid() || status.st_gid != getegid(), fchown(descriptor, status.st_uid, status.st_gid) != 0
      {
        throw FileError(path: draft, doing: "give the owner of the old file to")
      }
      guard fchmod(descriptor, status.st_mode & 0o7777) == 0 else {
        throw FileError(path: draft, doing: "set the permissions of")
      }
    }
    var rest = text[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 && errno == EINTR { continue }
      guard written >= 0 else { throw FileError(path: draft, doing: "write") }
      rest = rest.dropFirst(written)
    }
    guard fsync(descriptor) == 0 else { throw FileError(path: draft, doing: "sync") }
  }

  /// The new file is in place; should the folder not be synced, a power cut brings the old one back, whole.
  private static func syncFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
