/// How often and how soon Apple is told anew what it was told before. Apple's pages neither forbid nor promise it.
enum AnswersAgain {
  /// Further answers of one refund request.
  static let max = 3
  /// Milliseconds from one that was taken to the next.
  static let apart: Int64 = 300_000
}
