package import GRDB
import Projections
import Recoveries

/// What reads of an opened database go through: its connections, and what tells that it changed.
package struct ProjectionReader: Sendable {
  private let connections: ProjectionConnections
  private let changes: DatabaseChanges
  private let path: String
  private let identity: FileIdentity
  private let fingerprint: ProjectorFingerprint

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
    self.connections = connections
    self.path = path
    self.identity = identity
    self.changes = changes
    self.fingerprint = fingerprint
  }

  /// Reads from one snapshot of the database.
  package func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    do {
      return try await connections.read { database in
        // A look at the file blocks, so not on a thread of tasks.
        try identity.require(at: path)
        // Another version of the program may have rebuilt the database since this one opened it.
        try Checkpoint.read(database)?.require(madeBy: fingerprint)
        return try body(database)
      }
    } catch let error as DatabaseError {
      throw StoreError(using: error)
    }
  }

  /// Calls `fetch` now, and after each change of the database; its values that differ.
  package func observe<Element: Equatable & Sendable>(
    _ fetch: @escaping @Sendable () async throws -> Element
  ) -> CatalogObservation<Element> {
    CatalogObservation(changes: changes, fetch: fetch)
  }
}
