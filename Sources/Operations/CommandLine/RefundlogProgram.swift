public import Service

/// The operator's command line: finds the command and hands it its words.
public struct RefundlogProgram {
  /// What a command needs from outside.
  public struct Surroundings {
    /// Takes text for the person or program that called.
    public var print: (String) -> Void
    /// Takes what went wrong.
    public var complain: (String) -> Void
    public var variables: [String: String]
    /// Folder of the programs that belong to this release.
    public var programs: String

    public init(
      print: @escaping (String) -> Void, complain: @escaping (String) -> Void, variables: [String: String],
      programs: String
    ) {
      self.print = print
      self.complain = complain
      self.variables = variables
      self.programs = programs
    }
  }

  static let help = """
    refundlog: the operator's command line of Refundlog.

    Usage:
      refundlog log tail [--data FOLDER] [--after POSITION] [--follow] [--json]
          Shows events, oldest first; with --follow goes on as they come; with --json as CloudEvents, one a line.
      refundlog log verify [--data FOLDER]
          Proves that nothing in the log was altered, removed or inserted; names the first position where it was.
      refundlog demo [--once]
          Plays one refund request with real processes on this machine, the simulator standing in for the App Store.

    FOLDER is the data folder of the services; default: what REFUNDLOG_DATA names, else ./data.

    Ends with 0 when all went well, 1 when it did not, 64 for words that are not understood, 65 where the log is
    damaged, 69 where it cannot be read.

    """

  private let surroundings: Surroundings

  public init(_ surroundings: Surroundings) { self.surroundings = surroundings }

  /// Runs one command.
  /// - Parameter arguments: the words after the program's name.
  public func run(_ arguments: [String]) -> ExitCode {
    do throws(CommandError) {
      if arguments.isEmpty || arguments.contains("--help") || arguments == ["help"] {
        surroundings.print(Self.help)
        return arguments.isEmpty ? .usage : .success
      }
      switch (arguments.first, arguments.dropFirst().first) {
      case ("log", "tail"): try LogTail(surroundings, Array(arguments.dropFirst(2))).run()
      case ("log", "verify"): try LogVerify(surroundings, Array(arguments.dropFirst(2))).run()
      case ("demo", _): try Demo(surroundings, Array(arguments.dropFirst())).run()
      default:
        throw CommandError(.usage, "\(arguments.prefix(2).joined(separator: " ")) is no command; try refundlog --help")
      }
      return .success
    } catch {
      surroundings.complain("refundlog: \(error)\n")
      return error.code
    }
  }
}

extension RefundlogProgram.Surroundings {
  /// The data folder a command works on.
  func folder(_ arguments: Arguments) -> String { arguments["data"] ?? variables["REFUNDLOG_DATA"] ?? "data" }

  func arguments(_ words: [String], flags: [String], switches: [String] = []) throws(CommandError) -> Arguments {
    do throws(Arguments.Fault) {
      let arguments = try Arguments(words, flags: flags, switches: switches)
      guard let extra = arguments.words.first else { return arguments }
      throw Arguments.Fault("\(extra) is not understood here")
    } catch { throw CommandError(.usage, "\(error); try refundlog --help") }
  }
}
