import Glibc
import Responder
import Service

let about = """
  refund-responder follows the log, decides each refund request by consent and facts, sends the answer to the App Store,
  and takes consent and evidence from the developer's back end.
  """

let code = ServiceProgram.run(
  name: "refund-responder", about: about, arguments: Array(CommandLine.arguments.dropFirst()),
  read: ResponderSettings.init, start: ResponderService.init)
exit(code.rawValue)
