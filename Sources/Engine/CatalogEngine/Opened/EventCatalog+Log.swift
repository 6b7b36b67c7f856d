public import CatalogModel
import CatalogStore
import EventLog
public import Projections
import Support

/// The end of a log.
public struct CatalogHead: Hashable, Sendable {
  /// The number of the last event.
  public let sequence: UInt64
  /// The SHA-256 over all events up to it, as 64 hex digits: logs with the same end have the same events.
  public let chain: String

  init(_ head: LogHead) {
    sequence = head.sequence
    chain = head.chain.hex
  }
}

extension EventCatalog {
  // MARK: The log

  /// The end of the log, as a program that only reads the log finds it now; nil if no event was ever appended.
  public func head() async throws -> CatalogHead? {
    try await Blocking.run { [opened] in try opened.log.head().map { CatalogHead($0) } }
  }

  /// Events of the log, in its order. The first of all, by which the engine began the log, is none of the kind and is left out.
  ///
  /// ```swift
  /// var page = try await shelf.events(limit: 1_000)
  /// while let last = page.last {
  ///   for record in page { show(record.at, record.by, record.event) }
  ///   page = try await shelf.events(after: last.sequence, limit: 1_000)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - sequence: that of the last event which is left out.
  ///   - limit: the most events.
  /// - Throws: `EventLogError` if the log is damaged; `EventDecodingError` for an event of a later release.
  public func events(
    after sequence: UInt64 = 0, limit: Int
  ) async throws -> [Recorded<Kind.Event>] {
    try await Blocking.run { [kind, opened] in
      let log = opened.log
      guard let head = try log.head(), sequence < head.sequence else { return [] }
      let cursor = try log.cursor(after: log.batch(containing: sequence + 1).start)
      var records: [Recorded<Kind.Event>] = []
      while records.count < limit, try cursor.nextBatch() != nil {
        try cursor.forEachLine { line, number in
          guard number > sequence, records.count < limit else { return }
          let event = try EventLine(line: line, expecting: number)
          if !event.isBeginning { records.append(try kind.record(of: event)) }
        }
      }
      return records
    }
  }

  // MARK: What the events did

  /// Every change of rows after one event up to another, in the order of the log: each batch changed each row once. A row
  /// that changes and changes back has two changes here, and none in `difference`.
  ///
  /// ```swift
  /// let steps = try await shelf.changes(after: 3_533, of: [Book.table.description])
  /// let removed = steps.filter { $0.change.after == nil }.map(\.event.by)
  /// ```
  ///
  /// - Parameters:
  ///   - first: the last event whose changes are left out; 0 if there is none. Of a batch that it divides all events are left out.
  ///   - last: an event of the last batch; if it is nil, the state that is read, which is the log's head for a catalog as it is.
  ///   - tables: if it is nil, all but the program's own.
  /// - Throws: `CatalogError` with `noMoment` if the log has no such event, or if `last` is earlier than `first`.
  public func changes(
    after first: UInt64, through last: UInt64? = nil, of tables: [TableDescription]? = nil
  ) async throws -> [RecordedChange] {
    try await Blocking.run { [opened] in
      let states = opened.states
      let (start, end) = try opened.ends(first, last, in: states)
      let own = states.log.kind.schema.tables.filter { !$0.isOwn }
      return try states.steps(in: tables ?? own, after: start, through: end)
    }
  }

  /// The rows that differ between two states, by table in the order of the schema, then by key: each with the event that wrote
  /// it last.
  ///
  /// - Parameters: as those of `changes`.
  /// - Throws: as `changes`.
  public func difference(
    after first: UInt64, through last: UInt64? = nil, of tables: [TableDescription]? = nil
  ) async throws -> [RecordedChange] {
    try await Blocking.run { [opened] in
      let states = opened.states
      let (start, end) = try opened.ends(first, last, in: states)
      let old = try PastDatabase(start == 0 ? .start : .sequence(start), of: states, live: nil)
      let new = try PastDatabase(.sequence(end), of: states, live: nil)
      let diff = try HistoryDiff(
        from: old, to: new, of: states.log.kind, in: tables, rowLimit: .max,
        leavingOut: .ownTables, events: states)
      return try diff.tables.flatMap { try $0.rowChanges() }.map { change, event in
        guard let event else {
          throw StoreError(.drifted, "\(change.table.name) has a row that no event wrote")
        }
        return RecordedChange(event: event, change: change)
      }
    }
  }

  /// Every change of a row up to the state that is read, oldest first.
  ///
  /// ```swift
  /// let lives = try await shelf.history(of: Book.table, key: id)
  /// let titles = try lives.compactMap { try $0.change.after.map(Book.table.row)?.title }
  /// ```
  ///
  /// - Throws: `CatalogError` with `notFound` if no event ever wrote the row, or if the table has keys of another number of values.
  public func history<Row>(
    of table: TypedTable<Row>, key: any ColumnValue...
  ) async throws -> [RecordedChange] {
    try await history(of: table.description, key: key.map(\.columnValue))
  }

  /// Every change of a row of a table that is not known as a Swift type.
  public func history(
    of table: TableDescription, key: [Value]
  ) async throws -> [RecordedChange] {
    try await Blocking.run { [opened] in
      let states = opened.states
      try table.requireKey(key)
      return try states.steps(of: table, key: key, through: opened.ends(0, nil, in: states).end)
    }
  }

  /// The event that made each column of a row what it is, in the state that is read.
  ///
  /// ```swift
  /// let blame = try await shelf.blame(of: Book.table, key: id)
  /// let who = blame.columns.first { $0.name == "reader" }?.event.by
  /// ```
  ///
  /// - Throws: `CatalogError` with `notFound` if no event ever wrote the row, or if the table has keys of another number of values.
  public func blame<Row>(
    of table: TypedTable<Row>, key: any ColumnValue...
  ) async throws -> Blame.Row {
    try await blame(of: table.description, key: key.map(\.columnValue))
  }

  /// Explains a row of a table that is not known as a Swift type.
  public func blame(of table: TableDescription, key: [Value]) async throws -> Blame.Row {
    try await Blocking.run { [opened] in
      let states = opened.states
      try table.requireKey(key)
      let last = try opened.ends(0, nil, in: states).end
      return try Blame(
        table, key: key, in: states.log, through: last, from: states,
        progress: opened.options.progress
      ).row
    }
  }
}

extension OpenedCatalog {
  /// Finds the batches between which changes are asked for.
  ///
  /// - Parameter last: if it is nil, the state that is read.
  /// - Returns: the last events of two batches, or 0 for the state before all of them.
  fileprivate func ends(
    _ first: UInt64, _ last: UInt64?, in states: PastStates
  ) throws -> (start: UInt64, end: UInt64) {
    let wanted = last ?? past?.sequence
    let start = try first == 0 ? 0 : states.found(.sequence(first)).sequence ?? 0
    let end = try states.found(wanted.map { .sequence($0) } ?? .head(back: 0)).sequence ?? 0
    guard start <= end else {
      throw CatalogError(
        .noMoment, "event \(first) is later than event \(end): name them in the log's order")
    }
    return (start, end)
  }
}

extension TableDescription {
  fileprivate func requireKey(_ values: [Value]) throws {
    guard values.count != key.count else { return }
    let names = key.map { columns[$0].name }.joined(separator: ", ")
    throw CatalogError(
      .notFound,
      "a key of \(name) has \(CountWords.of(key.count, "value")) (\(names)), not \(values.count)")
  }
}
