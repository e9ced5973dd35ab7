import Glibc
import Service
import TestSupport

/// A folder as a disk would hold it after a power cut at a given step of a recording.
///
/// The model is harsher than Linux file systems are, and never kinder:
/// - A file's content is durable up to where its last completed sync began. Of what was written since, each sector of
///   512 bytes may be there or not, in any combination; a sector is written whole. A truncation since may be undone.
/// - A name (made, changed or removed) is durable only by a sync of its folder, in the order in which it came about. To
///   sync the file alone, which is enough on ext4, is not taken to be enough here. The watched folder's own name is
///   its parent's business and taken as durable: nothing is recorded outside of it.
/// - What a failed sync was to bring to disk never gets there by a later sync, though everybody reads it meanwhile: the
///   kernel counts its pages as clean. It gets there with the page of 4,096 bytes, when that is written to again.
struct CutDisk {
  /// How much survives of what was not synced.
  enum Mercy: CaseIterable { case nothing, everything, prefix, sectors }

  private enum Change {
    case write(at: Int, bytes: Range<Int>)
    case truncate(to: Int)
  }

  private struct File {
    var durable: [UInt8] = []
    var pending: [Change] = []
    /// How many changes became durable, or were given up, before the first pending one.
    var settled = 0
    /// Visible to all and on no disk.
    var givenUp: [Change] = []
  }

  private enum NameChange {
    case put(name: String, file: Int)
    case remove(name: String)
    case rename(from: String, to: String)
  }

  private static let sector = 512
  private static let page = 4_096

  private let recording: PowerCutRecording
  private(set) var step = 0
  /// In the order of their making. The kernel gives the number of a removed file again; here each has its own.
  private var files: [File] = []
  /// By the kernel's number: the newest with it.
  private var newest: [UInt64: Int] = [:]
  private var names: [String: Int] = [:]
  private var pendingNames: [NameChange] = []
  private var settledNames = 0
  /// The kernel's number of the folder itself.
  private var folder: UInt64?
  /// Under way: how many changes of the file, or of names, each will make durable.
  private var syncs: [UInt64: Int] = [:]
  /// Of the requests that were answered up to here.
  private(set) var acknowledged: Set<String> = []

  init(_ recording: PowerCutRecording) { self.recording = recording }

  /// Carries out the steps before `end`.
  mutating func advance(to end: Int) {
    while step < end {
      apply(recording.steps[step])
      step += 1
    }
  }

  private mutating func apply(_ step: PowerCutRecording.Step) {
    switch step {
    case .create(let number, let name):
      newest[number] = files.count
      pendingNames.append(.put(name: name, file: files.count))
      files.append(File())
    case .makeFolder(let number, let name): if name == "." { folder = number }
    case .write(let number, let place, let bytes): change(newest[number], .write(at: place, bytes: bytes))
    case .truncate(let number, let size): change(newest[number], .truncate(to: size))
    case .syncBegins(let number, let sync):
      if number == folder {
        syncs[sync] = settledNames + pendingNames.count
      } else if let file = newest[number] {
        syncs[sync] = files[file].settled + files[file].pending.count
      }
    case .syncEnds(let number, let sync):
      guard let count = syncs.removeValue(forKey: sync) else { return }
      if number == folder {
        let count = max(0, count - settledNames)
        for change in pendingNames[..<count] { Self.apply(change, to: &names) }
        pendingNames.removeFirst(count)
        settledNames += count
      } else if let file = newest[number] {
        settle(file, through: count)
      }
    case .syncFailed(let number, let sync):
      guard let count = syncs.removeValue(forKey: sync), let file = newest[number] else { return }
      let lost = max(0, count - files[file].settled)
      files[file].givenUp += files[file].pending[..<lost]
      files[file].pending.removeFirst(lost)
      files[file].settled += lost
    case .rename(let from, let to): pendingNames.append(.rename(from: from, to: to))
    case .remove(let name): pendingNames.append(.remove(name: name))
    case .acknowledge(let tag): acknowledged.insert(tag)
    }
  }

  private mutating func change(_ file: Int?, _ change: Change) {
    guard let file else { return }
    if case .write(let place, let bytes) = change, !files[file].givenUp.isEmpty {
      reviveGivenUp(of: file, in: place..<place + bytes.count)
    }
    files[file].pending.append(change)
  }

  /// The pages that are written to take what else stands in them to the disk.
  private mutating func reviveGivenUp(of file: Int, in range: Range<Int>) {
    let pages = range.lowerBound / Self.page * Self.page..<(range.upperBound + Self.page - 1) / Self.page * Self.page
    var left: [Change] = []
    for change in files[file].givenUp {
      guard case .write(let place, let bytes) = change else { continue }
      let end = place + bytes.count
      func piece(_ lower: Int, _ upper: Int) -> Change? {
        let start = bytes.lowerBound + lower - place
        return lower < upper ? .write(at: lower, bytes: start..<start + upper - lower) : nil
      }
      let inside = piece(max(place, pages.lowerBound), min(end, pages.upperBound))
      guard let inside else {
        left.append(change)
        continue
      }
      files[file].pending.append(inside)
      left += [piece(place, pages.lowerBound), piece(pages.upperBound, end)].compactMap { $0 }
    }
    files[file].givenUp = left
  }

  private mutating func settle(_ file: Int, through count: Int) {
    let count = max(0, count - files[file].settled)
    for change in files[file].pending[..<count] {
      Self.apply(change, of: recording, to: &files[file].durable)
    }
    files[file].pending.removeFirst(count)
    files[file].settled += count
  }

  private static func apply(_ change: NameChange, to names: inout [String: Int]) {
    switch change {
    case .put(let name, let file): names[name] = file
    case .remove(let name): names[name] = nil
    case .rename(let from, let to): names[to] = names.removeValue(forKey: from)
    }
  }

  private static func apply(_ change: Change, of recording: PowerCutRecording, to content: inout [UInt8]) {
    switch change {
    case .truncate(let size): resize(&content, to: size)
    case .write(let place, let bytes):
      if content.count < place + bytes.count { resize(&content, to: place + bytes.count) }
      content.withUnsafeMutableBytes { content in
        recording.bytes.withUnsafeBytes { source in
          content.baseAddress!.advanced(by: place).copyMemory(
            from: source.baseAddress! + bytes.lowerBound, byteCount: bytes.count)
        }
      }
    }
  }

  private static func resize(_ content: inout [UInt8], to size: Int) {
    if content.count > size {
      content.removeLast(content.count - size)
    } else {
      content.append(contentsOf: repeatElement(0, count: size - content.count))
    }
  }

  // MARK: The cut

  /// Writes into an empty folder what the disk holds when the power goes here.
  func cut(_ mercy: Mercy, into target: String, with random: inout SeededRandom) throws(FileError) {
    try Files.makeFolder(target)
    var names = names
    let kept =
      switch mercy {
      case .nothing: 0
      case .everything: pendingNames.count
      case .prefix, .sectors: Int.random(in: 0...pendingNames.count, using: &random)
      }
    for change in pendingNames[..<kept] { Self.apply(change, to: &names) }
    for (name, file) in names.sorted(by: { $0.key < $1.key }) {
      // What lies in shared memory is nobody's memory after a power cut.
      if name.hasSuffix("-shm") { continue }
      try Self.put(content(of: files[file], mercy, with: &random), at: "\(target)/\(name)")
    }
  }

  private func content(of file: File, _ mercy: Mercy, with random: inout SeededRandom) -> [UInt8] {
    var content = file.durable
    switch mercy {
    case .nothing: break
    case .everything: for change in file.pending { Self.apply(change, of: recording, to: &content) }
    case .prefix:
      let count = Int.random(in: 0...file.pending.count, using: &random)
      for change in file.pending[..<count] { Self.apply(change, of: recording, to: &content) }
      // The next one was under way.
      if count < file.pending.count { applyPart(of: file.pending[count], to: &content) { $0.isMultiple(of: 2) } }
    case .sectors:
      for change in file.pending { applyPart(of: change, to: &content) { _ in Bool.random(using: &random) } }
    }
    return content
  }

  /// Applies the sectors of a change that are chosen, by their number in the change.
  private func applyPart(of change: Change, to content: inout [UInt8], _ isChosen: (Int) -> Bool) {
    guard case .write(let place, let bytes) = change else {
      if isChosen(0) { Self.apply(change, of: recording, to: &content) }
      return
    }
    var start = place
    var number = 0
    while start < place + bytes.count {
      let end = min((start / Self.sector + 1) * Self.sector, place + bytes.count)
      if isChosen(number) {
        let first = bytes.lowerBound + start - place
        Self.apply(.write(at: start, bytes: first..<first + end - start), of: recording, to: &content)
      }
      start = end
      number += 1
    }
  }

  private static func put(_ content: [UInt8], at path: String) throws(FileError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { throw FileError(path: path, doing: "open") }
    defer { close(descriptor) }
    var written = 0
    while written < content.count {
      let count = content.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, $0.count - written) }
      guard count > 0 else { throw FileError(path: path, doing: "write") }
      written += count
    }
  }
}
