import Glibc
import Service

/// Where the projection of one version stands in a data folder, and how one takes another's place.
///
/// `cases-v<N>.sqlite` is a link to a file of one making, `cases-v<N>-<making>.sqlite`; so each making has a `-wal` and
/// a `-shm` of its own, and one rename of a link changes all three at once. Were the file itself renamed over another,
/// who opens it in between would read the old one's `-wal` into the new one. A plain file in the link's place serves too.
struct ProjectionFiles: Sendable {
  let folder: String
  let version: Int

  init(folder: String, version: Int = CaseStoreSchema.version) {
    self.folder = folder
    self.version = version
  }

  private var stem: String { "\(folder)/cases-v\(version)" }
  /// What readers open.
  var path: String { stem + ".sqlite" }
  /// The one that is being made.
  var building: String { stem + ".building" }
  /// Held by who writes the projection that stands at `path`.
  var writerLock: String { stem + ".writer" }
  /// Held by who makes a new one.
  var builderLock: String { stem + ".builder" }

  /// Which file the path leads to at the moment; nil where it leads to none.
  var current: FileIdentity? { FileIdentity(path: path) }

  /// Puts the finished file in the place of the one that stands there, if any, for everyone who opens it from now on;
  /// who has the old one open goes on with that. Only for who holds the builder's lock.
  /// - Parameters:
  ///   - made: the file that was finished. What stands in its place may be another's half.
  ///   - name: of this making, of letters and digits.
  /// - Throws: `displaced` where another file stands there, `notPublished` where the disk refused a step: mostly the old
  ///   one stands then, and after the last step perhaps only until the power goes.
  func publish(_ made: FileIdentity, as name: String) throws(ProjectionError) {
    guard FileIdentity(path: building) == made else { throw .displaced }
    let target = "\(stem)-\(name).sqlite"
    let link = "\(stem).link"
    do throws(FileError) {
      try Files.sync(building)
      try Files.give(building, toOwnerOf: folder)
      guard rename(building, target) == 0 else { throw FileError(path: target, doing: "rename") }
      unlink(link)
      guard symlink(Self.last(of: target), link) == 0 else { throw FileError(path: link, doing: "make the link") }
      try Files.give(link, toOwnerOf: folder)
      guard rename(link, path) == 0 else { throw FileError(path: path, doing: "rename") }
    } catch { throw .notPublished(error) }
    guard current == made else { throw .displaced }
    // Before the old one is removed: without it the old link may be what is there after a power cut.
    do throws(FileError) { try Files.sync(folder) } catch { throw .notPublished(error) }
    removeLeftovers()
  }

  /// Takes the projection away; it is made anew from the log. Only for who holds the builder's lock: what no link leads to
  /// yet may be a new one on its way.
  func discard() {
    unlink(path)
    for end in ["-wal", "-shm", "-journal"] { unlink(path + end) }
    removeLeftovers()
  }

  func discardBuilding() { for end in ["", "-journal", "-wal", "-shm"] { unlink(building + end) } }

  /// Removes what no link leads to: the makings before this one. Only for who holds the builder's lock.
  func removeLeftovers() {
    let target = linkTarget()
    // Beside a link, the companions of a plain file that stood there before.
    if target != nil { for end in ["-wal", "-shm"] { unlink(path + end) } }
    let prefix = Self.last(of: stem) + "-"
    for name in (try? Files.names(in: folder)) ?? [] where name.hasPrefix(prefix) && name.contains(".sqlite") {
      if let target, name == target || name.hasPrefix(target + "-") { continue }
      unlink("\(folder)/\(name)")
    }
  }

  private func linkTarget() -> String? {
    var buffer = [UInt8](repeating: 0, count: 1_024)
    let count = buffer.withUnsafeMutableBytes { bytes in
      readlink(path, bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    return count > 0 ? Self.last(of: String(decoding: buffer[..<count], as: UTF8.self)) : nil
  }

  private static func last(of path: String) -> String { String(path.split(separator: "/").last ?? "") }
}
