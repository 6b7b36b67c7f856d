import CatalogModel
import CatalogStore
package import EventLog
import Logging
package import Projections
import Support

extension EventCatalog {
  /// - Parameter rows: how many rows the events change, if one changes many; nil counts an event as one.
  @discardableResult
  package func changeNow(
    by: String, wait: Duration? = nil, loading tables: [TableDescription] = [], rows: Int? = nil,
    plan: (ProvedRows) throws -> [Kind.Event]
  ) throws -> ChangeReport {
    try changeNow(by: by, wait: wait, loading: tables) {
      var planned = PlannedChange(try plan($0), value: ())
      planned.rows = rows
      return planned
    }.report
  }

  /// Plans a change, rehearses its events, appends and applies them.
  ///
  /// - Parameters:
  ///   - document: SHA-256 of the document that the change carries out; nil if there is none. A document may begin a
  ///     catalog, and nothing of one is appended to a log with damage anywhere (decision 0016).
  ///   - summarizes: whether the report says in which columns rows changed.
  ///   - expected: the head over which the caller looked at what it would change; nil if it did not.
  /// - Returns: the log's head afterwards, too.
  /// - Throws: `EventLogError` with `headMoved` if the log has another head than the expected one; nothing is appended then.
  package func changeNow<Value: Sendable>(
    by: String, wait: Duration? = nil, document: [UInt8]? = nil,
    loading tables: [TableDescription], summarizes: Bool = false, after expected: LogHead? = nil,
    planning plan: (ProvedRows) throws -> PlannedChange<Kind.Event, Value>
  ) throws -> (report: ChangeReport, value: Value, head: LogHead) {
    // Another machine may append while this one plans: then the plan is made again, over the new rows, if it read any that
    // are others now.
    let deadline = ContinuousClock.now + patience(wait)
    var kept: ReusablePlan<Value>?
    var refusals = 0
    var takesTurn = false
    while true {
      let start = ContinuousClock.now
      do {
        var changed = try changeOnce(
          by: by, wait: wait, document: document, takesTurn: takesTurn, summarizes: summarizes,
          after: expected
        ) { try planned(tables, &kept, plan) }
        // The history may have to be made for it: other processes can append meanwhile.
        let before = changed.report.sequence - UInt64(changed.report.events)
        changed.report.summary = changed.report.summary.map { opened.noting($0, after: before) }
        changed.report.returned = opened.returned(by: changed.changes ?? [], after: before)
        return (changed.report, changed.value, changed.head)
      } catch let error as EventLogError
        where error.code == .headMoved && !opened.log.reader.keepsOthersOut && expected == nil
      {
        guard ContinuousClock.now < deadline || !takesTurn else { throw error }
        refusals += 1
        // Others that append a little all the time would be quicker each time.
        takesTurn = refusals >= 2 || ContinuousClock.now - start > Self.longAttempt
        opened.options.logger.debug("appended again: \(error)")
      }
    }
  }

  /// A change that took longer and was refused takes its turn at once.
  private static var longAttempt: Duration { .milliseconds(500) }

  /// For how long a change is planned again while others append.
  func patience(_ wait: Duration?) -> Duration {
    max(wait ?? opened.options.wait ?? .zero, .seconds(10))
  }

  /// A plan, and the rows that it read.
  private struct ReusablePlan<Value: Sendable> {
    let planned: PlannedChange<Kind.Event, Value>
    let read: ReadRows?
  }

  /// Plans a change, unless a plan was made whose rows are the same now. The plan of a long document would never end if each
  /// append of another machine began it again.
  private func planned<Value: Sendable>(
    _ tables: [TableDescription], _ kept: inout ReusablePlan<Value>?,
    _ plan: (ProvedRows) throws -> PlannedChange<Kind.Event, Value>
  ) throws -> PlannedChange<Kind.Event, Value> {
    // A plan that read no row looked at something else.
    if let kept, let read = kept.read, try opened.projection.isSame(read) { return kept.planned }
    let new = try opened.projection.readProved(loading: tables) { rows in
      ReusablePlan(planned: try plan(rows), read: try rows.readSoFar())
    }
    kept = new
    return new.planned
  }

  /// A change that was made once.
  private struct MadeChange<Value> {
    var report: ChangeReport
    let value: Value
    /// The log's head afterwards.
    let head: LogHead
    /// The changes of rows by the import of a document, if the report says anything of it; nil also if the rows are very many.
    var changes: [RowChange]?
  }

  private func changeOnce<Value: Sendable>(
    by: String, wait: Duration?, document: [UInt8]?, takesTurn: Bool, summarizes: Bool,
    after expected: LogHead?, planning plan: () throws -> PlannedChange<Kind.Event, Value>
  ) throws -> MadeChange<Value> {
    let writer = try openLog(wait: wait, document: document, takesTurn: takesTurn)
    defer { writer.close() }
    try opened.catchUpLocked(writer)
    if let expected, writer.head != expected {
      throw EventLogError.headMoved(from: expected, to: writer.head, opened.log.reader.place)
    }
    let planned = try opened.planning { try plan() }
    let events = planned.events
    let differing = try differingValues(planned, at: writer.head)
    guard !events.isEmpty else {
      // The events may be left from a write whose outcome its caller never received.
      try writer.confirm()
      return MadeChange(
        report: ChangeReport(
          outcome: .unchanged, failure: nil, events: 0, types: [:],
          sequence: writer.head.sequence, chain: writer.head.chain.hex, differing: differing),
        value: planned.value, head: writer.head)
    }
    let hasReverts =
      try document != nil && writer.head.sequence > 0
      && opened.planning { try !opened.reverts().isEmpty }
    let at = opened.options.clock.now()
    // A document that the plan refuses begins no log.
    if writer.head.sequence == 0 { try opened.begin(writer, at: at, by: by) }
    let watched = summarizes || hasReverts ? WatchedRows() : nil
    let input = try document ?? EventBatch.input(of: events, kind, by: by)
    var types = EventCounts()
    func rehearsed(on store: some RowStore) throws -> EventBatch {
      types = EventCounts()
      var batch = try EventBatch(writer, after: writer.head, at: at, by: by, input: input)
      if let watched {
        try rehearse(
          events, &batch, &types, of: writer.logID, on: watched.observing(store))
      } else {
        try rehearse(events, &batch, &types, of: writer.logID, on: store)
      }
      return batch
    }
    var remarks: [String] = []
    let commit = try opened.commit(to: writer) { append in
      if let rows = try opened.rowsToRebuild(
        before: planned.rows.map { $0 / Self.rowsPerEvent } ?? events.count, after: writer.head)
      {
        let batch = try rehearsed(on: rows.rows)
        // No other writer can append, so that the plan is not needed for another attempt.
        if opened.log.reader.keepsOthersOut { events.releaseAll() }
        let rebuilt = try RebuiltDatabase(opened, of: rows)
        defer { rebuilt.remove() }
        remarks = rebuilt.remarks
        try rebuilt.replaceLive(at: append(batch))
      } else {
        var rehearsal: EventBatch?
        try opened.projection.update(events: UInt64(events.count), isRehearsal: true) {
          checkpoint, store in
          guard var checkpoint, checkpoint.head == writer.head else {
            // Another program may have applied, since the plan was made, what another machine appended.
            if let head = checkpoint?.head, !opened.log.reader.keepsOthersOut {
              throw EventLogError.headMoved(
                from: writer.head, to: head, opened.log.reader.place)
            }
            throw StoreError(
              .drifted, "the database is not at the log's head: \(StoreError.drift)")
          }
          let batch = try rehearsed(on: store)
          remarks = try Self.checked(store, kind)
          guard opened.log.reader.keepsOthersOut else {
            rehearsal = consume batch
            return nil
          }
          checkpoint.head = try append(batch)
          return ProjectionAdvance(checkpoint)
        }
        // A server may be waited for, and other programs of this machine would wait for the database: nothing is kept of the
        // rehearsal, and what was appended is applied as other machines apply it.
        if let batch = rehearsal.take() {
          _ = try append(batch)
          try opened.catchUpLocked(writer)
        }
      }
    }
    let changes = watched?.changes
    return MadeChange(
      report: ChangeReport(
        outcome: commit.failure == nil ? .applied : .appended, failure: commit.failure,
        events: events.count, types: types, sequence: commit.head.sequence,
        chain: commit.head.chain.hex,
        summary: planned.summary ?? (summarizes ? changes.map(OperationSummary.init) : nil),
        differing: differing, remarks: remarks),
      value: planned.value, head: commit.head, changes: hasReverts ? changes : nil)
  }

  /// Opens the log for a change. A document may begin a log.
  ///
  /// - Throws: `CatalogError` with `noCatalog` if there is no log that could be changed.
  private func openLog(
    wait: Duration?, document: [UInt8]?, takesTurn: Bool
  ) throws -> any LogWriter {
    let keepsOthersOut = opened.log.reader.keepsOthersOut
    // A server is not asked for what the writer will know.
    if document == nil, keepsOthersOut { try opened.requireBegun() }
    do {
      return try opened.openLog(
        knownHeads: opened.knownHeads(),
        newLogID: document == nil ? nil : opened.options.newLogID(),
        checksEarlier: document != nil, wait: wait, takesTurn: takesTurn)
    } catch let error as EventLogError where error.code == .io && document == nil {
      if !keepsOthersOut { _ = try opened.requireHead() }
      throw error
    }
  }

  /// Rows that one event of an import changes, about.
  private static var rowsPerEvent: Int { 4 }

  /// Adds events to a batch, and applies them to rows as a replay will read them.
  ///
  /// An event that contradicts the rows would change nothing, in this replay and in all later ones, and is not what was
  /// asked for. One that cannot be read again would stop them.
  ///
  /// - Throws: `ProjectionError` for the first event that contradicts the rows.
  private func rehearse(
    _ events: PlannedEvents<Kind.Event>, _ batch: inout EventBatch,
    _ types: inout EventCounts, of logID: LogID, on store: some RowStore
  ) throws {
    var rehearsal = Rehearsal(kind, logID, after: batch.before)
    var steps = ProgressSteps(total: UInt64(events.count), opened.options.progress)
    try Rehearsal.translatingDuplicates {
      for (place, event) in events.enumerated() {
        try batch.add(event, kind)
        types.add(kind.type(of: event).rawValue)
        try rehearsal.add(batch.line, to: store)
        steps.reached(UInt64(place) + 1)
      }
      try rehearsal.finish(on: store)
    }
  }

  /// Checks rehearsed rows against the references and the rules of a kind.
  ///
  /// - Returns: sentences about broken rules that are only reported.
  /// - Throws: `ProjectionError` with `contradiction`.
  static func checked(_ store: SQLiteRowStore, _ kind: Kind) throws -> [String] {
    try store.requireReferences()
    guard let kind = kind as? any RuledKind else { return [] }
    let (database, changed) = store.rehearsed
    return try kind.checkRules(in: database, changing: changed)
  }

  /// Reads rows that are proved, at the log's head, while nobody writes to the log.
  package func readAtHead<Result>(
    wait: Duration? = nil, _ body: (ProvedRows) throws -> Result
  ) throws -> Result {
    let writer = try opened.openLog(knownHeads: opened.knownHeads(), wait: wait)
    defer { writer.close() }
    try opened.catchUpLocked(writer)
    return try opened.planning { try opened.projection.readProved(body) }
  }
}
