// swift-tools-version: 6.2
import PackageDescription

// The manifest is the law: a room may import only what its line here names, and arrows point down.
// docs/architecture.md draws the same picture.

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func executable(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: strict)
}

let package = Package(
  name: "refundlog",
  products: [
    .executable(name: "refund-receiver", targets: ["refund-receiver"]),
    .executable(name: "refund-responder", targets: ["refund-responder"]),
    .executable(name: "refundlog", targets: ["refundlog"]),
    .executable(name: "appstore-simulator", targets: ["appstore-simulator"]),
  ],
  targets: [
    // C: headers and one-line wrappers.
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CLinux"),
    .target(name: "COpenSSLShims", dependencies: ["COpenSSL"]),

    // Values: pure or nearly so.
    room("JSON"),
    room("HTTPTypes", ["JSON"]),
    room("Service", ["JSON", "CLinux"]),

    // Engines: how it is done.
    room("SQLite", ["CSQLite"]),
    room("Cryptography", ["COpenSSL", "COpenSSLShims"]),
    room("EventLog", ["SQLite", "Cryptography", "JSON", "Service", "CLinux"]),
    room("HTTPServer", ["HTTPTypes", "Service", "CLinux", "COpenSSL", "COpenSSLShims"]),
    room("HTTPClient", ["HTTPTypes", "Service", "CLinux", "COpenSSL", "COpenSSLShims"]),

    // Language: what things are called.
    room("Contracts", ["JSON"]),
    room("AppStore", ["JSON", "Cryptography", "HTTPTypes", "Service"]),

    // Services: what we do.
    room(
      "Receiver",
      ["AppStore", "Contracts", "Cryptography", "EventLog", "HTTPServer", "HTTPTypes", "JSON", "Service", "SQLite"]),
    room(
      "Responder",
      [
        "AppStore", "Contracts", "Cryptography", "EventLog", "HTTPClient", "HTTPServer", "HTTPTypes",
        "JSON", "Service", "SQLite",
      ]),
    room(
      "AppStoreSimulator",
      ["AppStore", "Cryptography", "HTTPClient", "HTTPServer", "HTTPTypes", "JSON", "Service"]),

    // Operations: what people do.
    room(
      "Operations",
      [
        "AppStore", "AppStoreSimulator", "Contracts", "Cryptography", "EventLog", "HTTPClient", "HTTPTypes", "JSON",
        "Receiver", "Responder", "SQLite", "Service",
      ]),

    // Executables: wiring only.
    executable("refund-receiver", ["Receiver", "Service"]),
    executable("refund-responder", ["Responder", "Service"]),
    executable("refundlog", ["Operations", "Service"]),
    executable("appstore-simulator", ["AppStoreSimulator", "Service"]),

    // Tests: the twin of each room.
    .target(name: "TestSupport", dependencies: ["JSON", "SQLite"], path: "Tests/TestSupport", swiftSettings: strict),
    // A program for tests of several processes and for measurements; nobody installs it.
    .target(name: "CInotifyLimit", path: "Tests/CInotifyLimit"),
    .executableTarget(
      name: "log-load",
      dependencies: [
        "CInotifyLimit", "AppStore", "AppStoreSimulator", "Cryptography", "EventLog", "HTTPClient", "HTTPServer",
        "HTTPTypes", "JSON", "SQLite", "Service",
      ],
      path: "Tests/LogLoad", swiftSettings: strict),
    tests("JSONTests", ["JSON"]),
    tests("HTTPTypesTests", ["HTTPTypes"]),
    tests("ServiceTests", ["Service", "JSON"]),
    tests("SQLiteTests", ["SQLite"]),
    tests("CryptographyTests", ["Cryptography"]),
    tests("EventLogTests", ["EventLog", "SQLite", "Cryptography", "Service", "JSON"]),
    tests("HTTPServerTests", ["HTTPServer", "HTTPTypes", "Service"]),
    tests("HTTPClientTests", ["HTTPClient", "HTTPServer", "HTTPTypes", "Service"]),
    tests("ContractsTests", ["Contracts", "JSON"]),
    tests("AppStoreTests", ["AppStore", "Cryptography", "HTTPTypes", "JSON"]),
    tests(
      "ReceiverTests",
      [
        "Receiver", "AppStore", "Contracts", "Cryptography", "EventLog", "HTTPClient", "HTTPServer", "HTTPTypes",
        "JSON", "Service", "SQLite",
      ]),
    tests(
      "ResponderTests",
      [
        "Responder", "AppStore", "Contracts", "Cryptography", "EventLog", "HTTPClient", "HTTPServer", "HTTPTypes",
        "JSON", "Service", "SQLite",
      ]),
    tests(
      "AppStoreSimulatorTests",
      [
        "AppStoreSimulator", "AppStore", "Cryptography", "HTTPClient", "HTTPServer", "HTTPTypes", "JSON", "Service",
      ]),
    tests(
      "OperationsTests",
      [
        "Operations", "AppStore", "AppStoreSimulator", "Contracts", "Cryptography", "EventLog", "JSON", "Receiver",
        "Responder", "SQLite", "Service",
      ]),
    tests(
      "SimulationTests",
      [
        "Receiver", "Responder", "AppStoreSimulator", "AppStore", "Contracts", "Cryptography", "EventLog", "HTTPClient",
        "HTTPTypes", "JSON", "SQLite", "Service",
      ]),
    tests(
      "EndToEndTests",
      [
        "refund-receiver", "refund-responder", "refundlog", "appstore-simulator", "log-load", "AppStore",
        "AppStoreSimulator",
        "Contracts", "Cryptography", "EventLog", "HTTPClient", "HTTPTypes", "JSON", "Operations", "Responder", "SQLite",
        "Service",
      ]),
  ]
)
