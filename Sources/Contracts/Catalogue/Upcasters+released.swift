extension Upcasters {
  /// The steps of this release. Every event is at version 1, so there is none yet; a version 2 brings one from 1
  /// here, and it stays for ever.
  public static let released = Upcasters([])
}
