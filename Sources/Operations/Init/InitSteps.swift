import AppStoreSimulator
import Cryptography
import Glibc
import JSON
import Service

/// The steps of `init`. Each looks first whether its work is done, so that a run may be cut off after any of them.
struct InitSteps {
  let folder: String
  let say: (String) -> Void
  var data: String
  private(set) var isRehearsal = false
  private(set) var token: String
  private(set) var simulator: String

  var settings: String { "\(folder)/refundlog.json" }
  var companion: String { "\(folder)/refundlog.md" }

  init(folder: String, say: @escaping (String) -> Void) {
    let folder = folder == "/" ? "" : folder
    self.folder = folder
    self.say = say
    data = "\(folder)/data"
    token = "\(folder)/backend-token"
    simulator = "\(folder)/simulator"
  }

  func makeFolders() throws(CommandError) {
    let isThere = access(data, F_OK) == 0
    do throws(FileError) { try Files.makeFolder(data, mode: 0o750) } catch { throw unavailable(error) }
    say(isThere ? "\(data) is there.\n" : "\(data) made (0750): log, projections and state go there.\n")
  }

  /// The secret itself is shown nowhere: whoever may read the file may know it.
  mutating func makeToken(_ path: String) throws(CommandError) {
    token = path
    if access(path, F_OK) == 0 { return say("\(path) is there.\n") }
    let secret = Hex.encode(SecureRandom.bytes(32)) + "\n"
    do throws(FileError) { try Files.write(Array(secret.utf8), to: path, mode: 0o600) } catch {
      throw unavailable(error)
    }
    say("\(path) made (0600): the token that your back end shows to the responder.\n")
  }

  mutating func makeSimulator(_ path: String) throws(CommandError) {
    simulator = path
    isRehearsal = true
    let isThere = access("\(path)/root.der", F_OK) == 0
    do throws(StoreIdentityError) { _ = try StoreIdentity(folder: path) } catch {
      throw CommandError(.unavailable, "\(path): \(error)")
    }
    say(isThere ? "\(path) is there.\n" : "\(path) made: the simulator's root and its key. Nobody else trusts them.\n")
  }

  func writeSettings(_ json: JSONValue, variables: [String: String]) throws(CommandError) {
    try SettingsDraft.put(Array((PrettyJSON.text(json) + "\n").utf8), at: settings, was: nil, variables: variables)
    say("\(settings) written (0640); the services would start with it.\n")
  }

  func writeCompanion() throws(CommandError) {
    if access(companion, F_OK) == 0 { return say("\(companion) is there.\n") }
    let text = SettingsCompanion.text(settings: settings)
    do throws(FileError) { try Files.write(Array(text.utf8), to: companion, mode: 0o640) } catch {
      throw unavailable(error)
    }
    say("\(companion) written: every key with default, meaning and variable.\n")
  }

  private func unavailable(_ error: FileError) -> CommandError {
    CommandError(.unavailable, "\(error); mend that and run this again, it goes on from here")
  }
}
