import CatalogModel
import CatalogStore
import EventLog
import GRDB
import Projections
import Recoveries

/// Plans what takes operations back.
///
/// A row that the operations changed is brought back to what it was before them, unless it is another one now: what later
/// events made is left, and so is what belongs to it or is needed by it. The plan is tried on the present rows of the history,
/// in a transaction that is taken back.
struct RevertPlanner<Kind: CatalogKind> {
  private let kind: Kind
  private let catalog: CatalogHistory
  /// Open at the log's head.
  private let history: HistoryDatabase
  private let range: OperationRange
  private let isForced: Bool
  private let rules: ReversalRules
  /// The columns of each table that say whether two rows are the same: not those that the kind sets itself or that say when
  /// the row was written.
  private let compared: [[Int]]

  private var rows: [RevertedRowState] = []
  private var places: [RowAddress: Int] = [:]

  init(
    _ kind: Kind, _ catalog: CatalogHistory, _ history: HistoryDatabase, _ range: OperationRange,
    isForced: Bool
  ) {
    (self.kind, self.catalog, self.history) = (kind, catalog, history)
    (self.range, self.isForced) = (range, isForced)
    let rules = kind.reversalRules
    self.rules = rules
    compared = kind.schema.tables.map { table in
      let settled = rules.settled.filter { $0.table === table }.flatMap(\.places)
      return table.columns.indices.filter {
        !settled.contains($0) && !table.columns[$0].isChangeStamp
      }
    }
  }

  /// - Parameters:
  ///   - reason: kept in the events.
  ///   - at: the time of the events in a trial.
  /// - Throws: `CatalogError` with `changeRefused` if operations of this kind cannot be taken back.
  mutating func plan(reason: String?, by: String, at: Timestamp) throws -> RevertDraft<Kind.Event> {
    let operations = try history.operations(
      from: range.first, through: range.last, documents: rules.documents, reason: reason)
    let markers = try operations.map { operation in
      guard let marker = kind.event(reverting: operation) else {
        throw CatalogError(
          .changeRefused,
          "a catalog of kind \"\(kind.name)\" has no events that take operations back")
      }
      return marker
    }
    try findRows()
    try blockLists()
    spread()
    try blockDuplicates()
    spread()
    blockWhatKindRefuses()
    spread()
    var changes: [RowChange] = []
    var events: [Kind.Event] = []
    // Each round leaves at least one more row as it is.
    while rows.contains(where: { $0.reason == nil }) {
      events = markers + (try restoringEvents())
      let (touched, found) = try tried(events, by: by, at: at)
      changes = touched
      guard !found.isEmpty else { break }
      for (address, reason) in found where rows[places[address] ?? 0].reason == nil {
        rows[places[address] ?? 0].reason = reason
      }
      spread()
      (events, changes) = ([], [])
    }
    return RevertDraft(
      operations: operations, events: events, changes: changes, conflicts: try conflicts(),
      head: history.checkpoint.head,
      row: { [history] table, key in
        try history.versions(of: table, key: key, through: history.checkpoint.sequence).last?.row
      })
  }

  // MARK: Rows

  private mutating func findRows() throws {
    let derived = Set(rules.derived.map(\.ordinal))
    let changes = try history.changes(
      after: range.first - 1, through: range.last,
      in: kind.schema.tables.filter { !derived.contains($0.ordinal) })
    let present = try history.presentRows(
      changes.map { RowAddress(table: $0.table.ordinal, key: $0.key) })
    // An operation that only wrote what the kind sets itself has nothing to bring back, forced or not.
    for change in changes where !isSame(change.before, change.after, change.table) {
      let address = RowAddress(table: change.table.ordinal, key: change.key)
      add(
        RevertedRowState(
          table: change.table, key: change.key, before: change.before, after: change.after,
          present: present[address]))
    }
  }

  /// Adds a row, unless it is as it was already.
  private mutating func add(_ state: RevertedRowState) {
    guard !isSame(state.present, state.before, state.table) else { return }
    // A later document of the same name was imported: which one was the last stays as it is.
    let isRecord = rules.documents.contains { $0.table === state.table }
    if isRecord, !isSame(state.present, state.after, state.table) { return }
    var state = state
    if !isForced, !isSame(state.present, state.after, state.table) { state.reason = .changedLater }
    places[state.address] = rows.count
    rows.append(state)
  }

  private func isSame(_ left: [Value]?, _ right: [Value]?, _ table: TableDescription) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return compared[table.ordinal].allSatisfy { left[$0] == right[$0] }
  }

  // MARK: What belongs together

  /// The rows of each bundle.
  private var bundles: [BundleKey: [Int]] {
    var bundles: [BundleKey: [Int]] = [:]
    for (number, members) in rules.bundles.enumerated() {
      for member in members {
        for (place, state) in rows.enumerated() where state.table === member.table {
          for values in state.values(member) {
            bundles[BundleKey(bundle: number, values: values), default: []].append(place)
          }
        }
      }
    }
    return bundles
  }

  /// Leaves the rows that belong to a row that stays.
  private mutating func spread() {
    let bundles = bundles
    var keys: [[BundleKey]] = rows.map { _ in [] }
    for (key, members) in bundles {
      for place in members { keys[place].append(key) }
    }
    var waiting = rows.indices.filter { rows[$0].reason != nil }
    // What would be added for a row that is not added.
    let references = kind.schema.rowReferences(rules).filter { reference in
      reference.parentPlaces == reference.parent.key && reference.prefix.isEmpty
    }
    var children: [RowAddress: [Int]] = [:]
    for reference in references {
      for (place, state) in rows.enumerated()
      where state.table === reference.child && state.present == nil {
        guard let row = state.before else { continue }
        let key = reference.childPlaces.map { row[$0] }
        children[RowAddress(table: reference.parent.ordinal, key: key), default: []].append(place)
      }
    }
    while let place = waiting.popLast() {
      let address = rows[place].address
      var others = keys[place].flatMap { bundles[$0] ?? [] }
      if rows[place].before != nil, rows[place].after == nil { others += children[address] ?? [] }
      for other in others where rows[other].reason == nil {
        rows[other].reason = .belongsTo(address)
        waiting.append(other)
      }
    }
  }

  /// Leaves lists that later events changed, in whatever row. If they are forced, the whole list is brought back.
  private mutating func blockLists() throws {
    for members in rules.bundles {
      for member in members where member.isList {
        let lists = Set(rows.filter { $0.table === member.table }.flatMap { $0.values(member) })
        for list in lists {
          let later = try rowsChangedLater(member, list)
          guard !later.isEmpty else { continue }
          guard isForced else {
            for place in rows.indices
            where rows[place].table === member.table && rows[place].values(member).contains(list) {
              rows[place].reason = rows[place].reason ?? .changedLater
            }
            continue
          }
          for key in later
          where places[RowAddress(table: member.table.ordinal, key: key)] == nil {
            let address = RowAddress(table: member.table.ordinal, key: key)
            add(
              RevertedRowState(
                table: member.table, key: key,
                before: try history.row(of: member.table, key: key, at: range.first - 1),
                after: nil, present: try history.presentRows([address])[address]))
          }
        }
      }
    }
  }

  /// The keys of rows of a list that are others now than after the operations. One that was changed and changed back is none.
  private func rowsChangedLater(
    _ list: ReversalRules.Columns, _ values: [Value]
  ) throws -> [[Value]] {
    let keys = try history.rowsChanged(
      after: range.last, in: list.table, where: list.places, are: values)
    let addresses = keys.map { RowAddress(table: list.table.ordinal, key: $0) }
    let present = try history.presentRows(addresses)
    return try zip(keys, addresses).filter { key, address in
      let after = try history.row(of: list.table, key: key, at: range.last)
      return !isSame(after, present[address], list.table)
    }.map(\.0)
  }

  // MARK: What cannot be

  private mutating func blockDuplicates() throws {
    for place in rows.indices where rows[place].reason == nil {
      let state = rows[place]
      guard let row = state.before else { continue }
      for unique in state.table.uniques {
        let values = unique.map { row[$0] }
        guard !values.contains(.null) else { continue }
        let others = try history.presentKeys(of: state.table, where: unique, are: values)
        let isTaken = others.contains { key in
          guard key != state.key else { return false }
          guard let other = places[RowAddress(table: state.table.ordinal, key: key)],
            rows[other].reason == nil
          else { return true }
          return rows[other].before.map { row in unique.map { row[$0] } == values } ?? false
        }
        if isTaken { rows[place].reason = .taken(unique.map { state.table.columns[$0].name }) }
      }
    }
  }

  private mutating func blockWhatKindRefuses() {
    for table in kind.schema.tables {
      for isGone in [true, false] {
        let own = rows.indices.filter {
          rows[$0].table === table && rows[$0].reason == nil && (rows[$0].before == nil) == isGone
        }
        guard !own.isEmpty, refusal(own.map { rows[$0] }) != nil else { continue }
        for place in own { rows[place].reason = refusal([rows[place]]).map { .impossible($0) } }
      }
    }
  }

  private func refusal(_ states: [RevertedRowState]) -> String? {
    guard case .impossible(let reason) = kind.wayBack(to: Self.restored(states)) else { return nil }
    return reason
  }

  // MARK: Events

  /// Rows of an event, at most, and their bytes.
  private static var rowsPerEvent: Int { 500 }
  private static var bytesPerEvent: Int { 1 << 20 }

  /// Rows that refer to others are removed before them, and put back after them.
  private func restoringEvents() throws -> [Kind.Event] {
    let planned = rows.filter { $0.reason == nil }
    var ofTable: [Int: [RevertedRowState]] = [:]
    for state in planned { ofTable[state.table.ordinal, default: []].append(state) }
    var events: [Kind.Event] = []
    func add(_ states: [RevertedRowState]) throws {
      for piece in Self.pieces(of: states) {
        switch kind.wayBack(to: Self.restored(piece)) {
        case .events(let own): events += own
        case .impossible(let reason):
          throw CatalogError(.changeRefused, "this cannot be undone, because \(reason)")
        }
      }
    }
    let tables = kind.schema.tables
    for table in tables.reversed() {
      try add((ofTable[table.ordinal] ?? []).filter { $0.before == nil })
    }
    for table in tables { try add((ofTable[table.ordinal] ?? []).filter { $0.before != nil }) }
    return events
  }

  private static func pieces(of states: [RevertedRowState]) -> [[RevertedRowState]] {
    var pieces: [[RevertedRowState]] = []
    var bytes = 0
    for state in states {
      let length = (state.before ?? state.key).reduce(0) { $0 + $1.length }
      if pieces.isEmpty || pieces[pieces.count - 1].count == rowsPerEvent
        || bytes + length > bytesPerEvent
      {
        pieces.append([])
        bytes = 0
      }
      pieces[pieces.count - 1].append(state)
      bytes += length
    }
    return pieces
  }

  private static func restored(_ states: [RevertedRowState]) -> RestoredRows {
    RestoredRows(
      states[0].table, rows: states.compactMap(\.before),
      gone: states.filter { $0.before == nil }.map(\.key))
  }

  // MARK: Trial

  /// Applies the events to the present rows and takes that back.
  ///
  /// - Returns: what they changed, and rows that have to stay: a row that is removed while another refers to it, and a row that
  ///   refers to none.
  private func tried(
    _ events: [Kind.Event], by: String, at: Timestamp
  ) throws -> (changes: [RowChange], found: [RowAddress: RevertConflict.Reason]) {
    try catalog.trial { store, database in
      var touched = TouchedRows()
      let observed = ObservedRowStore(store) { touched.add($0) }
      let operation = EntityID(high: 0, low: 0)
      var sequence = history.checkpoint.sequence
      store.beginBatch(first: sequence + 1)
      for event in events {
        sequence += 1
        store.willApply(sequence)
        try kind.apply(
          Recorded(sequence: sequence, at: at, operation: operation, by: by, event: event),
          to: observed)
      }
      let changes = touched.changes.sorted { $0.table.ordinal < $1.table.ordinal }
      let checks = ReferenceTrial(rules, history, database)
      return (changes, try checks.rowsToLeave(changes) { places[$0].map { rows[$0] } })
    }
  }

  // MARK: Conflicts

  private func conflicts() throws -> [RevertConflict] {
    try rows.compactMap { state in
      guard let reason = state.reason, let row = state.present ?? state.after ?? state.before else {
        return nil
      }
      var reverted: UInt64?
      var later: UInt64?
      for version in try history.versions(
        of: state.table, key: state.key, through: history.checkpoint.sequence)
      {
        for event in [version.from, version.to ?? 0] {
          if (range.first...range.last).contains(event) { reverted = event }
          if event > range.last { later = event }
        }
      }
      return RevertConflict(
        table: state.table, key: state.key, row: row, reason: reason,
        reverted: try reverted.flatMap(history.envelope), later: try later.flatMap(history.envelope)
      )
    }
  }
}

/// A row that operations changed.
struct RevertedRowState {
  let table: TableDescription
  let key: [Value]
  /// Before the operations.
  let before: [Value]?
  /// After them.
  let after: [Value]?
  /// Now.
  let present: [Value]?
  /// Why it stays as it is; nil if it is brought back.
  var reason: RevertConflict.Reason?

  var address: RowAddress { RowAddress(table: table.ordinal, key: key) }

  /// The values that the row has, or had, in some columns.
  func values(_ columns: ReversalRules.Columns) -> [[Value]] {
    var found: [[Value]] = []
    for row in [before, after, present].compactMap(\.self) {
      let values = columns.values(of: row)
      if !found.contains(values), !values.contains(.null) { found.append(values) }
    }
    return found
  }
}

/// Rows that are brought back together or not at all.
private struct BundleKey: Hashable {
  let bundle: Int
  let values: [Value]
}

extension Value {
  /// Bytes in an event, about.
  fileprivate var length: Int {
    switch self {
    case .null, .integer, .real: 8
    case .text(let text): text.utf8.count
    case .id: 36
    case .time: 24
    case .blob(let bytes): bytes.count * 4 / 3
    }
  }
}
