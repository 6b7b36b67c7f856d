import CatalogStore
import GRDB
import Projections

extension HistoryDatabase {
  /// A version that no history has beside the others of its row.
  struct BrokenInterval {
    let key: [StoredValue]
    let from: UInt64
    /// The event that ended it; nil if none did.
    let to: UInt64?
    /// The event that made the next version of the row; nil if it is the last one.
    let next: UInt64?
  }

  /// Versions that end before they begin, or after the next version of their row has begun; of a row two that have not ended
  /// are among them.
  ///
  /// - Parameter body: called for each, in key order.
  func forEachBrokenInterval(
    of table: TableDescription, _ body: (BrokenInterval) throws -> Void
  ) throws {
    let (from, to) = (table.versionColumns.from, table.versionColumns.to)
    let keys = table.keyList
    try read { database in
      for generation in generations.all(of: table) {
        let statement = try PreparedStatement(
          database,
          """
          SELECT * FROM (
            SELECT \(keys), \(from), \(to),
              lead(\(from)) OVER (PARTITION BY \(keys) ORDER BY \(from)) AS "next version"
            FROM main.\(generation.name(table)))
          WHERE \(to) > 0 OR (\(to) < 0 AND \(to) + \(VersionColumns.offset) <= \(from))
            OR ("next version" IS NOT NULL AND (\(to) = 0 OR \(to) + \(VersionColumns.offset) > "next version"))
          """)
        let count = table.key.count
        while try statement.step() {
          let end = statement.integer(count + 1)
          let next: UInt64? =
            if case .integer(let next) = statement.cell(count + 2) {
              UInt64(clamping: next)
            } else {
              nil
            }
          try body(
            BrokenInterval(
              key: (0..<count).map { StoredValue(statement.cell($0)) },
              from: statement.sequence(count),
              to: end == 0 ? nil : VersionColumns.event(end), next: next))
        }
      }
    }
  }
}
