import HTTPServer
public import Service

/// The simulator as a program: started, announced, stopped.
public struct SimulatorService: ServiceProgram.Running {
  private let simulator: Simulator
  private let log: Logger
  public let ready: String

  public init(settings: SimulatorSettings) throws(StartError) {
    let log = Logger.standardError(format: settings.logFormat, level: settings.logLevel, clock: settings.clock)
    self.log = log
    do throws(StoreIdentityError) { simulator = try Simulator(settings: settings, log: log) } catch {
      throw StartError(.failure, "the data folder cannot be used: \(error)")
    }
    let port: UInt16
    let production: UInt16?
    do throws(HTTPServerError) { (port, production) = try simulator.start() } catch {
      throw StartError(.unavailable, error.description)
    }
    let address = settings.server.address
    let host = address.contains(":") ? "[\(address)]" : address
    ready =
      "http://\(host):\(port)\(production.map { ", Production at http://\(host):\($0)" } ?? ""), root \(simulator.identity.rootPath), key \(simulator.identity.apiKeyPath) "
      + "(id \(settings.keyId), issuer \(settings.issuerId))"
  }

  public func reload(_ settings: SimulatorSettings) {
    log.warning("changed settings take effect at the next start: what the simulator remembers would be lost")
  }

  public func stop() { simulator.stop() }
}
