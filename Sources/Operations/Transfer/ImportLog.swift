import Cryptography
import EventLog
import JSON
import Service

/// `refundlog log import`
struct ImportLog: Command {
  static let page = CommandPage(
    name: "log import", words: ["FILE"], summary: "Makes a log of a lossless copy, in a folder that has none",
    details: """
      FILE is what log export --lossless wrote, or - for standard input. Each digest and each link of the chain is checked;
      the folder has a log when all of it was whole, and none before. It is the same log, with the same id: run services
      over one of the two only, or each of them answers for itself.
      """,
    options: [.data, .settings, .json])

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let file: String
  private let asJSON: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    file = arguments.words[0]
    asJSON = arguments.has("json")
  }

  func run() throws(CommandError) {
    let end: LosslessEnd
    do throws(TransferError) {
      end = try LogImport(into: folder).run(try source(), discard: { DataFolder.removeProjections(folder) })
    } catch {
      guard case .line = error else { throw CommandError(error) }
      throw CommandError(.damage, "\(Shown.text(file)), \(error); \(folder) has no log")
    }
    if asJSON {
      let found: JSONValue = [
        "events": .number(JSONNumber(end.events)), "head": .number(JSONNumber(end.head.value)),
        "chain": .string(Hex.encode(end.chain)),
      ]
      return surroundings.print(found.text() + "\n")
    }
    surroundings.print(
      """
      \(folder): \(end.events) events, each digest and the chain proved
      head: position \(end.head), chain \(Hex.encode(end.chain))
      It is the same log as the one it was copied from: run services over one of the two only.

      """)
  }

  private func source() throws(TransferError) -> LineSource {
    if file == "-" { return LineSource(descriptor: surroundings.inputDescriptor, name: "standard input") }
    do throws(FileError) { return try LineSource(path: file) } catch { throw .file(error) }
  }
}
