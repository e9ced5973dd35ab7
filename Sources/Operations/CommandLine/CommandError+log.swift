import EventLog
import Responder
import Service

/// One code for one cause, whichever command meets it: docs/operating.md, «What an exit code means».
extension CommandError {
  init(_ error: LogOpenError) { self.init(error.isDamage ? .damage : .unavailable, error.description) }

  init(_ error: LogReadError) {
    switch error {
    case .lost, .altered, .otherThanBell, .malformed: self.init(.damage, error.description)
    case .replaced, .restored: self.init(.failure, error.description)
    case .unreadable: self.init(.unavailable, error.description)
    }
  }

  init(_ error: LogVerifier.Failure) {
    switch error {
    case .open(let error): self.init(error)
    case .damage: self.init(.damage, error.description)
    case .stopped, .beyond, .otherChain: self.init(.failure, error.description)
    }
  }

  init(_ error: TransferError) {
    switch error {
    case .log(let error): self.init(error)
    case .damaged(let error): self.init(error)
    case .unwhole(_, let failure): self.init(Self(failure).code, error.description)
    case .otherBackup, .unusable, .unusableState, .line: self.init(.damage, error.description)
    case .file, .failed, .inUse, .noBackup, .noPlace, .newer, .beingMade, .damagedState:
      self.init(.unavailable, error.description)
    case .occupied, .insideData, .holdsLog, .older, .notTaken: self.init(.failure, error.description)
    }
  }

  init(_ error: CaseReaderError) {
    switch error {
    case .log(let error): self.init(error)
    case .logUnreadable(let error): self.init(error)
    case .cursorInvalid: self.init(.usage, error.description)
    case .absent, .otherVersion, .ofOtherLog, .unreadable: self.init(.unavailable, error.description)
    }
  }

  init(_ error: ProjectionRebuild.Failure) {
    switch error {
    case .log(let error): self.init(error)
    case .failed(_, isDamage: true): self.init(.damage, error.description)
    case .underWay, .notWritable, .readOnlyDisk, .failed: self.init(.unavailable, error.description)
    }
  }
}
