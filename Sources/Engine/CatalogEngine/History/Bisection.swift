package import CatalogStore
package import EventLog
import Foundation
import GRDB
import Projections
import Recoveries

/// Finds the batch after which a query's answer turned.
package struct Bisection {
  /// What counts as another answer.
  package enum Sense: Sendable {
    /// The first value is true, or not: neither NULL, 0, an empty text nor a missing row.
    case truth
    /// The first value differs at all.
    case value
  }

  /// A batch after which the answer is another one than before it.
  package struct Turn: Sendable {
    package let batch: BatchInfo
    package let before: StoredValue
    package let after: StoredValue
  }

  private let sql: String
  private let sense: Sense
  private let states: PastStates
  private let timeout: Duration?

  /// - Parameter timeout: for each time that the query is asked.
  package init(_ sql: String, sense: Sense, in states: PastStates, timeout: Duration? = nil) {
    self.sql = sql
    self.sense = sense
    self.states = states
    self.timeout = timeout
  }

  /// Halves the history between two events until one batch is left: right where the answer turned once.
  ///
  /// - Returns: the turn, what its batch did to the rows, and how many states were asked.
  /// - Throws: `CatalogError` with `changeRefused` where the answer is the same at both ends.
  package func run(good: UInt64, bad: UInt64) throws -> (
    turn: Turn, changes: [RowChanges.Change], steps: Int
  ) {
    let batches = try batches(from: good, through: bad)
    guard batches.count > 1 else {
      throw CatalogError(
        .noMoment, "there is no batch between the two moments; name moments further apart")
    }
    let snapshots = indexes(ofSnapshotsIn: batches)
    let trials = Trials(states, snapshots: Set(snapshots.map { batches[$0].lastSequence }), ask)
    var low = (index: 0, answer: try trials.start(at: batches[0].lastSequence))
    var high = batches.count - 1
    var highAnswer = try trials.ask(at: batches[high].lastSequence) { _ in false }
    guard differs(low.answer, highAnswer) else {
      throw CatalogError(
        .changeRefused,
        "the answer is \(low.answer) at both ends: it did not change, or changed back; \(do: .askEveryMoment) lists every "
          + "turn")
    }
    var steps = 2
    while high - low.index > 1 {
      // A state that lies there already costs least, and leaves less than half as a rule.
      let middle = (low.index + high) / 2
      let next =
        snapshots.filter { low.index < $0 && $0 < high }
        .min { abs($0 - middle) < abs($1 - middle) } ?? middle
      states.progress(
        CatalogProgress(
          phase: .bisecting, done: steps, total: steps + (high - low.index).bitWidthUsed))
      let answer = try trials.ask(at: batches[next].lastSequence) { !differs(low.answer, $0) }
      steps += 1
      if differs(low.answer, answer) {
        high = next
        highAnswer = answer
      } else {
        low = (next, answer)
      }
    }
    return (
      Turn(batch: batches[high], before: low.answer, after: highAnswer),
      try trials.changes(through: batches[high].lastSequence), steps
    )
  }

  /// Walks every batch and hands over each turn.
  package func scan(from good: UInt64, through bad: UInt64) throws -> [Turn] {
    let batches = try batches(from: good, through: bad)
    let trials = Trials(states, ask)
    var turns: [Turn] = []
    var last = try trials.start(at: batches[0].lastSequence)
    for (index, batch) in batches.enumerated().dropFirst() {
      let answer = try trials.walk(to: batch.lastSequence)
      if differs(last, answer) { turns.append(Turn(batch: batch, before: last, after: answer)) }
      last = answer
      states.progress(CatalogProgress(phase: .bisecting, done: index, total: batches.count))
    }
    return turns
  }

  private func batches(from good: UInt64, through bad: UInt64) throws -> [BatchInfo] {
    guard good < bad else {
      throw CatalogError(
        .noMoment, "the good moment, event \(good), is not before the bad one, event \(bad)")
    }
    var batches: [BatchInfo] = []
    let cursor = try states.log.cursor()
    while let batch = try cursor.nextBatch() {
      if batch.lastSequence >= good { batches.append(batch) }
      if batch.lastSequence >= bad { break }
    }
    return batches
  }

  /// Where among the batches a snapshot says to stand.
  private func indexes(ofSnapshotsIn batches: [BatchInfo]) -> [Int] {
    let places = Dictionary(batches.enumerated().map { ($1.head, $0) }) { first, _ in first }
    return states.snapshotHeads().compactMap { places[$0] }
  }

  private func ask(_ replayCursor: ReplayCursor, _ database: Database) throws -> StoredValue {
    try StatementLimit(timeout, interrupting: replayCursor.interrupt).run {
      let statement = try PastDatabase.statement(sql, in: database)
      let cursor = try Row.fetchCursor(statement)
      // A row is there as long as its cursor.
      return try withExtendedLifetime(cursor) {
        try cursor.next() == nil ? .null : StoredValue(statement, at: 0)
      }
    }
  }

  private func differs(_ left: StoredValue, _ right: StoredValue) -> Bool {
    switch sense {
    case .truth: left.isTrue != right.isTrue
    case .value: !left.isStoredAs(right)
    }
  }
}

extension StoredValue {
  fileprivate var isTrue: Bool {
    switch self {
    case .null: false
    case .integer(let integer): integer != 0
    case .real(let real): real != 0
    case .text(let text): !text.isEmpty
    case .blob(let bytes), .malformed(let bytes): !bytes.isEmpty
    }
  }
}

extension Int {
  /// How often it can be halved.
  fileprivate var bitWidthUsed: Int { Int.bitWidth - leadingZeroBitCount }
}

/// States of a log that a query is asked in: one to go on from, and looks ahead.
private final class Trials {
  private let states: PastStates
  /// Sequences at which a state lies there.
  private let snapshots: Set<UInt64>
  private let query: (ReplayCursor, Database) throws -> StoredValue
  private var base: ReplayCursor?

  init(
    _ states: PastStates, snapshots: Set<UInt64> = [],
    _ query: @escaping (ReplayCursor, Database) throws -> StoredValue
  ) {
    self.states = states
    self.snapshots = snapshots
    self.query = query
  }

  /// Begins with a state to go on from.
  func start(at sequence: UInt64) throws -> StoredValue {
    let replayCursor = try make(at: sequence)
    base = replayCursor
    return try replayCursor.read { try query(replayCursor, $0) }
  }

  /// Asks a state behind the one to go on from, and goes on from it where `isBase`.
  func ask(
    at sequence: UInt64, isBase: (StoredValue) -> Bool
  ) throws -> StoredValue {
    if let base, PastStates.isNearer(base.checkpoint.sequence, to: sequence),
      !snapshots.contains(sequence)
    {
      return try base.lookAhead(through: sequence, { try query(base, $0) }, moves: isBase)
    }
    let replayCursor = try make(at: sequence)
    let answer = try replayCursor.read { try query(replayCursor, $0) }
    if isBase(answer) { base = replayCursor }
    return answer
  }

  /// Carries the state to go on from forward.
  func walk(to sequence: UInt64) throws -> StoredValue {
    guard let base else { return try start(at: sequence) }
    try base.advance(through: sequence)
    return try base.read { try query(base, $0) }
  }

  /// What a batch did to the state to go on from.
  func changes(through sequence: UInt64) throws -> [RowChanges.Change] {
    try base?.changes(through: sequence) ?? []
  }

  private func make(at sequence: UInt64) throws -> ReplayCursor {
    let folder = try TemporaryFolder()
    // The connection keeps what it needs: nothing is left behind, however the process ends.
    defer { folder.remove() }
    let path = folder.file("past.sqlite")
    try states.write(through: sequence, to: path)
    return try ReplayCursor(path, in: states.log, looksAhead: true, progress: states.progress)
  }
}
