public import Service

/// The operator's command line: finds the command and hands it its words.
public struct RefundlogProgram {
  private let surroundings: Surroundings

  public init(_ surroundings: Surroundings) { self.surroundings = surroundings }

  /// Runs one command.
  /// - Parameter arguments: the words after the program's name.
  public func run(_ arguments: [String]) -> ExitCode {
    do throws(CommandError) {
      return try dispatch(arguments)
    } catch {
      // Words of whoever typed the command, or of a file, may be among them.
      surroundings.complain("refundlog: \(Shown.lines(error.description))\n")
      return error.code
    }
  }

  private func dispatch(_ arguments: [String]) throws(CommandError) -> ExitCode {
    if arguments == ["--version"] || arguments == ["version"] {
      surroundings.print("refundlog \(Release.version)\n")
      return .success
    }
    let wantsHelp = arguments.first == "help" || arguments.contains("--help")
    let words = arguments.first == "help" ? Array(arguments.dropFirst()) : arguments.filter { $0 != "--help" }
    guard let first = words.first else {
      surroundings.print(CommandHelp.overview)
      return wantsHelp ? .success : .usage
    }
    if let (command, rest) = CommandCatalogue.command(in: words) {
      if wantsHelp {
        surroundings.print(command.page.help)
      } else {
        try command.init(surroundings, rest).run()
      }
      return .success
    }
    if CommandCatalogue.groups[first] != nil, words.count == 1 {
      surroundings.print(CommandHelp.list(of: first))
      return wantsHelp ? .success : .usage
    }
    throw Self.unknown(words)
  }

  /// Says what was probably meant.
  private static func unknown(_ words: [String]) -> CommandError {
    let isInGroup = CommandCatalogue.groups[words[0]] != nil
    let typed = words.prefix(isInGroup ? 2 : 1).joined(separator: " ")
    let names = CommandCatalogue.all.map { $0.page.name } + CommandCatalogue.groups.keys + ["help"]
    // Of a group that was misspelled, the whole command may be recognised.
    let near =
      Nearest.word(to: words.prefix(2).joined(separator: " "), among: names) ?? Nearest.word(to: typed, among: names)
    let hint = near.map { "; did you mean refundlog \($0)?" } ?? ""
    return CommandError(.usage, "\(Shown.text(typed)) is no command\(hint)\nTry refundlog --help")
  }
}
