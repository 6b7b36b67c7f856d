/// The rows of one table in key order, for a bulk write.
///
/// Not Sendable: one writer owns it.
package final class PackedRows {
  private let table: PackedTable
  private let places: [UInt32]

  init(_ table: PackedTable) {
    self.table = table
    places = table.placesInKeyOrder()
    table.dropLookups()
  }

  package var count: Int { places.count }

  /// Reads the cells of a row, in column order, into an array that has a place for each column.
  package func read(_ row: Int, into cells: inout [PackedCell]) {
    table.read(places[row], into: &cells)
  }

  /// The numbers of all rows as an index over these columns has them; rows with the same values stay
  /// in key order.
  package func order(by columns: [Int]) -> [UInt32] {
    table.order(of: places, by: columns)
  }

  /// Whether two rows have the same values in these columns.
  package func areEqual(_ left: Int, _ right: Int, in columns: [Int]) -> Bool {
    table.compare(places[left], places[right], columns) == 0
  }
}
