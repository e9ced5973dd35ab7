import Contracts
import Cryptography
import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import JSON
import SQLite
import Service
import TestSupport
import Testing

@testable import Responder

@Suite("Tokens of the API") struct APITokensTests {
  private func store(_ folder: borrowing TemporaryFolder, now: Int64 = 7) throws -> APITokens {
    try APITokens(folder: folder.path, clock: .fixed(now))
  }

  @Test("are told once, and kept as digests only") func digests() throws {
    let folder = TemporaryFolder()
    let tokens = try store(folder)
    let token = try tokens.add(name: "shop", scopes: [.read, .backend], bundleIDs: ["com.example.app"])
    #expect(token.hasPrefix("rfl_"))
    #expect(token.utf8.count == 4 + 43)
    #expect(try tokens.add(name: "other", scopes: [.operate]) != token)
    let bytes = try Files.read("\(folder.path)/responder-state.sqlite", bytesMax: 1 << 20)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains(token) && !text.contains(token.dropFirst(4)))
    #expect(
      try tokens.list() == [
        APIToken(name: "other", scopes: [.operate], bundleIDs: nil, createdAt: 7, revokedAt: nil),
        APIToken(
          name: "shop", scopes: [.read, .backend], bundleIDs: ["com.example.app"], createdAt: 7, revokedAt: nil),
      ])
  }

  @Test("have names of their own while they are in force, and stay in the list after") func names() throws {
    let folder = TemporaryFolder()
    let tokens = try store(folder)
    _ = try tokens.add(name: "shop", scopes: [.read])
    #expect(throws: APITokensError.nameTaken("shop")) { try tokens.add(name: "shop", scopes: [.read]) }
    try store(folder, now: 9).remove(name: "shop")
    #expect(throws: APITokensError.absent("shop")) { try tokens.remove(name: "shop") }
    _ = try tokens.add(name: "shop", scopes: [.support])
    #expect(try tokens.list().map(\.revokedAt) == [9, nil] || tokens.list().map(\.revokedAt) == [nil, 9])
  }

  @Test("are refused without a usable name, a scope or apps") func refused() throws {
    let folder = TemporaryFolder()
    let tokens = try store(folder)
    for name in ["", "a b", "a\n", String(repeating: "a", count: 65)] {
      #expect(throws: APITokensError.nameInvalid) { try tokens.add(name: name, scopes: [.read]) }
    }
    #expect(throws: APITokensError.nameReserved("backend")) { try tokens.add(name: "backend", scopes: [.read]) }
    #expect(throws: APITokensError.noScopes) { try tokens.add(name: "a", scopes: []) }
    #expect(throws: APITokensError.bundleIDInvalid("a b")) {
      try tokens.add(name: "a", scopes: [.read], bundleIDs: ["a b"])
    }
    #expect(throws: APITokensError.self) { try tokens.add(name: "a", scopes: [.read], bundleIDs: []) }
    #expect(try tokens.list().isEmpty)
    _ = try tokens.add(name: String(repeating: "a", count: 64), scopes: [.read])
  }

  @Test("are so many at once and no more; removed ones make room") func bound() throws {
    let folder = TemporaryFolder()
    let tokens = try APITokens(folder: folder.path, clock: .fixed(1), countMax: 2)
    _ = try tokens.add(name: "a", scopes: [.read])
    _ = try tokens.add(name: "b", scopes: [.read])
    #expect(throws: APITokensError.tooMany(2)) { try tokens.add(name: "c", scopes: [.read]) }
    try tokens.remove(name: "a")
    _ = try tokens.add(name: "c", scopes: [.read])
  }

  @Test("are in a file with a version and no write-ahead log, of which a newer one is left alone") func file() throws {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/responder-state.sqlite"
    #expect(try APITokens.existing(folder: folder.path, clock: .fixed(1)) == nil)
    #expect(access(path, F_OK) != 0, "who only looks makes none")
    _ = try store(folder).add(name: "desk", scopes: [.read])
    #expect(try APITokens.existing(folder: folder.path, clock: .fixed(1))?.list().count == 1)
    #expect(access("\(path)-wal", F_OK) != 0)
    let sqlite = try SQLiteConnection(path: path, mode: .readWrite)
    #expect(try sqlite.row("PRAGMA user_version") { $0.integer(0) } == 1)
    try sqlite.execute("PRAGMA user_version = 2")
    let error = #expect(throws: APITokensError.self) { try store(folder) }
    #expect(error?.description.contains("has version 2, this program reads up to 1") == true)
  }

  @Test("that nobody made are sent away without a worker, once the file has rested") func strangers() throws {
    let folder = TemporaryFolder()
    let tokens = try store(folder)
    func digest(_ token: String) -> [UInt8] { SHA256.digest(of: token.utf8).bytes }
    let token = try tokens.add(name: "desk", scopes: [.read])
    #expect(!tokens.isStranger(digest("x")), "nothing was read yet")
    #expect(try tokens.token(digest: digest(token))?.name == "desk")
    let deadline = MonotonicClock.milliseconds() + 5_000
    while !tokens.isStranger(digest("x")), MonotonicClock.milliseconds() < deadline {
      usleep(20_000)
      #expect(try tokens.token(digest: digest("x")) == nil)
    }
    #expect(tokens.isStranger(digest("x")) && !tokens.isStranger(digest(token)))
    // One that another process adds is no stranger from then on.
    let added = try store(folder).add(name: "shop", scopes: [.read])
    #expect(!tokens.isStranger(digest(added)))
    #expect(try tokens.token(digest: digest(added))?.name == "shop")
    try store(folder).remove(name: "desk")
    #expect(try tokens.token(digest: digest(token)) == nil)
  }

  @Test("that cannot be read let nobody in, and say that it is passing") func unreadable() throws {
    let api = try APIFixture()
    let token = try api.tokens.add(name: "desk", scopes: [.read])
    let sqlite = try SQLiteConnection(path: "\(api.folder.path)/responder-state.sqlite", mode: .readWrite)
    try sqlite.execute("ALTER TABLE api_tokens RENAME TO elsewhere")
    let reply = try api.get("/v1/cases", token: token)
    #expect(reply.status == 503)
    #expect(reply.problem == "unavailable")
    #expect(reply.fields["Retry-After"] == "5")
    #expect(try api.get("/v1/cases").status == 200, "the token of the settings needs no file")
    try sqlite.execute("ALTER TABLE elsewhere RENAME TO api_tokens")
    #expect(try api.get("/v1/cases", token: token).status == 200)
  }

  @Test("are enough for a responder whose settings name none") func service() throws {
    let folder = TemporaryFolder()
    let settings = try SettingsReader.load(
      file: nil,
      environment: [
        "REFUNDLOG_DATA": folder.path, "REFUNDLOG_RESPONDER_PORT": "0", "REFUNDLOG_LOG_LEVEL": "error",
      ], ResponderSettings.init)
    let service = try ResponderService(settings)
    defer { service.stop() }
    let token = try APITokens(folder: folder.path, clock: .system).add(name: "desk", scopes: [.read])
    func get(_ path: String) throws -> HTTPResponse {
      try HTTPClient().send(
        HTTPClientRequest(.get, try HTTPURL(service.ready + path), fields: ["Authorization": "Bearer \(token)"]))
    }
    // The projection is made by the thread that follows the log.
    let deadline = MonotonicClock.milliseconds() + 10_000
    while try get("/v1/cases").status != 200, MonotonicClock.milliseconds() < deadline { usleep(10_000) }
    #expect(try get("/v1/cases").json?["cases"] == [])
    #expect(String(decoding: try get("/metrics").body, as: UTF8.self).contains("refundlog_api_calls_total{route="))
  }

  @Test("that another process adds or removes count with the next call") func changes() throws {
    let api = try APIFixture()
    // As the command line does it: a store of its own on the same folder.
    let other = try APITokens(folder: api.folder.path, clock: .fixed(1))
    let token = try other.add(name: "desk", scopes: [.read])
    #expect(try api.get("/v1/cases", token: token).status == 200)
    #expect(try api.get("/v1/cases", token: token + "x").status == 401)
    #expect(try api.get("/v1/cases", token: String(token.dropLast())).status == 401)
    try other.remove(name: "desk")
    #expect(try api.get("/v1/cases", token: token).problem == "unauthorised")
  }

  @Test("of the settings are not needed, and can be changed") func settings() throws {
    let api = try APIFixture(token: nil)
    #expect(try api.get("/v1/cases").status == 401)
    api.guarding.take(Array(APIFixture.token.utf8))
    #expect(try api.get("/v1/cases").status == 200)
    api.guarding.take(Array("another-token-of-16".utf8))
    #expect(try api.get("/v1/cases").status == 401)
    api.guarding.take(nil)
    #expect(try api.get("/v1/cases", token: "another-token-of-16").status == 401)
  }

  @Test("open what their scopes say, and nothing else") func scopes() throws {
    let api = try APIFixture()
    for scope in APIScope.allCases {
      let token = try api.tokens.add(name: "who-\(scope)", scopes: [scope])
      for endpoint in api.endpoints {
        let path = endpoint.template.replacing("{environment}", with: "Production").replacing("{", with: "")
          .replacing("}", with: "")
        let reply = try api.send(endpoint.method, path, Array("[]".utf8), authorization: "Bearer \(token)")
        let isOpen = scope == .operate || scope == endpoint.scope
        #expect(
          (reply.problem == "scope-missing") == !isOpen,
          "\(scope) \(endpoint.method) \(endpoint.template) \(reply.status)")
        #expect(reply.status != 401)
        if !isOpen { #expect(reply.status == 403) }
      }
    }
    #expect(try api.events().isEmpty)
  }

  @Test("for some apps open nothing of another") func apps() throws {
    let log = Story.memory()
    let story = Story(log: log)
    let request = try story.request()
    let api = try APIFixture(log: log, apps: [Story.bundleID, "com.example.other"])
    try api.follow()
    let other = try api.tokens.add(
      name: "other", scopes: [.backend, .read, .support], bundleIDs: ["com.example.other"])
    let ours = try api.tokens.add(name: "ours", scopes: [.backend, .read, .support], bundleIDs: [Story.bundleID])
    let path = "/v1/cases/Production/2000000000000001"
    let evidence = APIFixture.evidence(share: 1_000)
    let note: JSONValue = ["act": "note", "note": "x"]
    #expect(
      try api.put(APIFixture.evidencePath, evidence, authorization: "Bearer \(other)").problem == "app-not-allowed")
    #expect(try api.put("/v1/consents", APIFixture.consent(), authorization: "Bearer \(other)").status == 403)
    #expect(try api.get(path, token: other).problem == "app-not-allowed")
    #expect(try api.get("/v1/cases?app=com.example.app", token: other).problem == "app-not-allowed")
    #expect(try api.get("/v1/cases", token: other).json?["cases"] == [])
    #expect(try api.post("\(path)/reviews", note, token: other).problem == "app-not-allowed")
    #expect(try api.events().map(\.id.text) == [request])
    #expect(try api.get(path, token: ours).status == 200)
    #expect(try api.get("/v1/cases", token: ours).json?["cases"]?.array?.count == 1)
    #expect(try api.put(APIFixture.evidencePath, evidence, authorization: "Bearer \(ours)").status == 201)
    #expect(try api.post("\(path)/reviews", note, token: ours).status == 201)
    #expect(try api.events().map(\.type).suffix(2) == ["EvidenceRecorded", "CaseReviewed"])
    #expect(String(decoding: try #require(api.events().last?.data), as: UTF8.self).contains(#""by":"ours""#))
  }

  @Test("made anew under the name of a removed one start without its Idempotency-Keys") func keysOfOneMadeAnew() throws
  {
    let api = try APIFixture()
    for share in [1_000, 2_000] as [Int64] {
      let token = try api.tokens.add(name: "shop", scopes: [.backend])
      let reply = try api.put(
        APIFixture.evidencePath, APIFixture.evidence(share: share), key: "k", authorization: "Bearer \(token)")
      #expect(reply.status == 201)
      try api.tokens.remove(name: "shop")
    }
  }

  @Test("of two callers never share an Idempotency-Key") func keys() throws {
    let api = try APIFixture()
    let token = try api.tokens.add(name: "second", scopes: [.backend])
    #expect(try api.put(APIFixture.evidencePath, APIFixture.evidence(share: 1_000), key: "k").status == 201)
    #expect(
      try api.put(
        APIFixture.evidencePath, APIFixture.evidence(share: 2_000), key: "k", authorization: "Bearer \(token)"
      ).status == 201)
  }
}
