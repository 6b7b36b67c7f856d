import CatalogTestSupport
import Foundation
import Promises
import Testing

/// What commands leave that were killed, and what a rebuild leaves alone.
@Suite(
  .promise("What a killed command leaves is removed by the next one, and nothing else is"))
struct UnfinishedFileTests {
  /// No process has a number like this one.
  private static let dead = 2_147_483_000

  private func names(_ folder: String) throws -> Set<String> {
    Set(try FileManager.default.subpathsOfDirectory(atPath: folder))
  }

  private func leave(_ names: Set<String>, in folder: String) throws {
    for name in names { try Data("left".utf8).write(to: URL(filePath: "\(folder)/\(name)")) }
  }

  @Test func theNextCommandThatWritesSweepsTheCatalogsFolder() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let left: Set<String> = [
      ".catalog.sqlite.rebuild-\(Self.dead)", ".old.sqlite.catalog-part-\(Self.dead)",
      ".old.sqlite.catalog-part-\(Self.dead)-journal",
    ]
    let others: Set<String> = [
      ".old.sqlite.catalog-part-\(getpid())", ".old.sqlite.catalog-part-1", ".old.part-77",
      ".catalog-part-", "old.catalog-part-\(Self.dead)", ".old.catalog-part-\(Self.dead)x",
    ]
    try leave(left.union(others), in: catalog.path)
    #expect(await catalog.run("packs").status == 0)
    #expect(try names(catalog.path).isSuperset(of: left))
    #expect(await catalog.run("tag", "add", SampleSeed.id(201), "--mood", "New").status == 0)
    #expect(try names(catalog.path).isDisjoint(with: left))
    #expect(try names(catalog.path).isSuperset(of: others))
  }

  @Test(arguments: ["rebuild --out", "rebuild --keep-old", "materialize 1"])
  func aNewFileSweepsItsFolder(command: String) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let folder = try ScratchFolder()
    try leave(
      [".a.catalog-part-\(Self.dead)", ".out.sqlite.catalog-part-\(getpid())"], in: folder.path)
    let words = command.split(separator: " ").map(String.init)
    let outcome = await InProcess.run(
      words + [folder.file("out.sqlite"), "--catalog", catalog.path])
    #expect(outcome.status == 0, "\(outcome)")
    #expect(try names(folder.path) == ["out.sqlite"])
    let count = try CatalogTestSupport.Program(
      "sqlite3", folder.file("out.sqlite"), "SELECT count(*) FROM projection_checkpoint")
    #expect(count.status == 0, "\(count)")
  }

  /// A name of 240 bytes is one that a file system takes, and so is that of the file while it is made.
  @Test func aNewFileHasALongName() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let folder = try ScratchFolder()
    let name = String(repeating: "日", count: 80)
    let outcome = await InProcess.run([
      "materialize", "1", folder.file(name), "--catalog", catalog.path,
    ])
    #expect(outcome.status == 0, "\(outcome)")
    #expect(try names(folder.path) == [name])
  }

  /// What the link leads to may be the database of another catalog.
  @Test func aRebuildFollowsNoLink() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let other = try await TestCatalog.imported()
    #expect(await other.run("tag", "add", SampleSeed.id(201), "--mood", "Other").status == 0)
    let receipt = try await catalog.receipt()
    let before = try await other.receipt()
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: catalog.database + ending)
    }
    try FileManager.default.createSymbolicLink(
      atPath: catalog.database, withDestinationPath: other.database)
    let outcome = await catalog.run("rebuild")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.errors.contains("is a link"), "\(outcome)")
    #expect(outcome.errors.contains("\(catalog.database).unusable-1"), "\(outcome)")
    #expect(try await other.receipt() == before)
    #expect(await other.run("verify", "--quick").status == 0)
    #expect(try await catalog.receipt() == receipt)
    #expect(
      try FileManager.default.attributesOfItem(atPath: catalog.database)[.type]
        as? FileAttributeType == .typeRegular)
  }

  /// In a process of its own: what a connection has open goes with its last reader, whenever that is.
  @Test func aQueryLeavesNothingBehind() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    #expect(try await catalog.program("packs").status == 0)
    let before = try names(catalog.path)
    for (command, status) in [(["query", "SELECT 1"], 0), (["diff", "1", "--no-history"], 2)] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == status, "\(outcome)")
      let after = try names(catalog.path)
      #expect(after == before)
    }
    let write = await catalog.run("query", "DELETE FROM pack RETURNING id")
    #expect(write.status == 1, "\(write)")
  }
}
