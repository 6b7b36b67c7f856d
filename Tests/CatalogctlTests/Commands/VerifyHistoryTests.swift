import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `verify --history` against histories that are whole, and that were changed in a way that only it can find.
@Suite(
  .promise(
    "A history of which one value was changed is named by `verify --history`, with batch, "
      + "table and both values",
    by: "a digest, a count, a row, an interval, a batch, an index"))
struct VerifyHistoryTests {
  /// A catalog with some revisions, whose history was made of the first ones and brought up to date.
  private func catalog() async throws -> TestCatalog {
    let catalog = try await TestCatalog.imported()
    _ = await catalog.run("tag", "add", SampleSeed.id(101), "--mood", "Windy")
    #expect(await catalog.run("history", "make").status == 0)
    _ = await catalog.run("tag", "remove", SampleSeed.id(101), "--mood", "Windy")
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    #expect(await catalog.run("history", "make").status == 0)
    return catalog
  }

  private func file(_ catalog: TestCatalog) -> String { catalog.path + "/history.sqlite" }

  /// Changes a row of the history.
  private func change(_ catalog: TestCatalog, _ statement: String) async throws {
    let changed = try await Program.run(
      "sqlite3",
      [file(catalog), "\(statement); SELECT changes();"])
    #expect(changed.status == 0 && changed.output == "1\n", "\(changed)")
  }

  @Test func aWholeHistoryIsVerified() async throws {
    let catalog = try await catalog()
    let carried = await catalog.run("verify", "--history")
    #expect(carried.status == 0 && carried.lines.count == 1, "\(carried)")
    #expect(carried.output.hasPrefix("verified: the history is what the log makes: "))
    #expect(await catalog.run("history", "make", "--again").status == 0)
    #expect((await catalog.run("verify", "--history")).output == carried.output)
    // What it lacks is applied first.
    _ = await catalog.run("tag", "add", SampleSeed.id(102), "--mood", "Windy")
    let later = await catalog.run("verify", "--history")
    #expect(later.status == 0 && later.output != carried.output, "\(later)")
  }

  @Test(
    arguments: [
      (
        "a digest",
        "UPDATE history_step SET digest = zeroblob(16) WHERE tbl = (SELECT max(tbl) FROM history_step) "
          + "AND last = (SELECT min(last) FROM history_step WHERE tbl = (SELECT max(tbl) FROM history_step))",
        ["the receipt of ", "has digest x'00000000000000000000000000000000'"]
      ),
      (
        "a count",
        "UPDATE history_step SET added = added + 1 WHERE (tbl, last) = "
          + "(SELECT tbl, last FROM history_step ORDER BY last DESC LIMIT 1)",
        ["the receipt of ", " has added "]
      ),
      (
        "a receipt that is gone",
        "DELETE FROM history_step WHERE (tbl, last) = (SELECT tbl, last FROM history_step ORDER BY last LIMIT 1)",
        ["the receipt of ", " is missing"]
      ),
      (
        "a version that has ended",
        "UPDATE g0_library_item SET title = 'Oops' WHERE _vid = "
          + "(SELECT _vid FROM g0_library_item WHERE _to < 0 AND title LIKE 'Place%' LIMIT 1)",
        [
          "library_item[id='", ", the version of event ",
          "has title 'Oops', and the log makes 'Place",
        ]
      ),
      (
        "a version that goes on",
        "UPDATE g0_library_item SET title = 'Oops' WHERE _vid = (SELECT max(_vid) FROM g0_library_item WHERE _to = 0)",
        ["has title 'Oops'"]
      ),
      (
        "an end that is too early",
        "UPDATE g0_library_item SET _to = 1 - (1 << 47) WHERE _vid = "
          + "(SELECT _vid FROM g0_library_item WHERE _to < 0 AND title LIKE 'Place%' LIMIT 1)",
        [
          "ends with event 1, before it begins",
          "ends with event 1, but the log makes that it ends with",
        ]
      ),
      (
        "an end that is too late",
        "UPDATE g0_library_item SET _to = _to + 1 WHERE _vid = (SELECT _vid FROM g0_library_item AS old "
          + "WHERE _to < 0 AND EXISTS (SELECT 1 FROM g0_library_item WHERE id = old.id AND _from = old._to + (1 << 47)) LIMIT 1)",
        ["after event ", "made another one", "but the log makes that it ends with"]
      ),
      (
        "two versions that go on",
        "UPDATE g0_library_item SET _to = 0 WHERE _vid = (SELECT _vid FROM g0_library_item AS old "
          + "WHERE _to < 0 AND EXISTS (SELECT 1 FROM g0_library_item WHERE id = old.id AND _to = 0) LIMIT 1)",
        ["has not ended, and event ", "made another one"]
      ),
      (
        "the time of a batch",
        "UPDATE history_batch SET at = '2020-01-01T00:00:00.000Z' WHERE last = (SELECT max(last) FROM history_batch)",
        ["history_batch[last=", "has at '2020-01-01T00:00:00.000Z'"]
      ),
      (
        "the source of an event",
        "UPDATE history_event SET type = 'x' WHERE first = 1",
        ["history_event[first=1] has type 'x', and the log makes 'catalog.created'"]
      ),
    ] as [(String, String, [String])])
  func whatOnlyAFoldFindsIsNamed(_ what: String, _ statement: String, _ words: [String])
    async throws
  {
    let catalog = try await catalog()
    try await change(catalog, statement)
    let found = await catalog.run("verify", "--history")
    #expect(found.status == 2, "\(what): \(found)")
    for word in words { #expect(found.output.contains(word), "\(what): \(found)") }
    #expect(found.lines.last?.contains("history make --again") == true)
    #expect(found.lines.dropLast().allSatisfy { $0.hasPrefix("history: ") }, "\(found)")
    // Nothing else is wrong, and the remedy helps.
    #expect(found.lines.count <= 4, "\(what): \(found)")
    #expect(await catalog.run("verify", "--quick").status == 0)
    #expect(await catalog.run("history", "make", "--again").status == 0)
    #expect(await catalog.run("verify", "--history").status == 0)
  }

  /// Two indexes are exchanged: searches find other rows, and all rows are right.
  @Test func anIndexThatIsNotThatOfItsTableIsNamed() async throws {
    let catalog = try await catalog()
    let changed = try await Program.run(
      "sqlite3",
      [file(catalog), LyingIndex.exchanging("g0_library_item_began", "g0_library_item_ended")])
    #expect(changed.status == 0, "\(changed)")
    let found = await catalog.run("verify", "--history")
    #expect(found.status == 2 && found.output.contains("missing from index"), "\(found)")
    #expect(found.lines.dropLast().allSatisfy { $0.hasPrefix("history: ") }, "\(found)")
    #expect(await catalog.run("history", "make", "--again").status == 0)
    #expect(await catalog.run("verify", "--history").status == 0)
  }

  @Test func liveRowsThatAreNotTheHistorysAreNamed() async throws {
    let catalog = try await catalog()
    try await catalog.sqlite(
      "UPDATE library_item SET title = 'Oops' WHERE id = '\(SampleSeed.id(102))'")
    let found = await catalog.run("verify", "--history")
    #expect(found.status == 2, "\(found)")
    #expect(found.output.contains("history: library_item: the live rows at event "), "\(found)")
  }

  @Test func whatCannotBeVerifiedIsRefused() async throws {
    let catalog = try await TestCatalog.imported()
    let none = await catalog.run("verify", "--history")
    #expect(none.status == 1 && none.errors.contains("there is no history to verify"), "\(none)")
    try Data("no database".utf8).write(to: URL(filePath: file(catalog)))
    let unfit = await catalog.run("verify", "--history")
    #expect(unfit.status == 1 && unfit.errors.contains("cannot be used"), "\(unfit)")
    for other in ["--quick", "--thorough"] {
      #expect(await catalog.run("verify", "--history", other).status == 64)
    }
  }
}
