package import GRDB
package import Projections
import Support

/// The rows of a table after a batch, as a number of rows and a sum of digests.
package struct RowSumStep: Sendable {
  /// The last event of the batch.
  package let end: UInt64
  package let sum: RowSum

  package init(end: UInt64, sum: RowSum) {
    (self.end, self.sum) = (end, sum)
  }
}

extension HistoryGenerations {
  /// The sums of a table's rows without their times: after each batch that changed more than times, in the order of the log.
  ///
  /// A history keeps the sums of whole rows, so these are computed from all versions of the table.
  ///
  /// - Parameter ends: the last events of the batches that count, ascending.
  package func timelessSums(
    of table: TableDescription, atBatchesEndingWith ends: [UInt64], in database: Database
  ) throws -> [RowSumStep] {
    guard let last = ends.last else { return [] }
    let columns = table.columns.map { $0.isTime ? "NULL" : $0.sqlName }.joined(separator: ", ")
    // A version has ended in one generation, or is in the last.
    let all = all(of: table)
    let versions = all.map { generation in
      "SELECT \(columns), \(table.versionColumns.from), \(table.versionColumns.to) FROM main.\(generation.name(table)) "
        + "WHERE \(table.versionColumns.from) <= ?1"
        + (generation.number < all.count - 1 ? " AND \(table.versionColumns.to) < 0" : "")
    }
    let statement = try PreparedStatement(
      database, versions.joined(separator: " UNION ALL "), [.sequence(last)])
    let digester = RowDigester(table)
    func place(_ event: UInt64) -> Int {
      BinarySearch.first(of: ends.count) { ends[$0] >= event }
    }
    var changes = Array(repeating: RowSum(), count: ends.count)
    let count = table.columns.count
    while try statement.step() {
      let digest = digester.digest(statement)
      changes[place(statement.sequence(count))].add(digest)
      let end = VersionColumns.event(statement.integer(count + 1))
      if end > 0, end <= last { changes[place(end)].subtract(digest) }
    }
    var sum = RowSum()
    return zip(ends, changes).compactMap { end, change in
      guard !change.isZero else { return nil }
      sum.add(change)
      return RowSumStep(end: end, sum: sum)
    }
  }
}
