import CatalogModel
import CatalogStore
package import Projections

/// Finds the new name of a column that is gone from a database, by its values.
package struct RenameSearch {
  /// Visits all rows of a table of the catalog.
  package typealias Scan = (TableDescription, ([PackedCell]) throws -> Void) throws -> Void

  private let program: KindProgram
  private let copy: DatabaseCopy
  private let scan: Scan

  /// Rows of the catalog that are looked up in the database: enough to tell a rename from a chance.
  private static let sample = 2_000
  /// The part of the rows that have the same value: some may have changed since.
  private static let enough = 0.95

  init(_ program: KindProgram, _ copy: DatabaseCopy, _ scan: @escaping Scan) {
    (self.program, self.copy, self.scan) = (program, copy, scan)
  }

  /// A column that is gone from a table which the database still has.
  struct Column {
    /// The names in the catalog.
    let table: String
    let name: String
    /// The table's name in the database now.
    let source: String
    /// The names in the database now of the key's columns.
    let key: [String]
  }

  /// The new column of the database that has the values of one that is gone, in the same rows.
  ///
  /// - Returns: nil if there is none, if several have them, or if the table has no key by which rows are compared.
  func column(_ gone: Column, among new: [String]) throws -> String? {
    guard !new.isEmpty, let compiled = program.table(gone.table),
      let described = program.description.table(gone.table),
      let column = described.column(gone.name), !described.keyColumns.isEmpty,
      !described.keyColumns.contains(gone.name),
      let place = compiled.table.index(of: gone.name)
    else { return nil }
    let keyColumns = described.keyColumns.compactMap { described.column($0) }
    let keyPlaces = described.keyColumns.compactMap { compiled.table.index(of: $0) }
    var known: [[UInt8]: [UInt8]] = [:]
    var packed = RowBuffer()
    try scan(compiled.table) { cells in
      guard known.count < Self.sample else { return }
      if case .null = cells[place] { return }
      func bytes(_ places: [Int], _ columns: [DescribedColumn]) -> [UInt8] {
        packed.removeAll()
        for (place, column) in zip(places, columns) { packed.append(cells[place], of: column.type) }
        return Array(packed.bytes)
      }
      known[bytes(keyPlaces, keyColumns)] = bytes([place], [column])
    }
    // A value that most rows have says nothing: a new column may have it as its default.
    var counts: [[UInt8]: Int] = [:]
    for value in known.values { counts[value, default: 0] += 1 }
    if let common = counts.first(where: { $0.value > 1 && $0.value * 2 > known.count })?.key {
      known = known.filter { $0.value != common }
    }
    guard !known.isEmpty else { return nil }
    var (met, same) = (0, new.map { _ in 0 })
    try copy.read { database in
      guard let found = try DatabaseSchema(database).table(gone.source) else { return }
      let table = found.numbered(if: gone.key.contains)
      // By a column of the key that is gone, too, no row is found.
      guard
        gone.key.allSatisfy({ name in
          table.columns.contains { DatabaseSchema.isSame($0.name, name) }
        })
      else { return }
      let statement = try PreparedStatement(database, table.selection(gone.key + new))
      while try statement.step() {
        packed.removeAll()
        for (place, column) in keyColumns.enumerated() {
          DatabaseCell.append(statement.cell(place), column, to: &packed)
        }
        guard let value = known[Array(packed.bytes)] else { continue }
        met += 1
        for place in new.indices {
          packed.removeAll()
          DatabaseCell.append(statement.cell(gone.key.count + place), column, to: &packed)
          if packed.bytes.elementsEqual(value) { same[place] += 1 }
        }
      }
    }
    let likely = new.indices.filter { met > 0 && Double(same[$0]) >= Self.enough * Double(met) }
    return likely.count == 1 ? new[likely[0]] : nil
  }
}
