import GRDBSQLite

/// Why the projection database could not be read or written.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// The file is no SQLite database.
    case notADatabase
    /// Rows were changed behind the projector's back.
    case drifted
    /// The database has no running digests that prove its rows: an earlier release made it.
    case unproved
    /// Another version of the projector made the database since it was opened.
    case stale
    /// The file was deleted or replaced while it was open.
    case replaced
    /// Another connection holds a lock for too long.
    case busy
    /// An item, a pack or a name that is not in the catalog.
    case notFound
    /// A filter names an id that no dimension has.
    case unknownValue
    /// A filter names an id that another dimension has.
    case valueOfAnotherDimension
    /// A filter on a dimension that the kind does not have.
    case dimensionNotOfKind
    /// A filter by an availability that the kind does not have.
    case availabilityNotOfKind
    /// A limit of 0 or below.
    case invalidLimit
    /// A cursor that no page gave, or that was changed.
    case malformedCursor
    /// A cursor of another sort, another kind, other filters or another query.
    case cursorOfAnotherList
    /// A request that makes no sense in another way.
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
