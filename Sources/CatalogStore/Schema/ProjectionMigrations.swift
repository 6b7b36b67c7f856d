package import GRDB
package import Projections

/// Makes the tables of a projection.
///
/// A projection is disposable: when its tables change, its fingerprint does, and it is rebuilt from
/// the log. So there is one migration, named by the fingerprint, and never a chain of them.
package struct ProjectionMigrations {
  package let schema: Schema
  package let fingerprint: ProjectorFingerprint

  package init(schema: Schema, fingerprint: ProjectorFingerprint) {
    self.schema = schema
    self.fingerprint = fingerprint
  }

  package static let soundLibrary = ProjectionMigrations(
    schema: SoundLibrarySchema.schema, fingerprint: .soundLibrary)

  /// - Parameter makesIndexes: false for a bulk write, which makes them when the rows are there.
  package func migrator(makesIndexes: Bool = true) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("projection \(fingerprint)") { database in
      for table in schema.tables { try database.execute(sql: table.sql) }
      try database.execute(sql: Checkpoint.sql)
      try database.execute(sql: ChangeJournal.sql)
      try database.execute(sql: RunningDigests.sql)
      try database.execute(sql: ConflictTable.sql)
      for index in schema.fullTextIndexes {
        for sql in index.creation { try database.execute(sql: sql) }
      }
      if makesIndexes { try self.makeIndexes(database) }
    }
    return migrator
  }

  /// Makes what finds rows: indexes, and full-text indexes filled from the rows that are there.
  package func makeIndexes(_ database: Database) throws {
    for table in schema.tables {
      for index in table.indexes {
        if let sql = index.sql { try database.execute(sql: sql) }
      }
    }
    for index in schema.fullTextIndexes {
      for sql in [index.filling] + index.triggers.map(\.sql) { try database.execute(sql: sql) }
    }
  }
}
