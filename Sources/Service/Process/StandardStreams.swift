import Glibc

/// The three descriptors that every program expects to be there.
public enum StandardStreams {
  /// Called first thing in a program: a caller that closed one of them would have the next file that is opened, perhaps
  /// a lock of the log, take its number, and its content what is meant for a terminal.
  public static func fill() {
    var descriptor: Int32
    repeat { descriptor = open("/dev/null", O_RDWR) } while descriptor >= 0 && descriptor <= 2
    if descriptor > 2 { close(descriptor) }
  }
}
