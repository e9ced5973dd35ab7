import Glibc
import Operations
import Service

StandardStreams.fill()
signal(SIGPIPE, SIG_IGN)
// A file that may not grow is a failed write like any other.
signal(SIGXFSZ, SIG_IGN)
// As in the services: data of customers is for the service's own user and group.
umask(0o027)
var path = [CChar](repeating: 0, count: 4_096)
let length = readlink("/proc/self/exe", &path, path.count - 1)
let program = String(decoding: path.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
let isTerminal = isatty(0) == 1 && isatty(2) == 1

let code = RefundlogProgram(
  .init(
    print: { StandardStream.output.write($0) }, complain: { StandardStream.errors.write($0) },
    variables: ProcessEnvironment.variables(),
    programs: String(program.prefix(upTo: program.lastIndex(of: "/") ?? program.startIndex)),
    user: getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "uid \(getuid())",
    ask: isTerminal
      ? {
        StandardStream.errors.write($0)
        return readLine()
      } : nil,
    showsProgress: isatty(2) == 1, input: { Files.readInput(bytesMax: $0) }, inputDescriptor: 0,
    isTerminal: isatty(1) == 1)
).run(Array(CommandLine.arguments.dropFirst()))
exit(code.rawValue)
