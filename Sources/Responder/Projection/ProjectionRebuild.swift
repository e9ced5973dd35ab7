public import EventLog
import Glibc
public import Service

/// Makes the projection of a data folder anew from its log, beside a running responder or without one. Blocks; for an
/// owned thread or a command.
public struct ProjectionRebuild {
  /// Why it was not made; the one that was there stands.
  public enum Failure: Error, Sendable, CustomStringConvertible {
    case log(LogOpenError)
    /// Another one is being made at this moment.
    case underWay(path: String)
    case notWritable(FileError)
    case readOnlyDisk(path: String)
    case failed(String, isDamage: Bool)

    public var description: String {
      switch self {
      case .log(let error): error.description
      case .underWay(let path): "\(path) is being made by another process at the moment; wait for that one"
      case .notWritable(let error): "\(error): run this as the user of the services"
      case .readOnlyDisk(let path):
        "the disk that holds \(path) can only be read: a projection is made beside the log, so mount it for writing"
      case .failed(let why, _): why
      }
    }
  }

  public struct Report: Sendable, Equatable {
    /// What readers open.
    public var path: String
    /// Events that it tells of.
    public var events: Int64
    public var milliseconds: Int64
    /// Goes on with one that was left half done; `milliseconds` are of this run alone.
    public var isResumed: Bool
    /// Streams of which an event could not be folded, found in this run.
    public var stuck: Int
  }

  private let files: ProjectionFiles
  private let log: LocalEventLog

  public init(folder: String) throws(Failure) {
    files = ProjectionFiles(folder: folder)
    do throws(LogOpenError) {
      // Nothing is written to the log, so nothing random is needed.
      log = try LocalEventLog(
        folder: folder, access: .readOnly,
        parts: LogParts(clock: { 0 }, randomBytes: { [UInt8](repeating: 0, count: $0) }, newLogID: { "" }))
    } catch { throw .log(error) }
  }

  public func run(progress: (RebuildProgress) -> Void) throws(Failure) -> Report {
    let lock: FileLock
    do throws(FileError) { lock = try FileLock(files.builderLock) } catch {
      throw Files.isOnReadOnlyDisk(files.folder) ? .readOnlyDisk(path: files.folder) : .notWritable(error)
    }
    guard lock.hold() else { throw .underWay(path: files.path) }
    defer { lock.release() }
    let began = MonotonicClock.milliseconds()
    var stuck = 0
    var build = ProjectionBuild(log: log, files: files, builder: lock)
    build.listener = Projector.Listener(stuck: { _ in stuck += 1 })
    do throws(ProjectionError) {
      guard let result = try build.run(progress: progress) else { preconditionFailure("nobody told it to stop") }
      return Report(
        path: files.path, events: result.through.value,
        milliseconds: MonotonicClock.milliseconds() - began, isResumed: result.isResumed, stuck: stuck)
    } catch {
      if case .log(let damage) = error { throw .failed("\(error)", isDamage: damage.isDamage) }
      throw .failed("\(error)", isDamage: false)
    }
  }
}
