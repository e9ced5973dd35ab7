public import HTTPTypes
public import Service

/// What whoever runs a service asks it: whether it lives, whether it can work, and its figures. Without a token and
/// without anything secret; a reverse proxy does not pass these on.
public struct HealthRoutes: Sendable {
  private let metrics: MetricRegistry
  private let unreadyReason: @Sendable () -> String?

  /// - Parameter unreadyReason: why the service cannot do its work at the moment; nil where it can. Called on network
  ///   threads, so it looks at what is known and waits for nothing.
  public init(metrics: MetricRegistry, unreadyReason: @escaping @Sendable () -> String?) {
    self.metrics = metrics
    self.unreadyReason = unreadyReason
  }

  /// `/livez`, `/readyz` and `/metrics`.
  public func add(to router: inout HTTPRouter<HTTPRouteHandler>) {
    router.add(.get, "/livez") { _, _, reply in reply(.text("alive\n")) }
    router.add(.get, "/readyz") { [unreadyReason] _, _, reply in
      reply(unreadyReason().map { .problem(503, detail: $0) } ?? .text("ready\n"))
    }
    router.add(.get, "/metrics") { [metrics] _, _, reply in
      reply(.content(Array(metrics.text().utf8), type: MetricRegistry.contentType))
    }
  }
}
