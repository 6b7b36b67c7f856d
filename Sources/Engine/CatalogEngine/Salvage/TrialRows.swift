import CatalogModel
import CatalogStore
import EventLog
import Foundation
import Projections

/// Rows on which events are tried: those of a call stay all together, or none of them does.
///
/// In a file, because rows in memory cannot be taken back.
final class TrialRows {
  private let path: String
  private let file: ProjectionFile
  private let empty: Checkpoint
  private let applier: EventApplier
  private var decoder: any BlockDecoder
  private let block: any EventBlock

  private struct Contradiction: Error {
    let conflict: ProjectionConflict
  }

  /// - Parameter path: of a new file.
  init(_ path: String, of logID: LogID, _ kind: any CatalogKind) throws {
    self.path = path
    empty = Checkpoint(logID: logID, head: .empty(logID), fingerprint: kind.fingerprint)
    try BulkWriter(kind.migrations).write(
      MemoryRowStore(schema: kind.schema), checkpoint: empty, to: path)
    file = try ProjectionFile(path: path, schema: kind.schema, rollsBack: true)
    applier = EventApplier(logID, kind)
    decoder = kind.makeDecoder(.rows)
    block = decoder.makeBlock()
  }

  /// Applies the events of whole lines.
  ///
  /// - Returns: the first that contradicts the rows, which are then as before; nil if none does.
  func apply(_ lines: [UInt8], first: UInt64) throws -> ProjectionConflict? {
    block.removeAll()
    try lines.withUnsafeBytes { try decoder.decode($0, first: first, into: block) }
    do {
      try file.advance { store in
        try applier.apply(block, 0..<block.count, to: store)
        if let conflict = applier.takeConflicts().first { throw Contradiction(conflict: conflict) }
        return ProjectionAdvance(empty)
      }
      return nil
    } catch let error as Contradiction {
      return error.conflict
    }
  }

  func remove() {
    // What is left of a scratch file is in a folder that is thrown away with it, or told of.
    try? file.close()
    try? FileManager.default.removeItem(atPath: path)
  }
}
