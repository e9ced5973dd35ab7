import CSQLite

/// The SQLite that this process is linked with.
public enum SQLiteLibrary {
  /// 3040001 for 3.40.1.
  public static var version: Int { Int(sqlite3_libversion_number()) }
}
