import CatalogModel
import Foundation
import GRDB
import Projections

@testable import CatalogStore

/// Rows as SQLite itself keeps them, by one statement a change: what the row stores are held against.
struct PlainSQLRowStore {
  let queue: DatabaseQueue
  private let forms: TableForms

  init(_ forms: TableForms, at path: String) throws {
    self.forms = forms
    queue = try DatabaseQueue(path: path)
    try forms.migrations.migrator().migrate(queue)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA foreign_keys = OFF") }
  }

  /// - Returns: whether SQLite takes the row.
  func put(_ row: [Value], in table: TableDescription) throws -> Bool {
    let names = table.columns.map(\.sqlName)
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    let condition = table.key.map { "\(names[$0]) = ?" }.joined(separator: " AND ")
    let assignments = names.map { "\($0) = ?" }.joined(separator: ", ")
    do {
      return try queue.write { database in
        try database.execute(
          sql: "UPDATE \(table.sqlName) SET \(assignments) WHERE \(condition)",
          arguments: StatementArguments((row + table.key(of: row)).map(Self.value)))
        if database.changesCount == 0 {
          try database.execute(
            sql: "INSERT INTO \(table.sqlName) VALUES (\(marks))",
            arguments: StatementArguments(row.map(Self.value)))
        }
        return true
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      return false
    }
  }

  func remove(key: [Value], from table: TableDescription) throws {
    let condition = table.key.map { "\(table.columns[$0].sqlName) = ?" }.joined(separator: " AND ")
    try queue.write { database in
      try database.execute(
        sql: "DELETE FROM \(table.sqlName) WHERE \(condition)",
        arguments: StatementArguments(key.map(Self.value)))
    }
  }

  func receipt() throws -> Receipt {
    try queue.write { try forms.checkpoint.write($0) }
    return try queue.read { try Receipt(of: forms.schema, in: $0) }
  }

  private static func value(_ value: Value) -> (any DatabaseValueConvertible)? {
    switch value {
    case .null: nil
    case .integer(let integer): integer
    case .real(let real): real
    case .text(let text): text
    case .id(let id): id.description
    case .time(let time): time.description
    // GRDB binds empty data as an empty blob.
    case .blob(let bytes): Data(bytes)
    }
  }
}
