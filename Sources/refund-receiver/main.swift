import Glibc
import Receiver
import Service

let about = """
  refund-receiver takes App Store Server Notifications: it proves that Apple signed each one, appends it to the log,
  and only then answers 200.
  """

let code = ServiceProgram.run(
  name: "refund-receiver", about: about, arguments: Array(CommandLine.arguments.dropFirst()),
  read: ReceiverSettings.init, start: ReceiverService.init)
exit(code.rawValue)
