import CatalogModel
package import GRDB
import Projections
import Support

/// What reads of a catalog go through: the connections of its database and what tells that it changed, or the rows of a past
/// moment.
package struct ProjectionReader: Sendable {
  private enum Source {
    /// `identity` is that of the file when it was opened.
    case live(
      ProjectionConnections, path: String, identity: FileIdentity, DatabaseChanges,
      ProjectorFingerprint)
    case past(any PastRows)
  }

  private let source: Source

  package init(_ projection: ProjectionDatabase) {
    self.init(
      projection.connections, path: projection.path, identity: projection.identity,
      changes: projection.changes, fingerprint: projection.migrations.fingerprint)
  }

  /// - Parameter identity: that of the file when it was opened.
  init(
    _ connections: ProjectionConnections, path: String, identity: FileIdentity,
    changes: DatabaseChanges, fingerprint: ProjectorFingerprint
  ) {
    source = .live(connections, path: path, identity: identity, changes, fingerprint)
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
      case .live(let connections, let path, let identity, _, let fingerprint):
        return try await connections.read { database in
          // A look at the file blocks, so not on a thread of tasks.
          try identity.require(at: path)
          // Another version of the program may have rebuilt the database since this one opened it.
          try Checkpoint.read(database)?.require(madeBy: fingerprint)
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
    if case .live(_, _, _, let changes, _) = source {
      CatalogObservation(changes: changes, fetch: fetch)
    } else {
      CatalogObservation(changes: nil, fetch: fetch)
    }
  }
}
