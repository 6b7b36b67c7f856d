import Foundation
import GRDB

/// Columns of one row as the bytes that SQLite holds.
enum StoredText {
  static func fetch(_ database: Database, _ sql: String) throws -> [Data] {
    guard let row = try Row.fetchOne(database, sql: sql) else { return [] }
    return (0..<row.count).map { row[$0] }
  }
}
