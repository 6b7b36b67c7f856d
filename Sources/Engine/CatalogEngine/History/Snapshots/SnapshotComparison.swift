import CatalogModel
import CatalogStore
import Foundation
import GRDB
import Projections
import Recoveries

/// Compares kept snapshots with the states of a replay.
package struct SnapshotComparison {
  private let snapshots: Snapshots
  private let differs: (ErrorMessage) -> Void
  private let didPass: (ErrorMessage) -> Void

  /// - Parameters:
  ///   - differs: receives a message for each snapshot that differs from the log.
  ///   - didPass: receives a message for each snapshot that cannot be used, and is not compared.
  package init(
    _ snapshots: Snapshots, differs: @escaping (ErrorMessage) -> Void,
    didPass: @escaping (ErrorMessage) -> Void
  ) {
    self.snapshots = snapshots
    self.differs = differs
    self.didPass = didPass
  }

  /// Moves the cursor to the state of each snapshot up to an event and compares the two. Leaves out snapshots before
  /// the cursor's state.
  func run(_ replayCursor: ReplayCursor, through last: UInt64) throws {
    for snapshot in try snapshots.list(.chain) {
      if let header = snapshot.header,
        header.sequence <= replayCursor.checkpoint.sequence || header.sequence > last
      {
        continue
      }
      guard snapshot.problem == nil, let header = snapshot.header else {
        didPass(snapshot.notUsed(because: snapshot.problem ?? ""))
        continue
      }
      try replayCursor.advance(through: header.sequence)
      do {
        guard let problem = try problem(of: snapshot, replayCursor) else { continue }
        differs(
          "the snapshot \(snapshot.path) is not what the log makes: \(problem); \(do: .removeSnapshot(header.sequence)) removes it"
        )
      } catch CocoaError.fileReadNoSuchFile {
        // Removed meanwhile.
        continue
      } catch let error where error is SnapshotFailure || error is CocoaError {
        didPass(snapshot.notUsed(because: Snapshots.reason(error)))
      }
    }
  }

  /// Compares a snapshot with the cursor's state; nil if it has the same rows.
  private func problem(of snapshot: Snapshots.Snapshot, _ replayCursor: ReplayCursor) throws
    -> String?
  {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.file("snapshot.sqlite")
    _ = try SnapshotFile.extract(snapshot.path, to: path)
    do {
      return try ReadOnlyDatabase.read(own: path) { kept in
        guard try Checkpoint.read(kept) == replayCursor.checkpoint else {
          return "its database does not match its header"
        }
        let inspection = try ProjectionInspection(kept, snapshots.log.kind.migrations)
        if let difference = inspection.schema.first { return "\(difference)" }
        if let drift = inspection.drifted.first { return drift.message }
        // Its rows are those that its digests say; are the digests those of the log?
        return try replayCursor.read { try RunningDigests.agree(kept, $0) }
          ? nil : "its rows differ"
      }
    } catch let error as DatabaseError {
      return "its database cannot be read: \(StoreError(opening: snapshot.path, error))"
    } catch let error as StoreError where error.code == .stale {
      // It has no digests of this version: it is not used.
      return nil
    } catch let error as StoreError {
      return "its database cannot be read: \(error)"
    }
  }
}
