import Contracts
import EventLog

extension CloudEvent {
  /// An event of the log on its way out.
  init(_ event: RecordedEvent, of log: LogIdentity) {
    self.init(
      id: event.id.text, logID: log.id, name: event.type, schema: event.schema, stream: event.stream.text,
      occurredAt: event.occurredAt, position: event.position.value, streamVersion: event.version,
      environment: event.environment, app: event.app, kind: event.kind, customer: event.customer,
      signedAt: event.signedAt, causationID: event.causation?.text, correlationID: event.correlation?.text,
      data: event.data)
  }
}
