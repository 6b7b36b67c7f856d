package import GRDB
import LibC
import Support

extension StoreError {
  /// The use of a database in which SQLite finds an error.
  package enum Use {
    case opened
    case opening(String)
    /// A file that a person named, which no log can rebuild.
    case reading(String)
    case making(String)
  }

  /// Does something with SQLite, and puts its errors into our words.
  package static func translating<Result>(
    _ use: Use = .opened, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      switch use {
      case .opened: throw StoreError(using: error)
      case .opening(let path): throw StoreError(opening: path, error)
      case .reading(let path): throw StoreError(opening: path, error, isOwn: false)
      case .making(let path): throw StoreError(making: path, error)
      }
    }
  }

  /// An error of SQLite about a database that was open already.
  package init(using error: DatabaseError) {
    if let shortage = Self.shortage(error) {
      self.init(.exhausted, "the database failed: \(shortage)")
      return
    }
    let reason = Self.words(error)
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(.busy, "the database is locked by another program; try again later")
    case .SQLITE_MISUSE:
      self.init(.closed, "the catalog was closed")
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      self.init(
        .notADatabase,
        "the database is damaged: \(reason); no event is lost: \(do: .rebuild) rebuilds it from the log"
      )
    case .SQLITE_MISMATCH:
      self.init(.drifted, "\(reason): \(Self.drift)")
    case .SQLITE_ERROR where Self.lacksPart(reason):
      self.init(.drifted, "part of the database is missing: \(reason): \(Self.drift)")
    case .SQLITE_CONSTRAINT:
      // Rows are planned from rows: what a constraint refuses was changed behind the projector's back.
      self.init(.drifted, "the rows contradict each other: \(reason): \(Self.drift)")
    case .SQLITE_TOOBIG:
      self.init(
        .database, "a row is longer than SQLite can store, at most 1,000,000,000 bytes")
    case .SQLITE_FULL, .SQLITE_IOERR:
      self.init(.volume, "the database failed: \(reason); \(Self.volumeAdvice(error))")
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN:
      self.init(
        .notPermitted,
        "the database failed: \(reason); give this user write permission for it and its folder")
    default:
      self.init(
        .database,
        "the database failed: \(reason); if it fails again, \(do: .examine) shows why and "
          + "\(do: .rebuild) rebuilds it")
    }
    self.reason = reason
  }

  /// An error about a file that is being made: the database that there was is as it was.
  init(making path: String, _ error: DatabaseError) {
    if let shortage = Self.shortage(error) {
      self.init(.exhausted, "cannot write \(path): \(shortage)")
      return
    }
    self.init(
      [.SQLITE_FULL, .SQLITE_IOERR].contains(error.resultCode) ? .volume : .database,
      "cannot write \(path): \(Self.words(error)); \(Self.volumeAdvice(error))")
  }

  /// SQLite's message, or its words for the code if another call has succeeded before the message was asked for.
  private static func words(_ error: DatabaseError) -> String {
    guard let message = error.message else { return error.description }
    return message == "not an error" ? error.resultCode.description : message
  }

  /// In words of its own where it is SQLite's, whose own words have the statement in them; nil for any other.
  package init?(ofSQLite error: any Error) {
    guard let error = error as? DatabaseError else { return nil }
    self.init(using: error)
  }

  /// The shortage that SQLite met, and what can be done; nil if the error has another reason.
  private static func shortage(_ error: DatabaseError) -> String? {
    switch error.resultCode {
    case .SQLITE_NOMEM: SystemError.words(for: ENOMEM)
    // SQLite keeps no number, and has closed its own files again: it needs one for the database, its log, the index of
    // that and a folder.
    case .SQLITE_CANTOPEN where OpenFiles.free(upTo: 4) < 4: SystemError.words(for: EMFILE)
    default: nil
    }
  }

  /// Nothing is rebuilt if there is no room: it needs more of it.
  private static func volumeAdvice(_ error: DatabaseError) -> String {
    error.resultCode == .SQLITE_FULL
      ? "free space on its volume and try again"
      : "check its volume for free space and for errors, then try again"
  }

  /// - Parameter isOwn: whether it is a catalog's own database. If not, no log can rebuild it.
  package init(opening path: String, _ error: DatabaseError, isOwn: Bool = true) {
    if let shortage = Self.shortage(error) {
      self.init(.exhausted, "cannot open \(path): \(shortage)")
      return
    }
    let reason = Self.words(error)
    let advice: ErrorMessage =
      isOwn
      ? "no event is lost: \(do: .rebuild) rebuilds it from the log"
      : "name a database that a catalog of this kind wrote"
    switch error.resultCode {
    case .SQLITE_FULL, .SQLITE_IOERR:
      self.init(.volume, "cannot open \(path): \(reason); \(Self.volumeAdvice(error))")
    case .SQLITE_NOTADB:
      self.init(.notADatabase, "\(path) is not an SQLite database; \(advice)")
    case .SQLITE_CORRUPT:
      self.init(.notADatabase, "\(path) is damaged: \(reason); \(advice)")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(
        .busy, "\(path) is locked by another program; try again when that one has finished")
    case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
      guard !DatabaseFile.isWritable(path) else {
        // The file and its folder are as they should be. SQLite opens a database for reading if the system refuses
        // to open it for writing.
        self.init(
          .exhausted,
          "cannot open \(path): \(reason); most likely too many files are open: allow this "
            + "process more (ulimit -n), or end other programs, and try again")
        return
      }
      self.init(
        .notPermitted,
        "cannot open \(path): this user may not write to its folder, which SQLite needs to read it as it is now; "
          + (isOwn
            ? "commands that look back read the log alone\(do: .readLogAlone), or work on a copy"
            : "name a copy of it"))
    default:
      self.init(
        .database,
        "cannot open \(path): \(reason); "
          + (isOwn ? "if it fails again, \(do: .rebuild) rebuilds it" : advice)
      )
    }
  }

  /// Whether SQLite misses something that every projection has.
  private static func lacksPart(_ reason: String) -> Bool {
    [
      "no such table", "no such column", "no such module", "no such index", "has no column named",
      "malformed database schema", "ON CONFLICT clause does not match",
    ].contains { reason.contains($0) }
  }
}
