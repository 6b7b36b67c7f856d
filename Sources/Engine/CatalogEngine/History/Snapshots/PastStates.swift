import CatalogModel
package import CatalogStore
import EventLog
import Foundation
import Projections

/// Makes the states that a catalog had, from its log: out of the nearest snapshot where that is less work
/// than from event 1.
package struct PastStates: Sendable {
  /// To carry rows in SQLite forward costs so many times what an event costs that is folded in memory.
  private static let costOfCarrying: UInt64 = 4

  package let log: CatalogLog
  package let snapshots: Snapshots?
  /// Answers questions about the past without a replay; nil if every one is replayed.
  package let history: CatalogHistory?
  let progress: ProgressObserver
  private let didPass: @Sendable (ErrorMessage) -> Void
  private let note: @Sendable (HistoryNote) -> Void

  /// - Parameters:
  ///   - snapshots: nil begins with event 1 always.
  ///   - history: nil if every question is answered by a replay.
  ///   - didPass: gets a line for a person about each snapshot that could have been used were it whole.
  ///   - note: called if a history is made or cannot be used.
  package init(
    _ log: CatalogLog, snapshots: Snapshots? = nil, history: CatalogHistory? = nil,
    progress: @escaping ProgressObserver = { _ in },
    didPass: @escaping @Sendable (ErrorMessage) -> Void = { _ in },
    note: @escaping @Sendable (HistoryNote) -> Void = { _ in }
  ) {
    self.note = note
    self.log = log
    self.snapshots = snapshots
    self.history = history
    self.progress = progress
    self.didPass = didPass
  }

  /// The history, open for states up to an event; nil if a replay has to answer.
  func openHistory(through sequence: UInt64) throws -> HistoryDatabase? {
    try history?.open(through: sequence, note)
  }

  /// Writes the state behind the batch that holds an event to a new file.
  @discardableResult
  package func write(through sequence: UInt64, to path: String) throws -> Checkpoint {
    // A snapshot before this is further away than event 1.
    let earliest = sequence - sequence / Self.costOfCarrying
    guard let start = try extract(nearest: sequence, earliest: earliest, to: path) else {
      return try ProjectionRebuild(log, through: sequence, progress: progress).write(to: path)
    }
    return try carry(path, from: start, through: sequence)
  }

  /// The same from a snapshot, however far away it is.
  ///
  /// - Returns: nil, and no file, where no snapshot can be used.
  package func writeFromSnapshot(
    through sequence: UInt64, to path: String
  ) throws -> (snapshot: Checkpoint, end: Checkpoint)? {
    guard let start = try extract(nearest: sequence, earliest: 0, to: path) else { return nil }
    return (start, try carry(path, from: start, through: sequence))
  }

  /// - Returns: whether a state can be made with less work from one that is there.
  static func isNearer(_ base: UInt64, to sequence: UInt64) -> Bool {
    base <= sequence && (sequence - base) * costOfCarrying <= sequence
  }

  /// States of snapshots, by what they say of themselves; none where their folder cannot be read.
  func snapshotHeads() -> [LogHead] {
    let list = (try? snapshots?.list(.header)) ?? []
    return list.compactMap { $0.problem == nil ? $0.header?.checkpoint?.head : nil }
  }

  private func extract(
    nearest sequence: UInt64, earliest: UInt64, to path: String
  ) throws -> Checkpoint? {
    try ProjectionRebuild.requireNew(path)
    do {
      return try snapshots?.extractNearest(sequence, earliest: earliest, to: path) {
        didPass($0.notUsed(because: $1))
      }
    } catch let error as CatalogError where error.code == .directory {
      // Snapshots are there to be quick; event 1 is always there.
      didPass("no snapshot is used: \(error)")
      return nil
    }
  }

  private func carry(
    _ path: String, from start: Checkpoint, through sequence: UInt64
  ) throws -> Checkpoint {
    do {
      let replayCursor = try ReplayCursor(path, in: log, looksAhead: false, progress: progress)
      try replayCursor.advance(through: sequence)
      try replayCursor.close()
      return replayCursor.checkpoint
    } catch {
      try? FileManager.default.removeItem(atPath: path)
      throw error
    }
  }
}
