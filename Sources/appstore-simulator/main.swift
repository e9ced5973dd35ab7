import AppStoreSimulator
import Glibc
import Service

let code = ServiceProgram.run(
  name: "appstore-simulator", about: SimulatorService.about, arguments: Array(CommandLine.arguments.dropFirst()),
  flags: SimulatorService.flags, read: SimulatorSettings.init, start: SimulatorService.init)
exit(code.rawValue)
