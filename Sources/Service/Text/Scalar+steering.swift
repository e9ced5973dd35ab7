extension Unicode.Scalar {
  /// Whether it steers what shows it instead of being shown: it controls a terminal, ends a line, or turns the direction
  /// of writing. In the text of a stranger it could write over what stands beside it.
  public var isSteering: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }
}
