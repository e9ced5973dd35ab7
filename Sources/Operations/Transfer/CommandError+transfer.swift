import EventLog
import Service

extension CommandError {
  init(_ error: TransferError) {
    switch error {
    case .log(.damaged), .damaged(.damage), .damaged(.open(.damaged)), .otherBackup, .line:
      self.init(.damage, error.description)
    case .log, .damaged, .file, .failed, .inUse: self.init(.unavailable, error.description)
    case .occupied, .holdsLog, .older, .notTaken: self.init(.failure, error.description)
    }
  }
}
