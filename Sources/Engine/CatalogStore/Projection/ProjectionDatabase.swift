import CatalogModel
import Foundation
package import GRDB
package import Projections
import Support

/// The live projection of a catalog: one file, disposable, made from the log alone.
///
/// All reading and writing of a process goes through `ProjectionConnections`. (`DatabaseChanges` has a connection
/// that only asks whether something was committed.)
package final class ProjectionDatabase: Sendable {
  package let path: String
  let connections: ProjectionConnections
  package let migrations: ProjectionMigrations
  let changes: DatabaseChanges
  let identity: FileIdentity
  let touched: ExternalChangeDetector

  /// Opens the file, which is made if there is none.
  ///
  /// - Parameters:
  ///   - readers: how many reads at once are to be expected.
  ///   - wait: how long to wait for the lock of another program; ten seconds if nil.
  /// - Throws: `StoreError`: `notAFile` if a folder, a dangling link or the like has the name,
  ///   `notADatabase` where the file is something else, `notPermitted`, `busy`.
  package convenience init(
    path: String, migrations: ProjectionMigrations,
    readers: ProjectionReaders = .several, wait: Duration? = nil
  ) throws {
    try DatabaseFile.requireUsable(path)
    try self.init(path: path, migrations: migrations) {
      try ProjectionConnections(path, migrations, readers, wait: wait)
    }
  }

  /// - Parameter connect: opens the file, whose times the system may change with that.
  init(
    path: String, migrations: ProjectionMigrations, connect: () throws -> ProjectionConnections
  ) throws {
    self.path = path
    self.migrations = migrations
    touched = ExternalChangeDetector(path)
    connections = try connect()
    if let pool = connections.openPool { try touched.beginWriting(with: pool) }
    guard let identity = FileIdentity(path) else {
      throw StoreError(.replaced, "\(path) was deleted as it was opened; try again")
    }
    self.identity = identity
    changes = DatabaseChanges(path, identity)
  }

  /// The pool, which is opened where only one connection read until now: for who writes.
  package var pool: DatabasePool {
    get throws {
      if let pool = connections.openPool { return pool }
      touched.prepareToWrite()
      let pool = try connections.pool(of: identity)
      try touched.beginWriting(with: pool)
      return pool
    }
  }

  /// Reads from one snapshot of the database.
  package func inspect<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try connections.read(body)
  }

  /// Makes sure that the file is still the one that was opened, and speaks of errors in our words.
  func guarded<Result>(_ body: () throws -> Result) throws -> Result {
    try identity.require(at: path)
    return try StoreError.translating { try body() }
  }

  /// How far the projection has come, whatever projector made it; nil if it is empty.
  package func checkpoint() throws -> Checkpoint? {
    try read(Checkpoint.read)
  }

  /// The number of the rebuild that replaced all rows last (`Checkpoint.epoch`).
  package func epoch() throws -> Int64 { try read(Checkpoint.epoch) }

  /// Makes sure that the checkpoint is the one that the rows stand at: events that were applied already would be applied
  /// again, over rows of later ones.
  ///
  /// - Throws: `StoreError` with `drifted`.
  package func requireTrueCheckpoint() throws {
    guard case .changed = try read(RunningDigests.standing) else { return }
    throw StoreError.changedDigests
  }

  /// Makes the tables of an empty projection.
  ///
  /// Tables that another version of the projector made, and never filled, make room.
  package func createTables() throws {
    let migrator = migrations.migrator()
    try guarded {
      let pool = try self.pool
      do {
        try touched.write(with: pool) {
          if try pool.read(migrator.hasBeenSuperseded) { try pool.erase() }
          try migrator.migrate(pool)
        }
      } catch let error as DatabaseError {
        // Another process may have made them between the look and the writing.
        guard try pool.read(migrator.hasCompletedMigrations) else { throw error }
      }
    }
  }

  /// Carries the projection forward inside one transaction.
  ///
  /// `body` sees the checkpoint that is committed, which no other process can move meanwhile, changes
  /// rows, and returns what to commit with them; nil, or an error, leaves all as it was.
  ///
  /// - Parameters:
  ///   - events: how many events are applied, about: many of them are worth a large cache.
  ///   - isRehearsal: whether `body` asks for references between rows to be checked (`SQLiteRowStore.requireReferences`).
  package func update(
    events: UInt64 = 1, isRehearsal: Bool = false,
    _ body: (Checkpoint?, SQLiteRowStore) throws -> ProjectionAdvance?
  ) throws {
    let isLarge = events >= Self.largeUpdate
    try guarded {
      let pool = try self.pool
      try touched.write(with: pool) {
        try pool.writeWithoutTransaction { database in
          let references = isRehearsal ? ReferenceCheck(migrations.schema) : nil
          guard isLarge else { return try update(database, references, body) }
          try database.withLargeCache { try update(database, references, body) }
        }
      }
    }
  }

  /// From how many events on rows are changed all over the database.
  private static let largeUpdate: UInt64 = 10_000

  private func update(
    _ database: Database, _ references: ReferenceCheck?,
    _ body: (Checkpoint?, SQLiteRowStore) throws -> ProjectionAdvance?
  ) throws {
    let schema = migrations.schema
    try database.inTransaction(.immediate) {
      let notes = migrations.makeNotes()
      let store = SQLiteRowStore(
        database, schema: schema, noting: notes, references: references)
      let committed = try Checkpoint.read(database)
      guard let advance = try change(store, from: committed, body) else {
        return .rollback
      }
      if let notes {
        try ChangeTable.write(notes, from: committed, to: advance.checkpoint.sequence, database)
      }
      try advance.write(store, from: committed, database)
      return .commit
    }
  }

  /// - Throws: what `body` throws. Rows are planned from rows: where one has the same as a row that was there before,
  ///   that one was changed behind the projector's back.
  private func change(
    _ store: SQLiteRowStore, from committed: Checkpoint?,
    _ body: (Checkpoint?, SQLiteRowStore) throws -> ProjectionAdvance?
  ) throws -> ProjectionAdvance? {
    do {
      return try body(committed, store)
    } catch let error as ProjectionError where error.code == .duplicate && committed != nil {
      throw StoreError(.drifted, "the rows contradict each other: \(error): \(StoreError.drift)")
    }
  }

  /// Brings a finished projection file into the live database with SQLite's backup.
  ///
  /// Readers that have it open see the old rows, then the new ones, and nothing between. A file must
  /// never be renamed over an open SQLite database: its old write-ahead log would be read into the
  /// new file.
  package func replace(withContentsOf path: String) throws {
    var configuration = Configuration()
    configuration.label = "rebuilt"
    let source = try StoreError.translating(.making(path)) {
      try DatabaseQueue(path: path, configuration: configuration)
    }
    defer { try? source.close() }
    let pool = try guarded {
      let pool = try self.pool
      // The checkpoint may be the same: what readers keep in memory is not.
      // A database of an older version has none, and one whose checkpoint was taken away has lost it: the
      // time makes sure that no reader has seen the next one.
      // One out of bounds, or that nothing within them can follow, was written by hand, and says nothing.
      let epoch = (try? pool.read(Checkpoint.epoch)) ?? 0
      let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
      let next = epoch < NumberRules.greatest ? max(epoch + 1, now) : now
      try source.write { database in
        try database.execute(
          sql: "UPDATE projection_checkpoint SET epoch = ?", arguments: [next])
      }
      try source.backup(to: pool)
      try touched.wasReplaced(in: pool)
      return pool
    }
    try touched.write(with: pool) {
      pool.writeWithoutTransaction { database in
        // The backup left the whole database in the write-ahead log. Readers may hold it: then the
        // next checkpoint does this.
        _ = try? database.checkpoint(.truncate)
      }
    }
  }

  /// Copies the database, as it is, to a new file.
  ///
  /// - Throws: `StoreError` if there is a file of that name.
  package func copy(to path: String) throws {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw StoreError(.invalidRequest, "\(path) already exists; name a new file")
    }
    do {
      let target = try DatabaseQueue(path: path)
      try guarded { try pool.backup(to: target) }
      // One file, without a write-ahead log of its own.
      try target.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
      try target.close()
      try FileSync.sync(path)
    } catch {
      // Half a copy is none, whoever says what went wrong.
      try? FileManager.default.removeItem(atPath: path)
      throw (error as? DatabaseError).map { StoreError(opening: path, $0) } ?? error
    }
  }

  /// Whether only the projector wrote to the database since all its rows were right.
  package var isKnownToBeRight: Bool {
    get throws { try guarded { try !touched.look(connections.openPool) } }
  }

  /// Compares all rows with their digests, indexes with their tables, and full-text indexes with the rows' words, if a
  /// program other than the projector may have written to the database since that was done last (`ExternalChangeDetector`).
  /// Each call looks at the files again.
  ///
  /// - Throws: `StoreError` with `drifted` if a row is not what the projector wrote, `stale` if nothing proves the rows,
  ///   `notADatabase` if SQLite cannot read it.
  package func verifyIfTouched() throws {
    try guarded {
      guard try touched.checkWaiting(connections.openPool) else { return }
      try touched.prove(connections.openPool) {
        let view = try ProjectionView(path: path, migrations: migrations)
        defer { try? view.close() }
        try view.requireSound()
      }
    }
  }

  package func receipt() throws -> Receipt {
    try read { try Receipt(of: migrations.schema, in: $0) }
  }

  package func close() throws {
    try changes.close()
    touched.stop()
    try connections.close(after: { touched.keep($0) })
  }
}

extension ProjectionMigrations {
  /// Reads all rows of these tables into memory, proved.
  ///
  /// - Throws: `StoreError` with `drifted` or `stale`.
  func load(
    _ tables: [TableDescription], _ database: Database
  ) throws -> MemoryRowStore {
    let store = MemoryRowStore(schema: schema)
    try SchemaCheck(self).require(database)
    let proof = try RowProof(database)
    var drifted: [String] = []
    for table in tables {
      do {
        if try !proof.scan(table, { try store.put($0, in: table) }).isEmpty {
          drifted.append(table.name)
        }
      } catch let error as StoreError where error.code == .drifted {
        drifted.append(table.name)
      } catch let error as ProjectionError where [.invalidRow, .duplicate].contains(error.code) {
        drifted.append(table.name)
      }
    }
    guard drifted.isEmpty else { throw StoreError.drifted(tables: drifted) }
    return store
  }

  func hasRows(_ database: Database) throws -> Bool {
    try schema.tables.contains { table in
      try database.tableExists(table.name)
        && database.hasRow("SELECT 1 FROM \(table.sqlName) LIMIT 1")
    }
  }

  /// - Throws: `StoreError` with `notADatabase` if there are tables and none of them is a projection's.
  func requireOwnTables(_ database: Database) throws {
    let names = try database.rows(
      of: StoredRow.Origin("sqlite_schema"),
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ) { try $0.text(0) }
    let own = Set(schema.tables.map(\.name) + ["projection_checkpoint", "grdb_migrations"])
    guard !names.isEmpty, own.isDisjoint(with: names) else { return }
    throw StoreError(
      .notADatabase,
      "the file is the database of another program (it has the table \(JSONExcerpt.printable(names[0]))): "
        + "move it away, or \(do: .rebuild) sets it aside and makes the catalog's database")
  }
}

extension ProjectionDatabase {
  /// All that events made, in memory and proved.
  package struct LoadedRows {
    package let rows: MemoryRowStore
    package let checkpoint: Checkpoint
    package let conflicts: [ProjectionConflict]
  }

  /// Loads all rows.
  ///
  /// - Returns: nil if no event was applied yet.
  /// - Throws: as `readProved`.
  package func loadAll() throws -> LoadedRows? {
    try read { database in
      guard let checkpoint = try Checkpoint.read(database) else { return nil }
      return LoadedRows(
        rows: try migrations.load(migrations.schema.tables, database), checkpoint: checkpoint,
        conflicts: try ConflictTable.read(database))
    }
  }

  /// How many rows the running digests say there are; nil if there are no digests.
  package func countedRows() throws -> Int64? {
    try read { database in
      guard try RunningDigests.head(database) != nil else { return nil }
      return try RunningDigests.rows(database)
    }
  }

  /// Refuses a change of a catalog with a table that no rebuild could keep in memory with more rows.
  ///
  /// - Throws: `ProjectionError` with `limit`.
  package func requireRoom() throws {
    let limits = migrations.schema.limits
    guard let rows = try countedRows(), rows >= limits.rows else { return }
    try read { database in
      for table in migrations.schema.tables
      where try table.keptSum(in: database).rows >= limits.rows {
        throw limits.excess(of: table)
      }
    }
  }
}

/// What a transaction that changed rows commits with them.
package struct ProjectionAdvance: Sendable {
  package var checkpoint: Checkpoint
  /// Events that changed nothing, because they contradict the rows.
  package var conflicts: [ProjectionConflict]

  package init(_ checkpoint: Checkpoint, conflicts: [ProjectionConflict] = []) {
    self.checkpoint = checkpoint
    self.conflicts = conflicts
  }

  func write(
    _ store: SQLiteRowStore, from previous: Checkpoint?, _ database: Database
  ) throws {
    try RunningDigests.add(
      store.takeDigestChanges(), conflicts, from: previous, to: checkpoint, database)
    try ConflictTable.add(conflicts, database)
    try checkpoint.write(database)
  }
}

extension ProjectionDatabase: ProvedRowsSource {
  package func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try guarded { try connections.read(body) }
  }

  /// Whether rows that were read are the same now.
  package func isSame(_ read: ReadRows) throws -> Bool { try self.read(read.isSame) }
}
