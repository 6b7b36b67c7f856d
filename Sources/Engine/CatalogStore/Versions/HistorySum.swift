import Projections

/// The sum of the digests of all rows of a history's file, which is kept in the file and changed with every row: a row that was
/// changed in any other way does not add up.
package struct HistorySum: Hashable, Sendable {
  private(set) var total: RowSum

  init(_ total: RowSum = RowSum()) {
    self.total = total
  }

  mutating func add(_ sum: RowSum, of table: TableDescription) {
    let digest = Self.digest(sum, of: table)
    total.add(RowSum(rows: sum.rows, digest: digest))
  }

  mutating func subtract(_ sum: RowSum, of table: TableDescription) {
    let digest = Self.digest(sum, of: table)
    total.rows &-= sum.rows
    total.digest = total.digest &- digest
  }

  /// The part of a table: a row that is moved to another table of the same columns counts otherwise there.
  private static func digest(_ sum: RowSum, of table: TableDescription) -> RowDigest {
    let factor = Array(table.name.utf8).withUnsafeBytes { RowDigest($0, rowID: 0) }
    // An odd factor takes no bit away.
    return RowDigest(
      low: sum.digest.low &* (factor.low | 1), high: sum.digest.high &* (factor.high | 1))
  }
}
