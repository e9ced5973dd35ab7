import Cryptography
import JSON
import SQLite
import Service

/// What a backup holds, as `backup.json` beside its files says it.
public struct BackupManifest: Sendable, Equatable {
  public var log: LogIdentity.ID
  /// How far the copy goes.
  public var place: LogPlace
  /// When it was begun, milliseconds since 1970, UTC; what is appended later need not be in it.
  public var startedAt: Int64
  /// Bytes by name of the file.
  public var files: [String: Int64]

  static let name = "backup.json"
  private static let form: Int64 = 1

  init(log: LogIdentity.ID, place: LogPlace, startedAt: Int64, files: [String: Int64]) {
    self.log = log
    self.place = place
    self.startedAt = startedAt
    self.files = files
  }

  /// Reads the manifest of a backup's folder; nil where it has none, as any folder that was copied by hand.
  public init?(of folder: String) throws(TransferError) {
    let path = "\(folder)/\(Self.name)"
    guard Files.isThere(path) else { return nil }
    let bytes = try TransferError.file { () throws(FileError) in try Files.read(path, bytesMax: 65_536) }
    guard let value = try? JSONValue(bytes: bytes), value["refundlog"] == "backup", let form = value["form"]?.int64
    else { throw .otherBackup(path: folder, why: "\(Self.name) cannot be read") }
    if form > Self.form { throw .newer("\(path) is of form \(form), this release reads \(Self.form)") }
    guard let log = value["log"]?.string, let startedAt = value["startedAt"]?.int64,
      let position = value["position"]?.int64, let chain = value["chain"]?.string.flatMap({ Hex.decode($0) }),
      let files = value["files"]?.object
    else { throw .otherBackup(path: folder, why: "\(Self.name) cannot be read") }
    self.init(
      log: log, place: LogPlace(position: Position(position), chain: chain), startedAt: startedAt,
      files: Dictionary(
        files.members.compactMap { member in member.value.int64.map { (member.key, $0) } },
        uniquingKeysWith: { first, _ in first }))
  }

  var text: [UInt8] {
    func number(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }
    var files = JSONObject()
    for (name, bytes) in self.files.sorted(by: { $0.key < $1.key }) { files[name] = number(bytes) }
    let value: JSONValue = [
      "refundlog": "backup", "form": number(Self.form), "log": .string(log),
      "startedAt": number(startedAt), "position": number(place.position.value),
      "chain": .string(Hex.encode(place.chain)), "files": .object(files),
    ]
    return value.bytes() + [UInt8(ascii: "\n")]
  }

  /// Compares the files of the backup's folder with what is said of them here, before any of them is read.
  /// - Parameter states: names of the databases that may lie beside the log.
  public func compare(_ folder: String, states: [String]) throws(TransferError) {
    for name in states + ["events.sqlite"] {
      let (told, found) = (files[name], Files.size("\(folder)/\(name)"))
      if told == found { continue }
      let what =
        switch (told, found) {
        case (let told?, let found?): "\(name) has \(found) bytes, the manifest says \(told)"
        case (_?, nil): "\(name) is missing"
        default: "\(name) is there, and the manifest does not name it"
        }
      throw .otherBackup(path: folder, why: what)
    }
  }

  /// Compares where the log beside it ends with what is said of it here.
  func compare(_ folder: String, log: LogIdentity.ID, _ place: LogPlace) throws(TransferError) {
    if (log, place) == (self.log, self.place) { return }
    throw .otherBackup(
      path: folder,
      why: "it ends at position \(place.position), the manifest says \(self.place.position), or holds something else "
        + "there")
  }

  /// Looks at what lies beside a backup's log: that the log, which `LogVerifier` proved, is the one told of here, and
  /// that SQLite finds each state whole.
  /// - Parameter states: names of the databases that may lie beside the log.
  public func check(_ folder: String, proof: LogVerifier.Proof, states: [String]) throws(TransferError) {
    try compare(folder, log: proof.log, LogPlace(position: proof.head, chain: proof.chain))
    for name in states where files[name] != nil {
      let path = "\(folder)/\(name)"
      let found: String?
      do throws(SQLiteError) {
        found = try SQLiteConnection(path: path, mode: .readOnly).row("PRAGMA quick_check(1)") { $0.text(0) }
      } catch {
        throw error.isDamage || error.isForeign ? .unusableState(path: path, error.message) : TransferError(error)
      }
      if found != "ok" { throw .unusableState(path: path, found ?? "nothing can be read") }
    }
  }
}
