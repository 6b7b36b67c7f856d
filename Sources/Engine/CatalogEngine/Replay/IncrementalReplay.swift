import CatalogStore
import Foundation
import Projections

/// Makes a projection in both ways that there are: pages up to an event, and what comes after it row by row into
/// SQLite, through the plain reader.
///
/// A rebuild folds an event in 11 µs, to carry it takes 77: of a long log the last events are carried, so that the
/// whole costs little more than a rebuild.
package struct IncrementalReplay {
  /// A log of no more events than these is carried from its first event on.
  private static let shortLog: UInt64 = 100_000
  /// Of a longer one, so many events at its end.
  private static let tail: UInt64 = 50_000
  private static let eventsPerTransaction: UInt64 = 100_000

  private let log: CatalogLog
  private let last: UInt64
  private let carried: UInt64
  private let progress: ProgressObserver

  /// - Parameters:
  ///   - last: the sequence of the last event of a batch.
  ///   - carried: how many events before that are carried row by row; nil for `events(of:)`.
  package init(
    _ log: CatalogLog, through last: UInt64, carrying carried: UInt64? = nil,
    progress: @escaping ProgressObserver = { _ in }
  ) {
    self.log = log
    self.last = last
    self.carried = min(carried ?? Self.events(of: last), last)
    self.progress = progress
  }

  /// How many of the last events are carried, of a log with so many.
  package static func events(of count: UInt64) -> UInt64 { count <= shortLog ? count : tail }

  /// Writes the projection to a new file. Where this throws, there is none.
  package func write(to path: String) throws {
    try ProjectionRebuild.requireNew(path)
    do {
      let split = last - carried
      let folded = try ProjectionRebuild(log, progress: progress).fold(exactlyThrough: split)
      try BulkWriter(log.kind.migrations).write(
        folded.rows, checkpoint: folded.checkpoint, conflicts: folded.conflicts, to: path)
      try carry(path, from: folded.checkpoint, holding: split)
    } catch {
      try? FileManager.default.removeItem(atPath: path)
      throw error
    }
  }

  /// - Parameters:
  ///   - start: the checkpoint of the last whole batch in the rows.
  ///   - split: the last event that is in the rows.
  private func carry(_ path: String, from start: Checkpoint, holding split: UInt64) throws {
    let file = try ProjectionFile(path: path, schema: log.kind.schema, rollsBack: false)
    let replay = try EventReplay(log, after: start.head)
    var reached = start
    while reached.sequence < last {
      try file.advance { store in
        let advance = try replay.advance(
          log, from: reached, through: min(last, reached.sequence + Self.eventsPerTransaction),
          holding: split, to: store, progress)
        reached = advance.checkpoint
        return advance
      }
    }
    try file.close()
  }
}
