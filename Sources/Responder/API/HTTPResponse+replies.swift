import Contracts
import HTTPTypes
import JSON

extension HTTPResponse {
  static func problem(_ problem: Problem) -> HTTPResponse {
    .content(
      problem.encoded(), type: Problem.mediaType, status: problem.status,
      fields: problem.code == .unavailable
        ? ["Retry-After": "5"] : problem.code == .unauthorised ? ["WWW-Authenticate": "Bearer"] : [:])
  }

  /// 201 where the statement is new, 200 where the log held it already.
  static func receipt(_ receipt: Recorder.Receipt) -> HTTPResponse {
    .json(JSONValue.object(receipt.members).bytes(), status: receipt.status)
  }

  /// One result per element, in the order of the elements, each with the status it would have had alone.
  static func batch(_ results: [Result<Recorder.Receipt, Problem>]) -> HTTPResponse {
    let list = results.map { result -> JSONValue in
      switch result {
      case .success(let receipt):
        var members: JSONObject = ["status": .number(JSONNumber(Int64(receipt.status)))]
        for member in receipt.members.members { members[member.key] = member.value }
        return .object(members)
      case .failure(let problem):
        return ["status": .number(JSONNumber(Int64(problem.status))), "problem": problem.json]
      }
    }
    return .json(JSONValue.object(["results": .array(list)]).bytes())
  }
}

extension Recorder.Receipt {
  fileprivate var status: Int { isNew ? 201 : 200 }
  fileprivate var members: JSONObject {
    ["id": .string(id), "position": .string(String(position)), "recorded": .bool(isNew)]
  }
}
