import Service

/// Held by the one responder of a log that acts; the others follow and serve. Goes with its process.
final class LeaderLock {
  private let lock: FileLock

  /// - Parameter folder: of the log.
  init(folder: String) throws(FileError) { lock = try FileLock(folder + "/responder.leader") }

  /// Takes the lock where it is free; once held it stays so, unless somebody removed the file.
  func hold() -> Bool { lock.hold() }

  /// Why the lock cannot be asked for.
  var fault: FileError? { lock.fault }

  func release() { lock.release() }
}
