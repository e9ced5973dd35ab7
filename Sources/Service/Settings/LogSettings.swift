/// How log lines are written; the object `log`.
public struct LogSettings: Sendable {
  /// nil: text on a terminal, JSON elsewhere.
  public var format: Logger.Format?
  public var level: LogLevel

  public init(_ reader: SettingsReader) {
    (format, level) = reader.object("log") { reader in
      (
        reader.optionalWord("format", "text on a terminal and json elsewhere, unless set"),
        reader.word("level", LogLevel.info, "lines of lesser weight are not written")
      )
    }
  }
}
