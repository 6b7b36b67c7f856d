import CatalogStore
import EventLog
import Foundation
import Projections

/// The database behind a large change, in a file beside the live one: made before anything is appended, so that what
/// SQLite refuses is found out first, and brought into the live database afterwards.
///
/// Row by row, a large change would go into SQLite twice: to see that it can, and once it is in the log.
struct RebuiltDatabase {
  private let catalog: OpenedCatalog
  private let draft: BulkWriter.Draft
  private let before: Checkpoint
  private let conflicts: [ProjectionConflict]
  /// Sentences about broken rules that are only reported.
  private(set) var remarks: [String] = []

  /// - Parameter rows: to which the events were applied; used up.
  /// - Throws: `ProjectionError` for rows that the tables cannot hold. No file is left then.
  init(_ catalog: OpenedCatalog, of rows: ProjectionDatabase.LoadedRows) throws {
    self.catalog = catalog
    before = rows.checkpoint
    conflicts = rows.conflicts
    let scratch = catalog.directory.scratch
    let observer = catalog.options.progress
    let total = catalog.kind.schema.tables.reduce(0) { $0 + rows.rows.count(of: $1) }
    do {
      draft = try BulkWriter(catalog.kind.migrations).draft(rows.rows, to: scratch) {
        observer(CatalogProgress(phase: .writing, done: $0, total: total))
      }
      try requireReferences()
      if let kind = catalog.kind as? any RuledKind {
        remarks = try draft.read { try kind.checkRules(in: $0, changing: kind.schema.tables) }
      }
    } catch {
      try? FileManager.default.removeItem(atPath: scratch)
      throw error
    }
  }

  /// Refuses rows that refer to no row, but for those that the live database has too: an earlier release appended them.
  private func requireReferences() throws {
    let schema = catalog.kind.schema
    var known: Set<DanglingReference>?
    let found = try draft.danglingReference(of: schema) { reference in
      let earlier = try known ?? Set(catalog.projection.danglingReferences())
      known = earlier
      return earlier.contains(reference)
    }
    if let found { throw ProjectionError(contradiction: found.description) }
  }

  /// Brings the rows into the live database, unless it has more: another program that follows the log applies what was
  /// appended without the lock.
  ///
  /// - Parameter head: of the log that holds the change.
  func replaceLive(at head: LogHead) throws {
    var checkpoint = before
    checkpoint.head = head
    try draft.complete(checkpoint, conflicts: conflicts)
    catalog.options.progress(CatalogProgress(phase: .replacing, done: 0, total: nil))
    if let live = try catalog.projection.checkpoint(), live.sequence >= head.sequence { return }
    try catalog.projection.replace(withContentsOf: draft.path)
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: draft.path)
  }
}
