package import CatalogModel
package import CatalogStore
import EventLog
import GRDB
package import Projections
import Recoveries

/// What differs between two states of a catalog, and which events made it so.
package struct HistoryDiff: Sendable {
  package struct Difference: Sendable {
    package let row: RowDifference
    /// The event that last wrote or took the row up to the later of the two states; nil if none did.
    package let event: EventEnvelope?
  }

  package struct Table: Sendable {
    package let name: String
    package let columns: [String]
    /// Columns that are left out of what is listed.
    package let stamps: Set<String>
    package internal(set) var added = 0
    package internal(set) var removed = 0
    package internal(set) var changed = 0
    /// In key order; at most as many as were asked for.
    package internal(set) var differences: [Difference] = []
  }

  /// Tables that differ, in the order of the schema.
  package let tables: [Table]
  /// Differences that are not among the tables.
  package private(set) var leftOut = LeftOut()
  /// Names of tables, indexes and triggers that only one of the two has, or that their SQL makes others.
  package let schema: [String]

  /// - Parameters:
  ///   - rowLimit: how many differing rows of a table are kept; all are counted.
  ///   - leavesOut: whether columns that say when a row was written, and tables of the program's own, are only counted.
  ///   - log: where the events behind them are looked for; nil asks for none.
  package init(
    from old: PastDatabase, to new: PastDatabase, of kind: any CatalogKind, rowLimit: Int,
    leavesOut: Bool = false, log: CatalogLog?
  ) throws {
    var tables: [Table] = []
    var leftOut = LeftOut()
    var schema: Set<SchemaListing.Entry> = []
    try old.read { old in
      try new.read { new in
        let listings = [try SchemaListing(old).entries, try SchemaListing(new).entries]
        schema = Set(listings[0]).symmetricDifference(listings[1])
        for description in kind.schema.tables {
          let isLeftOut = leavesOut && description.isOwn
          let table = try Self.compare(
            description, old, new, isLeftOut ? 0 : rowLimit,
            withoutStamps: leavesOut && !isLeftOut, &leftOut)
          if isLeftOut {
            leftOut.add(table.added + table.removed + table.changed, ofOwn: table.name)
          } else if table.added + table.removed + table.changed > 0 {
            tables.append(table)
          }
        }
      }
    }
    if let log {
      let last = [old.sequence, new.sequence].compactMap { $0 }
      let through = last.count == 2 ? last.max() : nil
      try Self.attribute(&tables, log, through: through)
    }
    self.tables = tables
    self.leftOut = leftOut
    self.schema = Set(schema.map { "\($0.type) \($0.name)" }).sorted()
  }

  private static func compare(
    _ description: TableDescription, _ old: Database, _ new: Database, _ limit: Int,
    withoutStamps: Bool, _ leftOut: inout LeftOut
  ) throws -> Table {
    let stamps = withoutStamps ? description.columns.filter(\.isChangeStamp).map(\.name) : []
    var table = Table(
      name: description.name, columns: description.columns.map(\.name), stamps: Set(stamps))
    for (side, database) in [("older", old), ("newer", new)] {
      let columns =
        try database.tableExists(description.name)
        ? database.columns(in: description.name).map(\.name) : []
      let missing = description.columns.map(\.name).filter { !columns.contains($0) }
      guard !missing.isEmpty else { continue }
      throw CatalogError(
        .noMoment,
        "the \(side) side lacks \(description.name) (\(missing.joined(separator: ", "))): it is not a catalog of "
          + "this projector; if it is the live database, \(do: .rebuild) rebuilds it")
    }
    var last: [StoredValue]?
    var listed = 0
    // The columns that are left out of the row that is compared; other differences of it come before and after.
    var stamped: (key: [StoredValue], columns: [String])?
    func endStamped() {
      if let stamped { leftOut.add(stamped.columns, isAlone: last != stamped.key) }
      stamped = nil
    }
    try RowComparison.compare(description, live: new, expected: old) { difference in
      if stamped?.key != difference.key { endStamped() }
      if case .changed(let column, _, _) = difference.kind {
        if table.stamps.contains(column) {
          stamped = (difference.key, (stamped?.columns ?? []) + [column])
          return
        }
      } else {
        leftOut.add(stamps, isAlone: false)
      }
      let isSameRow = difference.key == last
      last = difference.key
      switch difference.kind {
      case .missing: table.removed += 1
      case .unexpected: table.added += 1
      case .changed: if !isSameRow { table.changed += 1 }
      }
      if !isSameRow { listed += 1 }
      if listed <= limit {
        table.differences.append(Difference(row: difference, event: nil))
      }
    }
    endStamped()
    return table
  }

  private static func attribute(
    _ tables: inout [Table], _ log: CatalogLog, through last: UInt64?
  ) throws {
    var addresses: Set<RowAddress> = []
    func address(_ difference: RowDifference) -> RowAddress? {
      guard
        let table = log.kind.schema.tables.first(where: { $0.name == difference.table }),
        let key = table.key(from: difference.key)
      else { return nil }
      return RowAddress(table: table.ordinal, key: key)
    }
    for table in tables {
      for difference in table.differences {
        if let address = address(difference.row) { addresses.insert(address) }
      }
    }
    let head = try log.head()?.sequence ?? 0
    let writers = try LastWriters.find(addresses, in: log, through: last ?? head)
    for table in tables.indices {
      tables[table].differences = tables[table].differences.map { difference in
        Difference(
          row: difference.row, event: address(difference.row).flatMap { writers[$0] })
      }
    }
  }
}
