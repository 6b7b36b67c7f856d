package import CatalogModel
package import CatalogStore
import EventLog
import GRDB
package import Projections
import Support

/// What differs between two states of a catalog, and which events made it so.
package struct HistoryDiff: Sendable {
  /// A row that differs.
  package struct Difference: Sendable {
    /// The row of the older state, in column order; nil if that lacks it.
    package let before: [StoredValue]?
    /// The row of the newer state.
    package let after: [StoredValue]?
    /// Those that are listed: for each column that changed, one if only one state has the row; never none.
    package let parts: [RowDifference]
    /// The event that last wrote or took the row up to the later of the two states; nil if none did.
    package var event: EventEnvelope? { writers?.last }
    fileprivate(set) var writers: RowWriters?

    /// The event that made a column what it is in the later of the two states; that of the row for nil, and for a row that only one
    /// of them has.
    package func event(ofColumn place: Int?) -> EventEnvelope? {
      before == nil || after == nil ? event : writers?.event(of: place)
    }

    /// The row as it is in the newer state, or as it was in the older one.
    package var row: [StoredValue] { after ?? before ?? [] }
  }

  package struct Table: Sendable {
    package let description: TableDescription
    package var name: String { description.name }
    package let columns: [String]
    /// Columns that are left out of what is listed.
    package let stamps: Set<String>
    package internal(set) var added = 0
    package internal(set) var removed = 0
    package internal(set) var changed = 0
    /// The columns in which changed rows differ, if they were to be counted.
    package internal(set) var changes: [ColumnChanges] = []
    /// In key order; at most as many as were asked for.
    package internal(set) var differences: [Difference] = []
  }

  /// Tables that differ, in the order of the schema.
  package let tables: [Table]
  /// Differences that are not among the tables.
  package private(set) var leftOut = OmittedChanges()
  /// Names of tables, indexes and triggers that only one of the two has, or that their SQL makes others.
  package let schema: [String]

  /// - Parameters:
  ///   - chosen: the tables that are compared, all of them shown; nil compares all.
  ///   - rowLimit: how many differing rows of a table are kept; all are counted.
  ///   - leavingOut: what is only counted; tables that were chosen are compared, be they the program's own.
  ///   - countsColumns: whether the tables say in which columns their rows changed.
  ///   - states: those of the log whose events wrote the rows; nil if the caller asks for no event.
  package init(
    from old: PastDatabase, to new: PastDatabase, of kind: any CatalogKind,
    in chosen: [TableDescription]? = nil, rowLimit: Int,
    leavingOut: OmittedChanges.Extent = .nothing, countsColumns: Bool = false,
    events states: PastStates?
  ) throws {
    var tables: [Table] = []
    var leftOut = OmittedChanges()
    let schema = try Set(old.schema(of: kind)).symmetricDifference(new.schema(of: kind))
    for side in [("older", old), ("newer", new)] { try Self.requireTables(side, kind) }
    try Self.withStatements(old, new) { statements in
      for description in chosen ?? kind.schema.tables {
        guard let (before, after) = try statements(description) else { continue }
        let isLeftOut = leavingOut != .nothing && chosen == nil && description.isOwn
        let table = try Self.compare(
          description, before, after, isLeftOut ? 0 : rowLimit,
          withoutStamps: leavingOut == .stampsAndOwnTables && !isLeftOut,
          countsColumns: countsColumns && !isLeftOut, &leftOut)
        if isLeftOut {
          leftOut.add(table.added + table.removed + table.changed, ofOwn: table.name)
        } else if table.added + table.removed + table.changed > 0 {
          tables.append(table)
        }
      }
    }
    if let states, tables.contains(where: { !$0.differences.isEmpty }) {
      let last = [old.sequence, new.sequence].compactMap { $0 }
      let through = try last.count == 2 ? last.max() ?? 0 : states.log.head()?.sequence ?? 0
      try Self.attribute(&tables, kind.schema, states, through: through)
    }
    // A difference backwards is no change that anything made.
    if let (_, from) = try old.history(), let (history, to) = try new.history(), from < to {
      try history.note(&tables, after: from)
    }
    self.tables = tables
    self.leftOut = leftOut
    self.schema = Set(schema.map { "\($0.type) \($0.name)" }).sorted()
  }

  /// Compares tables of databases that have no log.
  ///
  /// - Parameters:
  ///   - tables: each with statements over its columns in the order of its key.
  ///   - schema: sentences about what only one side has, and what both declare differently.
  ///   - rowLimit: how many differing rows of a table are kept; all are counted.
  package init(
    _ tables: [(description: TableDescription, old: PreparedStatement, new: PreparedStatement)],
    schema: [String], rowLimit: Int
  ) throws {
    var leftOut = OmittedChanges()
    self.tables = try tables.map {
      try Self.compare(
        $0.description, $0.old, $0.new, rowLimit, withoutStamps: false, countsColumns: true,
        &leftOut)
    }.filter { $0.added + $0.removed + $0.changed > 0 }
    self.schema = schema
  }

  /// The rows of a table on both sides, as statements over its columns in key order; nil if no row can differ.
  private typealias Statements = (TableDescription) throws -> (
    PreparedStatement, PreparedStatement
  )?

  /// Hands over what gives the rows of each table. Of two states of one history these are the rows alone that differ.
  private static func withStatements(
    _ old: PastDatabase, _ new: PastDatabase, _ body: (Statements) throws -> Void
  ) throws {
    if let (history, from) = try old.history(), let (other, to) = try new.history() {
      // Each was opened for its own state.
      let later = from < to ? other : history
      return try later.read { database in
        try body { table in
          let difference = try later.difference(
            in: table, after: min(from, to), through: max(from, to), database)
          return difference.map { from < to ? ($0.before, $0.after) : ($0.after, $0.before) }
        }
      }
    }
    try old.readTables { old in
      try new.readTables { new in
        try body { table in
          let sql = "SELECT \(table.columnList) FROM \(table.sqlName) ORDER BY \(table.keyList)"
          return (try PreparedStatement(old, sql), try PreparedStatement(new, sql))
        }
      }
    }
  }

  /// Makes sure that a side is a catalog of this kind.
  private static func requireTables(
    _ side: (name: String, database: PastDatabase), _ kind: any CatalogKind
  ) throws {
    guard try side.database.history() == nil else { return }
    try side.database.read { database in
      for description in kind.schema.tables {
        let columns =
          try database.tableExists(description.name)
          ? database.columns(in: description.name).map(\.name) : []
        let missing = description.columns.map(\.name).filter { !columns.contains($0) }
        guard !missing.isEmpty else { continue }
        throw CatalogError(
          .noMoment,
          "the \(side.name) side lacks \(description.name) (\(missing.joined(separator: ", "))): it is not a catalog of "
            + "this projector; "
            + (side.database.moment?.moment == .live
              ? "\(do: .rebuild) rebuilds it"
              : "name a database that a catalog of this kind wrote, or two of others")
        )
      }
    }
  }

  /// Compares the rows of a table on both sides, statements over its columns in key order. A row at a time is kept, and what
  /// `limit` asks for.
  static func compare(
    _ description: TableDescription, _ old: PreparedStatement, _ new: PreparedStatement,
    _ limit: Int, withoutStamps: Bool, countsColumns: Bool, _ leftOut: inout OmittedChanges
  ) throws -> Table {
    var tally = ColumnTally(description)
    let stamps = withoutStamps ? description.columns.filter(\.isChangeStamp).map(\.name) : []
    var table = Table(
      description: description, columns: description.columns.map(\.name), stamps: Set(stamps))
    try RowComparison.forEachRow(of: description, live: new, expected: old) { row in
      var parts = row.differences(in: description)
      switch (row.expected, row.live) {
      case (let before?, let after?):
        if countsColumns { tally.add(from: before, to: after) }
        let columns = parts.compactMap(\.changedColumn).filter(table.stamps.contains)
        parts.removeAll { $0.changedColumn.map(table.stamps.contains) ?? false }
        leftOut.add(columns, isAlone: parts.isEmpty)
        guard !parts.isEmpty else { return }
        table.changed += 1
      case (nil, _):
        leftOut.add(stamps, isAlone: false)
        table.added += 1
      case (_?, nil):
        leftOut.add(stamps, isAlone: false)
        table.removed += 1
      }
      guard table.differences.count < limit else { return }
      table.differences.append(
        Difference(before: row.expected, after: row.live, parts: parts))
    }
    table.changes = tally.changes
    return table
  }

  private static func attribute(
    _ tables: inout [Table], _ schema: Schema, _ states: PastStates, through last: UInt64
  ) throws {
    func address(_ difference: Difference) -> RowAddress? {
      difference.parts.first.flatMap { schema.address($0.table, $0.key) }
    }
    let addresses = Set(tables.flatMap(\.differences).compactMap(address))
    let writers = try states.lastWriters(of: addresses, through: last)
    for table in tables.indices {
      for place in tables[table].differences.indices {
        tables[table].differences[place].writers =
          address(tables[table].differences[place]).flatMap { writers[$0] }
      }
    }
  }
}

extension HistoryDatabase {
  /// Notes which columns never changed up to an event.
  fileprivate func note(_ tables: inout [HistoryDiff.Table], after sequence: UInt64) throws {
    for place in tables.indices {
      tables[place].changes = try noting(
        tables[place].changes, of: tables[place].description, after: sequence)
    }
  }
}

extension HistoryDiff.Table {
  /// The rows that differ and are kept, each with the event that wrote or removed it last.
  ///
  /// - Throws: `StoreError` with `drifted` if a row has a value that no column of its table holds.
  func rowChanges() throws -> [(change: RowChange, event: EventEnvelope?)] {
    func values(_ cells: [StoredValue]) throws -> [Value] {
      if let values = description.values(from: cells) { return values }
      throw StoreError(.drifted, "\(name) has a row that no projector writes")
    }
    return try differences.map { difference in
      let before = try difference.before.map(values)
      let after = try difference.after.map(values)
      let key = description.key(of: after ?? before ?? [])
      return (RowChange(description, key: key, before: before, after: after), difference.event)
    }
  }
}
