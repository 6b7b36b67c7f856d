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
    let history = try states.openHistory(through: bad)
    let ask = try asker(history, at: good)
    var found = try search(history.batches(from: good, through: bad), ask)
    let batch = found.change.batch
    found.rows = try history.changes(after: batch.firstSequence - 1, through: batch.lastSequence)
    return found
  }

  /// Halves the batches after the first until one is left.
  ///
  /// - Returns: the change without its rows.
  private func search(_ batches: [BatchRange], _ ask: (UInt64) throws -> StoredValue) throws
    -> Found
  {
    guard batches.count > 1 else {
      throw CatalogError(
        .noMoment, "there is no batch between the two moments; name moments further apart")
    }
    let first = try ask(batches[0].lastSequence)
    var low = 0
    var high = batches.count - 1
    let last = try ask(batches[high].lastSequence)
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
      let answer = try ask(batches[middle].lastSequence)
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

  /// Asks the history for the answer of a state by the last event of its batch. A statement that asks for more than a history has
  /// is answered by a database of each state, which costs a replay.
  private func asker(
    _ history: HistoryDatabase, at first: UInt64
  ) throws -> (UInt64) throws -> StoredValue {
    let isAnswered =
      try history.run(sql, at: first, until: limit(history.interrupt)) { _, _ in } != nil
    return { isAnswered ? try ask(history, at: $0) : try askDatabase(at: $0) }
  }

  /// When the statement is stopped in one state; nil if never.
  private var time: TimeLimit? {
    let whole = states.log.limit
    let time = patience.map {
      TimeLimit(min($0, whole?.remaining ?? $0), stop: whole?.stop ?? WorkStop())
    }
    return time ?? whole
  }

  private func limit(_ interrupt: @escaping @Sendable () -> Void) -> StatementLimit {
    StatementLimit(time, memory, interrupting: interrupt)
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

  private func askDatabase(at sequence: UInt64) throws -> StoredValue {
    let database = try PastDatabase(.sequence(sequence), of: states, live: nil)
    var value: StoredValue?
    try database.forEachRow(of: sql, until: time, memory: memory) { _ in
    } _: { row in
      value = value ?? row[0]
    }
    return value ?? .null
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
    let history = try states.openHistory(through: last)
    let times = try history.times(
      ofBatchesEndingWith: Set(answers.map(\.batch.lastSequence)))
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
  /// Only those states are asked whose batches changed a table that the statement reads, and none if it counts rows of one table.
  private func answers(from good: UInt64, through bad: UInt64) throws -> [Answer] {
    try requireOrder(good, bad)
    let history = try states.openHistory(through: bad)
    let ask = try asker(history, at: good)
    let counted = try history.answers(ofCounting: sql, from: good, through: bad) {
      try states.log.limit?.check()
    }
    return try counted
      ?? walk(history.batches(from: good, through: bad, thatMayChange: sql), ask)
  }

  private func walk(
    _ batches: [BatchRange], _ ask: (UInt64) throws -> StoredValue
  ) throws -> [Answer] {
    var answers: [Answer] = []
    for (index, batch) in batches.enumerated() {
      let answer = try ask(batch.lastSequence)
      if answers.last?.value != answer { answers.append((batch, answer)) }
      states.progress(CatalogProgress(phase: .bisecting, done: index, total: batches.count))
    }
    return answers
  }

  private func answer(at sequence: UInt64) throws -> Answer {
    let history = try states.openHistory(through: sequence)
    guard let batch = try history.batch(containing: sequence) else {
      throw CatalogError(.noMoment, "the history has no event \(sequence)")
    }
    return (batch, try asker(history, at: batch.lastSequence)(batch.lastSequence))
  }

  private func requireOrder(_ good: UInt64, _ bad: UInt64) throws {
    guard good < bad else {
      throw CatalogError(
        .noMoment,
        "the search would start after event \(good), which is not before its end, event \(bad); name moments further "
          + "apart")
    }
  }
}

extension Int {
  /// How often it can be halved.
  fileprivate var bitWidthUsed: Int { Int.bitWidth - leadingZeroBitCount }
}
