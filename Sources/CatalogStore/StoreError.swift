import GRDBSQLite

/// Why the projection database could not be read or written.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// The file is no SQLite database.
    case notADatabase
    /// Rows were changed behind the projector's back.
    case drifted
    /// Another connection holds a lock for too long.
    case busy
    /// An id or name that is not in the catalog.
    case notFound
    /// A request that makes no sense, such as a dimension that the kind does not have.
    case invalidRequest
    /// SQLite or the file system said no.
    case database
    case closed
  }

  public let code: Code
  public let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  init(sqlite connection: OpaquePointer, doing sql: String) {
    let reason = String(cString: sqlite3_errmsg(connection))
    let code: Code =
      switch sqlite3_errcode(connection) & 0xFF {
      case SQLITE_NOTADB, SQLITE_CORRUPT: .notADatabase
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      default: .database
      }
    self.init(code, "\(reason) (while doing: \(sql.prefix(120)))")
  }

  public var description: String { message }
}
