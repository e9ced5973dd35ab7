/// Tables of the projection. Disposable: a change of shape, or of what folding gives, is a new version, a new file, and
/// a rebuild from the log.
enum CaseStoreSchema {
  static let version = 6

  /// Before the first table. A case takes 1 to 2 KB: on the usual pages every row would go on in a page of its own.
  static let pragmas = "PRAGMA page_size=8192;"

  /// Cases have row ids: with their rows in the tree of the key, a page of it would lead to three others.
  static let tables = """
    CREATE TABLE bookmark (one INTEGER PRIMARY KEY CHECK (one = 1), log TEXT NOT NULL, position INTEGER NOT NULL,
      chain BLOB NOT NULL, restored INTEGER NOT NULL) STRICT;
    CREATE TABLE cases (environment TEXT NOT NULL, transaction_id TEXT NOT NULL, app TEXT, customer TEXT,
      original_id TEXT, product_id TEXT, outcome TEXT, open INTEGER NOT NULL, due INTEGER, watched_until INTEGER,
      phase TEXT NOT NULL, newest INTEGER NOT NULL, state TEXT NOT NULL,
      PRIMARY KEY (environment, transaction_id)) STRICT;
    CREATE TABLE customers (id TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE apps (id TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE rescissions (app TEXT NOT NULL, environment TEXT NOT NULL, app_transaction_id TEXT NOT NULL,
      signed_at INTEGER NOT NULL, event TEXT NOT NULL, PRIMARY KEY (app, environment, app_transaction_id))
      STRICT, WITHOUT ROWID;
    CREATE TABLE sending (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL) STRICT;
    CREATE TABLE stuck (stream TEXT PRIMARY KEY, position INTEGER NOT NULL, error TEXT NOT NULL) STRICT, WITHOUT ROWID;
    """

  /// Of an app, an environment and an app transaction.
  static let rescission =
    "SELECT signed_at, event FROM rescissions WHERE app = ? AND environment = ? AND app_transaction_id = ?"

  /// Made last where rows come in great number.
  static let indexes = [
    "CREATE INDEX IF NOT EXISTS cases_open ON cases (due) WHERE open = 1",
    "CREATE INDEX IF NOT EXISTS cases_watched ON cases (watched_until) WHERE watched_until IS NOT NULL",
    """
    CREATE INDEX IF NOT EXISTS cases_order ON cases
      (coalesce(due, 9223372036854775807), -newest, environment, transaction_id)
    """,
    "CREATE INDEX IF NOT EXISTS cases_customer ON cases (customer)",
    "CREATE INDEX IF NOT EXISTS cases_original ON cases (original_id)",
    "CREATE INDEX IF NOT EXISTS cases_transaction ON cases (transaction_id)",
    "CREATE INDEX IF NOT EXISTS cases_app ON cases (app, due)",
  ]
}
