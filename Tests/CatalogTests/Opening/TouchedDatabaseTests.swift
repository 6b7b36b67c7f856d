import Catalog
import CatalogStore
import CatalogTestSupport
import Foundation
import GRDB
import Testing

@testable import SoundLibraryKind

/// A database that anybody else wrote to is verified before its rows are shown; one that nobody else wrote to is not
/// read for that.
@Suite struct TouchedDatabaseTests {
  private let test: ScratchCatalog

  init() async throws {
    test = try ScratchCatalog()
    try await test.apply(.sample())
  }

  private var witness: String { test.directory.database + "-proved" }

  /// Whether the next process that reads the database takes its rows for right without reading them.
  private func isKnown() throws -> Bool {
    try ProjectionDatabase(
      path: test.directory.database, migrations: SoundLibrary().migrations, readers: .one
    ).isKnownToBeRight
  }

  private func verify() async throws {
    let catalog = try await test.open { $0.readers = .one }
    defer { catalog.close() }
    try await catalog.verifyIfTouched()
  }

  @Test(arguments: [ProjectionReaders.one, .several])
  func whatThisProgramWroteIsKnownToBeRight(readers: ProjectionReaders) async throws {
    #expect(try isKnown())
    let catalog = try await test.open { $0.readers = readers }
    #expect(try await catalog.library.fetchItems(kind: .sfx).isEmpty == false)
    catalog.close()
    #expect(try isKnown())
    try await test.apply(.sample(revision: 2))
    #expect(try isKnown())
    let rebuilt = try await test.open()
    try await rebuilt.rebuild()
    rebuilt.close()
    #expect(try isKnown())
  }

  @Test(arguments: [
    "UPDATE library_item SET title = 'Oops'",
    "UPDATE mood SET name = 'Adventure' WHERE id = (SELECT min(id) FROM mood)",
    "DELETE FROM item_mood", "CREATE TABLE own (a)", "DROP TABLE projection_item_text",
  ])
  func whatWasChangedByHandIsFoundByEveryReader(statement: String) async throws {
    try test.execute(statement)
    #expect(try !isKnown())
    for _ in 0..<2 {
      await #expect(throws: StoreError.self) { try await verify() }
    }
    let catalog = try await test.open()
    try await catalog.rebuild()
    catalog.close()
    #expect(try isKnown())
    try await verify()
  }

  /// What is right is read once, and by no later process.
  @Test func aDatabaseThatWasCopiedIsReadOnce() async throws {
    let copy = test.scratch.file("copy")
    try FileManager.default.copyItem(atPath: test.directory.database, toPath: copy)
    try FileManager.default.removeItem(atPath: test.directory.database)
    try FileManager.default.copyItem(atPath: copy, toPath: test.directory.database)
    #expect(try !isKnown())
    try await verify()
    #expect(try isKnown())
  }

  @Test func aChangeBesideAnOpenCatalogIsNotTakenForItsOwn() async throws {
    let catalog = try await test.open()
    try test.execute("UPDATE pack SET title = 'Oops'")
    _ = try await catalog.tags.add(
      [TagName(TagDimension.all[1], "New")], to: try #require(firstItem()))
    catalog.close()
    #expect(try !isKnown())
    await #expect(throws: StoreError.self) { try await verify() }
  }

  @Test(arguments: ["", "1", "1 2 3", String(repeating: "9", count: 5_000), "\u{0}"])
  func whatTheWitnessSaysIsNotTakenOnTrust(text: String) async throws {
    try Data(text.utf8).write(to: URL(filePath: witness))
    #expect(try !isKnown())
    try await verify()
    #expect(try isKnown())
  }

  @Test func aWitnessThatCannotBeReadStopsNobody() async throws {
    try FileManager.default.removeItem(atPath: witness)
    try FileManager.default.createDirectory(atPath: witness, withIntermediateDirectories: false)
    try await verify()
    #expect(try !isKnown())
    try FileManager.default.removeItem(atPath: witness)
    #expect(mkfifo(witness, 0o600) == 0)
    try await verify()
    try FileManager.default.removeItem(atPath: witness)
    try FileManager.default.createSymbolicLink(
      atPath: witness, withDestinationPath: test.scratch.file("elsewhere"))
    try await verify()
    #expect(!FileManager.default.fileExists(atPath: test.scratch.file("elsewhere")))
  }

  /// Times of files move in steps of some milliseconds: a change right after the last look is seen all the same.
  @Test func aChangeRightAfterTheLastWriteIsSeen() async throws {
    for number in 0..<20 {
      let catalog = try await test.open()
      try await catalog.rebuild()
      catalog.close()
      try test.execute("UPDATE library_item SET title = 'Oops \(number)'")
      #expect(try !isKnown())
    }
  }

  @Test func aCatalogThatWasClosedTwiceIsClosed() async throws {
    let catalog = try await test.open()
    catalog.close()
    catalog.close()
    let error = await #expect(throws: StoreError.self) {
      try await catalog.library.fetchItems(kind: .sfx)
    }
    #expect(error?.code == .closed)
    #expect(try isKnown())
  }

  private func firstItem() throws -> UUID? {
    try test.rows("SELECT id FROM library_item WHERE kind = 'music' LIMIT 1").first
      .flatMap(UUID.init)
  }
}
