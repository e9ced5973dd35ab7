public import Service

extension RefundlogProgram {
  /// What a command needs from outside.
  public struct Surroundings {
    /// Takes text for the person or program that called.
    public var print: (String) -> Void
    /// Takes what went wrong.
    public var complain: (String) -> Void
    public var variables: [String: String]
    /// Folder of the programs that belong to this release.
    public var programs: String
    public var clock: WallClock
    /// Login name of who called.
    public var user: String
    /// Puts a question to the person at the terminal and gives the line that was typed, nil at the end of input; nil as
    /// a whole where nobody sits there.
    public var ask: ((String) -> String?)?
    /// Whether a person watches what `complain` takes, so that a line may be drawn over itself.
    public var showsProgress: Bool
    /// All of standard input; nil where there are more bytes than asked for.
    public var input: (_ bytesMax: Int) -> [UInt8]?
    /// Standard input for what is too large to hold.
    public var inputDescriptor: Int32
    /// Whether what is printed goes to a terminal.
    public var isTerminal: Bool

    public init(
      print: @escaping (String) -> Void, complain: @escaping (String) -> Void, variables: [String: String],
      programs: String, clock: WallClock = .system, user: String = "unknown", ask: ((String) -> String?)? = nil,
      showsProgress: Bool = false, input: @escaping (_ bytesMax: Int) -> [UInt8]? = { _ in [] },
      inputDescriptor: Int32 = 0, isTerminal: Bool = false
    ) {
      self.print = print
      self.complain = complain
      self.variables = variables
      self.programs = programs
      self.clock = clock
      self.user = user
      self.ask = ask
      self.showsProgress = showsProgress
      self.input = input
      self.inputDescriptor = inputDescriptor
      self.isTerminal = isTerminal
    }
  }
}

extension RefundlogProgram.Surroundings {
  /// Reads a command's words by its page.
  func arguments(_ words: [String], for page: CommandPage) throws(CommandError) -> Arguments {
    let arguments: Arguments
    do throws(Arguments.Fault) {
      arguments = try Arguments(
        words, flags: page.options.filter { $0.value != nil }.map(\.name),
        switches: page.options.filter { $0.value == nil }.map(\.name))
    } catch { throw page.usageError("\(error)") }
    if arguments.words.count > page.words.count, page.repeatedWord == nil {
      throw page.usageError("\(arguments.words[page.words.count]) is not understood here")
    }
    if arguments.words.count < page.words.count {
      throw page.usageError("\(page.words[arguments.words.count]) is missing")
    }
    return arguments
  }
}
