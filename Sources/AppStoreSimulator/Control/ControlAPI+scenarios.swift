import HTTPTypes
import JSON

/// `POST /simulator/v1/scenarios` plays a scenario file that stands in the body; `GET` tells how it goes.
extension ControlAPI {
  func postScenario(_ call: ControlCall) throws(ControlError) -> HTTPResponse? {
    let file: ScenarioFile
    do throws(ScenarioFileError) {
      file = try ScenarioFile(call.request.body, name: "the body", app: template.app)
    } catch {
      throw .badRequest(error.description)
    }
    guard let run = scenarios.play(file, by: self) else {
      throw .conflict("a scenario is playing already: GET /simulator/v1/scenarios shows it")
    }
    return .json(run.json.bytes(), status: 201)
  }

  func listScenarios() -> HTTPResponse { ControlCall.list("scenarios", scenarios.all.map(\.json)) }

  /// Carries out what a step says, as if it had been called from outside.
  func perform(_ action: ScenarioStep.Action, _ reply: @escaping @Sendable (HTTPResponse) -> Void) {
    guard case .call(let method, let path, let parameters, let body) = action,
      let target = HTTPTarget("/simulator/v1/" + path)
    else { return reply(ControlError.badRequest("this step names something that cannot stand in a path").response) }
    let request = HTTPRequest(method: method, target: target, body: JSONValue.object(body).bytes())
    let call = ControlCall(request: request, parameters: parameters, reply: reply)
    do throws(ControlError) {
      let response: HTTPResponse? =
        switch (method, path.prefix { $0 != "/" }) {
        case (.put, "transactions"): try putTransaction(call)
        case (.put, "orders"): try putOrder(call)
        case (.post, "refund-requests"): try postRefundRequest(call)
        case (.post, "decisions"): try postDecision(call)
        case (.post, "events"): try postEvent(call)
        case (.post, "notifications"): try postNotification(call)
        case (.post, "faults"): try postFault(call)
        case (.delete, "faults"): deleteFaults()
        default: throw ControlError.notFound("no step leads to \(path)")
        }
      if let response { reply(response) }
    } catch {
      reply(error.response)
    }
  }
}
