import CatalogModel
import CatalogStore
import Foundation
import GRDB
import Projections

/// The plain twin of `BulkWriter`: a statement a row, through GRDB, indexes last.
struct PlainBulkWriter {
  let schema: Schema

  /// Makes the tables and indexes of the schema in a new file and fills them.
  func write(_ store: MemoryRowStore, to path: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { database in
      for table in schema.tables {
        try database.execute(sql: table.sql)
        let marks = table.columns.map { _ in "?" }.joined(separator: ", ")
        let statement = try database.makeStatement(
          sql: "INSERT INTO \(table.name) VALUES (\(marks))")
        try store.drain(table) { cells in
          try statement.execute(arguments: StatementArguments(cells.map(Self.value)))
        }
        for index in table.indexes {
          if let sql = index.sql { try database.execute(sql: sql) }
        }
      }
    }
    try queue.close()
  }

  private static func value(_ cell: PackedCell) -> (any DatabaseValueConvertible)? {
    switch cell {
    case .null: nil
    case .integer(let integer): integer
    case .real(let real): real
    case .text(let bytes): String(decoding: bytes, as: UTF8.self)
    case .id(let id): id.description
    case .time(let time): time.description
    case .blob(let bytes): Data(bytes)
    }
  }
}
