/// Finds the handler of a request by method and path. A value, filled once at the start.
///
/// A template is a path whose parts are texts or `{name}`, as in `/v1/cases/{id}`; a text wins over a name
/// at the same place. A parameter is never empty. HEAD goes where GET goes; OPTIONS is answered from the table.
public struct HTTPRouter<Handler: Sendable>: Sendable {
  public enum Match: Sendable {
    /// Parameters are percent-decoded.
    case found(Handler, parameters: [String: String])
    /// Reply as it stands: 404, 405 with Allow, or 204 with Allow for OPTIONS.
    case reply(HTTPResponse)
  }

  private enum Part: Hashable, Sendable {
    case text(String)
    case parameter(String)

    /// Texts are alike when equal, parameters always.
    func isLike(_ other: Part) -> Bool {
      if case .parameter = self, case .parameter = other { true } else { self == other }
    }
  }

  private struct Route: Sendable {
    var parts: [Part]
    var handlers: [(method: HTTPMethod, handler: Handler)]
  }

  private var routes: [Route] = []

  public init() {}

  /// - Precondition: the template begins with a slash, the same method was not added to it before, and templates that
  ///   differ in the names of parameters only are not mixed.
  public mutating func add(_ method: HTTPMethod, _ template: String, _ handler: Handler) {
    precondition(template.hasPrefix("/"), "a route template begins with a slash: \(template)")
    let parts = template.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { part in
      part.hasPrefix("{") && part.hasSuffix("}")
        ? Part.parameter(String(part.dropFirst().dropLast())) : .text(String(part))
    }
    let place = routes.firstIndex { route in
      route.parts.count == parts.count && zip(route.parts, parts).allSatisfy { $0.isLike($1) }
    }
    guard let place else {
      routes.append(Route(parts: parts, handlers: [(method, handler)]))
      return
    }
    precondition(routes[place].parts == parts, "\(template) is there with other names for its parameters")
    precondition(!routes[place].handlers.contains { $0.method == method }, "\(method) \(template) was added twice")
    routes[place].handlers.append((method, handler))
  }

  public func match(_ method: HTTPMethod, _ target: HTTPTarget) -> Match {
    guard let segments = target.segments, let (route, parameters) = route(segments) else {
      return .reply(.problem(404, detail: "there is nothing at this path"))
    }
    let wanted =
      route.handlers.first { $0.method == method }
      ?? (method == .head ? route.handlers.first { $0.method == .get } : nil)
    if let wanted { return .found(wanted.handler, parameters: parameters) }
    let allow: HTTPFields = ["Allow": Self.allow(route)]
    return .reply(
      method == .options
        ? .empty(204, fields: allow) : .problem(405, detail: "this path has other methods, see Allow", fields: allow))
  }

  private func route(_ segments: [String]) -> (Route, parameters: [String: String])? {
    var best: (route: Route, parameters: [String: String])?
    for route in routes where route.parts.count == segments.count {
      var parameters: [String: String] = [:]
      let fits = zip(route.parts, segments).allSatisfy { part, segment in
        switch part {
        case .text(let text): return text == segment
        case .parameter(let name):
          parameters[name] = segment
          return !segment.isEmpty
        }
      }
      // Fewer parameters say more; of two equals the earlier route stays.
      if fits, best.map({ parameters.count < $0.parameters.count }) ?? true { best = (route, parameters) }
    }
    return best
  }

  private static func allow(_ route: Route) -> String {
    var methods = route.handlers.map(\.method.rawValue)
    if methods.contains("GET"), !methods.contains("HEAD") { methods.append("HEAD") }
    if !methods.contains("OPTIONS") { methods.append("OPTIONS") }
    return methods.sorted().joined(separator: ", ")
  }
}
