import Contracts
import Cryptography
import EventLog
import Service

/// Makes a projection of a log beside the one that is there, and puts it in its place when it is whole and has caught
/// up. Stream by stream, since a state depends on its own stream alone: a stream without a case costs a look at one
/// narrow column, and a case is decoded, folded and written once.
struct ProjectionBuild {
  private static let threads = 2
  private static let ahead = 6

  let log: any EventLog
  let files: ProjectionFiles
  /// The builder's lock: held by whoever runs this, and looked at again before anything is published.
  let builder: FileLock
  var listener = Projector.Listener()
  /// Positions that are looked through at once, and streams that are folded at once: as many as one transaction may well
  /// hold.
  var positions: Int64 = 20_000
  var streams = 500
  /// Name of this making.
  var name = String(SecureRandom.uuid().prefix(8))

  /// What was made.
  struct Result: Sendable, Equatable {
    /// Position up to which it tells the log.
    var through: Position
    /// A making that was left half done was gone on with.
    var isResumed: Bool
  }

  /// - Parameter stopping: asked often; what is done until then is kept for the next time.
  /// - Returns: nil where it was told to stop.
  func run(
    progress: (RebuildProgress) -> Void = { _ in }, until stopping: () -> Bool = { false }
  ) throws(ProjectionError) -> Result? {
    files.removeLeftovers()
    let made: FileIdentity
    var through: Position
    let isResumed: Bool
    do throws(ProjectionError) {
      let file = try BuildingFile.open(files, log: log)
      isResumed = file.isResumed
      made = file.place
      if !file.isFolded {
        guard try list(file, progress, stopping), try fold(file, progress, stopping) else { return nil }
        for (number, index) in CaseStoreSchema.indexes.enumerated() {
          progress(
            RebuildProgress(
              phase: .indexing, done: Int64(number), total: Int64(CaseStoreSchema.indexes.count),
              head: file.head.position.value))
          if stopping() { return nil }
          try file.index(index)
        }
        try file.finishFolding()
      }
      guard let place = try catchUp(file, progress, stopping) else { return nil }
      through = place
      progress(RebuildProgress(phase: .verifying, done: 0, total: 1, head: through.value))
      try file.finish()
    } catch {
      if error.isHopeless, builder.hold() { files.discardBuilding() }
      throw error
    }
    // Somebody may have removed the lock's file, and another locked a new one and makes its own now.
    guard builder.hold() else { throw .displaced }
    try files.publish(made, as: name)
    return Result(through: through, isResumed: isResumed)
  }

  // MARK: Listing

  private func list(
    _ file: BuildingFile, _ progress: (RebuildProgress) -> Void, _ stopping: () -> Bool
  ) throws(ProjectionError) -> Bool {
    let head = file.head.position
    if file.listed == .start, try !listNamed(file, stopping) { return false }
    var place = file.listed
    let log = log
    var isWhole = true
    try OrderedWork.run(threads: Self.threads, ahead: Self.ahead) {
      () throws(ProjectionError) -> (Position, Position)? in
      guard place < head else { return nil }
      let start = place
      place = Position(min(head.value, start.value + positions))
      return (start, place)
    } work: { range -> Swift.Result<(Set<String>, Position), LogReadError> in
      do throws(LogReadError) {
        let found = try log.streams(ofKinds: CaseState.openingKinds, after: range.0, through: range.1)
        return .success((Set(found.map(\.text)), range.1))
      } catch { return .failure(error) }
    } take: { outcome throws(ProjectionError) in
      switch outcome {
      case .success(let (streams, end)):
        try file.list(streams.sorted(), through: end)
        progress(RebuildProgress(phase: .listing, done: end.value, total: head.value, head: head.value))
      case .failure(let error): throw .log(error)
      }
      isWhole = !stopping()
      return isWhole
    }
    return isWhole
  }

  /// Customers, apps and the log's own stream are found by their names.
  private func listNamed(_ file: BuildingFile, _ stopping: () -> Bool) throws(ProjectionError) -> Bool {
    try file.list(CollectionOfOne(Streams.log), through: .start)
    for prefix in [ProjectedStream.apps, ProjectedStream.customers] {
      var last: StreamName?
      repeat {
        if stopping() { return false }
        let names: [StreamName]
        do throws(LogReadError) { names = try log.streams(named: prefix, after: last, limit: 2_000) } catch {
          throw .log(error)
        }
        last = names.last
        try file.list(names.map(\.text), through: .start)
      } while last != nil
    }
    return true
  }

  // MARK: Folding

  private struct Folded: Sendable {
    var rows: [StoredState] = []
    var marks: [StuckMark] = []
    var unknown = 0
    var last: StreamName
    var count: Int
  }

  private func fold(
    _ file: BuildingFile, _ progress: (RebuildProgress) -> Void, _ stopping: () -> Bool
  ) throws(ProjectionError) -> Bool {
    let head = file.head.position
    let counts = try file.counts()
    var done = counts.folded
    var last = file.folded
    let log = log
    var isWhole = true
    try OrderedWork.run(threads: Self.threads, ahead: Self.ahead) { () throws(ProjectionError) -> [StreamName]? in
      let streams = try file.streams(after: last, limit: self.streams)
      last = streams.last?.text
      return streams.isEmpty ? nil : streams
    } work: { streams -> Swift.Result<Folded, LogReadError> in
      do throws(LogReadError) { return .success(try Self.folded(streams, through: head, in: log)) } catch {
        return .failure(error)
      }
    } take: { outcome throws(ProjectionError) in
      switch outcome {
      case .success(let folded):
        try file.keep(folded.rows, folded.marks, through: folded.last)
        for mark in folded.marks { listener.stuck(mark) }
        if folded.unknown > 0 { listener.unknown(folded.unknown) }
        done += Int64(folded.count)
        progress(RebuildProgress(phase: .folding, done: done, total: counts.listed, head: head.value))
      case .failure(let error): throw .log(error)
      }
      isWhole = !stopping()
      return isWhole
    }
    return isWhole
  }

  private static func folded(
    _ streams: [StreamName], through head: Position, in log: any EventLog
  ) throws(LogReadError) -> Folded {
    var folded = Folded(last: streams.last!, count: streams.count)
    let maker = StoredState.Maker()
    func keep(_ folding: StreamFolding) {
      if let result = folding.result { folded.rows += maker.rows(result) }
      if let mark = folding.stuck { folded.marks.append(mark) }
      folded.unknown += folding.unknown
    }
    // Notifications without a purchase change nothing about an app but for one kind, and there may be very many.
    let isApp = { (stream: StreamName) in if case .app = ProjectedStream(stream) { true } else { false } }
    for stream in streams where isApp(stream) {
      var folding = StreamFolding(stream)
      try log.read(
        streams: [stream], through: head, passingOver: EventType.notificationReceived.rawValue,
        butOfKinds: [Rescission.kind]
      ) { folding.take($0) }
      folding.passed(through: try log.version(of: stream, through: head))
      keep(folding)
    }
    var current: StreamFolding?
    try log.read(streams: streams.filter { !isApp($0) }, through: head, passingOver: nil) { event in
      if current?.stream != event.stream {
        if let current { keep(current) }
        current = StreamFolding(event.stream)
      }
      current!.take(event)
    }
    if let current { keep(current) }
    return folded
  }

  // MARK: Catching up

  /// Follows by position until no whole batch is left.
  /// - Returns: where it stands then; nil where it was told to stop.
  private func catchUp(
    _ file: BuildingFile, _ progress: (RebuildProgress) -> Void, _ stopping: () -> Bool
  ) throws(ProjectionError) -> Position? {
    let projector = try Projector(log: log, store: file.store, listener: listener)
    while true {
      let head: Position
      do throws(LogReadError) { head = try log.head().position } catch { throw .log(error) }
      let began = projector.bookmark.position
      progress(
        RebuildProgress(
          phase: .catchingUp, done: began.value - file.head.position.value,
          total: head.value - file.head.position.value, head: head.value))
      while projector.bookmark.position < head {
        if stopping() { return nil }
        guard try projector.advance() != nil else { break }
      }
      // The rest is a moment's work for whoever follows.
      if head.value - began.value <= Int64(Projector.batch) { return projector.bookmark.position }
    }
  }
}
