import Glibc
import Service

/// What programs did to the files of a folder, and which answers they gave, in one order: what the recording part of
/// Tests/Faults wrote down.
struct PowerCutRecording {
  enum Step {
    case create(file: UInt64, name: String)
    case write(file: UInt64, at: Int, bytes: Range<Int>)
    case truncate(file: UInt64, to: Int)
    case syncBegins(file: UInt64, number: UInt64)
    case syncEnds(file: UInt64, number: UInt64)
    case syncFailed(file: UInt64, number: UInt64)
    case rename(from: String, to: String)
    case remove(name: String)
    case makeFolder(file: UInt64, name: String)
    /// A 200 to the request with that tag is about to leave.
    case acknowledge(tag: String)
  }

  let steps: [Step]
  /// The whole file; the bytes of the writes are parts of it.
  let bytes: [UInt8]

  /// - Parameter folder: the one that was watched; names are relative to it.
  init(_ path: String, of folder: String) throws(FileError) {
    let bytes = try Files.read(path, bytesMax: 1 << 30)
    self.bytes = bytes
    var steps: [Step] = []
    var place = 0
    func name(_ path: some Collection<UInt8>) -> String {
      let path = String(decoding: path, as: UTF8.self)
      return path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.utf8.count + 1)) : path == folder ? "." : path
    }
    while place + 32 <= bytes.count {
      let head = bytes.withUnsafeBytes { bytes in
        (0..<4).map { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place + $0 * 8, as: UInt64.self)) }
      }
      let body = place + 32..<place + 32 + Int(head[3])
      place = body.upperBound
      let (file, number) = (head[1], head[2])
      switch head[0] {
      case 1: steps.append(.create(file: file, name: name(bytes[body])))
      case 2: steps.append(.write(file: file, at: Int(number), bytes: body))
      case 3: steps.append(.truncate(file: file, to: Int(number)))
      case 4: steps.append(.syncBegins(file: file, number: number))
      case 5: steps.append(.syncEnds(file: file, number: number))
      case 6: steps.append(.syncFailed(file: file, number: number))
      case 7:
        let parts = bytes[body].split(separator: 0)
        steps.append(.rename(from: name(parts[0]), to: name(parts[1])))
      case 8: steps.append(.remove(name: name(bytes[body])))
      case 9: steps.append(.makeFolder(file: file, name: name(bytes[body])))
      case 10: steps.append(.acknowledge(tag: String(decoding: bytes[body], as: UTF8.self)))
      default: preconditionFailure("a recording of another kind")
      }
    }
    self.steps = steps
  }

  /// Tags of all answers.
  var acknowledged: Set<String> {
    Set(
      steps.compactMap { step in
        if case .acknowledge(let tag) = step { tag } else { nil }
      })
  }

  /// A process of ours is killed in between two records: never after a change and before it is written down.
  static func kill(_ program: KillableProgram, recording path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {}
    program.kill()
  }
}
