import CatalogModel
import CatalogStore
import EventLog
import GRDB
import Projections
import Support

/// A projection of its own that moves forward through history, and can look ahead without moving.
final class ReplayCursor {
  /// A transaction's journal is in memory.
  private static let eventsPerTransaction: UInt64 = 100_000

  /// The state that it is at.
  private(set) var checkpoint: Checkpoint
  private let log: CatalogLog
  private let file: ProjectionFile
  private let progress: ProgressObserver
  /// Events up to this one are in the rows, though the checkpoint may be before it.
  private let held: UInt64
  /// Is at the event of the rows.
  private var replay: EventReplay?

  /// - Parameters:
  ///   - path: of a projection's file, which no other connection has open.
  ///   - looksAhead: whether it can also look without moving; else, if a move fails, the caller removes the file.
  ///   - held: the last event that is in the rows, if it is one in the middle of a batch; the checkpoint is then the one
  ///     before that batch.
  init(
    _ path: String, in log: CatalogLog, looksAhead: Bool, holding held: UInt64 = 0,
    progress: @escaping ProgressObserver = { _ in }
  ) throws {
    guard try log.logID() != nil else {
      throw CatalogError(.noCatalog, "there is no event log to replay")
    }
    self.log = log
    self.held = held
    self.progress = progress
    file = try ProjectionFile(
      path: path, schema: log.kind.schema, rollsBack: looksAhead)
    checkpoint = try file.checkpoint()
  }

  /// Moves to the end of the batch that contains an event.
  func advance(through sequence: UInt64) throws {
    let goal = try end(sequence)
    while checkpoint.sequence < goal {
      var reached = checkpoint
      try file.advance { store in
        let advance = try apply(
          through: min(goal, reached.sequence + Self.eventsPerTransaction), to: store)
        reached = advance.checkpoint
        return advance
      }
      checkpoint = reached
    }
  }

  /// Reads the state after the batch that contains an event.
  ///
  /// - Parameter moves: whether to move there, by the result; else it does not move.
  func lookAhead<Result>(
    through sequence: UInt64, _ read: (Database) throws -> Result, moves: (Result) -> Bool
  ) throws -> Result {
    var reached = checkpoint
    var hasMoved = false
    // If this fails, or does not move, the reader is not at the event of the rows.
    defer { if !hasMoved { replay = nil } }
    let result = try file.trial(
      { store in
        let advance = try apply(through: sequence, to: store)
        reached = advance.checkpoint
        return advance
      }, reading: read, isKept: moves)
    hasMoved = moves(result)
    if hasMoved { checkpoint = reached }
    return result
  }

  /// The changes up to the end of the batch that contains an event. It does not move.
  func changes(through sequence: UInt64) throws -> [RowChange] {
    defer { replay = nil }
    var touched = TouchedRows()
    _ = try file.trial(
      { store in
        try apply(through: sequence, to: ObservedRowStore(store) { touched.add($0) })
      }, reading: { _ in }, isKept: { false })
    return touched.changes
  }

  /// Reads the state that it is at.
  func read<Result>(_ read: (Database) throws -> Result) throws -> Result {
    try file.read(read)
  }

  /// Stops the statement that runs, from any thread.
  var interrupt: @Sendable () -> Void {
    { [file] in file.interrupt() }
  }

  func close() throws {
    try file.close()
  }

  private func end(_ sequence: UInt64) throws -> UInt64 {
    min(sequence, try log.requireEnd().head.sequence)
  }

  private func apply(
    through sequence: UInt64, to store: some RowStore
  ) throws -> ProjectionAdvance {
    let replay = try self.replay ?? EventReplay(log, after: checkpoint.head)
    // If this fails, the rows are as they were and the reader is not.
    self.replay = nil
    let advance = try replay.advance(
      log, from: checkpoint, through: sequence, holding: held, to: store, progress)
    self.replay = replay
    return advance
  }
}
