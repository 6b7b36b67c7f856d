import CatalogModel
import CatalogStore
import EventLog
import GRDB
import Projections

/// A projection of its own that moves forward through history, and can look ahead without moving.
final class Traveller {
  /// A transaction's journal is in memory.
  private static let eventsPerTransaction: UInt64 = 20_000

  /// Where it stands.
  private(set) var checkpoint: Checkpoint
  private let log: EventLogReader
  private let file: ProjectionFile
  private let progress: ProgressObserver
  /// Stands where the rows stand.
  private var replay: EventReplay?

  /// - Parameter path: of a projection's file, which nobody else has open.
  init(_ path: String, in log: EventLogReader, progress: @escaping ProgressObserver = { _ in })
    throws
  {
    self.log = log
    self.progress = progress
    file = try ProjectionFile(path: path, schema: SoundLibrarySchema.schema)
    checkpoint = try file.checkpoint()
  }

  /// Moves behind the batch that holds an event.
  func advance(through sequence: UInt64) throws {
    let goal = try end(sequence)
    while checkpoint.sequence < goal {
      var reached = checkpoint
      try file.advance { store in
        reached = try apply(
          through: min(goal, reached.sequence + Self.eventsPerTransaction), to: store)
        return reached
      }
      checkpoint = reached
    }
  }

  /// Reads the state behind the batch that holds an event, and stays where it is.
  func lookAhead<Result>(
    through sequence: UInt64, _ read: (Database) throws -> Result
  ) throws -> Result {
    defer { replay = nil }
    return try file.trial({ _ = try apply(through: sequence, to: $0) }, reading: read)
  }

  /// What would change up to behind the batch that holds an event; stays where it is.
  func changes(through sequence: UInt64) throws -> [RowChanges.Change] {
    defer { replay = nil }
    var changes: [RowChanges.Change] = []
    try file.trial(
      { store in
        let recorder = RecordingRowStore(store)
        recorder.isRecording = true
        _ = try apply(through: sequence, to: recorder)
        changes = recorder.changes
      }, reading: { _ in })
    return changes
  }

  /// Reads the state where it stands.
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
    guard let head = try log.head() else {
      throw CatalogError(.noCatalog, "there is no event log to replay")
    }
    return min(sequence, head.sequence)
  }

  private func apply(through sequence: UInt64, to store: some RowStore) throws -> Checkpoint {
    guard let logID = try log.logID() else {
      throw CatalogError(.noCatalog, "there is no event log to replay")
    }
    var head = try checkpoint.head()
    let replay = try self.replay ?? EventReplay(log, after: head)
    // Where this fails, the rows stay where they were and the reader does not.
    self.replay = nil
    let projector = SoundLibraryProjector()
    while head.sequence < sequence,
      let batch = try replay.nextBatch({ record in
        try projector.apply(record, to: store)
        if record.sequence % 10_000 == 0 {
          progress(
            CatalogProgress(phase: .folding, done: Int(record.sequence), total: Int(sequence)))
        }
      })
    {
      head = batch.head
    }
    self.replay = replay
    return Checkpoint(logID: logID, head: head)
  }
}
