import EventLog
import Projections

/// Causes that were found: many rows stay for the same one.
struct KnownCauses {
  /// The later event for which a row stays; nil of one for which none is known.
  fileprivate var ofRows: [RowAddress: EventEnvelope?] = [:]
  /// The row that a later event changed, of lists that stay whole.
  fileprivate var ofLists: [BundleKey: RowAddress?] = [:]
  /// The last later event that changed an ordered list.
  fileprivate var ofOrderedLists: [BundleKey: EventEnvelope?] = [:]
}

/// Finds the later event that made the reason for which a row stays.
extension RevertPlanner {
  /// The event that changed the other row of a reason; nil if there is no other row, or if no later event changed it.
  ///
  /// - Parameters:
  ///   - state: the row; nil of a member of a list.
  ///   - known: causes that were found for other rows.
  func laterCause(
    of reason: RevertConflict.Reason, _ address: RowAddress, _ state: RevertedRowState?,
    _ known: inout KnownCauses
  ) throws -> EventEnvelope? {
    var seen: Set<RowAddress> = [address]
    var chain: [RowAddress] = []
    var cause: EventEnvelope?
    var next = try other(than: address, reason, state?.before, &known)
    while let found = next, seen.insert(found.address).inserted {
      cause = try past.causes(found.address, found.columns).later
      if cause != nil { break }
      // The other row stays for a reason of its own.
      if let last = known.ofRows[found.address] {
        cause = last
        break
      }
      chain.append(found.address)
      guard let state = places[found.address].map({ rows[$0] }),
        let reason = state.reason
          ?? state.taken.first.map({ .taken(state.names($0.unique)) })
      else { break }
      next = try other(than: found.address, reason, state.before, &known)
    }
    for address in chain { known.ofRows[address] = .some(cause) }
    return cause
  }

  /// The other row of a reason, and the columns whose changes count; all if none is named.
  private func other(
    than address: RowAddress, _ reason: RevertConflict.Reason, _ before: [Value]?,
    _ known: inout KnownCauses
  ) throws -> (address: RowAddress, columns: [Int])? {
    let tables = kind.schema.tables
    switch reason {
    case .removedLater, .impossible: return nil
    case .changedLater: return try rowOfList(with: address, &known).map { ($0, []) }
    case .belongsTo(let other): return (other, [])
    case .neededBy(let child):
      // A row that follows from others changes with them.
      if let own = try past.ownRow(seenAs: child) { return (own, []) }
      let table = tables[child.table]
      guard try past.present(table, child.key) != nil else { return nil }
      let columns = kind.schema.references(with: rules).filter {
        $0.child === table && $0.parent === tables[address.table]
      }.flatMap(\.columns)
      return (child, columns)
    case .missing(let parent):
      // A reference to other columns than the key names no row.
      return parent.key.count == tables[parent.table].key.count ? (parent, []) : nil
    case .taken(let names):
      guard let before else { return nil }
      let table = tables[address.table]
      let columns = names.compactMap(table.index)
      var searches = [(table: table, columns: columns, values: columns.map { before[$0] })]
      for (left, right) in rules.exclusions {
        for (own, other) in [(left, right), (right, left)]
        where own.table === table && own.places == columns {
          let values = own.values(of: before)
          guard values.starts(with: other.prefix) else { continue }
          searches.append(
            (other.table, other.places, Array(values.dropFirst(other.prefix.count))))
        }
      }
      for search in searches where !search.values.contains(.null) {
        for row in try past.rows.rows(
          of: search.table, where: search.columns, are: search.values)
        {
          let row = try past.named(row, of: search.table)
          let other = RowAddress(search.table, key: search.table.key(of: row))
          if other != address { return (other, search.columns) }
        }
      }
      return nil
    }
  }

  /// The last event that changed a list, if that is the reason: a member can stay at its place because others were moved.
  func laterChange(
    of list: RevertedList, _ reason: RevertConflict.Reason, _ known: inout KnownCauses
  ) throws -> EventEnvelope? {
    guard reason == .changedLater else { return nil }
    let key = BundleKey(bundle: list.table.ordinal, values: list.list)
    if let event = known.ofOrderedLists[key] { return event }
    let event = try past.touchedRows(of: list.table, where: list.rule.list, are: list.list)
      .compactMap { try past.causes($0, []).later }
      .max { $0.sequence < $1.sequence }
    known.ofOrderedLists[key] = .some(event)
    return event
  }

  /// A row that a later event changed, of a list that stays whole; nil if the row is of no such list.
  private func rowOfList(
    with address: RowAddress, _ known: inout KnownCauses
  ) throws -> RowAddress? {
    let table = kind.schema.tables[address.table]
    guard let row = try past.lastRow(table, address.key) else { return nil }
    for list in rules.bundles.joined() where list.isList && list.table === table {
      let values = list.values(of: row)
      let key = BundleKey(bundle: table.ordinal, values: values)
      let found = try known.ofLists[key] ?? rowChangedLater(list, values)
      known.ofLists[key] = .some(found)
      if let found { return found }
    }
    return nil
  }
}
