package import GRDB
import GRDBSQLite
import LibC
import Synchronization

/// The memory that a statement of a user may take.
///
/// SQLite makes a value as a whole, and looks at an interruption only between values: without a limit,
/// `zeroblob(1000000000)` takes a gigabyte and most of a minute.
package struct MemoryLimit: Sendable {
  /// The most bytes of a value, and of all values of a row together.
  package let row: Int
  /// The most bytes that SQLite may use for itself in this process.
  package let heap: Int64

  package init(row: Int, heap: Int64) {
    self.row = row
    self.heap = heap
  }

  /// A line of the log has at most 64 MiB, and no stored value is longer than its event.
  package static let standard = MemoryLimit(row: 64 << 20, heap: 1 << 30)

  /// `standard`, or less if the system gives this process less memory (`ulimit -v`): a row is copied some ten times on
  /// its way to the screen.
  package static var current: MemoryLimit {
    guard let free = freeAddresses else { return standard }
    return MemoryLimit(
      row: min(standard.row, max(1 << 20, free / 16)),
      heap: min(standard.heap, Int64(max(8 << 20, free / 4))))
  }

  /// Bytes of addresses that this process may still use; nil if there is no limit.
  package static var freeAddresses: Int? {
    var limit = rlimit()
    #if canImport(Glibc)
      guard getrlimit(__rlimit_resource_t(UInt32(RLIMIT_AS.rawValue)), &limit) == 0 else {
        return nil
      }
    #else
      guard getrlimit(RLIMIT_AS, &limit) == 0 else { return nil }
    #endif
    guard limit.rlim_cur < rlim_t(Int.max) else { return nil }
    return max(0, Int(limit.rlim_cur) - usedAddresses)
  }

  /// Bytes of addresses that this process has; 0 if the system does not say.
  private static var usedAddresses: Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 64)
    guard fgets(&text, Int32(text.count), file) != nil else { return 0 }
    return strtol(text, nil, 10) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Runs `body` with these limits of the connection and of SQLite, and then with those that were there before. While several
  /// statements run, SQLite has the least of their limits: it has one for the process.
  package func applied<Result>(
    to database: Database, _ body: () throws -> Result
  ) rethrows -> Result {
    let connection = database.sqliteConnection
    let length = sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Int32(clamping: row))
    HeapLimits.current.withLock { $0.add(heap) }
    defer {
      sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, length)
      HeapLimits.current.withLock { $0.remove(heap) }
    }
    return try body()
  }
}

/// The limits of the statements that run in this process. They do not end in the order in which they began.
struct HeapLimits: Sendable {
  static let current = Mutex(HeapLimits { sqlite3_hard_heap_limit64($0) })

  /// Sets the limit of the process, and returns the one before. Zero is no limit, and a negative one asks.
  private let set: @Sendable (Int64) -> Int64
  private var limits: [Int64] = []
  /// The limit without any of them; 0 if there is none.
  private var before: Int64 = 0

  init(_ set: @escaping @Sendable (Int64) -> Int64) {
    self.set = set
  }

  mutating func add(_ limit: Int64) {
    if limits.isEmpty { before = set(-1) }
    limits.append(limit)
    apply()
  }

  mutating func remove(_ limit: Int64) {
    if let place = limits.firstIndex(of: limit) { limits.remove(at: place) }
    apply()
  }

  private func apply() {
    _ = set(limits.min() ?? before)
  }
}

extension StoredValue {
  /// The values of the row on which a statement is.
  ///
  /// - Returns: nil if they have more than `limit` bytes: then they are not copied.
  /// - Throws: `DatabaseError` if there was no memory for a value.
  package static func row(of statement: Statement, limit: Int) throws -> [StoredValue]? {
    let count = statement.columnCount
    let stored = statement.sqliteStatement
    var length = 0
    for place in 0..<Int32(count) {
      switch sqlite3_column_type(stored, place) {
      case SQLITE_TEXT, SQLITE_BLOB: length += Int(sqlite3_column_bytes(stored, place))
      default: length += 8
      }
    }
    guard length <= limit else { return nil }
    let values = (0..<count).map { StoredValue(statement, at: $0) }
    guard sqlite3_errcode(sqlite3_db_handle(stored)) != SQLITE_NOMEM else {
      throw DatabaseError(resultCode: .SQLITE_NOMEM)
    }
    return values
  }
}
