package import CatalogModel
package import CatalogStore
import EventLog
import Foundation
import GRDB
package import Projections
import Support

/// Finds the batch that changed the answer of a query: the first value of its first row. Answers are compared as SQLite
/// stores them.
package struct Bisection {
  /// A batch after which the answer is another one than before it.
  package struct Change: Sendable {
    package let batch: BatchRange
    package let before: StoredValue
    package let after: StoredValue
  }

  /// An answer that is another one than before its batch, or the first one.
  package struct Point: Sendable {
    package let batch: BatchRange
    /// The latest time of the batch's events.
    package let at: Timestamp
    package let value: StoredValue
  }

  /// One change, and how much of the history was looked at for it.
  package struct Found: Sendable {
    package let change: Change
    /// What its batch did to the rows.
    package fileprivate(set) var rows: [RowChange]
    /// The answer at the later of the two moments.
    package let last: StoredValue
    /// The states in which the query was run.
    package let queried: Int
    /// All states from one moment to the other.
    package let states: Int

    /// Whether the answer changed again, from that of the change to the last one.
    package var hasLaterChange: Bool { change.after != last }
  }

  private let sql: String
  private let states: PastStates
  private let memory: MemoryLimit
  private let patience: Duration?

  /// - Parameters:
  ///   - states: of a log whose time limit is that of the whole search.
  ///   - patience: how long the query may take in one state; nil if the whole search has a limit alone.
  package init(
    _ sql: String, in states: PastStates, memory: MemoryLimit = .current, patience: Duration? = nil
  ) {
    self.sql = sql
    self.states = states
    self.memory = memory
    self.patience = patience
  }

  /// The last event of the state with which a search starts if the user names none: the one after the first import, or
  /// whatever follows the events that only create and describe the catalog.
  package static func start(of log: CatalogLog) throws -> UInt64 {
    let head = try log.reader.requireEvents().head
    let beginning = (log.kind as? any SelfDescribingKind)?.firstDescription ?? 1
    return try log.batch(containing: min(beginning + 1, head.sequence)).lastSequence
  }

  /// Halves the history between two events until one batch is left that changed the answer; there may be others.
  ///
  /// - Throws: `CatalogError` with `changeRefused` if the answer is the same at both ends.
  package func run(good: UInt64, bad: UInt64) throws -> Found {
    try requireOrder(good, bad)
    if let history = try history(at: good, through: bad) {
      let batches = try history.batches(from: good, through: bad)
      var found = try search(
        batches, start: { try ask(history, at: $0) },
        ask: { sequence, _ in try ask(history, at: sequence) })
      let batch = found.change.batch
      found.rows = try history.changes(after: batch.firstSequence - 1, through: batch.lastSequence)
      return found
    }
    let trials = Trials(states, ask)
    var found = try search(
      batches(from: good, through: bad), start: trials.start, ask: trials.ask)
    found.rows = try trials.changes(through: found.change.batch.lastSequence)
    return found
  }

  /// Halves the batches after the first until one is left.
  ///
  /// - Parameters:
  ///   - start: the answer of the first state.
  ///   - ask: the answer of another one, and whether a later question is likely to be about a state after it.
  /// - Returns: the change without its rows.
  private func search(
    _ batches: [BatchRange], start: (UInt64) throws -> StoredValue,
    ask: (_ sequence: UInt64, _ isBase: (StoredValue) -> Bool) throws -> StoredValue
  ) throws -> Found {
    guard batches.count > 1 else {
      throw CatalogError(
        .noMoment, "there is no batch between the two moments; name moments further apart")
    }
    let first = try start(batches[0].lastSequence)
    var low = 0
    var high = batches.count - 1
    let last = try ask(batches[high].lastSequence) { _ in false }
    guard first != last else {
      throw CatalogError(
        .changeRefused,
        "the answer is \(first) at both ends, after event \(batches[0].lastSequence) and after event "
          + "\(batches[high].lastSequence): it did not change, or changed back; \(do: .askEveryMoment) lists every "
          + "change")
    }
    var after = last
    var steps = 2
    while high - low > 1 {
      let middle = (low + high) / 2
      states.progress(
        CatalogProgress(phase: .bisecting, done: steps, total: steps + (high - low).bitWidthUsed))
      let answer = try ask(batches[middle].lastSequence) { first == $0 }
      steps += 1
      if first == answer {
        low = middle
      } else {
        (high, after) = (middle, answer)
      }
    }
    return Found(
      change: Change(batch: batches[high], before: first, after: after),
      rows: [], last: last, queried: steps, states: batches.count)
  }

  /// The history, if it reaches as far as the later event and has all that the statement asks for; nil if the log is
  /// replayed.
  private func history(at first: UInt64, through last: UInt64) throws -> HistoryDatabase? {
    guard let history = try states.openHistory(through: last),
      try history.run(sql, at: first, until: limit(history.interrupt), { _, _ in }) != nil
    else { return nil }
    return history
  }

  private func limit(_ interrupt: @escaping @Sendable () -> Void) -> StatementLimit {
    let whole = states.log.limit
    let time = patience.map {
      TimeLimit(min($0, whole?.remaining ?? $0), stop: whole?.stop ?? WorkStop())
    }
    return StatementLimit(time ?? whole, memory, interrupting: interrupt)
  }

  private func ask(_ history: HistoryDatabase, at sequence: UInt64) throws -> StoredValue {
    let limit = limit(history.interrupt)
    let answer = try history.run(sql, at: sequence, until: limit) { statement, database in
      try limit.run(in: database) { try Self.firstValue(of: statement, limit) }
    }
    guard let answer else {
      throw CatalogError(
        .sqlRefused, "the history cannot answer the statement at event \(sequence)")
    }
    return answer
  }

  private static func firstValue(
    of statement: Statement, _ limit: StatementLimit
  ) throws -> StoredValue {
    let cursor = try Row.fetchCursor(statement)
    // A row exists as long as its cursor.
    return try withExtendedLifetime(cursor) {
      try cursor.next() == nil ? .null : limit.row(of: statement)[0]
    }
  }

  /// Every change between two events, in the order of the log.
  package func scan(from good: UInt64, through bad: UInt64) throws -> [Change] {
    let answers = try answers(from: good, through: bad)
    return zip(answers, answers.dropFirst()).map { before, after in
      Change(batch: after.batch, before: before.value, after: after.value)
    }
  }

  /// The answer after the batch that holds an event, and after each later one that changed it.
  package func series(from first: UInt64, through last: UInt64) throws -> [Point] {
    let answers =
      first == last ? [try answer(at: first)] : try answers(from: first, through: last)
    let times = try times(of: Set(answers.map(\.batch.lastSequence)), through: last)
    return try answers.map { batch, value in
      guard let at = times[batch.lastSequence] else {
        throw StoreError(.drifted, "the history has no time of event \(batch.lastSequence)")
      }
      return Point(batch: batch, at: at, value: value)
    }
  }

  private typealias Answer = (batch: BatchRange, value: StoredValue)

  /// The answer of the first state, and each answer that differs from the one before it.
  ///
  /// From a history only those states are asked whose batches changed a table that the statement reads, and none if it counts
  /// rows of one table.
  private func answers(from good: UInt64, through bad: UInt64) throws -> [Answer] {
    try requireOrder(good, bad)
    if let history = try history(at: good, through: bad) {
      let counted = try history.answers(ofCounting: sql, from: good, through: bad) {
        try states.log.limit?.check()
      }
      if let counted { return counted }
      return try walk(
        history.batches(from: good, through: bad, thatMayChange: sql),
        start: { try ask(history, at: $0) }, next: { try ask(history, at: $0) })
    }
    let trials = Trials(states, ask)
    return try walk(batches(from: good, through: bad), start: trials.start, next: trials.walk)
  }

  private func walk(
    _ batches: [BatchRange], start: (UInt64) throws -> StoredValue,
    next: (UInt64) throws -> StoredValue
  ) throws -> [Answer] {
    guard let first = batches.first else { return [] }
    var answers = [(batch: first, value: try start(first.lastSequence))]
    for (index, batch) in batches.enumerated().dropFirst() {
      let answer = try next(batch.lastSequence)
      if answers.last?.value != answer { answers.append((batch, answer)) }
      states.progress(CatalogProgress(phase: .bisecting, done: index, total: batches.count))
    }
    return answers
  }

  private func answer(at sequence: UInt64) throws -> Answer {
    let batch = BatchRange(try states.log.batch(containing: sequence))
    let last = batch.lastSequence
    let history = try history(at: last, through: sequence)
    return (batch, try history.map { try ask($0, at: last) } ?? Trials(states, ask).start(last))
  }

  /// The times of batches by their last events.
  private func times(
    of ends: Set<UInt64>, through last: UInt64
  ) throws -> [UInt64: Timestamp] {
    if let history = try states.openHistory(through: last) {
      return try history.times(ofBatchesEndingWith: ends)
    }
    var times: [UInt64: Timestamp] = [:]
    try TimedBatch.forEach(in: states.log.reader, until: states.log.limit) { batch in
      if ends.contains(batch.lastSequence) { times[batch.lastSequence] = batch.time }
    }
    return times
  }

  private func requireOrder(_ good: UInt64, _ bad: UInt64) throws {
    guard good < bad else {
      throw CatalogError(
        .noMoment,
        "the search would start after event \(good), which is not before its end, event \(bad); name moments further "
          + "apart")
    }
  }

  private func batches(from good: UInt64, through bad: UInt64) throws -> [BatchRange] {
    var batches: [BatchRange] = []
    let cursor = try states.log.cursor()
    while let batch = try cursor.nextBatch() {
      if batch.lastSequence >= good { batches.append(BatchRange(batch)) }
      if batch.lastSequence >= bad { break }
    }
    return batches
  }

  private func ask(_ replayCursor: ReplayCursor, _ database: Database) throws -> StoredValue {
    let limit = limit(replayCursor.interrupt)
    return try limit.run(in: database) {
      try Self.firstValue(of: PastDatabase.statement(sql, in: database), limit)
    }
  }
}

extension BatchRange {
  fileprivate init(_ batch: BatchInfo) {
    self.init(firstSequence: batch.firstSequence, lastSequence: batch.lastSequence)
  }
}

extension Int {
  /// How often it can be halved.
  fileprivate var bitWidthUsed: Int { Int.bitWidth - leadingZeroBitCount }
}

/// States of a log that a query is asked in: one to go on from, and looks ahead.
private final class Trials {
  /// Rows in SQLite take so many times longer for an event than a fold in memory.
  private static let costOfCarrying: UInt64 = 4

  private let states: PastStates
  private let query: (ReplayCursor, Database) throws -> StoredValue
  private var base: ReplayCursor?

  init(
    _ states: PastStates, _ query: @escaping (ReplayCursor, Database) throws -> StoredValue
  ) {
    self.states = states
    self.query = query
  }

  /// Begins with a state to go on from.
  func start(_ sequence: UInt64) throws -> StoredValue {
    let replayCursor = try make(at: sequence)
    base = replayCursor
    return try replayCursor.read { try query(replayCursor, $0) }
  }

  /// Asks a state behind the one to go on from, and goes on from it where `isBase`.
  func ask(
    _ sequence: UInt64, isBase: (StoredValue) -> Bool
  ) throws -> StoredValue {
    if let base, Self.isNearer(base.checkpoint.sequence, to: sequence) {
      return try base.lookAhead(through: sequence, { try query(base, $0) }, moves: isBase)
    }
    let replayCursor = try make(at: sequence)
    let answer = try replayCursor.read { try query(replayCursor, $0) }
    if isBase(answer) { base = replayCursor }
    return answer
  }

  /// Carries the state to go on from forward.
  func walk(_ sequence: UInt64) throws -> StoredValue {
    guard let base else { return try start(sequence) }
    try base.advance(through: sequence)
    return try base.read { try query(base, $0) }
  }

  /// What a batch did to the state to go on from.
  func changes(through sequence: UInt64) throws -> [RowChange] {
    try base?.changes(through: sequence) ?? []
  }

  /// Whether a state takes less work from an earlier one than from event 1.
  private static func isNearer(_ base: UInt64, to sequence: UInt64) -> Bool {
    base <= sequence && (sequence - base) * costOfCarrying <= sequence
  }

  private func make(at sequence: UInt64) throws -> ReplayCursor {
    try states.opened(through: sequence) { path in
      try ReplayCursor(path, in: states.log, looksAhead: true, progress: states.progress)
    }
  }
}
