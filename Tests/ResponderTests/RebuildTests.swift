import Contracts
import EventLog
import FoundationEssentials
import Glibc
import JSON
import SQLite
import Service
import Synchronization
import TestSupport
import Testing

@testable import Responder

@Suite("A rebuild of the projection") struct RebuildTests {
  private func build(
    _ log: any EventLog, in folder: borrowing TemporaryFolder, until stopping: () -> Bool = { false }
  ) throws -> ProjectionBuild.Result? {
    try making(log, in: folder).run(until: stopping)
  }

  private func making(_ log: any EventLog, in folder: borrowing TemporaryFolder) throws -> ProjectionBuild {
    let files = ProjectionFiles(folder: folder.path)
    return ProjectionBuild(log: log, files: files, builder: try FileLock(files.builderLock))
  }

  private func follow(_ log: any EventLog, in folder: borrowing TemporaryFolder) throws {
    let projector = try Projector(log: log, store: CaseStore(folder: folder.path))
    while try projector.advance() != nil {}
  }

  @Test("by stream gives what living through the log by position gives, whatever happened") func sameRows() throws {
    let seed = Effort.seed()
    print("random histories from REFUNDLOG_SEED=\(seed)")
    var stuck = 0
    var cases = 0
    for number in 0..<UInt64(Effort.pick(40, long: 3_000)) {
      var history = try RandomHistory(seed: seed &+ number)
      let lived = TemporaryFolder()
      let rebuilt = TemporaryFolder()
      var pauses = SeededNumbers(seed: seed &+ number &+ 1)
      let projector = try Projector(log: history.log, store: CaseStore(folder: lived.path))
      for _ in 0..<Int.random(in: 1...60, using: &pauses) {
        try history.step()
        if Int.random(in: 0..<3, using: &pauses) == 0 { while try projector.advance() != nil {} }
      }
      // Of an empty log nobody has read anything, while a rebuild has read all of it.
      while try history.log.head().position == .start { try history.step() }
      while try projector.advance() != nil {}
      #expect(try build(history.log, in: rebuilt) != nil)
      let rows = try ProjectionRows.all(in: lived.path)
      stuck += rows.count { $0.hasPrefix("stuck") }
      cases += rows.count { $0.hasPrefix("cases") }
      #expect(try ProjectionRows.all(in: rebuilt.path) == rows, "seed \(seed &+ number)")
    }
    #expect(stuck > 0 && cases > 20, "something happened in these histories")
  }

  @Test("writes a case so that it reads back as the same, with every member that the coder of the language writes")
  func texts() throws {
    let encoder = JSONEncoder()
    var compared = 0
    // In even ones an answer has what it needs soon.
    for seed in Array(0..<UInt64(8)) + Array(stride(from: 8, to: 56, by: 2)) {
      var history = try RandomHistory(seed: seed)
      for _ in 0..<60 { try history.step() }
      for stream in try history.log.streams(named: "purchase/", after: nil, limit: 10) {
        var folding = StreamFolding(stream)
        try history.log.read(streams: [stream], through: Position(.max), passingOver: nil) { folding.take($0) }
        let state = try #require(folding.caseState)
        #expect(try JSONDecoder().decode(CaseState.self, from: Data(state.text)) == state)
        #expect(try JSONValue(bytes: state.text) == JSONValue(bytes: Array(encoder.encode(state))))
        compared += state.requests.count { !$0.attempts.isEmpty }
      }
    }
    #expect(compared > 2, "cases with attempts were among them")
  }

  @Test("of a log on disk gives the same as of one in memory") func onDisk() throws {
    let seed = Effort.seed()
    print("a random history from REFUNDLOG_SEED=\(seed)")
    var history = try RandomHistory(seed: seed)
    for _ in 0..<400 { try history.step() }
    let folder = TemporaryFolder()
    let memory = TemporaryFolder()
    let log = try LocalEventLog(
      folder: folder.path, access: .readWrite,
      parts: LogParts(
        clock: { Story.start }, randomBytes: { [UInt8](repeating: 7, count: $0) },
        newLogID: { "00000000-0000-4000-8000-000000000003" }))
    for event in try history.log.read(after: .start, limit: 10_000) {
      var copied = event
      copied.data = event.data ?? []
      _ = try log.append([copied.draft])
      if event.isErased { _ = try log.erase([event.id]) }
    }
    #expect(try build(log, in: folder) != nil)
    #expect(try build(history.log, in: memory) != nil)
    let rows = { (rows: [String]) in rows.filter { !$0.hasPrefix("bookmark") } }
    #expect(try rows(ProjectionRows.all(in: folder.path)) == rows(ProjectionRows.all(in: memory.path)))
    log.close()
  }

  @Test("that is stopped anywhere goes on from there and ends with the same rows") func resumes() throws {
    var history = try RandomHistory(seed: 11)
    for _ in 0..<600 { try history.step() }
    let whole = TemporaryFolder()
    #expect(try build(history.log, in: whole)?.isResumed == false)
    let rows = try ProjectionRows.all(in: whole.path)
    var stops = 0
    while true {
      let folder = TemporaryFolder()
      let files = ProjectionFiles(folder: folder.path)
      var build = try making(history.log, in: folder)
      // Small steps, so that there is many a place to be stopped at.
      (build.positions, build.streams) = (100, 1)
      var asked = 0
      let result = try build.run {
        _ in
      } until: {
        asked += 1
        return asked > stops
      }
      if result != nil { break }
      stops += 1
      #expect(FileIdentity(path: files.path) == nil, "half of one is nothing to be read")
      #expect(try build.run()?.isResumed == true)
      #expect(try ProjectionRows.all(in: folder.path) == rows, "stopped when it asked for the \(stops). time")
    }
    #expect(stops > 15)
  }

  @Test("folds what is appended while it goes on, before it takes the old one's place") func catchesUp() throws {
    var history = try RandomHistory(seed: 5)
    for _ in 0..<200 { try history.step() }
    let folder = TemporaryFolder()
    let after = TemporaryFolder()
    let build = try making(history.log, in: folder)
    var added = 0
    let result = try #require(
      try build.run { progress in
        if progress.phase == .folding, added < 900 {
          for _ in 0..<900 { try! history.step() }
          added += 900
        }
      })
    #expect(added == 900)
    #expect(result.through.value >= 1_100 - Int64(Projector.batch))
    try follow(history.log, in: folder)
    try follow(history.log, in: after)
    #expect(try ProjectionRows.all(in: folder.path) == ProjectionRows.all(in: after.path))
  }

  @Test("whose lock was removed, and taken anew by another maker, puts nothing in place") func lostLock() throws {
    var history = try RandomHistory(seed: 4)
    for _ in 0..<50 { try history.step() }
    let folder = TemporaryFolder()
    let build = try making(history.log, in: folder)
    let files = build.files
    #expect(build.builder.hold())
    var other: FileLock?
    let error = #expect(throws: ProjectionError.self) {
      try build.run { progress in
        guard progress.phase == .verifying else { return }
        unlink(files.builderLock)
        other = try? FileLock(files.builderLock)
        #expect(other?.hold() == true)
      }
    }
    if case .displaced = error {} else { Issue.record("\(String(describing: error))") }
    #expect(files.current == nil)
    other = nil
  }

  @Test("puts only the file in place that it made itself") func otherFile() throws {
    let folder = TemporaryFolder()
    let files = ProjectionFiles(folder: folder.path)
    try Files.write([1], to: files.building)
    let made = try #require(FileIdentity(path: files.building))
    // Written beside it and renamed over it, so it is another file for certain.
    try Files.write([2], to: files.building)
    #expect(throws: ProjectionError.self) { try files.publish(made, as: "a") }
    #expect(files.current == nil && FileIdentity(path: files.building) != nil)
    try files.publish(#require(FileIdentity(path: files.building)), as: "a")
    #expect(try Files.read(files.path, bytesMax: 10) == [2])
  }

  @Test("on its way into its place is not taken away by a responder that throws the old one away") func discarding()
    throws
  {
    var history = try RandomHistory(seed: 6)
    for _ in 0..<50 { try history.step() }
    let folder = TemporaryFolder()
    let projection = try Projection(folder: folder.path, log: history.log, listener: Projector.Listener())
    #expect(projection.holdsWriter())
    _ = try projection.open(until: { false }, making: { _ in })
    let files = ProjectionFiles(folder: folder.path)
    // As between the two renames: no link leads to it yet.
    let onItsWay = "\(folder.path)/cases-v\(files.version)-new.sqlite"
    try Files.write([1], to: onItsWay)
    let other = try FileLock(files.builderLock)
    #expect(other.hold())
    projection.discard()
    #expect(FileIdentity(path: onItsWay) != nil)
    other.release()
    _ = try projection.open(until: { false }, making: { _ in })
    projection.discard()
    #expect(files.current == nil && FileIdentity(path: onItsWay) == nil, "where nobody makes one, nothing is left")
  }

  @Test("that is to stop lists no customers first") func stopsBeforeNames() throws {
    let story = Story(environment: "Sandbox")
    try story.policy()
    try story.consent(true)
    let folder = TemporaryFolder()
    #expect(try build(story.log, in: folder, until: { true }) == nil)
    let sqlite = try SQLiteConnection(path: ProjectionFiles(folder: folder.path).building, mode: .readWrite)
    #expect(try sqlite.row("SELECT count(*) FROM streams WHERE stream LIKE 'customer/%'") { $0.integer(0) } == 0)
    #expect(try build(story.log, in: folder)?.isResumed == true)
  }

  @Test("that ends between its last step and its place goes on from there") func lastMoment() throws {
    var history = try RandomHistory(seed: 12)
    for _ in 0..<100 { try history.step() }
    let folder = TemporaryFolder()
    let files = ProjectionFiles(folder: folder.path)
    do {
      let build = try making(history.log, in: folder)
      // The name that the finished file is to get is a folder's.
      try Files.makeFolder("\(folder.path)/cases-v\(files.version)-\(build.name).sqlite")
      #expect(throws: ProjectionError.self) { try build.run() }
    }
    #expect(files.current == nil)
    #expect(try self.build(history.log, in: folder)?.isResumed == true)
    #expect(files.current != nil)
  }

  @Test("that cannot be gone on with at the moment is kept for the next time") func passing() throws {
    var history = try RandomHistory(seed: 13)
    for _ in 0..<100 { try history.step() }
    let folder = TemporaryFolder()
    let files = ProjectionFiles(folder: folder.path)
    #expect(try build(history.log, in: folder, until: { true }) == nil)
    let begun = try #require(FileIdentity(path: files.building))
    do {
      let other = try SQLiteConnection(path: files.building, mode: .readWrite)
      try other.execute("BEGIN EXCLUSIVE")
      #expect(throws: ProjectionError.self) { try build(history.log, in: folder) }
      try other.execute("ROLLBACK")
    }
    #expect(FileIdentity(path: files.building) == begun)
    #expect(try build(history.log, in: folder)?.isResumed == true)
  }

  @Test("does not go on with the half of another log's") func otherLog() throws {
    var history = try RandomHistory(seed: 3)
    for _ in 0..<100 { try history.step() }
    let folder = TemporaryFolder()
    #expect(try build(history.log, in: folder, until: { true }) == nil)
    let other = Story(log: Story.memory(id: "00000000-0000-4000-8000-000000000002"))
    try other.request()
    #expect(try build(other.log, in: folder)?.isResumed == false)
    #expect(try ProjectionRows.all(in: folder.path).count { $0.hasPrefix("cases") } == 1)
  }

  @Test("replaces the one that is there in one step: readers never see none, and never a mixture") func served()
    throws
  {
    var history = try RandomHistory(seed: 8)
    for _ in 0..<300 { try history.step() }
    let folder = TemporaryFolder()
    // A plain file stands there first, as an older release made it.
    try follow(history.log, in: folder)
    let log = history.log
    let path = folder.path
    let whole = try CaseReader(folder: path, log: log, clock: .system).cases(matching: CaseQuery())
    let (expected, head) = (whole.cases.count, whole.through)
    let stop = StopFlag()
    let faults = Monitor<[String]>([])
    let asked = Atomic(0)
    let readers = (0..<3).map { number in
      OwnedThread(name: "reader.\(number)") {
        let kept = CaseReader(folder: path, log: log, clock: .system)
        while !stop.isRaised {
          do throws(CaseReaderError) {
            // One that keeps its connections, and one that opens them anew.
            for reader in [kept, CaseReader(folder: path, log: log, clock: .system)] {
              let found = try reader.cases(matching: CaseQuery())
              if found.cases.count != expected || found.through != head {
                faults.change { $0.append("\(found.cases.count) cases through \(found.through)") }
              }
            }
          } catch { faults.change { $0.append("\(error)") } }
          asked.add(1, ordering: .relaxed)
        }
      }
    }
    for _ in 0..<Effort.pick(10, long: 500) { #expect(try build(log, in: folder) != nil) }
    stop.raise()
    for reader in readers { reader.join() }
    #expect(faults.withLock { Array($0.prefix(3)) } == [])
    #expect(asked.load(ordering: .relaxed) > 10)
    let left = try Files.names(in: path).filter { $0.hasSuffix(".sqlite") }
    #expect(left.count == 2, "the link and what it leads to: \(left)")
  }

  @Test("beside a running responder: it goes on from the new one and sends nothing again") func running() throws {
    let rig = try ResponderRig()
    try rig.story.policy()
    try rig.story.evidence(Story.facts)
    try rig.story.consent(true)
    try rig.story.request()
    try rig.start()
    try rig.wait(for: .consumptionSent)
    try rig.settle()
    for _ in 0..<3 {
      #expect(try build(rig.story.log, in: rig.folder) != nil)
      try rig.settle()
      try rig.waitUntilFollowed()
    }
    #expect(rig.appStore.answers.count == 1)
    #expect(try rig.events(.consumptionPrepared).count == 1)
    rig.stop()
    let fresh = TemporaryFolder()
    try follow(rig.story.log, in: fresh)
    #expect(try ProjectionRows.all(in: rig.folder.path) == ProjectionRows.all(in: fresh.path))
  }
}
