import GRDB
import Projections

/// Full-text indexes while very many rows are changed.
///
/// A statement with a trigger has a savepoint of its own, at which FTS5 (of SQLite 3.40) writes all words that it
/// holds in memory: for each row, and merges them again. So the triggers are away meanwhile, `SQLiteRowStore` carries
/// the words, and FTS5 writes them when it has gathered some.
enum WordCarrying {
  /// Bytes of words that an index gathers before it writes them; SQLite's own limit is 1 MiB.
  private static let gathered = 32 << 20

  /// Whether the triggers are there, and the projector's own. Others were made by hand, and stay: they are evidence.
  static func hasTriggers(_ schema: Schema, _ database: Database) throws -> Bool {
    try schema.fullTextIndexes.flatMap(\.triggers).allSatisfy { trigger in
      try database.hasRow(
        "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = ? AND sql = ?",
        [trigger.name, trigger.sql])
    }
  }

  /// Takes the triggers away, in the transaction that is open or one of its own.
  static func begin(_ schema: Schema, _ database: Database) throws {
    for index in schema.fullTextIndexes {
      try database.execute(
        sql: "INSERT INTO \(index.name)(\(index.name), rank) VALUES ('hashsize', ?)",
        arguments: [gathered])
      for trigger in index.triggers {
        try database.execute(sql: "DROP TRIGGER IF EXISTS \(trigger.name)")
      }
    }
  }

  /// Makes them again, where they are away. The database is then as if they had been there.
  static func end(_ schema: Schema, _ database: Database) throws {
    if try hasTriggers(schema, database) { return }
    for index in schema.fullTextIndexes {
      try database.execute(sql: "DELETE FROM \(index.name)_config WHERE k = 'hashsize'")
      for trigger in index.triggers {
        try database.execute(sql: "DROP TRIGGER IF EXISTS \(trigger.name)")
        try database.execute(sql: trigger.sql)
      }
    }
  }
}

/// The statements that carry changes of a table into one full-text index.
final class WordStatements {
  private let index: FullTextIndexDescription
  private let columns: [Int]
  private var addition: PreparedStatement?
  private var removal: PreparedStatement?

  init(_ index: FullTextIndexDescription) {
    self.index = index
    columns = index.table.key + index.columns.compactMap { index.table.index(of: $0) }
  }

  /// - Parameters:
  ///   - old: the row before; nil if there was none.
  ///   - row: the row now; nil if it was removed.
  func carry(from old: [Value]?, to row: [Value]?, in database: Database) throws {
    if let old, let row, columns.allSatisfy({ old[$0] == row[$0] }) { return }
    if let old {
      let statement = try removal ?? PreparedStatement(database, index.removal)
      removal = statement
      try run(statement, old, index.content == .own ? index.table.key : columns)
    }
    if let row {
      let statement = try addition ?? PreparedStatement(database, index.addition)
      addition = statement
      try run(statement, row, columns)
    }
  }

  private func run(_ statement: PreparedStatement, _ row: [Value], _ columns: [Int]) throws {
    for (place, column) in columns.enumerated() {
      try statement.bind(row[column], at: place + 1)
    }
    try statement.run()
  }
}
