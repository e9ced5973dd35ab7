import HTTPTypes

/// `GET /simulator/v1/answers`: what the responder told, and what it was answered; `calls`: every call of Apple's API.
extension ControlAPI {
  func answers(_ call: ControlCall) throws(ControlError) -> HTTPResponse? {
    ControlCall.list("answers", ledger.answers(of: try call.transactionOfQuery()).map(\.json))
  }

  func calls(_ call: ControlCall) throws(ControlError) -> HTTPResponse? {
    ControlCall.list("calls", ledger.calls(of: try call.transactionOfQuery()).map(\.json))
  }
}
