import CatalogModel
import CatalogStore
import EventLog
import Foundation
import Projections

/// Rows on which events are tried: those of a call stay all together, or none of them does.
///
/// In a file, because rows in memory cannot be taken back.
struct TrialRows {
  private let path: String
  private let file: ProjectionFile
  private let projector = SoundLibraryProjector()
  private let empty: Checkpoint

  /// - Parameter path: of a new file.
  init(_ path: String, of logID: LogID) throws {
    self.path = path
    empty = Checkpoint(logID: logID, head: .empty(logID))
    try BulkWriter(.soundLibrary).write(
      MemoryRowStore(schema: SoundLibrarySchema.schema), checkpoint: empty, to: path)
    file = try ProjectionFile(path: path, schema: SoundLibrarySchema.schema, takesBack: true)
  }

  /// - Throws: `ProjectionError` where an event contradicts the rows; they are then as before.
  func apply(_ records: [EventRecord]) throws {
    try file.advance { store in
      for record in records {
        try projector.applyWithoutConflict(record, to: store)
      }
      return ProjectionAdvance(empty)
    }
  }

  func remove() {
    // What is left of a scratch file is in a folder that is thrown away with it, or told of.
    try? file.close()
    try? FileManager.default.removeItem(atPath: path)
  }
}
