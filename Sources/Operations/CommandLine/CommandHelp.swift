/// Help on the whole, on a group, on a command.
enum CommandHelp {
  static var overview: String {
    """
    refundlog: the operator's command line of Refundlog.

    \(list(CommandCatalogue.all))
      refundlog help COMMAND    one command in full; COMMAND --help is the same
      refundlog --version       the release

    Listings take --json, for machines. Commands that read the log take --data FOLDER, commands that need the settings
    --settings FILE; REFUNDLOG_DATA and REFUNDLOG_SETTINGS may name them instead.

    Ends with 0 when all went well, 1 when it did not, 64 for words that are not understood, 65 where the log is
    damaged, 69 where it or something else that is needed cannot be had, 78 where the settings are not right.

    """
  }

  /// - Parameter group: `log`, `apps`, …
  static func list(of group: String) -> String {
    "\(CommandCatalogue.groups[group] ?? group).\n\n\(list(CommandCatalogue.commands(of: group)))\n"
      + "refundlog help \(group) COMMAND tells more.\n"
  }

  private static func list(_ commands: [any Command.Type]) -> String {
    Table(
      rows: commands.map { command in
        [(["  refundlog", command.page.name] + command.page.allWords).joined(separator: " "), command.page.summary]
      }
    ).description
  }
}
