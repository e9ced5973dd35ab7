import Cryptography
import EventLog
import JSON
import Synchronization
import TestSupport
import Testing

/// The bytes of format 1, against vectors that another implementation made.
@Suite("Format 1") struct FormatGoldenTests {
  private struct Golden {
    let log: JSONView
    let events: [JSONView]

    init() throws {
      let bytes = try #require(Project.bytes(Project.vectors + "/format1-golden.json"))
      let root = try JSONDocument(bytes: bytes).root
      log = try #require(root["log"])
      events = try #require(root["events"]?.elements)
    }
  }

  private func hex(_ view: JSONView?) throws -> [UInt8] {
    let text = try #require(view?.string)
    return try #require(Hex.decode(text))
  }

  @Test("is reproduced byte for byte, in the file and in memory", arguments: [true, false])
  func golden(inFile: Bool) throws {
    let golden = try Golden()
    let secret = try hex(golden.log["secret"])
    let salts = try golden.events.map { try hex($0["salt"]) }
    let instants = try golden.events.map { try #require($0["row"]?["recorded_at"]?.int64) }
    let created = try #require(golden.log["created_at"]?.int64)
    let id = try #require(golden.log["id"]?.string)
    let given = Atomic(0)
    let asked = Atomic(0)
    let parts = LogParts(
      clock: {
        let count = asked.wrappingAdd(1, ordering: .relaxed).oldValue
        return count == 0 ? created : instants[count - 1]
      },
      randomBytes: { count in
        if count == 32 { return secret }
        return salts[given.wrappingAdd(1, ordering: .relaxed).oldValue]
      }, newLogID: { id })
    let folder = TemporaryFolder()
    let log: any EventLog =
      inFile
      ? try LocalEventLog(folder: folder.path, access: .readWrite, parts: parts) : MemoryEventLog(parts: parts)
    defer { (log as? LocalEventLog)?.close() }
    let genesis = try hex(golden.log["genesis"])
    #expect(log.identity.genesis == genesis)

    for event in golden.events {
      let row = try #require(event["row"])
      let seams = try #require(Seams(decoding: try hex(event["seams"])))
      let token = try #require(Project.bytes(Project.vectors + "/jws/derived/" + event["file"]!.string!))
      let header = Base64URL.decode(token.prefix { $0 != UInt8(ascii: ".") })!.bytes
      _ = try log.append([
        EventDraft(
          id: EventID(row["id"]!.string!), stream: StreamName(row["stream"]!.string!), type: row["type"]!.string!,
          schema: row["schema"]!.int64!, kind: row["kind"]?.string, environment: row["environment"]?.string,
          app: row["app"]?.string, customer: row["customer"]?.string, occurredAt: row["occurred_at"]!.int64!,
          signedAt: row["signed_at"]?.int64, data: Array(event["data"]!.stringBytes!), seams: seams,
          headers: seams.headerDigests.map { _ in header })
      ])
    }

    let recorded = try log.read(after: .start, limit: 10)
    #expect(recorded.count == golden.events.count)
    for (event, expected) in zip(recorded, golden.events) {
      #expect(event.position.value == expected["row"]?["position"]?.int64)
      #expect(event.version == expected["row"]?["version"]?.int64)
      #expect(event.recordedAt == expected["row"]?["recorded_at"]?.int64)
      #expect(event.salt == (try hex(expected["salt"])))
      #expect(event.digest == (try hex(expected["digest"])))
      #expect(event.chain == (try hex(expected["chain"])))
      let token = Project.bytes(Project.vectors + "/jws/derived/" + expected["file"]!.string!)
      #expect(try log.signedToken(of: event) == token, "the received token is spliced together again")
    }
  }
}
