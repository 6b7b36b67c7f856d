package import GRDB

/// What repositories read through: the database, and what tells that it changed.
package struct CatalogReader: Sendable {
  let database: any DatabaseReader
  private let changes: DatabaseChanges

  package init(_ projection: ProjectionDatabase) {
    self.init(projection.pool, changes: projection.changes)
  }

  package init(_ database: any DatabaseReader, changes: DatabaseChanges) {
    self.database = database
    self.changes = changes
  }

  /// Reads from one snapshot of the database.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await database.read(body)
  }

  /// The value now and after each change of the database that changes it.
  func observe<Element: Equatable & Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Element
  ) -> CatalogObservation<Element> {
    CatalogObservation(changes: changes) { try await read(body) }
  }
}
