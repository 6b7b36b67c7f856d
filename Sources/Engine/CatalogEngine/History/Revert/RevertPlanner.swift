import CatalogModel
import CatalogStore
import EventLog
import Projections
import Support

/// Plans what takes operations back, cell by cell.
///
/// A cell that still has the value which the operations wrote gets back the one before; a cell that a later event changed stays.
/// A row that the operations added goes, unless a later event changed it or a row that stays refers to it: then it stays with
/// the rows that belong to it. The plan is tried over the present rows, which stay as they are.
struct RevertPlanner<Kind: CatalogKind> {
  private let kind: Kind
  private let past: RevertPast
  private let part: RevertPart
  /// The keys of the rows that meet the part's condition; nil if it has none.
  private let chosen: Set<[Value]>?
  private let isForced: Bool
  private let rules: ReversalRules
  private let merge: CellMerge

  private var rows: [RevertedRowState] = []
  private var places: [RowAddress: Int] = [:]
  private var lists: [RevertedList] = []

  /// - Parameter chosen: the keys of the rows that meet the part's condition; nil if it has none.
  init(
    _ kind: Kind, _ past: RevertPast, _ part: RevertPart, choosing chosen: Set<[Value]>?,
    isForced: Bool
  ) {
    (self.kind, self.past, self.part, self.chosen) = (kind, past, part, chosen)
    self.isForced = isForced
    rules = kind.reversalRules
    merge = CellMerge(kind.schema, rules, isForced: isForced)
  }

  /// - Parameters:
  ///   - reason: kept in the events.
  ///   - at: the time of the events in a trial.
  /// - Throws: `CatalogError` with `changeRefused` if operations of this kind cannot be taken back.
  mutating func plan(reason: String?, by: String, at: Timestamp) throws -> RevertDraft<Kind.Event> {
    let operations = try past.operations(documents: rules.documents, reason: reason)
    let markers = try operations.map { operation in
      guard let marker = kind.event(reverting: operation) else {
        throw CatalogError(
          .changeRefused,
          "a catalog of kind \"\(kind.name)\" has no events that take operations back")
      }
      return marker
    }
    try findRows()
    try findLists()
    if !part.isWhole { keepPart() }
    if !isForced { try blockWholeLists() }
    try spreadConflicts()
    blockWhatKindRefuses()
    try spreadConflicts()
    var changes: [RowChange] = []
    var events: [Kind.Event] = []
    var reconsidered: Set<Int> = []
    // Each round leaves at least one more row as it is, keeps one, or looks at one for the last time.
    while true {
      (events, changes) = ([], [])
      let trial = try makeTrial()
      if !trial.states.isEmpty {
        events = markers + trial.events
        let found: [RowAddress: RevertConflict.Reason]
        (changes, found) = try tried(events, trial, by: by, at: at)
        if try leave(found, trial) {
          try spreadConflicts()
          continue
        }
        if try keepRemoved(changes, trial) { continue }
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
    let conflicts = try conflicts()
    let overwritten = try overwrittenRows()
    let planned = PlannedRows(past)
    return RevertDraft(
      operations: operations, events: events, changes: changes, conflicts: conflicts,
      overwritten: overwritten, head: past.head, row: { try planned.row($0, $1) })
  }

  // MARK: What the operations changed

  private mutating func findRows() throws {
    let ofLists = Set(rules.lists.map(\.table.ordinal))
    let records = Set(rules.documents.map(\.table.ordinal))
    for address in past.addressesOfOperations where !ofLists.contains(address.table) {
      let table = kind.schema.tables[address.table]
      var state = RevertedRowState(
        table, key: address.key, before: try past.before(address), after: try past.after(address),
        present: try past.present(table, address.key))
      if let row = merge.stamped(state), part.isWhole {
        state.target = row
        places[address] = rows.count
        rows.append(state)
        continue
      }
      // An operation that only wrote what the kind sets itself has nothing to bring back, forced or not.
      guard !merge.isSame(state.before, state.after, table),
        !merge.isSame(state.present, state.before, table)
      else { continue }
      // A later document of the same name was imported: which one was the last stays as it is.
      if records.contains(address.table), !merge.isSame(state.present, state.after, table) {
        continue
      }
      merge.decide(&state, part)
      guard state.reason != nil || state.target != state.present || !state.changedLater.isEmpty
      else { continue }
      let changed = merge.changedColumns(state)
      state.isStrict = (rules.bundles.joined() + rules.deciding).contains { columns in
        columns.table === table && columns.places.contains(where: changed.contains)
      }
      places[address] = rows.count
      rows.append(state)
    }
  }

  private mutating func findLists() throws {
    for rule in rules.lists where part.columns.isEmpty || part.has([rule.place], of: rule.table) {
      var known: Set<[Value]> = []
      var found: [[Value]] = []
      for address in past.addressesOfOperations where address.table == rule.table.ordinal {
        for row in [try past.before(address), try past.after(address)].compactMap(\.self) {
          let list = rule.list.map { row[$0] }
          if known.insert(list).inserted { found.append(list) }
        }
      }
      for list in found {
        let (before, after, present) = try past.rows(of: rule.table, where: rule.list, are: list)
        guard before != after else { continue }
        lists.append(
          RevertedList(
            rule, list: list, before: before, after: after, present: present, isForced: isForced))
      }
    }
  }

  /// Drops what is not of the part that is brought back, but for the program's own rows that come and go with its rows.
  private mutating func keepPart() {
    let tables = Set(part.tables)
    func isNamed(_ table: TableDescription) -> Bool {
      tables.isEmpty || tables.contains(table.name)
    }
    let isChosen = chosen != nil
    let named = part.tables
    lists.removeAll { list in
      !tables.isEmpty && !tables.contains(list.table.name)
        || isChosen && named != [list.table.name]
    }
    var isKept = rows.map { state in
      merge.isSet(state.table)
        || isNamed(state.table) && (chosen?.contains(state.key) ?? true)
    }
    func isWhole(_ state: RevertedRowState) -> Bool { state.before == nil || state.after == nil }
    let bundles = bundles
    var waiting = rows.indices.filter { isKept[$0] && isWhole(rows[$0]) }
    var keys: [[BundleKey]] = rows.map { _ in [] }
    for (key, members) in bundles { for place in members { keys[place].append(key) } }
    while let place = waiting.popLast() {
      for other in keys[place].flatMap({ bundles[$0] ?? [] })
      where !isKept[other] && rows[other].table.isOwn && isWhole(rows[other]) {
        isKept[other] = true
        waiting.append(other)
      }
    }
    let kept = rows.indices.filter { isKept[$0] }.map { rows[$0] }
    rows = kept
    places = Dictionary(
      rows.enumerated().map { ($0.element.address, $0.offset) }, uniquingKeysWith: { $1 })
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
    guard rows.contains(where: { $0.reason != nil || !$0.changedLater.isEmpty }) else { return }
    let bundles = bundles
    var keys: [[BundleKey]] = rows.map { _ in [] }
    for (key, members) in bundles {
      for place in members { keys[place].append(key) }
    }
    // A row by whose columns others belong to it is brought back whole.
    for place in rows.indices
    where rows[place].isStrict && rows[place].reason == nil && !rows[place].changedLater.isEmpty {
      rows[place].reason = .changedLater
    }
    let (children, owned) = dependents()
    var waiting = rows.indices.filter { rows[$0].reason != nil || !rows[$0].changedLater.isEmpty }
    while let place = waiting.popLast() {
      let state = rows[place]
      let isWhole = state.isAdded || state.isRemoved
      var others = keys[place].flatMap { bundles[$0] ?? [] }.filter { other in
        rows[other].isStrict || state.isStrict
          || isWhole && state.reason != nil && (rows[other].isAdded || rows[other].isRemoved)
      }
      if state.reason != nil {
        if state.isRemoved { others += children[state.address] ?? [] }
        if state.isAdded { others += owned[state.address] ?? [] }
      }
      for other in others where other != place && rows[other].reason == nil {
        rows[other].reason = .belongsTo(state.address)
        waiting.append(other)
      }
    }
  }

  /// The rows that would come back and refer to a row, by the row; and the added rows that begin with a reference to it.
  private func dependents() -> (children: [RowAddress: [Int]], owned: [RowAddress: [Int]]) {
    let references = kind.schema.references(with: rules).filter { reference in
      reference.parentColumns == reference.parent.key && reference.prefix.isEmpty
    }
    var children: [RowAddress: [Int]] = [:]
    var owned: [RowAddress: [Int]] = [:]
    for reference in references {
      let isOwner = reference.child.key.starts(with: reference.columns)
      for (place, state) in rows.enumerated() where state.table === reference.child {
        func parent(_ row: [Value]) -> RowAddress {
          RowAddress(reference.parent, key: reference.columns.map { row[$0] })
        }
        if state.present == nil, let row = state.before {
          children[parent(row), default: []].append(place)
        }
        if isOwner, state.before == nil, let row = state.after {
          owned[parent(row), default: []].append(place)
        }
      }
    }
    return (children, owned)
  }

  /// Keeps the members of lists that belong to a row that stays: to a member, and to a list whose member does not go.
  private mutating func keepMembers() {
    let references = kind.schema.references(with: rules)
    func parents(_ row: [Value], _ table: TableDescription, _ columns: [Int]) -> [RevertedRowState]
    {
      references.compactMap { reference in
        guard reference.child === table, reference.prefix.isEmpty,
          reference.parentColumns == reference.parent.key,
          reference.columns.allSatisfy(columns.contains)
        else { return nil }
        let address = RowAddress(reference.parent, key: reference.columns.map { row[$0] })
        return places[address].map { rows[$0] }
      }
    }
    for place in lists.indices {
      let list = lists[place]
      for (member, row) in list.added where lists[place].kept[member] == nil {
        let members = parents(row, list.table, list.rule.member)
        let owners = parents(row, list.table, list.rule.list)
        if let owner = members.first(where: \.isAddedAndStays) {
          lists[place].kept[member] = .belongsTo(owner.address)
        } else if !members.contains(where: \.isGoing),
          let owner = owners.first(where: \.isAddedAndStays)
        {
          lists[place].kept[member] = .belongsTo(owner.address)
        }
      }
    }
  }

  /// Leaves lists that come as a whole and that later events changed, in whatever row.
  private mutating func blockWholeLists() throws {
    for members in rules.bundles {
      for member in members where member.isList {
        let found = Set(rows.filter { $0.table === member.table }.flatMap { $0.values(member) })
        for list in found where try isChangedLater(member, list) {
          for place in rows.indices
          where rows[place].table === member.table && rows[place].values(member).contains(list) {
            rows[place].reason = rows[place].reason ?? .changedLater
          }
        }
      }
    }
  }

  /// Whether a row with some values is another one now than after the operations, or came or went since.
  private func isChangedLater(
    _ list: ReversalRules.Columns, _ values: [Value]
  ) throws -> Bool {
    try past.touchedRows(
      of: list.table, where: list.places, are: Array(values.dropFirst(list.prefix.count))
    ).contains { address in
      guard past.isTouchedLater(address) else { return false }
      let present = try past.present(list.table, address.key)
      return !merge.isSame(try past.after(address), present, list.table)
    }
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
    keepMembers()
  }

  private mutating func blockDuplicates() throws {
    for place in rows.indices where rows[place].isChange {
      let state = rows[place]
      guard let row = state.target else { continue }
      for unique in state.table.uniques {
        let values = unique.map { row[$0] }
        guard !values.contains(.null),
          state.present.map({ now in unique.map { now[$0] } }) != values
        else { continue }
        let isTaken = try past.rows.rows(of: state.table, where: unique, are: values).contains {
          row in
          let other = RowAddress(
            state.table, key: state.table.key(of: try past.named(row, of: state.table)))
          guard other.key != state.key else { return false }
          guard let place = places[other], rows[place].isChange else { return true }
          return rows[place].target.map { row in unique.map { row[$0] } == values } ?? false
        }
        if isTaken { rows[place].reason = .taken(unique.map { state.table.columns[$0].name }) }
      }
    }
  }

  private mutating func blockWhatKindRefuses() {
    for table in kind.schema.tables {
      for isGone in [true, false] {
        let own = rows.indices.filter {
          rows[$0].table === table && rows[$0].isChange && (rows[$0].target == nil) == isGone
        }
        guard !own.isEmpty, refusal(own.map { rows[$0] }) != nil else { continue }
        for place in own { rows[place].reason = refusal([rows[place]]).map { .impossible($0) } }
      }
    }
  }

  private func refusal(_ states: [RevertedRowState]) -> String? {
    let rows = RestoredRows(
      states[0].table, rows: states.compactMap(\.target),
      gone: states.filter { $0.target == nil }.map(\.key))
    guard case .impossible(let reason) = kind.wayBack(to: rows) else { return nil }
    return reason
  }

  // MARK: Events

  /// The rows and events of one round.
  private struct Trial {
    var states: [RevertedRowState] = []
    /// The list of each of its rows.
    var lists: [RowAddress: Int] = [:]
    var planned: [RowAddress: RevertedRowState] = [:]
    var numbering: SurrogateNames.Numbering
    var events: [Kind.Event] = []
  }

  private func makeTrial() throws -> Trial {
    var trial = Trial(numbering: try past.numbering())
    trial.states = rows.filter(\.isChange)
    for (place, list) in lists.enumerated() {
      for state in list.changes {
        trial.lists[state.address] = place
        trial.states.append(state)
      }
    }
    for state in trial.states { trial.planned[state.address] = state }
    trial.events = try restoringEvents(trial.states, &trial.numbering)
    return trial
  }

  /// Rows of an event, at most, and their bytes.
  private static var rowsPerEvent: Int { 500 }
  private static var bytesPerEvent: Int { 1 << 20 }

  /// Rows that refer to others are removed before them, and put back after them.
  private func restoringEvents(
    _ states: [RevertedRowState], _ numbering: inout SurrogateNames.Numbering
  ) throws -> [Kind.Event] {
    var ofTable: [Int: [RevertedRowState]] = [:]
    for state in states { ofTable[state.table.ordinal, default: []].append(state) }
    var events: [Kind.Event] = []
    func add(_ rows: RestoredRows) throws {
      switch kind.wayBack(to: rows) {
      case .events(let own): events += own
      case .impossible(let reason):
        throw CatalogError(.changeRefused, "this cannot be undone, because \(reason)")
      }
    }
    let tables = kind.schema.tables
    for table in tables.reversed() {
      let gone = (ofTable[table.ordinal] ?? []).filter { $0.target == nil }
      for piece in Self.pieces(of: gone) {
        let keys = try piece.map { try past.numbered(key: $0.key, of: table, &numbering) }
        try add(RestoredRows(table, rows: [], gone: keys))
      }
    }
    for table in tables {
      let written = (ofTable[table.ordinal] ?? []).filter { $0.target != nil }
      for (columns, states) in Self.byColumns(written, of: table) {
        for piece in Self.pieces(of: states) {
          let values = try piece.map { state in
            let row = try past.numbered(state.target ?? [], of: table, &numbering)
            return columns.map { row[$0] }
          }
          try add(
            RestoredRows(
              table: table.name, columns: columns.map { table.columns[$0].name }, rows: values,
              key: [], gone: []))
        }
      }
    }
    return events
  }

  /// The rows by the columns that an event has to have, in the order of the first row of each: those of the key, and those that
  /// change. A row that comes back has all, and so has one that changes what must be unique, since rows may exchange it.
  private static func byColumns(
    _ states: [RevertedRowState], of table: TableDescription
  ) -> [(columns: [Int], states: [RevertedRowState])] {
    var places: [[Int]: Int] = [:]
    var found: [(columns: [Int], states: [RevertedRowState])] = []
    for state in states {
      var columns = Array(table.columns.indices)
      let changed = state.changedColumns
      if state.present != nil, !state.isKept,
        !table.uniques.joined().contains(where: changed.contains)
      {
        columns = columns.filter { table.key.contains($0) || changed.contains($0) }
      }
      if let place = places[columns] {
        found[place].states.append(state)
      } else {
        places[columns] = found.count
        found.append((columns, [state]))
      }
    }
    return found
  }

  private static func pieces(of states: [RevertedRowState]) -> [[RevertedRowState]] {
    var pieces: [[RevertedRowState]] = []
    var bytes = 0
    for state in states {
      let length = (state.target ?? state.key).reduce(0) { $0 + $1.length }
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

  // MARK: Trial

  /// Applies the events over the present rows.
  ///
  /// - Returns: what they changed, and rows that have to stay: a row that is removed while another refers to it, and a row that
  ///   refers to none.
  private func tried(
    _ events: [Kind.Event], _ trial: Trial, by: String, at: Timestamp
  ) throws -> (changes: [RowChange], found: [RowAddress: RevertConflict.Reason]) {
    var touched = TouchedRows()
    let observed = ObservedRowStore(OverlaidRowStore(past.rows, past.schema)) { touched.add($0) }
    let operation = EntityID(high: 0, low: 0)
    var sequence = past.head.sequence
    for event in events {
      sequence += 1
      try kind.apply(
        Recorded(sequence: sequence, at: at, operation: operation, by: by, event: event),
        to: observed)
    }
    let changes = touched.changes.sorted { $0.table.ordinal < $1.table.ordinal }
    let checks = ReferenceTrial(rules, past.schema, past.rows, changes) {
      try past.hadRow($0, where: $1, are: $2)
    }
    return (
      changes,
      try checks.rowsToLeave { address in
        trial.planned[try past.planned(address, trial.numbering)]
      }
    )
  }

  /// Leaves what a trial found.
  ///
  /// - Returns: whether something was found.
  private mutating func leave(
    _ found: [RowAddress: RevertConflict.Reason], _ trial: Trial
  ) throws -> Bool {
    var isLeft = false
    var stuck: [RowAddress] = []
    for (own, reason) in found {
      let address = try past.planned(own, trial.numbering)
      guard let list = trial.lists[address] else {
        if let place = places[address], rows[place].reason == nil {
          rows[place].reason = reason
          isLeft = true
        } else {
          stuck.append(own)
        }
        continue
      }
      guard let state = trial.planned[address] else {
        stuck.append(own)
        continue
      }
      if case .neededBy = reason, let row = state.present,
        let member = lists[list].member(ofRow: row, before: true)
      {
        isLeft = lists[list].kept.updateValue(reason, forKey: member) == nil || isLeft
      } else if let row = state.target,
        let member = lists[list].member(ofRow: row, before: false)
      {
        // A member that only has another place refers to what it referred to before.
        if lists[list].isPresent(member) { continue }
        isLeft = lists[list].left.updateValue(reason, forKey: member) == nil || isLeft
      } else {
        stuck.append(own)
      }
    }
    // What cannot stay would be tried for ever.
    guard isLeft || stuck.isEmpty else {
      let rows = stuck.map { "\(past.schema.tables[$0.table].name) \($0.key)" }.sorted()
      throw CatalogError(
        .changeRefused,
        "this cannot be undone, because rows that refer to each other would be lost: \(rows.joined(separator: ", "))"
      )
    }
    return isLeft
  }

  /// Adds the rows that the kind removed on the way, since what they need was away for a moment: they are written again.
  ///
  /// - Returns: whether there is one.
  private mutating func keepRemoved(_ changes: [RowChange], _ trial: Trial) throws -> Bool {
    let count = rows.count
    let ofLists = Set(rules.lists.map(\.table.ordinal))
    for change in changes where change.after == nil {
      let address = try past.planned(change.address, trial.numbering)
      guard places[address] == nil, trial.planned[address] == nil,
        !ofLists.contains(address.table),
        !rules.derived.contains(where: { $0 === change.table }),
        let row = try past.present(change.table, address.key)
      else { continue }
      var state = RevertedRowState(
        change.table, key: address.key, before: row, after: row, present: row)
      state.isKept = true
      places[address] = rows.count
      rows.append(state)
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
      return try past.rows.row(in: past.schema.tables[address.table], key: address.key) != nil
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
    var found: [RevertConflict] = []
    func add(
      _ table: TableDescription, _ row: [Value], _ columns: [Int], _ reason: RevertConflict.Reason,
      _ address: RowAddress
    ) throws {
      let (reverted, later) = try past.causes(address, columns)
      let shown = try past.shown(row, of: table)
      found.append(
        RevertConflict(
          table: table, key: table.key(of: shown), row: shown, columns: columns,
          reason: try past.shown(reason), reverted: reverted, later: later))
    }
    for state in rows {
      guard let row = state.present ?? state.after ?? state.before else { continue }
      if let reason = state.reason, state.isAdded || state.isRemoved || state.present == nil {
        try add(state.table, row, [], reason, state.address)
      } else if let reason = state.reason {
        let columns = merge.changedColumns(state).filter {
          state.present?[$0] != state.before?[$0]
        }
        try add(state.table, row, columns, reason, state.address)
      } else if !state.changedLater.isEmpty {
        try add(state.table, row, state.changedLater, .changedLater, state.address)
      }
    }
    for list in lists {
      for (row, reason) in list.conflicts {
        let address = RowAddress(list.table, key: list.table.key(of: row))
        try add(list.table, row, [], reason, address)
      }
    }
    return found.enumerated().sorted {
      ($0.element.table.ordinal, $0.offset) < ($1.element.table.ordinal, $1.offset)
    }.map(\.element)
  }

  private func overwrittenRows() throws -> [OverwrittenRow] {
    try rows.compactMap { state in
      guard state.isChange, !state.overwritten.isEmpty || state.present == nil && state.after != nil
      else { return nil }
      return OverwrittenRow(
        table: state.table, key: state.key,
        present: try state.present.map { try past.shown($0, of: state.table) },
        target: try state.target.map { try past.shown($0, of: state.table) },
        columns: state.present == nil || state.target == nil ? [] : state.overwritten)
    }
  }
}

/// Rows that come and go together.
private struct BundleKey: Hashable {
  let bundle: Int
  let values: [Value]
}
