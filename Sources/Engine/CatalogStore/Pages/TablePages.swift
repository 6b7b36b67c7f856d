import Projections
import Support

/// Writes the rows of one table, and its indexes, as pages.
struct TablePages {
  private let table: TableDescription
  private let trees: TableTrees
  private let file: PageFile
  private let encoder: RecordEncoder
  private let areReal: [Bool]
  private let limits: RowLimits

  init(
    _ table: TableDescription, _ trees: TableTrees, in file: PageFile,
    limits: RowLimits = RowLimits()
  ) {
    self.table = table
    self.limits = limits
    self.trees = trees
    self.file = file
    encoder = RecordEncoder(columns: table.columns.count + 1)
    areReal = table.columns.map { $0.type == .real }
  }

  /// - Parameters:
  ///   - orders: the rows' numbers as each index has them.
  ///   - progress: called after each row of the table.
  /// - Returns: the running digests of the rows, by stretch.
  func write(
    _ rows: PackedRows, orders: [[UInt32]], progress: () throws -> Void
  ) throws -> [Int64: RowSum] {
    guard rows.count > 0 else { return [:] }
    var cells = Array(repeating: PackedCell.null, count: table.columns.count)
    let sums = try writeTable(rows, &cells, progress)
    for (index, order) in zip(trees.indexes, orders) {
      try write(index, of: rows, in: order, &cells)
    }
    return sums
  }

  private func writeTable(
    _ rows: PackedRows, _ cells: inout [PackedCell], _ progress: () throws -> Void
  ) throws -> [Int64: RowSum] {
    let tree = TreeWriter(file, root: trees.root, isTable: trees.hasRowIDs)
    // Without row ids the key's columns come first.
    let columns = table.storedColumns
    let rowIDColumn = table.rowIDColumn
    let leading = table.key[0]
    var sums = StretchSums()
    for row in 0..<rows.count {
      rows.read(row, into: &cells)
      encoder.begin()
      for column in columns {
        // The row id stands before the record, and NULL in its place.
        if column == rowIDColumn {
          encoder.addNull()
        } else {
          encoder.add(cells[column], isReal: areReal[column])
        }
      }
      // SQLite keeps NULL in the place of a column that is the row id.
      if table.rowNumber != nil { encoder.addNull() }
      let record = encoder.finish()
      guard record.count <= limits.rowLength else {
        throw limits.excess(of: table, rowLength: record.count)
      }
      let rowID = rowID(row, cells)
      sums.add(
        RowDigest(record, rowID: rowIDColumn == nil ? 0 : rowID),
        to: RowStretch.of(cells[leading], table))
      if trees.hasRowIDs {
        try tree.add(record, rowID: rowID)
      } else {
        try tree.add(record)
      }
      try progress()
    }
    try tree.finish()
    return sums.finish()
  }

  private func write(
    _ index: TableTrees.Index, of rows: PackedRows, in order: [UInt32],
    _ cells: inout [PackedCell]
  ) throws {
    let tree = TreeWriter(file, root: index.root, isTable: false)
    let indexed = index.indexed
    var last: Int?
    for number in order {
      let row = Int(number)
      rows.read(row, into: &cells)
      if index.isUnique {
        if let last, rows.areEqual(last, row, in: indexed),
          !indexed.contains(where: { cells[$0].isNull })
        {
          let columns = indexed.map { "\(table.name).\(table.columns[$0].name)" }
          throw StoreError(
            .database, "UNIQUE constraint failed: \(columns.joined(separator: ", "))")
        }
        last = row
      }
      encoder.begin()
      for column in index.columns {
        if let column {
          encoder.add(cells[column], isReal: areReal[column])
        } else {
          encoder.add(rowID(row, cells))
        }
      }
      try tree.add(encoder.finish())
    }
    try tree.finish()
  }

  /// Rows whose key is no integer are numbered from 1, as they would be where they are inserted.
  private func rowID(_ row: Int, _ cells: [PackedCell]) -> Int64 {
    if let rowIDColumn = table.rowIDColumn, case .integer(let number) = cells[rowIDColumn] {
      return number
    }
    return Int64(row) + 1
  }
}

extension PackedCell {
  fileprivate var isNull: Bool {
    if case .null = self { true } else { false }
  }
}
