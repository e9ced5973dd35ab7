/// One command of `refundlog`: its page of help, its words read, what it does.
protocol Command {
  static var page: CommandPage { get }

  /// Reads the words after the command's name; nothing has been done yet where it throws.
  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError)

  func run() throws(CommandError)
}
