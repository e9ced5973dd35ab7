/// Names a connection of one loop; a slot is used again, a token never.
struct ConnectionToken: Hashable, Sendable {
  /// Slot in the low half, generation of the slot in the high half.
  let rawValue: UInt64

  /// What epoll reports for the two things that are not connections.
  static let listener: UInt64 = .max
  static let mailbox: UInt64 = .max - 1

  init(rawValue: UInt64) { self.rawValue = rawValue }
  init(slot: Int, generation: UInt32) { rawValue = UInt64(generation) << 32 | UInt64(slot) }

  var slot: Int { Int(rawValue & 0xFFFF_FFFF) }
}
