import HTTPTypes
import JSON
import Service

/// `POST`, `GET` and `DELETE /simulator/v1/faults`
extension ControlAPI {
  func postFault(_ call: ControlCall) throws(ControlError) -> HTTPResponse? {
    let order = try FaultOrder(try call.members().object, number: faults.nextNumber())
    try faults.add(order)
    return .json(order.json.bytes(), status: 201)
  }

  func faultsOnOrder() -> HTTPResponse { ControlCall.list("faults", faults.orders().map(\.json)) }

  /// What was held back goes out.
  func deleteFaults() -> HTTPResponse {
    let count = faults.remove()
    postman.release(now: clock.now())
    let body: JSONValue = ["removed": .number(JSONNumber(Int64(count)))]
    return .json(body.bytes())
  }

  func deleteFault(_ call: ControlCall) throws(ControlError) -> HTTPResponse? {
    guard let number = Int(call.parameters["id"]!), faults.remove(number) > 0 else {
      throw .notFound("no such fault is on order; GET /simulator/v1/faults shows what is")
    }
    let body: JSONValue = ["removed": 1]
    return .json(body.bytes())
  }
}
