import CatalogStore
import EventLog
import Foundation
import Projections

/// Finds out without a replay, as often as it is asked, whether the live database of a catalog is what the projector wrote.
///
/// `LiveDrift` compares its rows with the log.
package final class LiveProof: Sendable {
  package enum Finding: Sendable {
    case missing
    /// No program changed a row since the projector wrote it.
    case sound
    /// The rows could not be compared with their digests, for this reason.
    case unknown(String)
    /// The database is not what the projector wrote, for this reason.
    case changed(String)
  }

  private let directory: CatalogDirectory
  private let watch: ProjectionWatch

  package init(_ directory: CatalogDirectory) {
    self.directory = directory
    watch = ProjectionWatch(directory.database)
  }

  package func finding(for log: CatalogLog) throws -> Finding {
    guard FileManager.default.fileExists(atPath: directory.database) else { return .missing }
    let standing = try ProjectionStanding(directory, in: log.reader)
    if let refusal = standing.refusal(of: directory) { return .changed("\(refusal)") }
    do {
      try watch.requireSound(log.kind.migrations)
      return .sound
    } catch let error as StoreError {
      switch error.code {
      case .busy, .stale: return .unknown("\(error)")
      default: return .changed("\(error)")
      }
    }
  }
}
