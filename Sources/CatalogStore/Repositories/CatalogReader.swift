import GRDB
import Projections

/// What repositories read through: the database, and what tells that it changed.
package struct CatalogReader: Sendable {
  private let database: any DatabaseReader
  private let changes: DatabaseChanges
  private let path: String
  private let identity: FileIdentity
  private let fingerprint: ProjectorFingerprint
  private let indexes: IndexCache

  package init(_ projection: ProjectionDatabase) {
    self.init(
      projection.pool, path: projection.path, identity: projection.identity,
      changes: projection.changes, fingerprint: projection.migrations.fingerprint,
      indexes: projection.indexes)
  }

  /// - Parameter identity: that of the file when `database` was opened.
  init(
    _ database: any DatabaseReader, path: String, identity: FileIdentity,
    changes: DatabaseChanges, fingerprint: ProjectorFingerprint, indexes: IndexCache
  ) {
    self.database = database
    self.path = path
    self.identity = identity
    self.changes = changes
    self.fingerprint = fingerprint
    self.indexes = indexes
  }

  /// Reads from one snapshot of the database.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    do {
      return try await database.read { database in
        // A look at the file blocks, so not on a thread of tasks.
        try identity.require(at: path)
        try requireOwn(database)
        return try body(database)
      }
    } catch let error as DatabaseError {
      throw StoreError(using: error)
    }
  }

  /// The same with the index at the state of the snapshot; nil where SQL is to answer.
  ///
  /// - Parameter parts: what the index must have beside tags.
  func read<Result: Sendable>(
    with parts: CatalogIndex.Parts,
    _ body: @escaping @Sendable (Database, CatalogIndex?) throws -> Result
  ) async throws -> Result {
    var waits = 0
    while true {
      if indexes.lacks(parts) {
        // Not by this task: where a person types on, its end would be the end of what others need, too.
        let making = Task.detached {
          try await read { _ = try indexes.access(of: $0, with: parts) }
        }
        try await making.value
      }
      let isPatient = waits < Self.greatestWaits
      let attempt: Attempt<Result> = try await read { database in
        switch try indexes.access(of: database, with: parts) {
        case .answer(let index): .answer(try body(database, index))
        case .isBeingMade: isPatient ? .isBeingMade : .answer(try body(database, nil))
        }
      }
      if case .answer(let result) = attempt { return result }
      // Without a connection: others read meanwhile.
      await indexes.waitForMaking()
      try Task.checkCancellation()
      waits += 1
    }
  }

  /// How often a read waits for an index that others make; where changes come that fast, SQL answers.
  private static let greatestWaits = 8

  private enum Attempt<Result: Sendable>: Sendable {
    case answer(Result)
    case isBeingMade
  }

  /// The value now and after each change of the database that changes it.
  func observe<Element: Equatable & Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Element
  ) -> CatalogObservation<Element> {
    CatalogObservation(changes: changes) { try await read(body) }
  }

  /// The same with the index.
  func observe<Element: Equatable & Sendable>(
    with parts: CatalogIndex.Parts,
    _ body: @escaping @Sendable (Database, CatalogIndex?) throws -> Element
  ) -> CatalogObservation<Element> {
    CatalogObservation(changes: changes) { try await read(with: parts, body) }
  }

  /// Another version of the program may have rebuilt the database since this one opened it: its rows
  /// would be misread.
  private func requireOwn(_ database: Database) throws {
    guard let found = try Checkpoint.read(database)?.fingerprint,
      found != fingerprint.description
    else { return }
    throw StoreError(
      .stale,
      "the database was rebuilt by projector \(found.prefix(12))…, this program has "
        + "\(fingerprint.description.prefix(12))…; open the catalog again, or run "
        + "`catalogctl rebuild`")
  }
}
