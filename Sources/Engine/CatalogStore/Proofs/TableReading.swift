import GRDB
import Projections

/// Statements that read the rows of a table out of the table itself, and not out of an index that has them too.
///
/// An index may say anything: nothing compares it with its table. `NOT INDEXED` keeps SQLite from the indexes of a table
/// with row ids. Of a table without, it leaves a scan of an index that has all columns: there, the primary key, which is
/// the table, is named.
struct TableReading {
  private let table: TableDescription
  /// The words after the name of the table.
  private let itself: String

  init(_ table: TableDescription, _ database: Database) throws {
    self.table = table
    switch table.storage {
    case .rowIDs: itself = "NOT INDEXED"
    case .withoutRowIDs:
      let key = try database.rows(
        of: StoredRow.Origin("sqlite_schema"),
        "SELECT name FROM pragma_index_list(?) WHERE origin = 'pk'", [table.name]
      ) { try $0.text(0) }
      guard key.count == 1 else { throw StoreError.changedByHand(table.name) }
      itself = "INDEXED BY \(key[0])"
    }
  }

  /// Reads all rows.
  var all: String { "SELECT \(table.columnList) FROM \(table.sqlName) \(itself)" }

  /// Reads the rows whose keys begin with a value between two that are bound.
  ///
  /// An index leads to the rows of a table whose key is not its row id. Whether it led to all of them, and to no others,
  /// their digests tell.
  var range: String {
    let condition = "\(table.columns[table.key[0]].sqlName) BETWEEN ? AND ?"
    guard table.storage == .rowIDs, table.rowIDColumn == nil else {
      return "\(all) WHERE \(condition)"
    }
    return "\(all) WHERE rowid IN (SELECT rowid FROM \(table.sqlName) WHERE \(condition))"
  }
}
