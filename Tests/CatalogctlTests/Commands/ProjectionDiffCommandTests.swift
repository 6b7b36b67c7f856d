import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `projection diff` with a program, a database and a receipt as the old side.
@Suite(
  .promise("A change of a projector is named with table, column and types of events"))
struct ProjectionDiffCommandTests {
  @Test func theSameProgramMakesTheSame() async throws {
    let catalog = try await TestCatalog.imported()
    let outcome = try await catalog.program("projection", "diff", Program.catalogctl)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.lines.last?.hasPrefix("both programs make the same rows after event ") == true)
    let events = await InProcess.run([
      "projection", "diff", Program.catalogctl, "--events", catalog.events,
    ])
    #expect(events.status == 0 && events.output == outcome.output, "\(events)")
  }

  /// A database of an earlier event is compared with the rows of that event.
  @Test func aDatabaseIsComparedAtItsOwnEvent() async throws {
    let catalog = try await TestCatalog.imported()
    let old = catalog.folder.file("old.sqlite")
    #expect(await catalog.run("rebuild", "--out", old).status == 0)
    let head = try await catalog.head().sequence
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    let same = await catalog.run("projection", "diff", old)
    #expect(same.status == 0, "\(same)")
    #expect(same.output == "both programs make the same rows after event \(head)\n")

    // As another projector would have made it.
    let item = SampleSeed.id(201)
    _ = try await Program.run(
      "sqlite3",
      [
        old,
        """
        UPDATE library_item SET title = upper(title) WHERE id = '\(item)';
        DELETE FROM item_mood WHERE item_id = '\(item)'; CREATE TABLE later (id INTEGER PRIMARY KEY);
        """,
      ])
    let other = await catalog.run("projection", "diff", old)
    #expect(other.status == 2)
    #expect(other.output.contains("library_item.title: 1 row has another value: item.upserted 1\n"))
    #expect(other.output.contains("later: the table is missing, which had 0 rows\n"))
    #expect(other.output.contains("item_mood: "))
    let allowed = await catalog.run(
      "projection", "diff", old, "--allow", "library_item.title", "--allow", "item_mood",
      "--allow", "later", "--allow", "mood")
    #expect(allowed.status == 0, "\(allowed)")
    #expect(allowed.errors.contains("--allow mood allows nothing that differs"))
  }

  @Test func aReceiptNamesTablesAndWithItsDatabaseRows() async throws {
    let catalog = try await TestCatalog.imported()
    let (old, receipt) = (catalog.folder.file("old.sqlite"), catalog.folder.file("old.json"))
    #expect(await catalog.run("rebuild", "--out", old).status == 0)
    let written = try await catalog.receipt()
    try written.write(toFile: receipt, atomically: false, encoding: .utf8)
    let same = await catalog.run("projection", "diff", receipt)
    #expect(same.status == 0, "\(same)")
    #expect(await catalog.run("projection", "diff", receipt, "--database", old).status == 0)

    let line = try #require(
      written.split(separator: "\n").first { $0.contains("\"library_item\"") })
    let digest = try #require(line.firstRange(of: "\"timeless\": \"")).upperBound
    let changed = written.replacing(
      line,
      with: line.replacingCharacters(in: digest..<line.index(digest, offsetBy: 8), with: "00000000")
    )
    try changed.write(toFile: receipt, atomically: false, encoding: .utf8)
    let other = await catalog.run("projection", "diff", receipt)
    #expect(other.status == 2 && other.output.hasPrefix("library_item: "), "\(other)")
  }

  @Test func whatIsNoOldSideIsRefused() async throws {
    let catalog = try await TestCatalog.imported()
    let text = try catalog.folder.write("words", to: "words.txt")
    for (old, message) in [
      (catalog.folder.file("nothing"), "there is no file"),
      (catalog.path, "there is no file"), (text, "is not a program, a database or a receipt"),
    ] {
      let outcome = await catalog.run("projection", "diff", old)
      #expect(outcome.status == (old == text ? 64 : 1), "\(outcome)")
      #expect(outcome.errors.contains(message), "\(outcome)")
    }
    let other = try await TestCatalog.imported()
    let database = other.folder.file("old.sqlite")
    #expect(await other.run("rebuild", "--out", database).status == 0)
    let foreign = await catalog.run("projection", "diff", database)
    #expect(foreign.status == 1 && foreign.errors.contains("is of log "), "\(foreign)")
    let twice = await catalog.run("projection", "diff", database, "--database", database)
    #expect(twice.status == 64, "\(twice)")
  }

  /// The live database is believed only if its digests prove its rows.
  @Test func aLiveDatabaseThatDriftedIsNotTheNewSide() async throws {
    let catalog = try await TestCatalog.imported()
    let old = catalog.folder.file("old.sqlite")
    #expect(await catalog.run("rebuild", "--out", old).status == 0)
    try await catalog.sqlite("UPDATE library_item SET title = 'Oops'")
    let outcome = await catalog.run("projection", "diff", old)
    #expect(outcome.status == 0, "\(outcome)")
  }
}
