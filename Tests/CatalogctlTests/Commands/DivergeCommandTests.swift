import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `diverge` as a person meets it; what it finds is in `DivergenceTests`.
@Suite(
  .promise("The first batch at which two catalogs differ is found, with its first row"))
struct DivergeCommandTests {
  @Test func catalogsThatPartAreNamedWithTheirBatchesAndARow() async throws {
    let one = try await TestCatalog.imported()
    let head = try await one.head().sequence
    #expect(await one.run("history", "make").status == 0)
    let other = try one.copy()
    let same = await InProcess.run(["diverge", one.path, other.path])
    #expect(same.status == 0 && same.errors.isEmpty, "\(same)")
    #expect(same.lines.last == "the same up to event \(head), as far as both go")

    _ = await other.run("tag", "add", SampleSeed.id(101), "--mood", "Windy")
    let longer = await one.run("diverge", other.path)
    let last = try await other.head().sequence
    #expect(longer.status == 0, "\(longer)")
    #expect(longer.lines.last?.hasSuffix("; B continues to event \(last)") == true, "\(longer)")

    _ = await one.run("tag", "add", SampleSeed.id(102), "--mood", "Calm")
    let parted = await one.run("diverge", other.path)
    #expect(parted.status == 2, "\(parted)")
    #expect(parted.lines.contains("the logs part after event \(head)"), "\(parted)")
    for letter in ["A", "B"] {
      #expect(parted.lines.contains { $0.hasPrefix("\(letter): events \(head + 1) to ") })
    }
    #expect(parted.output.contains("    1 item.tags.set"), "\(parted)")
    #expect(parted.output.contains("first row: mood id="), "\(parted)")
    #expect(parted.output.contains("name='Calm'") && parted.output.contains("name='Windy'"))
  }

  @Test func catalogsOfTwoLogsAreComparedByTheirRows() async throws {
    let (one, other) = (try await TestCatalog.imported(), try await TestCatalog.imported())
    let found = await one.run("diverge", other.path)
    #expect(found.status == 0, "\(found)")
    #expect(found.lines.last?.hasPrefix("two logs, compared by the values of their rows: ") == true)
    _ = await one.run("tag", "add", SampleSeed.id(101), "--mood", "Windy")
    _ = await other.run("tag", "add", SampleSeed.id(102), "--mood", "Windy")
    let parted = await one.run("diverge", other.path)
    #expect(parted.status == 2 && parted.output.contains("the rows differ from event"), "\(parted)")
  }

  /// A reverted operation is kept with the ids of its log, which do not count as content.
  @Test func whatTwoLogsRevertedAlikeIsTheSameContent() async throws {
    let catalogs = [try await TestCatalog.imported(), try await TestCatalog.imported()]
    var receipts: [[Outcome]] = []
    for catalog in catalogs {
      let empty = await catalog.run("receipt", "--content")
      _ = await catalog.run("tag", "add", SampleSeed.id(101), "--mood", "Windy")
      let head = try await catalog.head().sequence
      let reverted = await catalog.run("revert", "\(head - 1)..\(head)")
      try #require(reverted.status == 0, "\(reverted)")
      let rows = await catalog.run("query", "SELECT count(*) AS n FROM projection_reverted")
      #expect(rows.lines.last == "1", "\(rows)")
      receipts.append([
        empty, await catalog.run("receipt", "--content"), await catalog.run("receipt"),
      ])
    }
    #expect(receipts[0][0].output == receipts[1][0].output)
    #expect(receipts[0][1].output == receipts[1][1].output)
    #expect(receipts[0][2].output != receipts[1][2].output)
    let found = await catalogs[0].run("diverge", catalogs[1].path)
    #expect(found.status == 0, "\(found)")
    let file = try catalogs[1].folder.write(receipts[0][2].output, to: "receipt.json")
    let verified = try await catalogs[1].program("verify", file, "--content")
    #expect(verified.status == 0, "\(verified)")
  }

  /// Documents that were imported at two times make the same values at other times.
  @Test func timesOfTwoLogsAreSaidApartFromValues() async throws {
    let (one, other) = (try await TestCatalog.imported(), try TestCatalog())
    let seed = try other.folder.write(SampleSeed.text(revision: 1), to: "seed.json")
    let imported = await other.run("import", seed, "--at", "2026-03-01T12:00:00Z")
    try #require(imported.status == 0, "\(imported)")
    let found = await one.run("diverge", other.path)
    #expect(found.status == 0, "\(found)")
    let head = try await one.head().sequence
    let words =
      "the same up to event \(head), as far as both go; times alone differ from event 2 on"
    #expect(found.lines.last?.hasSuffix(words) == true, "\(found)")
    #expect(
      try await one.run("diverge", other.path, "--format", "json").object()["timesDifferFrom"]
        as? Int == 2)

    _ = await one.run("tag", "add", SampleSeed.id(101), "--mood", "Windy")
    _ = await other.run("tag", "add", SampleSeed.id(102), "--mood", "Windy")
    let parted = await one.run("diverge", other.path)
    #expect(parted.status == 2, "\(parted)")
    #expect(parted.output.contains("the rows differ from event \(head + 1) on in "), "\(parted)")
    #expect(parted.output.contains("times alone differ from event 2 on"), "\(parted)")
    #expect(!parted.output.contains("_at="), "\(parted)")
  }

  @Test func whatCannotBeComparedIsRefusedWithTheReason() async throws {
    let one = try await TestCatalog.imported()
    for (words, status, reason) in [
      ([one.path, "--no-history"], 64, "catalogctl diff` compares two"),
      ([one.path, one.path, "--catalog", one.path], 64, "name two folders, or one and --catalog"),
      ([one.path, "/nowhere/at/all"], 1, "there is no catalog in /nowhere/at/all"),
    ] as [([String], Int32, String)] {
      let refused = await InProcess.run(["diverge"] + words)
      #expect(refused.status == status && refused.errors.contains(reason), "\(refused)")
    }
    let concerts = try TestCatalog()
    #expect(await concerts.run("init", "--kind", "concert-archive").status == 0)
    let refused = await one.run("diverge", concerts.path)
    #expect(refused.status == 1 && refused.errors.contains("of kind"), "\(refused)")
  }
}
