import GRDB
import GRDBSQLite
public import Support

/// Why the projection database could not be read or written.
public struct StoreError: RecoverableError, Sendable {
  public enum Code: String, Sendable {
    /// The file is not an SQLite database, is damaged, or belongs to another program.
    case notADatabase
    /// A folder, a link that leads nowhere or something else has the database's name.
    case notAFile
    /// This user may not read or write the file or its folder.
    case notPermitted
    /// Something would have to be written, and the database is on read-only media or in the folder of another user.
    case readOnly
    /// Rows were changed behind the projector's back.
    case drifted
    /// Another version of the program wrote to the database since it was opened: its rows would be misread, or nothing
    /// proves them.
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
    /// The system gives this process no further open file, or no memory: nothing is wrong with the catalog.
    case exhausted
    /// The volume of the database has no free space, or fails: nothing is known to be wrong with the database.
    case volume
    /// SQLite or the file system said no.
    case database
    case closed
  }

  public let code: Code
  public let explanation: ErrorMessage
  public var message: String { explanation.description }
  /// SQLite's own words; nil if the error is not of SQLite, or has others.
  package internal(set) var reason: String?

  package init(_ code: Code, _ explanation: ErrorMessage) {
    self.code = code
    self.explanation = explanation
  }

  /// The error with more words at its end.
  package func adding(_ words: ErrorMessage) -> StoreError {
    var error = StoreError(code, explanation + words)
    error.reason = reason
    return error
  }

  /// An error of a statement that is used without GRDB.
  init(sqlite connection: OpaquePointer) {
    self.init(
      using: DatabaseError(
        resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
        message: String(cString: sqlite3_errmsg(connection))))
  }

  /// Whether the file is of no use: nothing of it can be read, or be replaced in place.
  package var isAboutFile: Bool {
    switch code {
    case .notADatabase, .notAFile, .notPermitted: true
    default: false
    }
  }
}
