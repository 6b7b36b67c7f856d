import CatalogModel
package import GRDB
import Projections
import Support

/// What reads of a catalog go through: the connections of its database and what tells that it changed, or the rows of a past
/// moment.
package struct ProjectionReader: Sendable {
  private enum Source {
    case live(ProjectionDatabase)
    case past(any PastRows)
  }

  private let source: Source

  package init(_ projection: ProjectionDatabase) {
    source = .live(projection)
  }

  package init(_ rows: any PastRows) {
    source = .past(rows)
  }

  /// Reads from one snapshot of the database.
  package func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    do {
      switch source {
      case .live(let projection):
        return try await projection.connections.read { database in
          // A look at the file blocks, so not on a thread of tasks.
          try projection.identity.require(at: projection.path)
          // Another version of the program may have rebuilt the database since this one opened it.
          try Checkpoint.read(database)?.require(madeBy: projection.migrations.fingerprint)
          return try body(database)
        }
      case .past(let rows): return try await Blocking.run { try rows.readTables(body) }
      }
    } catch let error as DatabaseError {
      throw StoreError(using: error)
    }
  }

  /// Calls `fetch` now, and after each change of the database; its values that differ. A past moment has one.
  package func observe<Element: Equatable & Sendable>(
    _ fetch: @escaping @Sendable () async throws -> Element
  ) -> CatalogObservation<Element> {
    switch source {
    case .live(let projection): CatalogObservation(changes: projection.changes, fetch: fetch)
    case .past: CatalogObservation(changes: nil, fetch: fetch)
    }
  }
}
