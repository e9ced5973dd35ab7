import AppStoreSimulator
import Glibc
import HTTPClient
import HTTPTypes
import JSON
import Service

@testable import Operations

/// One folder with settings, keys and data, whose programs a test starts and ends one by one.
struct Installation {
  static let bundleID = "com.example.coins"
  static let apps: JSONObject = [
    "bundleId": .string(bundleID), "appAppleId": 1_470_168_111, "environments": ["Production", "Sandbox"],
    "consentBasis": [
      "kind": "terms", "textVersion": "2025-01", "effectiveFrom": "2025-01-01T00:00:00Z",
      "optOut": "in the app under Settings, Privacy", "coversUnidentified": false,
    ],
    "products": [["productId": "*", "deliveryStatus": "DELIVERED", "sampleContentProvided": false]],
  ]
  private static let backendToken = "0123456789abcdef"
  /// No test waits for Apple's limits, which nobody has here.
  static let quick: JSONValue = ["consumptionPerSecond": 100_000, "percent": 100]

  let folder: String
  let data: String
  let ports: ProgramSet.Ports
  /// Who signs here in Apple's place; the simulator, where it runs, is the same.
  let store: StoreIdentity
  /// Of all programs; `write` brings changes to disk.
  var settings: JSONObject
  /// Where the programs are that are made from now on.
  var programs = Programs.folder
  /// By path: what each program's own file has different.
  private var files: [String: @Sendable (inout JSONObject) -> Void] = [:]

  /// - Parameters:
  ///   - app: one entry of `apps`; a key is added unless it holds one, or null for none.
  ///   - production: port of what stands in for the App Store there.
  ///   - anchors: files of trusted roots; nil trusts `store`.
  ///   - data: the data folder, where it is not to lie in `folder`.
  init(
    in folder: String, app: JSONObject = apps, production: UInt16, sandbox: UInt16, anchors: [String]? = nil,
    clock: JSONObject? = nil, data: String? = nil
  ) throws {
    self.folder = folder
    let data = data ?? folder + "/data"
    self.data = data
    store = try StoreIdentity(folder: folder + "/simulator")
    let free = Self.quietPorts(3)
    ports = ProgramSet.Ports(simulator: free[0], receiver: free[1], responder: free[2])
    try Files.write(Array(Self.backendToken.utf8), to: "\(folder)/token", mode: 0o600)
    var app = app
    if app["key"] == nil {
      app["key"] = [
        "id": "SIMULATOR1", "issuer": "5a3b1c00-0000-4000-8000-000000000001", "file": .string(store.apiKeyPath),
      ]
    } else if app["key"]?.isNull == true {
      app["key"] = nil
    }
    func port(_ port: UInt16) -> JSONValue { .number(JSONNumber(Int64(port))) }
    settings = [
      "data": .string(data), "apps": .array([.object(app)]),
      "appStore": [
        "production": .string("http://127.0.0.1:\(production)"), "sandbox": .string("http://127.0.0.1:\(sandbox)"),
      ],
      "receiver": [
        "port": port(ports.receiver),
        "trustAnchors": .array((anchors ?? [store.rootPath]).map { .string($0) }),
      ],
      "responder": [
        "port": port(ports.responder), "tokenFile": .string("\(folder)/token"), "senders": 8, "pace": Self.quick,
      ],
    ]
    settings["clock"] = clock.map { .object($0) }
  }

  /// Writes the settings, for the programs that start from now on.
  func write() throws {
    for (path, change) in files {
      var own = settings
      change(&own)
      try Files.write(JSONValue.object(own).bytes(), to: path, mode: 0o600)
    }
  }

  /// A program of this folder, not started yet.
  /// - Parameters:
  ///   - label: for its file of settings and what it prints; its name where it is the only one.
  ///   - programs: where it lies, if not with the others of this folder.
  ///   - change: what its settings have different from the common ones.
  mutating func program(
    _ name: String, as label: String? = nil, in programs: String? = nil,
    _ change: @escaping @Sendable (inout JSONObject) -> Void = { _ in }
  ) throws -> KillableProgram {
    let path = "\(folder)/\(label ?? name)"
    files["\(path).json"] = change
    try write()
    return KillableProgram(name, settings: "\(path).json", output: "\(path).log", in: programs ?? self.programs)
  }

  /// The same, listening elsewhere than the first of its kind.
  mutating func further(
    _ name: String, at port: UInt16, in programs: String? = nil
  ) throws -> KillableProgram {
    let key = name == "refund-receiver" ? "receiver" : "responder"
    return try program(name, as: "\(name)-\(port)", in: programs) { settings in
      var own = settings[key]?.object ?? [:]
      own["port"] = .number(JSONNumber(Int64(port)))
      settings[key] = .object(own)
    }
  }

  // MARK: Calls

  /// Posts a token as the App Store does.
  /// - Returns: the status.
  func post(_ token: [UInt8], to port: UInt16? = nil, with client: HTTPClient = HTTPClient()) throws -> Int {
    try reply(to: token, at: port, with: client).status
  }

  /// The same, with the whole reply.
  func reply(
    to token: [UInt8], at port: UInt16? = nil, path: String = "/v1/notifications", with client: HTTPClient
  ) throws -> HTTPResponse {
    let body: JSONValue = ["signedPayload": .string(String(decoding: token, as: UTF8.self))]
    return try client.send(
      HTTPClientRequest(
        .post, HTTPURL("http://127.0.0.1:\(port ?? ports.receiver)\(path)"),
        fields: ["Content-Type": "application/json"], body: body.bytes()))
  }

  /// A call of the developer's back end.
  /// - Returns: the status.
  func backend(
    _ path: String, _ body: JSONValue, method: HTTPMethod = .put, key: String? = nil,
    with client: HTTPClient = HTTPClient()
  ) throws -> Int {
    var fields: HTTPFields = ["Authorization": "Bearer \(Self.backendToken)", "Content-Type": "application/json"]
    if let key { fields["Idempotency-Key"] = key }
    return try client.send(
      HTTPClientRequest(
        method, HTTPURL("http://127.0.0.1:\(ports.responder)\(path)"), fields: fields, body: body.bytes())
    ).status
  }

  /// Free ports below those that the kernel gives to outgoing connections: nobody takes one while its program is down.
  static func quietPorts(_ count: Int) -> [UInt16] {
    var found: [UInt16] = []
    while found.count < count {
      let port = UInt16.random(in: 10_000..<32_000)
      let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      defer { close(socket) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let isFree = withUnsafeBytes(of: &address) {
        bind(socket, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) == 0
      }
      if isFree, !found.contains(port) { found.append(port) }
    }
    return found
  }
}
