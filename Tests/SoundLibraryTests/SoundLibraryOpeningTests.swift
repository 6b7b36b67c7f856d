import CatalogModel
import CatalogStore
import CatalogTestSupport
import EventLog
import Foundation
import Promises
import Testing

@testable import CatalogEngine
@testable import SoundLibrary

@Suite(
  .promise(
    "A log has one writer at a time; others wait as long as asked, or get an error that "
      + "names it"),
  .promise(
    "Readers see old rows, then new ones, and never a mixture",
    by: "a rebuild under readers"),
  .promise("A catalog is opened by a file URL, whatever its characters; another URL is refused"),
  .promise(
    "A crash between log and database costs nothing: the next program that opens the "
      + "catalog applies the events"),
  .promise(
    "If the database is missing, lacks events, or was made by another projector or from "
      + "another log, the error says which, and the log is not changed"),
  .promise(
    "Events that the database has applied and the log has lost are reported by every "
      + "command, with status 3"))
struct SoundLibraryOpeningTests {
  private let test: TestCatalog

  init() throws {
    test = try TestCatalog()
  }

  private func imported(_ seed: SeedText = .sample) async throws -> Receipt {
    let catalog = try await test.open()
    defer { catalog.close() }
    try await catalog.importer.applyUpdates(seed.source())
    return try await catalog.receipt()
  }

  @Test func aDeletedDatabaseComesBackTheSame() async throws {
    let before = try await imported()
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: test.directory.database + suffix)
    }
    #expect(try await test.open().receipt() == before)
  }

  @Test func aFolderIsNamedByAFileURL() async throws {
    let parent = URL(filePath: test.folder.path, directoryHint: .isDirectory)
    let folder = parent.appending(path: "A catalog, 100 %", directoryHint: .isDirectory)
    let catalog = try await SoundLibrary.open(folder, options: TestCatalog.options())
    catalog.close()
    #expect(catalog.directory.path == test.folder.file("A catalog, 100 %"))
    #expect(FileManager.default.fileExists(atPath: catalog.directory.database))
    let relative = URL(filePath: "below", relativeTo: parent)
    #expect(try CatalogDirectory(relative) == CatalogDirectory(test.folder.file("below")))
  }

  @Test func aSeedIsNamedByAFileURL() async throws {
    let catalog = try await test.open()
    let text = String(decoding: try SeedText.sample.bytes(), as: UTF8.self)
    let path = try test.folder.write(text, to: "a seed, 100 %.json")
    let report = try await catalog.importer.applyUpdates(.file(URL(filePath: path)))
    #expect(report.outcome == .imported && report.documents[0].path == path)
    #expect(try await catalog.importer.applyUpdates(.file(path)).outcome == .unchanged)
  }

  @Test func aURLThatIsNotOfAFileIsRefused() async throws {
    let server = try #require(URL(string: "https://example.com/catalog"))
    let error = await #expect(throws: CatalogError.self) {
      _ = try await SoundLibrary.open(server)
    }
    #expect(error?.code == .directory)
    #expect(error?.message.contains("https://example.com/catalog is not a file URL") == true)
  }

  @Test func whatACrashLeftUnappliedIsAppliedOnOpening() async throws {
    _ = try await imported()
    // What a process that died between append and apply leaves: the newer log, the older database.
    let older = test.folder.file("older.sqlite")
    try FileManager.default.copyItem(atPath: test.directory.database, toPath: older)
    var seed = SeedText.sample
    seed.revision = 2
    seed.music[0].item.title = "Changed"
    let after = try await imported(seed)
    try FileManager.default.removeItem(atPath: test.directory.database)
    try FileManager.default.moveItem(atPath: older, toPath: test.directory.database)
    #expect(try await test.open().receipt() == after)
  }

  @Test func aProjectionOfAnotherProjectorIsRebuiltOrRefused() async throws {
    let before = try await imported()
    try test.sql("UPDATE projection_checkpoint SET fingerprint = 'other'; DELETE FROM mood")
    var options = TestCatalog.options()
    options.stale = .refuse
    let error = await #expect(throws: CatalogError.self) {
      _ = try await SoundLibrary.open(test.directory, options: options)
    }
    #expect(error?.code == .stale)
    #expect(error?.recoveries == [.rebuild])
    #expect(try await test.open().receipt() == before)
  }

  @Test func aLogThatLostEventsIsNotTaken() async throws {
    _ = try await imported()
    let segment = test.directory.events + "/00000000000000000001.jsonl.zst"
    let log = EventLogReader(directory: test.directory.events)
    let last = try log.batch(containing: 2)
    try #require(FileHandle(forWritingAtPath: segment)).truncate(atOffset: last.offset)
    let error = await #expect(throws: EventLogError.self) { _ = try await test.open() }
    #expect(error?.code == .lostEvents)
    #expect(error?.isDamage == true)
    // A rebuild would throw away the one thing that knows of the loss.
    let refused = await #expect(throws: EventLogError.self) {
      try await SoundLibrary.rebuild(test.directory, options: TestCatalog.options())
    }
    #expect(refused?.code == .lostEvents)
  }

  @Test func aDatabaseWithoutItsLogIsALostLogAndNoMissingCatalog() async throws {
    _ = try await imported()
    try FileManager.default.removeItem(atPath: test.directory.events)
    let error = await #expect(throws: EventLogError.self) {
      _ = try await SoundLibrary.openExisting(test.directory, options: TestCatalog.options())
    }
    #expect(error?.code == .lostEvents)
  }

  @Test func theLogOfAnotherCatalogIsNotTaken() async throws {
    _ = try await imported()
    let other = try TestCatalog()
    let catalog = try await other.open()
    try await catalog.importer.applyUpdates(SeedText.sample.source())
    try FileManager.default.removeItem(atPath: test.directory.events)
    try FileManager.default.copyItem(atPath: other.directory.events, toPath: test.directory.events)
    let error = await #expect(throws: EventLogError.self) { _ = try await test.open() }
    #expect(error?.code == .lostEvents)
  }

  @Test func aFileThatIsNoDatabaseIsToldAndRebuildMovesItAside() async throws {
    let before = try await imported()
    try Data(repeating: 0x55, count: 8_192)
      .write(to: URL(fileURLWithPath: test.directory.database))
    let error = await #expect(throws: StoreError.self) { _ = try await test.open() }
    #expect(error?.code == .notADatabase)
    try await SoundLibrary.rebuild(test.directory, options: TestCatalog.options())
    #expect(try await test.open().receipt() == before)
    #expect(FileManager.default.fileExists(atPath: test.directory.database + ".unusable-1"))
  }

  @Test func anotherCatalogObjectSeesWhatOneImports() async throws {
    let first = try await test.open()
    let second = try await test.open()
    try await first.importer.applyUpdates(SeedText.sample.source())
    #expect(try await second.library.fetchItems(kind: .music).count == 2)
    var seed = SeedText.sample
    seed.revision = 2
    seed.music[0].item.title = "By the second"
    try await second.importer.applyUpdates(seed.source())
    #expect(
      try await first.library.fetchItems(kind: .music).map(\.title) == ["By the second", "Tune"])
  }

  @Test func readersSeeOldRowsThenNewOnesDuringARebuild() async throws {
    _ = try await imported()
    let catalog = try await test.open()
    try test.sql("UPDATE library_item SET title = 'drifted'")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<5 { try await catalog.rebuild() }
      }
      group.addTask {
        for _ in 0..<200 {
          let titles = Set(try await catalog.library.fetchItems(kind: .music).map(\.title))
          #expect(titles == ["drifted"] || titles == ["Song", "Tune"])
        }
      }
      try await group.waitForAll()
    }
    #expect(try await catalog.library.fetchItems(kind: .music).map(\.title) == ["Song", "Tune"])
  }

  @Test func otherTimesAndLogIdsHaveTheSameContent() async throws {
    let first = try await imported()
    let other = try TestCatalog()
    let catalog = try await other.open(at: 1_900_000_000_000)
    try await catalog.importer.applyUpdates(SeedText.sample.source())
    let second = try await catalog.receipt()
    #expect(first.content == second.content)
    #expect(first.checkpoint != second.checkpoint)
    #expect(first.tables.map(\.exact) != second.tables.map(\.exact))
  }

  @Test func twoImportsAtOnceAreOneAfterTheOther() async throws {
    let test = test
    var options = TestCatalog.options()
    options.wait = .seconds(30)
    let waiting = options
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<6 {
        group.addTask {
          var seed = SeedText.sample
          seed.seedID = "seed-\(number)"
          seed.music = []
          seed.packs = [
            SeedText.Pack(
              id: SeedText.id(500 + number),
              items: [SeedText.Item(id: SeedText.id(600 + number), title: "Item \(number)")])
          ]
          try await SeedImporter.applied(
            seed.source(), to: test.directory, options: waiting)
        }
      }
      try await group.waitForAll()
    }
    let catalog = try await test.open()
    #expect(try await catalog.library.fetchItems(kind: .sfx).count == 6)
    let live = try await catalog.receipt()
    try await catalog.rebuild()
    #expect(try await catalog.receipt() == live)
  }
}
