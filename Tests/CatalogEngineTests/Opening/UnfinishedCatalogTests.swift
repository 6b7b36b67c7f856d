import CatalogModel
import CatalogTestSupport
import EventLog
import Foundation
import Promises
import Testing

@testable import CatalogEngine

/// The creation of a catalog fails, while other processes may work in the same folder.
@Suite(.promise("A creation that fails leaves the folder as it was, and what others made there"))
struct UnfinishedCatalogTests {
  private let test: ScratchShelves
  private let own = LogID(bytes: Array(1...16))
  private struct Failure: Error {}

  init() throws {
    test = try ScratchShelves()
  }

  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: test.directory.path)) ?? []).sorted()
  }

  private func failing(_ logID: LogID, _ body: () async throws -> Void) async {
    let unfinished = UnfinishedCatalog(test.directory, logID: logID)
    await #expect(throws: Never.self) { try await body() }
    #expect(throws: Failure.self) { try unfinished.create { throw Failure() } }
  }

  @Test func itsOwnLogGoesWithAllFolders() async throws {
    await failing(own) {
      let catalog = try await test.open()
      defer { catalog.close() }
      #expect(try await catalog.create(by: "test"))
    }
    #expect(!FileManager.default.fileExists(atPath: test.directory.path))
    // Without a log, too.
    await failing(own) { try await test.open().close() }
    #expect(!FileManager.default.fileExists(atPath: test.directory.path))
  }

  @Test func aLogOfAnotherProcessStays() async throws {
    await failing(LogID(bytes: Array(2...17))) {
      let catalog = try await test.open()
      defer { catalog.close() }
      #expect(try await catalog.create(by: "another"))
    }
    #expect(names.contains("events") && names.contains("catalog.sqlite"))
    #expect(try test.head?.sequence == 1)
  }

  @Test func aLogWithRowsStays() async throws {
    await failing(own) { try await test.apply() }
    #expect(try test.head?.sequence ?? 0 > 2 && names.contains("catalog.sqlite"))
  }

  @Test func theFolderOfAWriterStays() async throws {
    let unfinished = UnfinishedCatalog(test.directory, logID: own)
    try FileManager.default.createDirectory(
      atPath: test.directory.events, withIntermediateDirectories: true)
    let lock = try WriterLock(log: test.directory.events, holder: "another")
    unfinished.remove()
    #expect(names == ["events"])
    withExtendedLifetime(lock) {}
  }

  @Test func aFolderThatAnotherProcessJoinedStays() async throws {
    let unfinished = UnfinishedCatalog(test.directory, logID: own)
    try FileManager.default.createDirectory(
      atPath: test.directory.path, withIntermediateDirectories: true)
    for (name, text) in [
      ("log.url", "postgresql://db.example/catalogs#theirs\n"), ("catalog.sqlite", "theirs"),
    ] {
      try Data(text.utf8).write(to: URL(filePath: test.directory.path + "/" + name))
    }
    unfinished.remove()
    #expect(names == ["catalog.sqlite", "log.url"])
  }

  @Test func filesThatWereThereBeforeStay() async throws {
    let folder = test.directory.path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("theirs".utf8).write(to: URL(filePath: folder + "/catalog.sqlite"))
    let unfinished = UnfinishedCatalog(test.directory, logID: own)
    for name in ["catalog.sqlite-wal", "history.sqlite", "kind.json"] {
      try Data("new".utf8).write(to: URL(filePath: folder + "/" + name))
    }
    unfinished.remove()
    #expect(names == ["catalog.sqlite", "catalog.sqlite-wal", "kind.json"])
  }
}
