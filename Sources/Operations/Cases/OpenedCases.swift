import Contracts
import EventLog
import Responder
import Service

extension CaseReader {
  /// Log and projection of a data folder, beside running services.
  static func reading(_ folder: String, clock: WallClock) throws(CommandError) -> CaseReader {
    do throws(CaseReaderError) { return try CaseReader(folder: folder, clock: clock) } catch {
      throw CommandError(error)
    }
  }

  /// The case that somebody names, by transaction id alone or with its environment before it.
  func page(named name: String) throws(CommandError) -> CasePage {
    let key = try key(named: name)
    do throws(CaseReaderError) {
      if let page = try page(of: key) { return page }
    } catch { throw CommandError(error) }
    throw Self.none(key.description)
  }

  private func key(named name: String) throws(CommandError) -> PurchaseKey {
    // As log tail shows it.
    let name = name.hasPrefix("purchase/") ? String(name.dropFirst("purchase/".count)) : name
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if parts.count == 1 { return try key(of: parts[0]) }
    if parts.count == 2, let key = try? PurchaseKey(environment: parts[0], transactionID: parts[1]) { return key }
    throw CommandError(
      .usage,
      "\(Shown.text(name)) names no case; write a transaction id, or ENVIRONMENT/ID such as Sandbox/2000000000000001")
  }

  /// - Throws: where there is none, or one in each environment.
  private func key(of transactionID: String) throws(CommandError) -> PurchaseKey {
    let list: CaseList
    do throws(CaseReaderError) { list = try cases(matching: CaseQuery(transactionID: transactionID)) } catch {
      throw CommandError(error)
    }
    guard let first = list.cases.first else { throw Self.none(transactionID) }
    guard list.cases.count == 1 else {
      let names = list.cases.map(\.purchase.description).sorted()
      throw CommandError(
        .failure, "\(transactionID) is a case in \(names.count) environments; write \(names.joined(separator: " or "))")
    }
    return first.purchase
  }

  static func none(_ name: String) -> CommandError {
    CommandError(
      .failure,
      "there is no case \(Shown.text(name)): Apple sent no refund request and no decision for it, or the responder has "
        + "not come to it yet; refundlog cases lists what there is")
  }
}
