/// Calls that share a limit of Apple's: of one app, in one environment, of one kind.
struct CallLane: Hashable, Sendable {
  var gate: CallGates.Name
  var kind: CallKind
}
