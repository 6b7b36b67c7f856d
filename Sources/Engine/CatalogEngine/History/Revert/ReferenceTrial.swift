import Projections

/// Looks in a trial for rows that refer to no row.
///
/// A row that referred to no row before the operations may do so again: plays outlive their track.
final class ReferenceTrial {
  private let references: [TableReference]
  private let rules: ReversalRules
  /// The present rows.
  private let present: FoldedRows
  private let changes: [RowChange]
  private let changed: Set<RowAddress>
  /// Whether there was a row with some values before the operations.
  private let wasThere: (TableDescription, [Int], [Value]) throws -> Bool
  /// The rows that the trial wrote, by the values of some columns.
  private var written: [RowSearch: [[Value]: [[Value]]]] = [:]

  /// - Parameters:
  ///   - changes: what the trial did.
  ///   - wasThere: says whether a table had a row with some values in these columns before the operations.
  init(
    _ rules: ReversalRules, _ schema: Schema, _ present: FoldedRows, _ changes: [RowChange],
    wasThere: @escaping (TableDescription, [Int], [Value]) throws -> Bool
  ) {
    self.wasThere = wasThere
    references = schema.references(with: rules)
    (self.rules, self.present, self.changes) = (rules, present, changes)
    changed = Set(changes.map { $0.address })
  }

  /// - Parameter planned: the row of the plan at an address; nil if it is none.
  /// - Returns: the rows of the plan that have to stay, and why.
  func rowsToLeave(
    _ planned: (RowAddress) throws -> RevertedRowState?
  ) throws -> [RowAddress: RevertConflict.Reason] {
    var found: [RowAddress: RevertConflict.Reason] = [:]
    for reference in references { try addNeeded(reference, planned, &found) }
    // A row that refers to one of these is looked at again, once they stay.
    guard found.isEmpty else { return found }
    for reference in references { try addMissing(reference, planned, &found) }
    for (table, rows) in rules.mentions { try addUnmentioned(table, rows, planned, &found) }
    for (left, right) in rules.exclusions {
      try addExcluded(left, by: right, planned, &found)
      try addExcluded(right, by: left, planned, &found)
    }
    return found
  }

  // MARK: Rows after the trial

  /// One of the rows with some values; nil if there is none.
  ///
  /// - Parameter isPassedOver: says of a row that another one is looked for.
  private func row(
    of table: TableDescription, where places: [Int], are values: [Value],
    unless isPassedOver: ([Value]) throws -> Bool = { _ in false }
  ) throws -> [Value]? {
    // As in SQL, NULL is the same as nothing.
    guard !values.contains(.null) else { return nil }
    let search = RowSearch(table: table.ordinal, places: places)
    let own = written[search] ?? rowsWritten(to: table, by: places)
    written[search] = own
    if let row = try own[values]?.first(where: { try !isPassedOver($0) }) { return row }
    var found: [Value]?
    try present.visitRows(of: table, where: places, are: values) { row in
      if try changed.contains(RowAddress(table, key: table.key(of: row))) || isPassedOver(row) {
        return true
      }
      found = row
      return false
    }
    return found
  }

  private func rowsWritten(
    to table: TableDescription, by places: [Int]
  ) -> [[Value]: [[Value]]] {
    Dictionary(
      grouping: changes.lazy.filter { $0.table === table }.compactMap(\.after),
      by: { row in places.map { row[$0] } })
  }

  // MARK: What has to stay

  /// Rows that have values which a row of another table has, too. If the plan did not write one of them, the other one stays.
  private func addExcluded(
    _ columns: ReversalRules.Columns, by others: ReversalRules.Columns,
    _ planned: (RowAddress) throws -> RevertedRowState?,
    _ found: inout [RowAddress: RevertConflict.Reason]
  ) throws {
    let table = columns.table
    for change in changes where change.table === table {
      let address = RowAddress(table, key: change.key)
      guard let after = change.after, try planned(address)?.target != nil,
        case let values = columns.values(of: after), values.starts(with: others.prefix),
        try row(
          of: others.table, where: others.places, are: Array(values.dropFirst(others.prefix.count)))
          != nil
      else { continue }
      found[address] = .taken(columns.places.map { table.columns[$0].name })
    }
  }

  /// Rows that are removed while another row refers to them.
  private func addNeeded(
    _ reference: TableReference, _ planned: (RowAddress) throws -> RevertedRowState?,
    _ found: inout [RowAddress: RevertConflict.Reason]
  ) throws {
    let (child, parent) = (reference.child, reference.parent)
    var removed: [[Value]: RowAddress] = [:]
    for change in changes where change.table === parent && change.after == nil {
      let address = change.address
      guard let before = change.before, try planned(address) != nil else { continue }
      let own = reference.parentColumns.map { before[$0] }
      // Another row may have the values, unless they are the key.
      if reference.parentColumns != parent.key,
        try row(of: parent, where: reference.parentColumns, are: own) != nil
      {
        continue
      }
      removed[reference.prefix + own] = address
    }
    guard !removed.isEmpty else { return }
    func need(_ parent: RowAddress, by row: [Value]) throws {
      if try referredToNone(row, reference) { return }
      found[parent] = .neededBy(RowAddress(child, key: child.key(of: row)))
    }
    // Rows that the kind removed with the row that they need.
    if !rules.derived.contains(where: { $0 === child }) {
      for change in changes where change.table === child && change.after == nil {
        let own = try planned(RowAddress(child, key: change.key))
        guard own == nil || own?.target != nil,
          let row = change.before, let parent = removed[reference.columns.map { row[$0] }]
        else { continue }
        try need(parent, by: row)
      }
    }
    if child.isSearched(by: reference.columns) {
      for (values, parent) in removed {
        if let row = try row(
          of: child, where: reference.columns, are: values,
          unless: { try referredToNone($0, reference) })
        {
          try need(parent, by: row)
        }
      }
      return
    }
    func look(at row: [Value]) throws {
      if let parent = removed[reference.columns.map { row[$0] }] { try need(parent, by: row) }
    }
    for change in changes where change.table === child { try change.after.map(look) }
    try present.visitRows(of: child, where: [], are: []) { row in
      if !changed.contains(RowAddress(child, key: child.key(of: row))) {
        try look(at: row)
      }
      return true
    }
  }

  /// Whether a row was there before the operations, referred to the same row, and that was not there.
  private func referredToNone(_ row: [Value], _ reference: TableReference) throws -> Bool {
    let (child, values) = (reference.child, reference.columns.map { row[$0] })
    // Rows that follow from others refer to rows that exist.
    if rules.derived.contains(where: { $0 === child }) { return false }
    // A member of a list may have another place now.
    let list = rules.lists.first { $0.table === child }
    let columns = list.map { $0.list + $0.member } ?? child.key
    return try !wasThere(
      reference.parent, reference.parentColumns, Array(values.dropFirst(reference.prefix.count)))
      && wasThere(child, columns + reference.columns, columns.map { row[$0] } + values)
  }

  /// Rows that are put back with a text that names a row which is not there.
  private func addUnmentioned(
    _ table: TableDescription, _ rows: ReversalRules.Mentioned,
    _ planned: (RowAddress) throws -> RevertedRowState?,
    _ found: inout [RowAddress: RevertConflict.Reason]
  ) throws {
    for change in changes where change.table === table {
      let address = RowAddress(table, key: change.key)
      guard let after = change.after, try planned(address) != nil else { continue }
      for (parent, key) in rows(after)
      where try row(of: parent, where: parent.key, are: key) == nil
        && wasThere(parent, parent.key, key)
      {
        found[address] = .missing(RowAddress(parent, key: key))
      }
    }
  }

  /// Rows that are put back and refer to a row that is not there.
  private func addMissing(
    _ reference: TableReference, _ planned: (RowAddress) throws -> RevertedRowState?,
    _ found: inout [RowAddress: RevertConflict.Reason]
  ) throws {
    var known: Set<[Value]> = []
    for change in changes where change.table === reference.child {
      let address = change.address
      guard let after = change.after, try planned(address) != nil else { continue }
      let values = reference.columns.map { after[$0] }
      guard !values.contains(.null), values.starts(with: reference.prefix) else { continue }
      let wanted = Array(values.dropFirst(reference.prefix.count))
      if known.contains(wanted) { continue }
      if try row(of: reference.parent, where: reference.parentColumns, are: wanted) == nil {
        if try referredToNone(after, reference) { continue }
        found[address] = .missing(
          RowAddress(reference.parent, key: wanted))
      } else {
        known.insert(wanted)
      }
    }
  }
}

extension TableDescription {
  /// Whether the versions of the table are searched by these columns without reading all of them.
  fileprivate func isSearched(by places: [Int]) -> Bool {
    let searched = indexes.filter { $0.name != nil }.map(\.columns) + uniques + [key]
    return searched.contains { $0.starts(with: places) }
  }
}
