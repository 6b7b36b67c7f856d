import CatalogModel
import CatalogStore
import CatalogTestSupport
import GRDB
import Testing

@testable import CatalogEngine

/// A change that is in the log and in the database is applied, whatever happens after that.
@Suite struct AppliedChangeTests {
  @Test func anErrorWhileConflictsAreListedIsAWarning() async throws {
    let folder = try ScratchFolder()
    let catalog = try await EventCatalog.open(CatalogDirectory(folder.file("C")), Shelves())
    defer { catalog.close() }
    try await catalog.create(by: "test")
    let writer = try catalog.opened.openLog(knownHeads: [])
    defer { writer.close() }
    var batch = try EventBatch(
      writer, after: writer.head, at: Timestamp(milliseconds: 1), by: "test", input: [])
    try batch.add(ShelfEvent.shelf("a", true), Shelves())
    let commit = try catalog.opened.commit(batch, to: writer) { _ in
      try ProjectionUpdate(catalog.opened.log, catalog.opened.projection).catchUp()
      // A row that nothing can read, as the list is about to be read.
      let other = try DatabaseQueue(path: catalog.directory.database)
      try other.write {
        try $0.execute(sql: "INSERT INTO projection_conflict VALUES (-1, 'shelf.set', 'bad')")
      }
      try other.close()
    }
    #expect(commit.failure == nil)
    #expect(commit.head == writer.head && commit.head.sequence == 2)
    #expect(throws: StoreError.self) { try catalog.opened.projection.conflicts(after: 1) }
    #expect(try await catalog.row(of: Shelf.table, key: "a")?.name == "a")
  }
}
