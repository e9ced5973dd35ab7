import Glibc
import Service
import TestSupport
import Testing

@Suite("A whole file") struct FilesTests {
  @Test("is read up to its bound and not beyond", arguments: [0, 1, 100, 65_535, 65_536, 65_537, 200_000])
  func bound(count: Int) throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/f"
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    try Files.write(bytes, to: path)
    #expect(try Files.read(path, bytesMax: count) == bytes)
    #expect(try Files.read(path, bytesMax: count + 1) == bytes)
    if count > 0 {
      #expect(throws: FileError(path: path, doing: "read", reason: "it is larger than \(count - 1) bytes")) {
        try Files.read(path, bytesMax: count - 1)
      }
    }
  }

  @Test("is replaced whole, with the rights that were asked for, and leaves no draft")
  func replaced() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/f"
    try Files.write(Array("a longer first content".utf8), to: path, mode: 0o600)
    try Files.write(Array("second".utf8), to: path, mode: 0o600)
    #expect(try Files.read(path, bytesMax: 100) == Array("second".utf8))
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(access(path + ".new", F_OK) != 0)
  }

  @Test("is not written into a draft that lies there, nor through a link")
  func draft() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/f"
    let other = folder.path + "/other"
    try Files.write([1], to: other)
    #expect(symlink(other, path + ".new") == 0)
    try Files.write([2], to: path, mode: 0o600)
    #expect(try Files.read(other, bytesMax: 10) == [1])
    close(open(path + ".new", O_WRONLY | O_CREAT, 0o644))
    try Files.write([3], to: path, mode: 0o600)
    var status = stat()
    #expect(lstat(path, &status) == 0)
    #expect(status.st_mode == S_IFREG | 0o600)
  }

  @Test("that could not take its place leaves no draft")
  func noDraft() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/f"
    #expect(mkdir(path, 0o700) == 0)
    #expect(throws: FileError(path: path, doing: "rename", reason: "Is a directory")) { try Files.write([1], to: path) }
    #expect(access(path + ".new", F_OK) != 0)
  }

  @Test(
    "tells whether every user may read it", arguments: [(0o640, false), (0o600, false), (0o644, true), (0o604, true)])
  func others(mode: UInt32, expected: Bool) throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/f"
    try Files.write([1], to: path)
    #expect(chmod(path, mode) == 0)
    #expect(Files.isReadableByOthers(path) == expected)
    #expect(!Files.isReadableByOthers(path + ".none"))
  }

  @Test("stays as it was when the new one cannot be written")
  func failing() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/f"
    try Files.write([1], to: path)
    #expect(mkdir(path + ".new", 0o700) == 0)
    #expect(throws: FileError(path: path + ".new", doing: "open", reason: "File exists")) {
      try Files.write([2], to: path)
    }
    #expect(try Files.read(path, bytesMax: 10) == [1])
    #expect(throws: FileError.self) { try Files.write([2], to: folder.path + "/none/f") }
  }

  @Test("that is absent or a folder is told with its path")
  func absent() {
    let folder = TemporaryFolder()
    let none = folder.path + "/none"
    #expect(throws: FileError(path: none, doing: "open", reason: "No such file or directory")) {
      try Files.read(none, bytesMax: 1)
    }
    #expect(throws: FileError(path: folder.path, doing: "read", reason: "Is a directory")) {
      try Files.read(folder.path, bytesMax: 1)
    }
  }

  @Test(
    "that holds a secret is its text without one line feed",
    arguments: [("s", "s"), ("s\n", "s"), ("s\n\n", "s\n"), (" s ", " s ")])
  func secret(text: String, secret: String) throws {
    let folder = TemporaryFolder()
    try Files.write(Array(text.utf8), to: folder.path + "/s")
    #expect(try Files.secret(folder.path + "/s") == Array(secret.utf8))
  }

  @Test("that holds no secret is refused", arguments: ["", "\n"])
  func noSecret(text: String) throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/s"
    try Files.write(Array(text.utf8), to: path)
    #expect(throws: FileError(path: path, doing: "read", reason: "it is empty")) { try Files.secret(path) }
  }

  @Test("that belongs to the owner already is left alone by who may give it") func given() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/f"
    try Files.write([1], to: path)
    // A change of the owner, also to the same one, counts as a change of the file.
    let before = try #require(FilePrint(path))
    usleep(50_000)
    try Files.give(path, toOwnerOf: folder.path)
    #expect(FilePrint(path) == before)
  }

  @Test("gets its folders made, those above included, again and again")
  func folders() throws {
    let folder = TemporaryFolder()
    let deep = folder.path + "/a/b//c"
    try Files.makeFolder(deep)
    try Files.makeFolder(deep)
    try Files.write([1], to: deep + "/f")
    #expect(throws: FileError.self) { try Files.makeFolder(deep + "/f/g") }
  }

  @Test("a draft gets its name when it is whole, and is gone where it does not come to that") func fileDraft() throws {
    let folder = TemporaryFolder()
    let target = folder.path + "/x"
    do {
      let draft = try FileDraft(of: target, mode: 0o600)
      #expect(write(draft.descriptor, "half", 4) == 4)
      #expect { try FileDraft(of: target, mode: 0o600) } throws: { "\($0)".contains("another program is writing it") }
    }
    #expect(try Files.names(in: folder.path).isEmpty)
    // What a killed program left has no lock on it any more.
    try Files.write([1], to: target + ".refundlog-part")
    do {
      let draft = try FileDraft(of: target, mode: 0o600)
      #expect(write(draft.descriptor, "whole", 5) == 5)
      #expect(try draft.finish(as: target))
    }
    #expect(try Files.names(in: folder.path) == ["x"] && Files.read(target, bytesMax: 9) == Array("whole".utf8))
    let other = try FileDraft(of: target, mode: 0o600)
    #expect(try !other.finish(as: target), "nothing is written over")
  }
}
