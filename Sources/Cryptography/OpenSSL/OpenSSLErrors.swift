import COpenSSL

/// OpenSSL's list of what went wrong, one per thread.
enum OpenSSLErrors {
  /// The first reason of the list in OpenSSL's words, which hold no input; the list is empty afterwards.
  static func take() -> String {
    let code = ERR_peek_error()
    defer { ERR_clear_error() }
    guard code != 0, let reason = ERR_reason_error_string(code) else { return "no reason given" }
    return String(cString: reason)
  }

  /// Forgets the list, so that a failure here is not read as one of the next call.
  static func clear() { ERR_clear_error() }
}
