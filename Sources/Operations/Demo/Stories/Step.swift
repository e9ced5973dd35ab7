/// One thing that happens in a story, or that has to hold.
struct Step: Sendable {
  /// - Throws: where it cannot happen, or does not hold: what was expected and what was found.
  let happen: @Sendable (Scene) throws(CommandError) -> Void

  init(_ happen: @escaping @Sendable (Scene) throws(CommandError) -> Void) { self.happen = happen }

  /// Something that happens, told once it has.
  init(_ words: String, _ happen: @escaping @Sendable (Scene) throws(CommandError) -> Void) {
    self.init { (scene) throws(CommandError) in
      try happen(scene)
      scene.tell(words)
    }
  }
}
