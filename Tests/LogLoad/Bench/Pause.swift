import Glibc

enum Pause {
  static func milliseconds(_ count: UInt32) { usleep(count * 1_000) }
}
