import AppStore
import Contracts
import Cryptography
import EventLog
import Service

/// Brings into the log what settings declare, so that whatever an answer rests on can be read there for ever.
struct Declarations {
  /// The policy in force where the operator wrote none: facts, no preference.
  static let defaultPolicy = #"{"rules":[]}"#

  enum Failure: Error, CustomStringConvertible {
    case read(LogReadError)
    case append(AppendError)
    case contended(StreamName)

    var description: String {
      switch self {
      case .read(let error): error.description
      case .append(let error): error.description
      case .contended(let stream): "\(stream) kept changing while settings were declared; start again"
      }
    }
  }

  /// Who says what the settings say.
  static let author = "settings"
  private static let triesMax = 8

  let log: any EventLog
  let clock: WallClock

  /// Appends what differs from the newest of its kind; what is equal leaves no event.
  /// - Returns: whether the log took anything; false where all was there.
  @discardableResult
  func declare(_ app: ResponderSettings.App) throws(Failure) -> Bool {
    let stream = StreamName(Streams.app(app.identity.bundleId))
    for _ in 0..<Self.triesMax {
      let state = try current(stream)
      let drafts = missing(app, state, stream)
      if drafts.isEmpty { return false }
      let outcome: AppendOutcome
      do throws(AppendError) {
        outcome = try log.append(drafts, expecting: [stream: .exactly(state.version)])
      } catch { throw .append(error) }
      if case .recorded = outcome { return true }
    }
    throw .contended(stream)
  }

  private func current(_ stream: StreamName) throws(Failure) -> AppState {
    var state = AppState()
    while true {
      let events: [RecordedEvent]
      do throws(LogReadError) { events = try log.read(stream: stream, after: state.version, limit: 500) } catch {
        throw .read(error)
      }
      if events.isEmpty { return state }
      // What cannot be read cannot be equal, and is declared anew.
      for event in events {
        do throws(ContractError) { try state.fold(event) } catch { state.version = event.version }
      }
    }
  }

  private func missing(_ app: ResponderSettings.App, _ state: AppState, _ stream: StreamName) -> [EventDraft] {
    var drafts: [EventDraft] = []
    func add(_ data: some EventData, _ prefix: EventIDs.Prefix) {
      let id = EventIDs.next(prefix, stream: stream.text, version: state.version + Int64(drafts.count) + 1)
      drafts.append(
        EventDraft(data, id: id, stream: stream, app: app.identity.bundleId, occurredAt: clock.now()))
    }
    let digest = SHA256.digest(of: Self.defaultPolicy.utf8).hex
    if state.policy?.digest != digest {
      add(PolicyLoaded(bundleID: app.identity.bundleId, digest: digest, text: Self.defaultPolicy), .policy)
    }
    if let basis = app.basis {
      if state.basis.map({ !$0.says(basis) }) ?? true { add(basis, .basis) }
    } else if let basis = state.basis, basis.kind != ConsentBasisDeclared.Kind.optIn.rawValue {
      // Terms that settings no longer name must not go on allowing answers.
      add(
        ConsentBasisDeclared(
          bundleID: app.identity.bundleId, kind: .optIn, textVersion: basis.textVersion, effectiveFrom: clock.now(),
          optOut: basis.optOut, coversUnidentified: false), .basis)
    }
    for statement in app.statements where state.statements[statement.productID].map({ !$0.says(statement) }) ?? true {
      add(statement, .statement)
    }
    // Likewise: nobody states these facts any more.
    let named = Set(app.statements.map(\.productID))
    for (product, gone) in state.statements.sorted(by: { $0.key < $1.key })
    where gone.by == Self.author && !named.contains(product) {
      add(
        ProductStatementDeclared(
          bundleID: app.identity.bundleId, productID: product, deliveryStatus: DeliveryStatusWord(gone.deliveryStatus),
          sampleContentProvided: gone.sampleContentProvided, by: Self.author, withdrawn: true), .statement)
    }
    return drafts
  }
}

extension AppState.Basis {
  func says(_ declared: ConsentBasisDeclared) -> Bool {
    kind == declared.kind.rawValue && textVersion == declared.textVersion && effectiveFrom == declared.effectiveFrom
      && optOut == declared.optOut && coversUnidentified == declared.coversUnidentified
  }
}

extension AppState.Statement {
  func says(_ declared: ProductStatementDeclared) -> Bool {
    deliveryStatus == declared.deliveryStatus.text && sampleContentProvided == declared.sampleContentProvided
      && by == declared.by
  }
}
