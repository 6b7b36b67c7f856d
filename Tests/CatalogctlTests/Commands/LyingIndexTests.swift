import CatalogTestSupport
import Promises
import Testing

/// An index that does not say what its table has: nothing is decided by it.
@Suite(
  .promise(
    "A proof reads the table, whatever its indexes say; a row that an index hides is not "
      + "absent",
    by: "the real program"))
struct LyingIndexTests {
  @Test func aTagIsNotAddedToTheItemThatAnIndexNames() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let head = try await catalog.head()
    try await catalog.sqlite(
      LyingIndex.swapping(
        SampleSeed.id(201), SampleSeed.id(202), in: "item_id", of: "projection_item", key: "number")
    )
    let outcome = await catalog.run("tag", "add", SampleSeed.id(201), "--mood", "Cozy")
    #expect(outcome.status == 2 && outcome.errors.contains("projection_item"), "\(outcome)")
    #expect(try await catalog.head() == head)
    let doctor = await catalog.run("doctor")
    #expect(doctor.status == 2 && doctor.output.contains("missing from index"), "\(doctor)")
  }

  /// Revision 1 would undo revision 2, of which the index of seeds does not know.
  @Test func anOlderRevisionIsNotImportedOverANewerOne() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    let head = try await catalog.head()
    try await catalog.sqlite(
      LyingIndex.missing("sample", in: "seed_id", of: "projection_seed"))
    let outcome = try await catalog.importSeed(SampleSeed.text(revision: 1))
    #expect(outcome.status == 2 && outcome.errors.contains("projection_seed"), "\(outcome)")
    #expect(try await catalog.head() == head)
  }

  @Test func searchesEndInAnAnswer() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    try await catalog.sqlite(
      """
      UPDATE projection_item SET number = 9007199254740991
      WHERE number = (SELECT max(number) FROM projection_item)
      """)
    let far = await catalog.run("search", "sound", "--limit", "3")
    #expect(far.status == 2 && far.errors.contains("projection_item"), "\(far)")
    #expect(await catalog.run("rebuild").status == 0)
    #expect(await catalog.run("search", "sound", "--limit", "3").status == 0)
    let empty = try TestCatalog()
    #expect(await empty.run("init", "--kind", "sound-library").status == 0)
    let nothing = await empty.run("search", "sound", "--limit", "3")
    #expect(nothing.status == 0, "\(nothing)")
  }
}
