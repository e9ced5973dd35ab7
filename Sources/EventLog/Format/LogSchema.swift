/// The tables of on-disk format 1, their guards and the view that others may read.
enum LogSchema {
  static let format: Int64 = 1
  /// «RFLG»; `PRAGMA application_id` tells any tool what file this is.
  static let applicationID: Int64 = 0x5246_4C47

  /// STRICT tables came with SQLite 3.37.
  static let oldestSQLite = 3_037_000

  /// - Parameter version: of the library at hand.
  static func objection(toSQLite version: Int) -> LogOpenError? {
    version < oldestSQLite ? .oldSQLite(found: version, needed: oldestSQLite) : nil
  }

  /// Before the first table: neither can be changed afterwards.
  static let pragmas = "PRAGMA page_size=8192; PRAGMA journal_mode=WAL;"
  /// For each connection that writes.
  ///
  /// Ids are random, so each event touches another page of each index: a batch of the largest size does some 1,200 pages.
  /// They must all find room (24 MB): what does not is written out in the middle of the transaction, read again for
  /// the next event and written once more.
  static let writerPragmas = "PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; PRAGMA cache_size=-24000;"

  static let columns = """
    position, id, stream, version, type, schema, kind, environment, app, customer, \
    occurred_at, signed_at, recorded_at, causation, correlation, data, seams, salt, digest, chain
    """

  /// SQLite keeps this text, and files are compared with it to the last blank: not a byte of it changes within format 1.
  static let create = """
    CREATE TABLE log     (id TEXT NOT NULL, secret BLOB NOT NULL, format INTEGER NOT NULL, created_at INTEGER NOT NULL) STRICT;
    CREATE TABLE headers (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL) STRICT;
    CREATE TABLE events  (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, stream TEXT NOT NULL, version INTEGER NOT NULL,
      type TEXT NOT NULL, schema INTEGER NOT NULL, kind TEXT, environment TEXT, app TEXT, customer TEXT,
      occurred_at INTEGER NOT NULL, signed_at INTEGER, recorded_at INTEGER NOT NULL, causation TEXT, correlation TEXT,
      data TEXT, seams BLOB, salt BLOB, digest BLOB NOT NULL, chain BLOB NOT NULL, UNIQUE (stream, version)) STRICT;

    CREATE TRIGGER events_insert BEFORE INSERT ON events BEGIN
      SELECT RAISE(ABORT, 'an event must get the next position')
        WHERE NEW.position IS NOT (SELECT coalesce(max(position), 0) + 1 FROM events);
      SELECT RAISE(ABORT, 'an event with this id exists') WHERE EXISTS (SELECT 1 FROM events WHERE id = NEW.id);
      SELECT RAISE(ABORT, 'the stream has an event with this version')
        WHERE EXISTS (SELECT 1 FROM events WHERE stream = NEW.stream AND version = NEW.version);
    END;
    CREATE TRIGGER events_update BEFORE UPDATE ON events WHEN NOT (
      NEW.position IS OLD.position AND NEW.id IS OLD.id AND NEW.stream IS OLD.stream AND NEW.version IS OLD.version
      AND NEW.type IS OLD.type AND NEW.schema IS OLD.schema AND NEW.kind IS OLD.kind
      AND NEW.environment IS OLD.environment AND NEW.app IS OLD.app AND NEW.customer IS OLD.customer
      AND NEW.occurred_at IS OLD.occurred_at AND NEW.signed_at IS OLD.signed_at AND NEW.recorded_at IS OLD.recorded_at
      AND NEW.causation IS OLD.causation AND NEW.correlation IS OLD.correlation
      AND NEW.digest IS OLD.digest AND NEW.chain IS OLD.chain
      AND NEW.data IS NULL AND NEW.seams IS NULL AND NEW.salt IS NULL)
      BEGIN SELECT RAISE(ABORT, 'an event can only be erased'); END;
    CREATE TRIGGER events_delete BEFORE DELETE ON events
      BEGIN SELECT RAISE(ABORT, 'an event is never deleted'); END;
    CREATE TRIGGER headers_insert BEFORE INSERT ON headers BEGIN
      SELECT RAISE(ABORT, 'this header exists')
        WHERE EXISTS (SELECT 1 FROM headers WHERE digest = NEW.digest OR id = NEW.id);
    END;
    CREATE TRIGGER headers_update BEFORE UPDATE ON headers
      BEGIN SELECT RAISE(ABORT, 'a header is never changed'); END;
    CREATE TRIGGER headers_delete BEFORE DELETE ON headers
      BEGIN SELECT RAISE(ABORT, 'a header is never deleted'); END;
    CREATE TRIGGER log_insert BEFORE INSERT ON log WHEN EXISTS (SELECT 1 FROM log)
      BEGIN SELECT RAISE(ABORT, 'a log has one identity'); END;
    CREATE TRIGGER log_update BEFORE UPDATE ON log
      BEGIN SELECT RAISE(ABORT, 'the identity of a log never changes'); END;
    CREATE TRIGGER log_delete BEFORE DELETE ON log
      BEGIN SELECT RAISE(ABORT, 'the identity of a log is never deleted'); END;

    CREATE VIEW log_v1 AS SELECT position, id, stream, version, type, schema, kind, environment, app, customer,
      occurred_at, signed_at, recorded_at, causation, correlation, data, data IS NULL AS erased FROM events;
    """
}
