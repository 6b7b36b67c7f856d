import CatalogModel
import CatalogStore
import EventLog
import GRDB
import Projections
import Support

/// Plans what takes operations back.
///
/// A row that the operations changed is brought back to what it was before them, unless it is another one now: what later
/// events made is left, and so is what belongs to it or is needed by it. The plan is tried over the present rows of the history,
/// which stay as they are.
struct RevertPlanner<Kind: CatalogKind> {
  private let kind: Kind
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
    _ kind: Kind, _ history: HistoryDatabase, _ range: OperationRange, isForced: Bool
  ) {
    (self.kind, self.history) = (kind, history)
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
    // The rows are all over the file: with SQLite's own 2 MB each page is read several times.
    try history.read { try $0.execute(sql: "PRAGMA cache_size = -131072") }
    try findRows()
    if isForced { try completeBundles() } else { try blockLists() }
    try spreadConflicts()
    blockWhatKindRefuses()
    try spreadConflicts()
    var changes: [RowChange] = []
    var events: [Kind.Event] = []
    var reconsidered: Set<Int> = []
    // Each round leaves at least one more row as it is, keeps one, or looks at one for the last time.
    while true {
      (events, changes) = ([], [])
      if rows.contains(where: { $0.reason == nil }) {
        events = markers + (try restoringEvents())
        let found: [RowAddress: RevertConflict.Reason]
        (changes, found) = try tried(events, by: by, at: at)
        for (address, reason) in found where rows[places[address] ?? 0].reason == nil {
          rows[places[address] ?? 0].reason = reason
        }
        if !found.isEmpty {
          try spreadConflicts()
          continue
        }
        if keepRemoved(changes) { continue }
      }
      let outdated = try outdatedReasons(since: changes).subtracting(reconsidered)
      guard !outdated.isEmpty else { break }
      for place in outdated { rows[place].reason = nil }
      reconsidered.formUnion(outdated)
      try spreadConflicts()
    }
    // A row that the kind keeps may be all that is left.
    if changes.allSatisfy({ $0.table === kind.reverted?.description }) {
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
      changes.map { $0.address })
    // An operation that only wrote what the kind sets itself has nothing to bring back, forced or not.
    for change in changes where !isSame(change.before, change.after, change.table) {
      let address = change.address
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
    guard rows.contains(where: { $0.reason != nil }) else { return }
    let bundles = bundles
    var keys: [[BundleKey]] = rows.map { _ in [] }
    for (key, members) in bundles {
      for place in members { keys[place].append(key) }
    }
    var waiting = rows.indices.filter { rows[$0].reason != nil }
    // What would be added for a row that is not added.
    let references = kind.schema.references(with: rules).filter { reference in
      reference.parentColumns == reference.parent.key && reference.prefix.isEmpty
    }
    var children: [RowAddress: [Int]] = [:]
    for reference in references {
      for (place, state) in rows.enumerated()
      where state.table === reference.child && state.present == nil {
        guard let row = state.before else { continue }
        let key = reference.columns.map { row[$0] }
        children[RowAddress(reference.parent, key: key), default: []].append(place)
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

  /// Leaves lists that later events changed, in whatever row.
  private mutating func blockLists() throws {
    for members in rules.bundles {
      for member in members where member.isList {
        let lists = Set(rows.filter { $0.table === member.table }.flatMap { $0.values(member) })
        for list in lists where try !keysChangedLater(member, list).isEmpty {
          for place in rows.indices
          where rows[place].table === member.table && rows[place].values(member).contains(list) {
            rows[place].reason = rows[place].reason ?? .changedLater
          }
        }
      }
    }
  }

  /// Adds the other rows of bundles that later events changed: if these are restored, all of a bundle is, with what later
  /// events added to it.
  private mutating func completeBundles() throws {
    var done: Set<BundleKey> = []
    var place = 0
    while place < rows.count {
      let state = rows[place]
      place += 1
      let isLater = !isSame(state.present, state.after, state.table)
      for (number, members) in rules.bundles.enumerated() {
        for member in members
        where member.table === state.table && (isLater || members.contains(where: \.isList)) {
          for values in state.values(member)
          where done.insert(BundleKey(bundle: number, values: values)).inserted {
            for other in members { try addChangedLater(other, values) }
          }
        }
      }
    }
  }

  /// Adds the rows with some values that later events changed.
  private mutating func addChangedLater(
    _ columns: ReversalRules.Columns, _ values: [Value]
  ) throws {
    guard values.starts(with: columns.prefix) else { return }
    for key in try keysChangedLater(columns, values) {
      let address = RowAddress(columns.table, key: key)
      guard places[address] == nil else { continue }
      add(
        RevertedRowState(
          table: columns.table, key: key,
          before: try history.row(of: columns.table, key: key, at: range.first - 1),
          after: try history.row(of: columns.table, key: key, at: range.last),
          present: try history.presentRows([address])[address]))
    }
  }

  /// The keys of rows of a bundle that are others now than after the operations, or came or went since. A row that was changed
  /// and changed back is none of them.
  private func keysChangedLater(
    _ list: ReversalRules.Columns, _ values: [Value]
  ) throws -> [[Value]] {
    let keys = try history.rowsChanged(
      after: range.last, in: list.table, where: list.places,
      are: Array(values.dropFirst(list.prefix.count)))
    let addresses = keys.map { RowAddress(list.table, key: $0) }
    let present = try history.presentRows(addresses)
    return try zip(keys, addresses).filter { key, address in
      let after = try history.row(of: list.table, key: key, at: range.last)
      return !isSame(after, present[address], list.table)
    }.map(\.0)
  }

  // MARK: What cannot be

  /// Leaves the rows that follow from those that stay: what belongs to them, and what would have a value of theirs that must
  /// be unique, until no further row does.
  private mutating func spreadConflicts() throws {
    var left = -1
    while case let now = rows.count(where: { $0.reason != nil }), now != left {
      left = now
      spread()
      try blockDuplicates()
    }
  }

  private mutating func blockDuplicates() throws {
    var searches: [RowSearch: [[Value]]] = [:]
    for state in rows where state.reason == nil {
      guard let row = state.before else { continue }
      for unique in state.table.uniques {
        let values = unique.map { row[$0] }
        guard !values.contains(.null) else { continue }
        searches[RowSearch(table: state.table.ordinal, places: unique), default: []]
          .append(values)
      }
    }
    var found: [RowSearch: [[Value]: [[Value]]]] = [:]
    for (columns, values) in searches {
      found[columns] = try history.presentKeys(
        of: kind.schema.tables[columns.table], where: columns.places, areAnyOf: values)
    }
    for place in rows.indices where rows[place].reason == nil {
      let state = rows[place]
      guard let row = state.before else { continue }
      for unique in state.table.uniques {
        let values = unique.map { row[$0] }
        let columns = RowSearch(table: state.table.ordinal, places: unique)
        let others = found[columns]?[values] ?? []
        let isTaken = others.contains { key in
          guard key != state.key else { return false }
          guard let other = places[RowAddress(state.table, key: key)],
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
      let length = state.length
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

  /// Applies the events over the present rows.
  ///
  /// - Returns: what they changed, and rows that have to stay: a row that is removed while another refers to it, and a row that
  ///   refers to none.
  private func tried(
    _ events: [Kind.Event], by: String, at: Timestamp
  ) throws -> (changes: [RowChange], found: [RowAddress: RevertConflict.Reason]) {
    try history.read { database in
      let present = try HistoryRowStore(database, history.schema)
      var touched = TouchedRows()
      let observed = ObservedRowStore(OverlaidRowStore(present, history.schema.schema)) {
        touched.add($0)
      }
      let operation = EntityID(high: 0, low: 0)
      var sequence = history.checkpoint.sequence
      for event in events {
        sequence += 1
        try kind.apply(
          Recorded(sequence: sequence, at: at, operation: operation, by: by, event: event),
          to: observed)
      }
      let changes = touched.changes.sorted { $0.table.ordinal < $1.table.ordinal }
      let checks = ReferenceTrial(rules, history.schema.schema, present, changes) {
        try history.hasRow(of: $0, where: $1, are: $2, at: range.first - 1, database)
      }
      return (changes, try checks.rowsToLeave { places[$0].map { rows[$0] } })
    }
  }

  /// Adds the rows that the kind removed on the way, since what they need was away for a moment: they are written again.
  ///
  /// - Returns: whether there is one.
  private mutating func keepRemoved(_ changes: [RowChange]) -> Bool {
    let count = rows.count
    for change in changes where change.after == nil {
      let address = change.address
      guard places[address] == nil, let row = change.before,
        !rules.derived.contains(where: { $0 === change.table })
      else { continue }
      places[address] = rows.count
      rows.append(
        RevertedRowState(
          table: change.table, key: change.key, before: row, after: row, present: row))
    }
    return rows.count > count
  }

  /// Rows that stay for another row's sake that has gone another way in a later round.
  private func outdatedReasons(since changes: [RowChange]) throws -> Set<Int> {
    var states: [RowAddress: [Value]?] = [:]
    for change in changes {
      states[change.address] = .some(change.after)
    }
    func exists(_ address: RowAddress) throws -> Bool {
      if let state = states[address] { return state != nil }
      return try history.presentRows([address])[address] != nil
    }
    var outdated: Set<Int> = []
    for (place, state) in rows.enumerated() {
      switch state.reason {
      case .neededBy(let child):
        if try !exists(child) { outdated.insert(place) }
      case .missing(let parent)
      where parent.key.count == kind.schema.tables[parent.table].key.count:
        if try exists(parent) { outdated.insert(place) }
      default: continue
      }
    }
    guard !outdated.isEmpty else { return [] }
    var count = 0
    while count != outdated.count {
      count = outdated.count
      for (place, state) in rows.enumerated() {
        if case .belongsTo(let address) = state.reason, let other = places[address],
          outdated.contains(other)
        {
          outdated.insert(place)
        }
      }
    }
    return outdated
  }

  // MARK: Conflicts

  private func conflicts() throws -> [RevertConflict] {
    try rows.compactMap { state in
      // A row that was only to be kept is as it was.
      if state.present == state.before { return nil }
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

/// Rows that are brought back together or not at all.
private struct BundleKey: Hashable {
  let bundle: Int
  let values: [Value]
}
