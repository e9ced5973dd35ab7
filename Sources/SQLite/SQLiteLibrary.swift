import CSQLite

/// The SQLite that this process is linked with.
public enum SQLiteLibrary {
  /// 3040001 for 3.40.1.
  public static var version: Int { Int(sqlite3_libversion_number()) }

  /// What holds for all connections; made once, before the first of them.
  ///
  /// SQLite counts the memory it has under one lock for all threads, taken for each piece it asks for or gives back.
  /// Nobody here reads those sums, and threads that read beside each other would wait for each other at it
  /// (https://www.sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus). It can fail only where the
  /// library was used before; then it counts on.
  static let isConfigured: Bool = csqlite_count_no_memory() == SQLITE_OK
}
