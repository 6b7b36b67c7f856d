public import CatalogModel
import CatalogStore
public import Projections
import Support

/// Which event made each column of a row what it is.
public struct Blame: Sendable {
  public struct Column: Sendable {
    public let name: String
    public let value: Value
    public let event: EventEnvelope
    /// What it was before; nil if the row was new.
    public let before: Value?
  }

  public struct Row: Sendable {
    public let table: TableDescription
    public let key: [Value]
    /// Empty for a row that is gone.
    public let columns: [Column]
    /// The event that took the row away; nil while it is there.
    public let removed: EventEnvelope?
  }

  /// The row that was asked for.
  package let row: Row
  /// The row's name; nil if it has none, or is gone.
  package let name: String?
  /// The names of the rows that its columns name, by the columns' places.
  package let references: [Int: String]
  /// Rows of join tables that belong to the row, in the order of the kind's relations and of the values, with what
  /// the values are called: the tags of an item.
  package let related: [(relation: TableRelation, name: String, row: Row)]

  /// Replays a log and watches one row, and the rows that belong to it.
  ///
  /// - Parameters:
  ///   - key: values of the table's key, in key order.
  ///   - last: as far as the log is replayed; nil for all of it.
  /// - Throws: `CatalogError` with `notFound` if no event ever wrote the row.
  package init(
    _ table: TableDescription, key: [Value], in log: CatalogLog, through last: UInt64? = nil,
    from states: PastStates? = nil, progress: @escaping ProgressObserver = { _ in }
  ) throws {
    let relations = log.kind.relations.filter { $0.table === table }
    if let last, let history = try states?.readyHistory(through: last),
      let found = try Self.lives(of: table, key, relations, in: history, through: last)
    {
      let names = RowNames(log.kind.schema) { table, key in
        try history.versions(of: table, key: key, through: last).last?.row
      }
      try self.init(table, key, relations, found, names) { relation, value in
        try history.name(of: value, by: relation, at: last)
      }
      return
    }
    var event: EventEnvelope?
    var lives: [RowAddress: RowHistory] = [:]
    // Values that are gone, as they were last.
    var goneValues: [RowAddress: [Value]] = [:]
    func isOfValues(_ table: TableDescription) -> Bool {
      relations.contains { $0.values === table }
    }
    let store = ObservedRowStore(
      MemoryRowStore(schema: log.kind.schema),
      isWatched: { other, otherKey in
        other === table
          ? otherKey == key
          : isOfValues(other)
            || otherKey.starts(with: key) && relations.contains { $0.join === other }
      },
      onChange: { change in
        guard let event else { return }
        let address = change.address
        if change.table !== table, isOfValues(change.table) {
          goneValues[address] = change.after == nil ? change.before : nil
          return
        }
        lives[address] = RowHistory(after: lives[address], change, by: event)
      })
    _ = try ProjectionRebuild(log, through: last, progress: progress)
      .fold(into: store, for: .row(table, key)) { event = $0 }
    let names = RowNames(log.kind.schema) { try store.row(in: $0, key: $1) }
    try self.init(table, key, relations, lives, names) { relation, value in
      let row =
        try store.row(in: relation.values, key: value)
        ?? goneValues[RowAddress(relation.values, key: value)]
      return if case .text(let text)? = row?[relation.label] { text } else { nil }
    }
  }

  /// - Parameter name: what a relation's value is called, or was called last; nil if there never was one.
  private init(
    _ table: TableDescription, _ key: [Value], _ relations: [TableRelation],
    _ lives: [RowAddress: RowHistory], _ names: RowNames,
    name: (_ relation: TableRelation, _ value: [Value]) throws -> String?
  ) throws {
    guard let life = lives[RowAddress(table, key: key)] else {
      throw CatalogError(
        .notFound,
        "no event of the log wrote a row of \(table.name) with this key")
    }
    row = life.row(of: table, key: key)
    let values = row.columns.map(\.value)
    self.name = values.isEmpty ? nil : try names.name(of: table, values)
    references = values.isEmpty ? [:] : try names.references(of: table, values)
    var related: [(relation: TableRelation, name: String, row: Row)] = []
    for relation in relations {
      // What one batch both added and removed is in no state.
      let joined = lives.filter { $0.key.table == relation.join.ordinal && $0.value.wasInAState }
        .map { (key: $0.key.key, value: Array($0.key.key.dropFirst(key.count)), life: $0.value) }
        .sorted { $0.value.isBefore($1.value) }
      for (key, value, life) in joined {
        let name =
          try name(relation, value)
          ?? value.map { StoredValue($0).description }.joined(separator: ", ")
        related.append((relation, name, life.row(of: relation.join, key: key)))
      }
    }
    self.related = related
  }

  /// The lives of a row and of those that belong to it, from their versions.
  ///
  /// - Returns: nil if a batch changed one of the rows by several events: a replay tells them apart.
  private static func lives(
    of table: TableDescription, _ key: [Value], _ relations: [TableRelation],
    in history: HistoryDatabase, through last: UInt64
  ) throws -> [RowAddress: RowHistory]? {
    var lives: [RowAddress: RowHistory] = [:]
    for table in [table] + relations.map(\.join) {
      let versions = try history.versions(of: table, key: key, through: last)
      guard !versions.contains(where: \.isMixed) else { return nil }
      // One batch may have written the row and removed it again, which only a replay finds.
      if lives.isEmpty, versions.isEmpty { return nil }
      for step in try history.steps(versions, of: table, after: 0) {
        let address = step.change.address
        lives[address] = RowHistory(after: lives[address], step.change, by: step.event)
      }
    }
    return lives
  }
}

extension HistoryDatabase {
  /// The name of a relation's value at a moment, or the last one before it; nil if there was none.
  fileprivate func name(
    of value: [Value], by relation: TableRelation, at sequence: UInt64
  ) throws -> String? {
    let version = try versions(of: relation.values, key: value, through: sequence).last
    guard let version, case .text(let text) = version.row[relation.label] else { return nil }
    return text
  }
}

/// The events that made the columns of a row what they are.
private struct RowHistory {
  private let row: [Value]?
  private var events: [EventEnvelope]
  private var before: [Value?]
  private let removed: EventEnvelope?
  /// The batch that changed the row last.
  private let operation: EntityID
  /// Whether the row was there at the end of an earlier batch.
  private let wasInAnEarlierState: Bool

  /// Whether the row is or was there at the end of a batch.
  var wasInAState: Bool { row != nil || wasInAnEarlierState }

  /// - Parameter earlier: of the row before the change; nil if it is the row's first.
  init?(after earlier: RowHistory?, _ change: RowChange, by event: EventEnvelope) {
    row = change.after
    operation = event.operation
    wasInAnEarlierState =
      earlier.map {
        $0.wasInAnEarlierState || $0.row != nil && $0.operation != event.operation
      } ?? false
    guard let row = change.after else {
      // The row may have been gone before, or never have existed.
      guard let earlier else { return nil }
      (events, before) = (earlier.events, earlier.before)
      removed = earlier.row == nil ? earlier.removed : event
      return
    }
    removed = nil
    guard let earlier, let old = earlier.row else {
      (events, before) = (row.map { _ in event }, row.map { _ in nil })
      return
    }
    (events, before) = (earlier.events, earlier.before)
    for index in row.indices where old[index] != row[index] {
      events[index] = event
      before[index] = old[index]
    }
  }

  func row(of table: TableDescription, key: [Value]) -> Blame.Row {
    var columns: [Blame.Column] = []
    if let row {
      for (index, column) in table.columns.enumerated() {
        columns.append(
          Blame.Column(
            name: column.name, value: row[index], event: events[index], before: before[index]))
      }
    }
    return Blame.Row(table: table, key: key, columns: columns, removed: removed)
  }
}
