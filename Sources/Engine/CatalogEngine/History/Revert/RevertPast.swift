import CatalogModel
import CatalogStore
import EventLog
import Projections
import Support

/// The rows on which a revert is planned, all of them made from the log: as they are now, and what happened to each since the
/// operations began.
///
/// The history of the catalog is not asked: what goes into the log comes from the log.
final class RevertPast {
  let schema: Schema
  let range: OperationRange
  /// The table of the operations that are reverted; nil if the kind has none.
  private let reverted: TableDescription?
  /// The end of the log.
  let head: LogHead
  /// The rows now, with their numbers.
  let rows: FoldedRows
  private let names: SurrogateNames
  /// Tells what people see of the rows of the kind's own tables.
  private let seen: [Int: ReversalRules.SeenRows]
  private var trails: [RowAddress: RowTrail] = [:]
  /// In the order in which the rows were first touched.
  private var touched: [RowAddress] = []
  /// The events from the first of the operations on.
  private let envelopes: [EventEnvelope]
  /// The hashes of documents that events wrote to tables which are no rows of the plan.
  private let documents: [(sequence: UInt64, table: Int, hash: String)]
  private var addresses: [RowSearch: [[Value]: [RowAddress]]] = [:]
  private var rowsBefore: [RowSearch: Set<[Value]>] = [:]
  /// The row of the kind's own, by the rows that people see in its place; once it was asked.
  private var ownRows: [RowAddress: RowAddress]?
  private let derived: Set<Int>
  /// The answer of `reverts`, once it was asked.
  private var knownReverts: Set<EntityID>?

  /// Folds a log.
  ///
  /// - Throws: as `ProjectionRebuild.fold`.
  init(
    _ log: CatalogLog, _ range: OperationRange, progress: @escaping ProgressObserver = { _ in }
  ) throws {
    let rules = log.kind.reversalRules
    schema = log.kind.schema
    seen = Dictionary(rules.seen.map { ($0.table.ordinal, $0) }, uniquingKeysWith: { $1 })
    self.range = range
    reverted = log.kind.reverted?.description
    let derived = Set(rules.derived.map(\.ordinal))
    self.derived = derived
    let derivedDocuments = Dictionary(
      rules.documents.filter { derived.contains($0.table.ordinal) }
        .map { ($0.table.ordinal, $0.places[0]) }, uniquingKeysWith: { first, _ in first })
    let store = MemoryRowStore(schema: schema)
    var names = SurrogateNames(rules)
    var trails: [RowAddress: RowTrail] = [:]
    var touched: [RowAddress] = []
    var envelopes: [EventEnvelope] = []
    var documents: [(sequence: UInt64, table: Int, hash: String)] = []
    var failure: (any Error)?
    var sequence: UInt64 = 0
    func note(_ change: RowChange) {
      let address = change.address
      if trails[address] == nil {
        trails[address] = RowTrail(sequence, before: change.before)
        touched.append(address)
      } else {
        trails[address]?.add(sequence, before: change.before)
      }
    }
    let observed = ObservedRowStore(
      store,
      isWatched: { table, _ in
        !derived.contains(table.ordinal) || derivedDocuments[table.ordinal] != nil
      },
      onChange: { change in
        if let place = derivedDocuments[change.table.ordinal] {
          guard case .text(let hash)? = change.after?[place] else { return }
          return documents.append((sequence, change.table.ordinal, hash))
        }
        do {
          for change in try names.named(change, in: store, at: sequence) { note(change) }
        } catch {
          failure = failure ?? error
        }
      })
    let checkpoint = try ProjectionRebuild(log, progress: progress).fold(
      into: store, then: observed, after: range.first - 1
    ) { event in
      envelopes.append(event)
      sequence = event.sequence
    }
    if let failure { throw failure }
    head = checkpoint.head
    rows = FoldedRows(store)
    (self.names, self.trails, self.touched, self.envelopes) = (names, trails, touched, envelopes)
    self.documents = documents
  }

  // MARK: Rows

  /// A row as it is now, by its key with names.
  func present(_ table: TableDescription, _ key: [Value]) throws -> [Value]? {
    guard let own = try names.presentKey(key, of: table, in: rows) else { return nil }
    return try rows.row(in: table, key: own).map { try names.named($0, of: table, in: rows) }
  }

  private func state(
    _ address: RowAddress, after sequence: UInt64
  ) throws -> [Value]? {
    if let touch = trails[address]?.touch(after: sequence) { return touch.before }
    return try present(schema.tables[address.table], address.key)
  }

  /// A row after the operations.
  func after(_ address: RowAddress) throws -> [Value]? { try state(address, after: range.last) }

  /// A row before the operations.
  func before(_ address: RowAddress) throws -> [Value]? {
    try state(address, after: range.first - 1)
  }

  /// The rows that the operations touched, in the order in which they did.
  var addressesOfOperations: [RowAddress] {
    touched.filter { (trails[$0]?.firstSequence ?? .max) <= range.last }
  }

  /// Whether an event after the operations touched a row.
  func isTouchedLater(_ address: RowAddress) -> Bool {
    trails[address]?.touch(after: range.last) != nil
  }

  /// The rows with some values in some columns that were touched since the operations began, before or after.
  func touchedRows(
    of table: TableDescription, where columns: [Int], are values: [Value]
  ) throws -> [RowAddress] {
    let search = RowSearch(table: table.ordinal, places: columns)
    if let known = addresses[search] { return known[values] ?? [] }
    var found: [[Value]: [RowAddress]] = [:]
    for address in touched where address.table == table.ordinal {
      var seen: Set<[Value]> = []
      let states =
        (trails[address]?.touches ?? []).map(\.before) + [try present(table, address.key)]
      for row in states.compactMap(\.self) {
        let values = columns.map { row[$0] }
        if seen.insert(values).inserted { found[values, default: []].append(address) }
      }
    }
    addresses[search] = found
    return found[values] ?? []
  }

  /// The rows of a list, before the operations, after them and now.
  func rows(
    of table: TableDescription, where columns: [Int], are values: [Value]
  ) throws -> (before: [[Value]], after: [[Value]], present: [[Value]]) {
    func isOfList(_ row: [Value]) -> Bool { columns.map { row[$0] } == values }
    let present = try rows.rows(of: table, where: columns, are: values)
    let touched = try touchedRows(of: table, where: columns, are: values)
    let known = Set(touched)
    let rest = present.filter { !known.contains(RowAddress(table, key: table.key(of: $0))) }
    return (
      rest + (try touched.compactMap(before).filter(isOfList)),
      rest + (try touched.compactMap(after).filter(isOfList)), present
    )
  }

  /// The rows of a list after an event since the operations began.
  func rows(
    of table: TableDescription, where columns: [Int], are values: [Value],
    after sequence: UInt64
  ) throws -> [[Value]] {
    let touched = try touchedRows(of: table, where: columns, are: values)
    let known = Set(touched)
    let rest = try rows.rows(of: table, where: columns, are: values)
      .filter { !known.contains(RowAddress(table, key: table.key(of: $0))) }
    return try rest
      + touched.compactMap { try state($0, after: sequence) }
      .filter { row in columns.map { row[$0] } == values }
  }

  /// The last event with which a revert of one of the operations changed a list; nil if none did.
  func lastRevert(
    of table: TableDescription, where columns: [Int], are values: [Value]
  ) throws -> UInt64? {
    let reverts = try self.reverts()
    return try touchedRows(of: table, where: columns, are: values)
      .flatMap { trails[$0]?.touches.map(\.sequence) ?? [] }
      .filter { $0 > range.last && (envelope($0).map { reverts.contains($0.operation) } ?? false) }
      .max()
  }

  /// The operations that took one of the operations back, all of it or a part. One that took such a revert back is none.
  private func reverts() throws -> Set<EntityID> {
    if let knownReverts { return knownReverts }
    var found: Set<EntityID> = []
    for batch in range.batches {
      guard let address = reverted.map({ RowAddress($0, key: [.id(batch.operation)]) }) else {
        continue
      }
      for touch in trails[address]?.touches ?? []
      where try state(address, after: touch.sequence) != nil {
        if let operation = envelope(touch.sequence)?.operation { found.insert(operation) }
      }
    }
    knownReverts = found
    return found
  }

  /// The numbers of a list's members since the operations began; nil if no member was ever in it twice.
  func memberNumbers(
    _ rule: ReversalRules.OrderedList, of list: [Value]
  ) throws -> NumberedList? {
    // Nothing is there twice if a list and a member name a row.
    guard !Set(rule.table.key).isSubset(of: rule.list + rule.member) else { return nil }
    let touched = try touchedRows(of: rule.table, where: rule.list, are: list)
    let known = Set(touched)
    let rest = try rows.rows(of: rule.table, where: rule.list, are: list)
      .filter { !known.contains(RowAddress(rule.table, key: rule.table.key(of: $0))) }
    func member(_ row: [Value]?) -> [Value]? {
      guard let row, rule.list.map({ row[$0] }) == list else { return nil }
      return rule.member.map { row[$0] }
    }
    guard try hadEqual(rest.compactMap(member), touched, member) else { return nil }
    var moments = Set(touched.flatMap { trails[$0]?.touches.map(\.sequence) ?? [] })
    moments.insert(range.first - 1)
    return NumberedList(
      try moments.sorted().map { moment in
        let rows = try touched.compactMap { try state($0, after: moment) }
          .filter { member($0) != nil }
        return (moment: moment, members: rule.ordered(rest + rows).compactMap(member))
      })
  }

  /// Whether two rows had the same member at one moment since the operations began.
  ///
  /// - Parameters:
  ///   - rest: the members of the rows that no event touched.
  ///   - member: the member of a row; nil if the row is of another list.
  private func hadEqual(
    _ rest: [[Value]], _ touched: [RowAddress], _ member: ([Value]?) -> [Value]?
  ) throws -> Bool {
    var counts: [[Value]: Int] = [:]
    for values in rest { counts[values, default: 0] += 1 }
    // Each change of a row, by the event that made it.
    var changes: [(sequence: UInt64, before: [Value]?, after: [Value]?)] = []
    for address in touched {
      let touches = trails[address]?.touches ?? []
      if let values = member(touches.first?.before) { counts[values, default: 0] += 1 }
      let last = try present(schema.tables[address.table], address.key)
      for (place, touch) in touches.enumerated() {
        let after = place + 1 < touches.count ? touches[place + 1].before : last
        changes.append((touch.sequence, member(touch.before), member(after)))
      }
    }
    if counts.values.contains(where: { $0 > 1 }) { return true }
    changes.sort { $0.sequence < $1.sequence }
    var start = 0
    while start < changes.count {
      var end = start
      while end < changes.count, changes[end].sequence == changes[start].sequence {
        if let values = changes[end].before { counts[values, default: 0] -= 1 }
        if let values = changes[end].after { counts[values, default: 0] += 1 }
        end += 1
      }
      // An event may move members one after the other: only the rows after it count.
      if changes[start..<end].contains(where: { $0.after.map { counts[$0] ?? 0 > 1 } ?? false }) {
        return true
      }
      start = end
    }
    return false
  }

  /// Whether a table had a row with some values before the operations. A number is that of a row now, or in a trial.
  func hadRow(
    _ table: TableDescription, where columns: [Int], are values: [Value],
    _ numbering: SurrogateNames.Numbering
  ) throws -> Bool {
    guard !values.contains(.null) else { return false }
    for row in try rows.rows(of: table, where: columns, are: values) {
      let own = try names.named(row, of: table, in: rows)
      let address = RowAddress(table, key: table.key(of: own))
      if trails[address] == nil { return true }
    }
    let search = RowSearch(table: table.ordinal, places: columns)
    if rowsBefore[search] == nil {
      var found: Set<[Value]> = []
      for address in touched where address.table == table.ordinal {
        if let row = try before(address) {
          let row = try names.unnamed(
            row, at: Array(table.columns.indices), of: table, in: rows)
          found.insert(columns.map { row[$0] })
        }
      }
      rowsBefore[search] = found
    }
    let labelled = names.labelled(values, at: columns, of: table, numbering)
    return rowsBefore[search]?.contains(labelled) ?? false
  }

  /// The member that a member of a set was united with since the operations, and the event that united them; nil if none did.
  func union(
    of member: String, in set: ReversalRules.SetColumn
  ) throws -> (other: String, event: EventEnvelope)? {
    guard let union = set.union else { return nil }
    let (table, columns) = (union.members.table, union.members.places)
    let identity = try shown(union.identity(member), at: columns, of: table)
    guard let row = try rows.rows(of: table, where: columns, are: identity).first else {
      return nil
    }
    let named = try named(row, of: table)
    let address = RowAddress(table, key: table.key(of: named))
    // What the operations united comes apart with them, though later events did so, too.
    guard let other = union.united(named), try after(address).flatMap(union.united) != other,
      let event = try causes(address, [union.other]).later
    else { return nil }
    return (other, event)
  }

  /// As `union(of:in:)`, of a row's member; nil also if the row had the other member already, so that nothing is left of this one.
  func union(
    ofOwn member: String, in set: ReversalRules.SetColumn, at address: RowAddress
  ) throws -> (other: String, event: EventEnvelope)? {
    guard let union = try union(of: member, in: set) else { return nil }
    let earlier = try state(address, after: union.event.sequence - 1)
    let had = earlier.flatMap { set.members($0[set.column]) }?.contains(union.other) ?? false
    return had ? nil : union
  }

  // MARK: Numbers

  func numbering() throws -> SurrogateNames.Numbering { try names.numbering(in: rows) }

  func numbered(
    _ row: [Value], of table: TableDescription, _ numbering: inout SurrogateNames.Numbering
  ) throws -> [Value] {
    try names.numbered(row, at: Array(table.columns.indices), of: table, &numbering, in: rows)
  }

  func numbered(
    key: [Value], of table: TableDescription, _ numbering: inout SurrogateNames.Numbering
  ) throws -> [Value] {
    try names.numbered(key, at: table.key, of: table, &numbering, in: rows)
  }

  /// The address in the plan of a row that a trial found.
  func planned(
    _ address: RowAddress, _ numbering: SurrogateNames.Numbering
  ) throws -> RowAddress {
    let table = schema.tables[address.table]
    return RowAddress(
      table, key: try names.named(key: address.key, of: table, numbering, in: rows))
  }

  /// A row as it is now, with names for numbers.
  func named(_ row: [Value], of table: TableDescription) throws -> [Value] {
    try names.named(row, of: table, in: rows)
  }

  /// Whether a row is named by its key. A reference to other columns names none.
  func isKey(_ address: RowAddress) -> Bool {
    address.key.count == schema.tables[address.table].key.count
  }

  /// A reason with a row of the plan in the place of one that a trial found.
  func planned(
    _ reason: RevertConflict.Reason, _ numbering: SurrogateNames.Numbering
  ) throws -> RevertConflict.Reason {
    switch reason {
    case .neededBy(let child): .neededBy(try planned(child, numbering))
    case .missing(let parent) where isKey(parent): .missing(try planned(parent, numbering))
    default: reason
    }
  }

  /// A reason with the other row as people may see it: one that is gone has its last number, and one that will exist the number
  /// that it will have.
  func shown(
    _ reason: RevertConflict.Reason, _ numbering: inout SurrogateNames.Numbering
  ) throws -> RevertConflict.Reason {
    switch reason {
    case .belongsTo(let other): .belongsTo(try shown(other))
    case .missing(let parent) where isKey(parent): .missing(try shown(parent))
    case .neededBy(let child):
      .neededBy(
        RowAddress(
          schema.tables[child.table],
          key: try numbered(key: child.key, of: schema.tables[child.table], &numbering)))
    default: reason
    }
  }

  func shown(_ address: RowAddress) throws -> RowAddress {
    let table = schema.tables[address.table]
    return RowAddress(table, key: try shown(address.key, at: table.key, of: table))
  }

  /// The other row of a reason as people may see it, as it is now or was last; nil if there is none.
  ///
  /// - Parameter reason: with a row of the plan.
  func otherRow(of reason: RevertConflict.Reason) throws -> [Value]? {
    try plannedOther(of: reason).map { try shown($0.row, of: $0.table) }
  }

  /// The other row of a reason, with names for numbers, as it is now or was last; nil if there is none.
  func plannedOther(
    of reason: RevertConflict.Reason
  ) throws -> (table: TableDescription, row: [Value])? {
    switch reason {
    case .belongsTo(let address), .neededBy(let address), .missing(let address):
      let table = schema.tables[address.table]
      guard isKey(address),
        let row = try present(table, address.key)
          ?? trails[address]?.touches.reversed().lazy.compactMap(\.before).first
      else { return nil }
      return (table, row)
    case .changedLater, .removedLater, .taken, .impossible: return nil
    }
  }

  /// The rows that people see in the place of a row of the plan; empty if they see the row itself, or none.
  func seenRows(_ row: [Value], of table: TableDescription) -> [RowAddress] {
    guard let seen = seen[table.ordinal] else { return [] }
    return seen.rows(names.seen(row, of: table)).map { RowAddress($0.table, key: $0.key) }
  }

  /// Whether people see other rows in the place of those of a table.
  func isSeenAsOthers(_ table: TableDescription) -> Bool { seen[table.ordinal] != nil }

  /// A row of the kind's own, from which a row follows that people see: one that a later event touched, if there is one, else one
  /// that the operations touched; nil if there is none.
  func ownRow(seenAs address: RowAddress) throws -> RowAddress? {
    guard derived.contains(address.table), !seen.isEmpty else { return nil }
    if ownRows == nil {
      var found: [RowAddress: RowAddress] = [:]
      for own in touched where seen[own.table] != nil {
        let table = schema.tables[own.table]
        guard let row = try present(table, own.key) else { continue }
        for address in seenRows(row, of: table)
        where found[address] == nil || isTouchedLater(own) {
          found[address] = own
        }
      }
      ownRows = found
    }
    return try ownRows?[shown(address)]
  }

  /// A row of the plan as people may see it.
  func shown(_ row: [Value], of table: TableDescription) throws -> [Value] {
    try shown(row, at: Array(table.columns.indices), of: table)
  }

  /// Values of some columns as people may see them.
  func shown(
    _ values: [Value], at columns: [Int], of table: TableDescription
  ) throws -> [Value] {
    try names.shown(values, at: columns, of: table, in: rows)
  }

  // MARK: Events

  /// An event from the first of the operations on.
  func envelope(_ sequence: UInt64) -> EventEnvelope? {
    let place = BinarySearch.first(of: envelopes.count) { envelopes[$0].sequence >= sequence }
    return place < envelopes.count && envelopes[place].sequence == sequence
      ? envelopes[place] : nil
  }

  /// The last event of the operations that changed some columns of a row, and the last one after them; of all columns if none
  /// is named.
  func causes(
    _ address: RowAddress, _ columns: [Int]
  ) throws -> (reverted: EventEnvelope?, later: EventEnvelope?) {
    guard let touches = trails[address]?.touches else { return (nil, nil) }
    let last = try present(schema.tables[address.table], address.key)
    var reverted: UInt64?
    var later: UInt64?
    for (place, touch) in touches.enumerated() {
      let after = place + 1 < touches.count ? touches[place + 1].before : last
      let isChange =
        if let before = touch.before, let after, !columns.isEmpty {
          columns.contains { before[$0] != after[$0] }
        } else {
          touch.before != after
        }
      guard isChange else { continue }
      if touch.sequence <= range.last { reverted = touch.sequence } else { later = touch.sequence }
    }
    return (reverted.flatMap(envelope), later.flatMap(envelope))
  }

  /// A row as it was last; nil if there never was one.
  func lastRow(_ table: TableDescription, _ key: [Value]) throws -> [Value]? {
    if let row = try rows.row(in: table, key: key) { return row }
    return trails[RowAddress(table, key: key)]?.touches.reversed().lazy.compactMap(\.before).first
  }

  /// The operations of whole batches, as the events of a revert name them.
  ///
  /// - Parameter documents: the columns with the hashes of documents.
  func operations(
    documents: [ReversalRules.Columns], reason: String?
  ) throws -> [RevertedOperation] {
    try range.batches.map { batch in
      var operation = RevertedOperation(
        operation: batch.operation, first: Int64(clamping: batch.events.lowerBound),
        last: Int64(clamping: batch.events.upperBound), documents: [], reason: reason)
      for column in documents {
        operation.documents += try hashes(in: column, writtenBy: batch.events)
      }
      return operation
    }
  }

  /// The record of a document that is imported again is written again, as it was.
  private func hashes(
    in columns: ReversalRules.Columns, writtenBy events: ClosedRange<UInt64>
  ) throws -> [String] {
    let place = columns.places[0]
    let derived = documents.filter {
      $0.table == columns.table.ordinal && events.contains($0.sequence)
    }
    // A document that fills several tables is there several times.
    var known: Set<String> = []
    guard derived.isEmpty else { return derived.map(\.hash).filter { known.insert($0).inserted } }
    return try addressesOfOperations.compactMap { address in
      guard address.table == columns.table.ordinal,
        trails[address]?.isTouched(by: events) == true,
        case .text(let hash)? = try state(address, after: events.upperBound)?[place]
      else { return nil }
      return hash
    }
  }
}
