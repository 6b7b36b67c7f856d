package import GRDB
package import Projections

/// What repositories read through: the database, and what tells that it changed.
package struct CatalogReader: Sendable {
  private let database: any DatabaseReader
  private let changes: DatabaseChanges
  private let fingerprint: ProjectorFingerprint

  package init(_ projection: ProjectionDatabase) {
    self.init(
      projection.pool, changes: projection.changes, fingerprint: projection.migrations.fingerprint)
  }

  package init(
    _ database: any DatabaseReader, changes: DatabaseChanges, fingerprint: ProjectorFingerprint
  ) {
    self.database = database
    self.changes = changes
    self.fingerprint = fingerprint
  }

  /// Reads from one snapshot of the database.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    do {
      return try await database.read { database in
        try requireOwn(database)
        return try body(database)
      }
    } catch let error as DatabaseError {
      throw StoreError(reading: error)
    }
  }

  /// The value now and after each change of the database that changes it.
  func observe<Element: Equatable & Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Element
  ) -> CatalogObservation<Element> {
    CatalogObservation(changes: changes) { try await read(body) }
  }

  /// Another version of the program may have rebuilt the database since this one opened it: its rows
  /// would be misread.
  private func requireOwn(_ database: Database) throws {
    guard let found = try Checkpoint.read(database)?.fingerprint,
      found != fingerprint.description
    else { return }
    throw StoreError(
      .stale,
      "the database was made anew by projector \(found.prefix(12))…, this program has "
        + "\(fingerprint.description.prefix(12))…; open the catalog again, or run "
        + "`catalogctl rebuild`")
  }
}

extension StoreError {
  fileprivate init(reading error: DatabaseError) {
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(.busy, "the database is locked by another program; try again later")
    case .SQLITE_MISUSE:
      self.init(.closed, "the catalog was closed")
    default:
      self.init(.database, "the database cannot be read: \(error.message ?? error.description)")
    }
  }
}
