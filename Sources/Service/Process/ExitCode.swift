/// How a program of ours ends; the numbers of sysexits(3) where there is one.
public enum ExitCode: Int32, Sendable {
  case success = 0
  /// It ran and something went wrong.
  case failure = 1
  /// The command line is not understood.
  case usage = 64
  /// The log says that it is damaged.
  case damage = 65
  /// Something it needs cannot be reached: the log, an address.
  case unavailable = 69
  /// The settings are not what they must be; nothing was started.
  case settings = 78
}
