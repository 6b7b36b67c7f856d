import CatalogTestSupport
import Foundation
import Promises
import Testing

/// What commands that only read leave behind: nothing.
@Suite(
  .promise("Reading leaves a catalog's folder as it is"))
struct ReadingCommandTests {
  @Test(arguments: [
    ["items", "sfx", "--limit", "1"], ["item", SampleSeed.id(1)], ["facets", "sfx"],
    ["search", "a"], ["packs"], ["pack", SampleSeed.sfxPack], ["tag", "list"],
    ["lint", "--brief"], ["music", "list"],
  ])
  func aCommandThatReadsLeavesTheFolderAsItIs(_ command: [String]) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    // Another test may have had the shared database open while it was copied, and what SQLite keeps beside it with
    // it.
    #expect(await catalog.run("packs").status == 0)
    let before = try ScratchFolder.contents(catalog.path)
    #expect(before["catalog.sqlite-wal"] == nil && before["catalog.sqlite-shm"] == nil)
    let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
    #expect(outcome.status == 0 || command[0] == "lint", "\(outcome)")
    #expect(try ScratchFolder.contents(catalog.path) == before)
  }

  /// Revision 2 hides an item: where there are hidden ones, each of a pack's is looked at, else they are only counted.
  @Test(arguments: [1, 2])
  func aPackHasAsManyItemsAsListsOfPacksSay(revision: Int) async throws {
    let catalog = try await TestCatalog.imported(revision: revision)
    let listed = try await catalog.run("packs", "--format", "json").objects()
    let counts = listed.map { $0["itemCount"] as? Int }
    #expect(counts == (revision == 1 ? [8, 8] : [7, 9]))
    for pack in listed {
      let id = try #require(pack["id"] as? String)
      let shown = try await catalog.run("pack", id, "--format", "json").object()["pack"]
      #expect((shown as? [String: Any])?["itemCount"] as? Int == pack["itemCount"] as? Int, "\(id)")
    }
  }
}
