package import CatalogStore
package import EventLog
import Foundation
import GRDB
import Projections

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
  private let log: EventLogReader
  private let progress: ProgressObserver

  package init(
    _ sql: String, sense: Sense, in log: EventLogReader,
    progress: @escaping ProgressObserver = { _ in }
  ) {
    self.sql = sql
    self.sense = sense
    self.log = log
    self.progress = progress
  }

  /// Halves the history between two events until one batch is left: right where the answer turned once.
  ///
  /// - Returns: the turn, and how many states were asked.
  /// - Throws: `CatalogError` with `changeRefused` where the answer is the same at both ends.
  package func run(good: UInt64, bad: UInt64) throws -> (turn: Turn, steps: Int) {
    let batches = try batches(from: good, through: bad)
    guard batches.count > 1 else {
      throw CatalogError(.noMoment, "there is no batch between the two moments")
    }
    let states = try States(log)
    defer { states.remove() }
    var low = (index: 0, answer: try states.rebuild(through: batches[0].lastSequence, ask))
    var high = batches.count - 1
    var highAnswer = try states.peek(through: batches[high].lastSequence, ask)
    guard differs(low.answer, highAnswer) else {
      throw CatalogError(
        .changeRefused,
        "the answer is \(low.answer) at both ends: it did not turn, or turned back; --scan lists every "
          + "turn")
    }
    var steps = 2
    while high - low.index > 1 {
      let middle = (low.index + high) / 2
      progress(
        CatalogProgress(
          phase: .bisecting, done: steps, total: steps + (high - low.index).bitWidthUsed))
      let answer = try states.step(through: batches[middle].lastSequence, ask) {
        !differs(low.answer, $0)
      }
      steps += 1
      if differs(low.answer, answer) {
        high = middle
        highAnswer = answer
      } else {
        low = (middle, answer)
      }
    }
    return (Turn(batch: batches[high], before: low.answer, after: highAnswer), steps)
  }

  /// Walks every batch and hands over each turn.
  package func scan(from good: UInt64, through bad: UInt64) throws -> [Turn] {
    let batches = try batches(from: good, through: bad)
    let states = try States(log)
    defer { states.remove() }
    var turns: [Turn] = []
    var last = try states.rebuild(through: batches[0].lastSequence, ask)
    for (index, batch) in batches.enumerated().dropFirst() {
      let answer = try states.forward(through: batch.lastSequence, ask)
      if differs(last, answer) { turns.append(Turn(batch: batch, before: last, after: answer)) }
      last = answer
      progress(CatalogProgress(phase: .bisecting, done: index, total: batches.count))
    }
    return turns
  }

  private func batches(from good: UInt64, through bad: UInt64) throws -> [BatchInfo] {
    var batches: [BatchInfo] = []
    let cursor = try log.cursor()
    while let batch = try cursor.nextBatch() {
      while try cursor.nextLines() != nil {}
      if batch.lastSequence >= good { batches.append(batch) }
      if batch.lastSequence >= bad { break }
    }
    return batches
  }

  private func ask(_ database: Database) throws -> StoredValue {
    do {
      return try Row.fetchOne(database, sql: sql).flatMap { row in
        row.databaseValues.first.map { StoredValue($0) }
      } ?? .null
    } catch let error as DatabaseError {
      throw CatalogError(.sqlRefused, "SQLite says: \(error.message ?? error.description)")
    }
  }

  private func differs(_ left: StoredValue, _ right: StoredValue) -> Bool {
    switch sense {
    case .truth: left.isTrue != right.isTrue
    case .value: left != right
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
    case .blob(let bytes): !bytes.isEmpty
    }
  }
}

extension Int {
  /// How often it can be halved.
  fileprivate var bitWidthUsed: Int { Int.bitWidth - leadingZeroBitCount }
}

/// Projections of states of a log, in files: the latest one that is known to be good, and trials.
private final class States {
  private let log: EventLogReader
  private let folder: String
  private var base: (path: String, sequence: UInt64)
  private var count = 0

  init(_ log: EventLogReader) throws {
    self.log = log
    folder =
      FileManager.default.temporaryDirectory
      .appending(path: "catalog-bisect-\(UUID().uuidString.lowercased())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    base = ("", 0)
  }

  func remove() {
    // What is left in the temporary folder harms nobody.
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Makes a state from event 1 the one to go on from.
  func rebuild(
    through sequence: UInt64, _ ask: (Database) throws -> StoredValue
  ) throws -> StoredValue {
    let path = newPath()
    try ProjectionRebuild(log, through: sequence).write(to: path)
    base = (path, sequence)
    return try read(path, ask)
  }

  /// Asks a state without going on from it.
  func peek(
    through sequence: UInt64, _ ask: (Database) throws -> StoredValue
  ) throws -> StoredValue {
    let path = newPath()
    defer { removeFile(path) }
    try ProjectionRebuild(log, through: sequence).write(to: path)
    return try read(path, ask)
  }

  /// Asks a state behind the one to go on from, and goes on from it where `isGood`.
  func step(
    through sequence: UInt64, _ ask: (Database) throws -> StoredValue,
    isGood: (StoredValue) -> Bool
  ) throws -> StoredValue {
    let path = newPath()
    // To carry rows forward costs some times more an event than to fold them in memory.
    if (sequence - base.sequence) * 4 > sequence {
      try ProjectionRebuild(log, through: sequence).write(to: path)
    } else {
      try FileManager.default.copyItem(atPath: base.path, toPath: path)
      try carry(path, through: sequence)
    }
    let answer = try read(path, ask)
    if isGood(answer) {
      removeFile(base.path)
      base = (path, sequence)
    } else {
      removeFile(path)
    }
    return answer
  }

  /// Carries the state to go on from forward.
  func forward(
    through sequence: UInt64, _ ask: (Database) throws -> StoredValue
  ) throws -> StoredValue {
    try carry(base.path, through: sequence)
    base.sequence = sequence
    return try read(base.path, ask)
  }

  private func carry(_ path: String, through sequence: UInt64) throws {
    let projection = try ProjectionDatabase(path: path)
    try ProjectionUpdate(log, projection).catchUp(
      through: sequence, batchesPerTransaction: 1_000)
    try projection.close()
  }

  private func read(
    _ path: String, _ ask: (Database) throws -> StoredValue
  ) throws -> StoredValue {
    try PastDatabase(file: path).read(ask)
  }

  private func newPath() -> String {
    count += 1
    return "\(folder)/\(count).sqlite"
  }

  private func removeFile(_ path: String) {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }
}
