import Projections

/// Makes the digests of a table's rows, from whichever form a row comes in.
///
/// What is hashed is the record that SQLite's file format has for the row, its columns in the order in which the
/// table stores them: the bulk writer has made it already, and it tells `1` from `'1'` from `x'31'`.
final class RowDigester {
  let table: TableDescription
  /// The columns in the order in which they are stored.
  let stored: [Int]
  private let encoder: RecordEncoder
  private let areReal: [Bool]
  private let rowIDColumn: Int?
  /// Bytes of the record that was hashed last.
  private(set) var recordLength = 0

  init(_ table: TableDescription) {
    self.table = table
    stored = table.storedColumns
    rowIDColumn = table.rowIDColumn
    encoder = RecordEncoder(columns: table.columns.count + 1)
    areReal = table.columns.map { $0.type == .real }
  }

  /// - Parameter row: values in column order.
  func digest(_ row: [Value]) -> RowDigest {
    encoder.begin()
    var rowID: Int64 = 0
    for column in stored {
      if column == rowIDColumn {
        encoder.addNull()
        if case .integer(let number) = row[column] { rowID = number }
      } else {
        encoder.add(row[column], isReal: areReal[column])
      }
    }
    addRowNumber()
    let record = encoder.finish()
    recordLength = record.count
    return RowDigest(record, rowID: rowID)
  }

  /// - Parameter cells: in column order.
  func digest(_ cells: [PackedCell]) -> RowDigest {
    encoder.begin()
    var rowID: Int64 = 0
    for column in stored {
      if column == rowIDColumn {
        encoder.addNull()
        if case .integer(let number) = cells[column] { rowID = number }
      } else {
        encoder.add(cells[column], isReal: areReal[column])
      }
    }
    addRowNumber()
    let record = encoder.finish()
    recordLength = record.count
    return RowDigest(record, rowID: rowID)
  }

  /// The row on which a statement stands that selects the columns in table order.
  func digest(_ statement: PreparedStatement) -> RowDigest { digest { statement.cell($0) } }

  /// - Parameter cell: gives the cell of a column, as SQLite stores it.
  @inline(__always)
  func digest(_ cell: (Int) -> PreparedStatement.Cell) -> RowDigest {
    encoder.begin()
    var rowID: Int64 = 0
    for column in stored {
      let cell = cell(column)
      if column == rowIDColumn, case .integer(let number) = cell {
        encoder.addNull()
        rowID = number
      } else {
        encoder.add(cell, isReal: areReal[column])
      }
    }
    addRowNumber()
    return RowDigest(encoder.finish(), rowID: rowID)
  }

  /// SQLite keeps NULL in the place of a column that is the row id. The number of a row is not a part of its digest.
  private func addRowNumber() {
    if table.rowNumber != nil { encoder.addNull() }
  }
}

extension TableDescription {
  /// The column that is the row id: an integer that is the whole key.
  var rowIDColumn: Int? {
    storage == .rowIDs && hasIntegerKey ? key[0] : nil
  }

  /// Whether the key is one integer.
  var hasIntegerKey: Bool {
    key.count == 1 && columns[key[0]].type == .integer
  }

  /// The columns as SQLite stores them: of a table without row ids, those of the key come first.
  var storedColumns: [Int] {
    storage == .withoutRowIDs ? keyFirstColumns : Array(columns.indices)
  }
}
