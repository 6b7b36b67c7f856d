import CatalogStore
import EventLog

/// Which rows differ between the two ends of a range, as many as a page can hold.
package struct RangeChanges: Sendable {
  /// Tables that differ, in the order of the schema: every row counted, some of them listed.
  package let tables: [HistoryDiff.Table]
  package let rows: Int
  /// Rows that are counted and not listed.
  package let unlisted: Int
  /// Rows of the program's own tables; they are not among the others.
  package let leftOut: OmittedChanges

  init(
    from old: PastDatabase, to new: PastDatabase, rowLimit: Int, of states: PastStates
  ) throws {
    let diff = try HistoryDiff(
      from: old, to: new, of: states.log.kind, rowLimit: rowLimit, leavingOut: .ownTables,
      events: states)
    leftOut = diff.leftOut
    let counts = diff.tables.map { $0.added + $0.removed + $0.changed }
    let shares = RowQuota.of(rowLimit, among: counts)
    tables = zip(diff.tables, shares).map { table, share in
      var table = table
      table.differences = Array(table.differences.prefix(share))
      return table
    }
    rows = counts.reduce(0, +)
    unlisted = rows - shares.reduce(0, +)
  }
}

/// Divides room among groups so that a large group never hides a small one.
enum RowQuota {
  /// - Returns: for each group at most its count, together at most `total`: groups that need less than
  ///   the others leave the rest to them.
  static func of(_ total: Int, among counts: [Int]) -> [Int] {
    var shares = counts
    var left = total
    let smallestFirst = counts.indices.sorted { (counts[$0], $0) < (counts[$1], $1) }
    for (done, group) in smallestFirst.enumerated() {
      shares[group] = min(counts[group], left / (counts.count - done))
      left -= shares[group]
    }
    return shares
  }
}
