import CatalogModel
import Foundation
package import GRDB
package import Projections

/// Makes the tables of a projection.
///
/// A projection is disposable: when its tables change, its fingerprint does, and it is rebuilt from
/// the log. So there is one migration, named by the fingerprint, and never a chain of them.
package struct ProjectionMigrations {
  package let schema: Schema
  package let fingerprint: ProjectorFingerprint
  /// Which every connection has.
  private let functions: [SQLFunction]
  /// The kind, if it notes what each transaction changes.
  private let noting: (any NotingKind)?

  package init(
    schema: Schema, fingerprint: ProjectorFingerprint, functions: [SQLFunction] = [],
    noting: (any NotingKind)? = nil
  ) {
    self.schema = schema
    self.fingerprint = fingerprint
    self.functions = functions
    self.noting = noting
  }

  /// Notes of a transaction; nil if the kind takes none.
  func makeNotes() -> (any TransactionNotes)? { noting?.makeNotes() }

  /// Gives a connection the functions that SQL calls.
  ///
  /// - Parameter path: of the database, which is in the catalog's folder.
  package func addFunctions(to database: Database, at path: String) {
    let folder = (path as NSString).deletingLastPathComponent
    for function in functions {
      database.add(
        function: DatabaseFunction(function.name, argumentCount: function.argumentCount) { values in
          do {
            return try function.body(values.map { try Value($0) }, folder).sqlValue
          } catch {
            throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "\(error)")
          }
        })
    }
  }

  /// The name of the one migration in `grdb_migrations`.
  var identifier: String { "projection \(fingerprint)" }

  /// - Parameter makesIndexes: false for a bulk write, which makes them when the rows are there.
  package func migrator(makesIndexes: Bool = true) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration(identifier) { database in
      for table in schema.tables { try database.execute(sql: table.sql) }
      try database.execute(sql: Checkpoint.sql)
      try database.execute(sql: ChangeTable.sql)
      try database.execute(sql: RunningDigests.sql)
      try database.execute(sql: ConflictTable.sql)
      for index in schema.fullTextIndexes {
        for sql in index.creation { try database.execute(sql: sql) }
      }
      if schema.userVersion != 0 {
        try database.execute(sql: "PRAGMA user_version = \(schema.userVersion)")
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

extension CatalogKind {
  /// The tables of this kind's projections.
  package var migrations: ProjectionMigrations {
    ProjectionMigrations(
      schema: schema, fingerprint: fingerprint, functions: functions,
      noting: self as? any NotingKind)
  }
}

extension Value {
  fileprivate init(_ value: DatabaseValue) throws {
    switch value.storage {
    case .null: self = .null
    case .int64(let integer): self = .integer(integer)
    case .double(let real): self = .real(real)
    case .string(let text): self = .text(text)
    case .blob(let bytes): self = .blob(Array(bytes))
    }
  }

  package var sqlValue: (any DatabaseValueConvertible)? {
    switch self {
    case .null: nil
    case .integer(let integer): integer
    case .real(let real): real
    case .text(let text): text
    case .id(let id): id.description
    case .time(let time): time.description
    case .blob(let bytes): Data(bytes)
    }
  }
}
