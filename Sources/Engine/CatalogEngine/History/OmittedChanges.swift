package import Projections

/// Counts changes that a person who compares two states does not see unless asked for: columns that say when a row was
/// written (`ColumnDescription.isChangeStamp`), and tables of the program's own (`TableDescription.isOwn`).
package struct OmittedChanges: Hashable, Sendable {
  /// The differences that a comparison only counts.
  package enum Extent: Sendable {
    case nothing
    case ownTables
    case stampsAndOwnTables
  }

  /// Names of the columns, in the order in which they were met.
  package private(set) var stamps: [String] = []
  /// Rows of which such a column is left out.
  package private(set) var stampedRows = 0
  /// Those of them in which nothing else changed.
  package private(set) var rowsOfStampsAlone = 0
  /// Names of the tables that are left out, in the order in which they were met.
  package private(set) var ownTables: [String] = []
  /// Rows of these tables that differ.
  package private(set) var ownRows = 0

  package init() {}

  package var isEmpty: Bool { stampedRows == 0 && ownRows == 0 }

  package mutating func add(_ rows: Int, ofOwn table: String) {
    guard rows > 0 else { return }
    if !ownTables.contains(table) { ownTables.append(table) }
    ownRows += rows
  }

  /// - Parameter isAlone: whether the row has no other change.
  package mutating func add(_ columns: [String], isAlone: Bool) {
    guard !columns.isEmpty else { return }
    for column in columns where !stamps.contains(column) { stamps.append(column) }
    stampedRows += 1
    if isAlone { rowsOfStampsAlone += 1 }
  }
}

extension RowChanges {
  /// The changes without those that are left out.
  package static func withoutStampsAndOwnTables(
    _ changes: [RowChange]
  ) -> (changes: [RowChange], leftOut: OmittedChanges) {
    var leftOut = OmittedChanges()
    let shown = changes.filter { change in
      if change.table.isOwn {
        leftOut.add(1, ofOwn: change.table.name)
        return false
      }
      let isAlone = change.changedColumns.allSatisfy { change.table.columns[$0].isChangeStamp }
      leftOut.add(
        change.changedColumns.map { change.table.columns[$0] }.filter(\.isChangeStamp).map(\.name),
        isAlone: isAlone)
      return !isAlone
    }
    return (shown, leftOut)
  }
}

extension RowChange {
  /// The columns that the change is in, all of them if the row came or went, as places in the row.
  package var changedColumns: [Int] {
    guard let before, let after else { return Array(table.columns.indices) }
    return table.columns.indices.filter { before[$0] != after[$0] }
  }
}
