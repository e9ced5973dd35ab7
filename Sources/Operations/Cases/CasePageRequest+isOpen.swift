import Contracts

extension CasePage.Request {
  /// Whether an answer is still to come.
  var isOpen: Bool {
    switch state {
    case .open, .waiting, .sending: true
    case .answered, .withheld, .failed: false
    }
  }
}
