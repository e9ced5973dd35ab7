import HTTPTypes

/// Feeds a parser with bytes cut at given places and writes down what comes out.
enum ParserScript {
  static func run(_ bytes: [UInt8], cuts: [Int], limits: HTTPLimits = .init()) -> [String] {
    var parser = RequestParser(limits: limits)
    var out: [String] = []
    var start = 0
    for end in cuts + [bytes.count] {
      var action = bytes[start..<end].withUnsafeBytes { parser.receive($0) }
      start = end
      loop: while true {
        switch action {
        case .needMore: break loop
        case .sendContinue: out.append("continue")
        case .request(let request, let persistence):
          let body = String(decoding: request.body, as: UTF8.self)
          out.append("\(request.method) \(request.target) \(request.authority) [\(body)] \(persistence)")
        case .refuse(let failure):
          out.append("\(failure.status)")
          return out
        }
        action = parser.next()
      }
    }
    return out
  }

  static func response(
    _ text: String, to method: HTTPMethod = .get, cuts: [Int], ends: Bool, limits: HTTPLimits = .init()
  ) -> String {
    var parser = ResponseParser(replyTo: method, limits: limits)
    let bytes = Array(text.utf8)
    var start = 0
    for end in cuts + [bytes.count] {
      let action = bytes[start..<end].withUnsafeBytes { parser.receive($0) }
      start = end
      if let word = word(action) { return word }
    }
    return ends ? word(parser.endOfInput()) ?? "needs more" : "needs more"
  }

  private static func word(_ action: ResponseParser.Action) -> String? {
    switch action {
    case .needMore: nil
    case .response(let response, let keepAlive):
      "\(response.status) [\(String(decoding: response.body, as: UTF8.self))] \(keepAlive ? "keep" : "close")"
    case .fail: "fails"
    }
  }
}
