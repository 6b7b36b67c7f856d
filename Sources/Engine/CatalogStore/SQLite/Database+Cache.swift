package import GRDB

extension Database {
  /// Reads with a cache of 128 MiB instead of SQLite's 2: for who reads most pages, some of them again and again.
  /// With the small one half of the time goes to the system's copies of pages.
  package func withLargeCache<Result>(_ body: () throws -> Result) throws -> Result {
    try execute(sql: "PRAGMA cache_size = -131072")
    // Back to SQLite's own, which gives the memory back.
    defer { try? execute(sql: "PRAGMA cache_size = -2000") }
    return try body()
  }
}
