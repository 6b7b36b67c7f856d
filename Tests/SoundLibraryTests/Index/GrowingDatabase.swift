import CatalogModel
import CatalogTestSupport
import Foundation
import Projections
import SoundLibraryTestSupport

@testable import CatalogStore
@testable import SoundLibrary

/// A database that grows by batches of a generated history, as any process may write it.
final class GrowingDatabase {
  let database: ProjectionDatabase
  private let folder: ScratchFolder
  private var batches: ArraySlice<[SoundEventRecord]>
  private var applied: [[SoundEventRecord]] = []

  init(seed: UInt64, batches count: Int, _ folder: ScratchFolder) throws {
    var generator = HistoryGenerator(seed: seed)
    batches = generator.batches(count)[...]
    self.folder = folder
    database = try ProjectionDatabase(path: folder.file("a.sqlite"), migrations: .soundLibrary)
    try database.createTables()
  }

  /// Applies the next batches in one transaction; false if there are none.
  func grow(by count: Int = 1) throws -> Bool {
    let next = Array(batches.prefix(count))
    guard !next.isEmpty else { return false }
    batches = batches.dropFirst(count)
    applied += next
    try database.update { _, store in
      for record in next.joined() {
        try SoundLibraryProjector().applyWithoutConflict(record, to: store)
      }
      return ProjectionAdvance(checkpoint)
    }
    return true
  }

  /// Makes all rows anew, at the same checkpoint.
  func rebuild() throws {
    let store = MemoryRowStore(schema: SoundLibrarySchema.schema)
    for record in applied.joined() {
      try SoundLibraryProjector().applyWithoutConflict(record, to: store)
    }
    let path = folder.file("rebuilt-\(UUID().uuidString)")
    try BulkWriter(.soundLibrary).write(store, checkpoint: checkpoint, to: path)
    try database.replace(withContentsOf: path)
  }

  private var checkpoint: Checkpoint {
    Checkpoint.made(at: applied.last?.last?.sequence ?? 0)
  }
}
