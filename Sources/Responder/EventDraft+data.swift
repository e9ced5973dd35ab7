import Contracts
import EventLog

extension EventDraft {
  /// One of our own events on its way into the log.
  init(
    _ data: some EventData, id: String, stream: StreamName, environment: String? = nil, app: String?,
    customer: String? = nil, occurredAt: Int64, causation: String? = nil, correlation: String? = nil
  ) {
    let type = Swift.type(of: data).type
    self.init(
      id: EventID(id), stream: stream, type: type.rawValue, schema: type.schema, environment: environment, app: app,
      customer: customer, occurredAt: occurredAt, causation: causation.map(EventID.init),
      correlation: correlation.map(EventID.init), data: data.encoded())
  }

  /// One about a case.
  init(
    _ data: some EventData, id: String, of state: CaseState, occurredAt: Int64, causation: String,
    correlation: String?
  ) {
    self.init(
      data, id: id, stream: state.stream, environment: state.environment, app: state.app, customer: state.customer,
      occurredAt: occurredAt, causation: causation, correlation: correlation)
  }
}
