import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `revert`: an operation is taken back, and what came later stays.
@Suite(
  .promise(
    "`revert` rolls back an operation and keeps later changes; what cannot be rolled back "
      + "is refused with the reason",
    by: "imports, items, tags, packages of concerts, documents of tracks"))
struct RevertCommandTests {
  /// The operation of the last event.
  private func lastOperation(_ catalog: TestCatalog) async throws -> String {
    let line = try #require(
      await catalog.run("log", "--format", "json").output.split(separator: "\n").last)
    return try #require(line.firstMatch(of: /"op":"([^"]*)"/).map { String($0.output.1) })
  }

  private func isSame(_ catalog: TestCatalog, since sequence: Int) async throws -> Bool {
    let outcome = await catalog.run("diff", "\(sequence)", "live", "--format", "json")
    return try outcome.objects().isEmpty
  }

  @Test func anImportIsTakenBackAndStaysSo() async throws {
    let catalog = try await TestCatalog.imported()
    let before = try await catalog.head().sequence
    let texts = SampleSeed.text(revision: 2)
    try await catalog.importSeed(texts)
    let wrong = try await lastOperation(catalog)
    _ = await catalog.run("history", "make")

    let bytes = try catalog.eventBytes()
    let planned = await catalog.run("revert", String(wrong.prefix(8)), "--dry-run")
    #expect(planned.status == 0, "\(planned)")
    #expect(planned.output.contains("- library_item id='\(SampleSeed.id(210))'"))
    #expect(planned.output.hasSuffix("nothing was appended: this is what would be done\n"))
    #expect(try catalog.eventBytes() == bytes)

    let done = await catalog.run("revert", wrong, "--reason", "the wrong export")
    let operations = await catalog.run("log", "--operations", "--newest", "-n", "1")
    #expect(operations.output.contains("; the wrong export\n"), "\(operations)")
    #expect(done.status == 0, "\(done)")
    #expect(done.output.contains("reverted operation \(wrong): "), "\(done)")
    #expect(try await isSame(catalog, since: before))
    #expect(try await catalog.program("verify").status == 0)
    let revert = try await lastOperation(catalog)
    #expect(await catalog.run("log", "--newest", "--limit", "1").output.contains("revert:\(wrong)"))

    // The same document stays reverted, and says so; a newer revision applies.
    let head = try await catalog.head()
    let again = try await catalog.importSeed(texts)
    #expect(again.status == 0 && again.output.contains("stays reverted, 0 events"), "\(again)")
    #expect(
      again.errors.contains(
        "operation \(wrong) was reverted by operation \(revert), because \"the wrong export\""),
      "\(again)")
    #expect(try await catalog.head() == head)
    let planning = try await catalog.importSeed(texts, "--dry-run")
    #expect(planning.status == 0 && planning.output.contains("stays reverted"), "\(planning)")

    // The revert is an operation itself.
    #expect(await catalog.run("revert", revert).status == 0)
    #expect(try await catalog.query("SELECT count(*) FROM library_item") == "21")
    let known = try await catalog.importSeed(texts)
    #expect(known.output.contains("nothing new, 0 events"), "\(known)")
    #expect(try await catalog.program("verify").status == 0)
  }

  @Test func aNewerRevisionAppliesAfterARevert() async throws {
    let catalog = try await TestCatalog.imported()
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    #expect(await catalog.run("revert", try await lastOperation(catalog)).status == 0)
    let newer = try await catalog.importSeed(SampleSeed.text(revision: 3))
    #expect(newer.status == 0 && newer.output.contains("appended"), "\(newer)")
    let other = try TestCatalog()
    try await other.importSeed(SampleSeed.text(revision: 3))
    for sql in [
      "SELECT id, title, is_visible FROM library_item ORDER BY id",
      "SELECT item_id, name FROM item_mood JOIN mood ON mood_id = id ORDER BY 1, 2",
      "SELECT pack_id, item_id, sort_order FROM pack_item ORDER BY 1, 3",
    ] {
      #expect(try await catalog.query(sql) == other.query(sql), "\(sql)")
    }
  }

  @Test func whatWasChangedLaterStaysUnlessForced() async throws {
    let catalog = try await TestCatalog.imported()
    _ = await catalog.run("tag", "rename", "moods", "Cozy", "Quiet")
    let first = try await lastOperation(catalog)
    _ = await catalog.run("tag", "rename", "moods", "Quiet", "Silent")
    let second = try await lastOperation(catalog)
    _ = await catalog.run("history", "make")
    let name = "SELECT name FROM mood WHERE id = (SELECT min(id) FROM mood)"

    let left = await catalog.run("revert", first)
    #expect(left.status == 2)
    let lines = left.output.split(separator: "\n").map(String.init)
    let place = try #require(
      lines.firstIndex { $0.hasPrefix("  mood id=") && $0.hasSuffix("a later event changed it") },
      "\(left)")
    #expect(lines[place + 1].contains(first) && lines[place + 2].contains(second), "\(left)")
    #expect(try await catalog.query(name) == "Silent")

    let refused = await catalog.run("revert", first, "--force")
    #expect(refused.status == 1 && refused.errors.contains("--yes accepts that"), "\(refused)")
    let forced = await catalog.run("revert", first, "--force", "--yes")
    #expect(forced.status == 0, "\(forced)")
    #expect(try await catalog.query(name) == "Cozy")
    #expect(try await catalog.program("verify").status == 0)
    let nothing = await catalog.run("revert", first, "--force")
    #expect(nothing.status == 0 && nothing.output.contains("nothing to undo"), "\(nothing)")
  }

  @Test func aRowThatAnotherOneNeedsStays() async throws {
    let catalog = try await TestCatalog.imported()
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    let wrong = try await lastOperation(catalog)
    // A person uses the value and the item that the import added.
    _ = await catalog.run("tag", "add", SampleSeed.id(201), "--creature", "Ooze")
    _ = await catalog.run("tag", "add", SampleSeed.id(210), "--mood", "Ominous")
    _ = await catalog.run("history", "make")
    let left = await catalog.run("revert", wrong)
    #expect(left.status == 2, "\(left)")
    #expect(left.output.contains("(Ooze): item_creature_type "), "\(left)")
    #expect(left.output.contains("(Sound 210): item_mood "), "\(left)")
    #expect(
      try await catalog.query("SELECT count(*) FROM library_item WHERE title = 'Sound 210'") == "1")
    #expect(try await catalog.query("SELECT name FROM creature_type ORDER BY 1") == "Ooze\nUndead")
    // All other rows are as before.
    #expect(
      try await catalog.query("SELECT title FROM library_item WHERE id = '\(SampleSeed.id(101))'")
        == "Place 101")
    #expect(try await catalog.program("verify").status == 0)
    #expect(await catalog.run("doctor").status == 0)
  }

  /// Numbers of items have a gap then, and the next item takes the last one.
  @Test func oneItemOfARevertedImportStays() async throws {
    let catalog = try await TestCatalog.imported()
    let wrong = try await lastOperation(catalog)
    _ = await catalog.run("tag", "add", SampleSeed.id(205), "--mood", "Windy")
    _ = await catalog.run("history", "make")
    #expect(await catalog.run("revert", wrong).status == 2)
    #expect(try await catalog.query("SELECT id FROM library_item") == SampleSeed.id(205))
    #expect(await catalog.run("items", "sfx").output.contains("Sound 205"))
    #expect(try await catalog.program("verify").status == 0)
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    #expect(try await catalog.program("verify").status == 0)
    #expect(await catalog.run("doctor").status == 0)
  }

  /// The tag is of a value that was merged since: without the removal, the item would have the other value's tag.
  @Test func aTagOfAMergedValueReturnsAsTheOtherOne() async throws {
    let catalog = try await TestCatalog.imported()
    let item = SampleSeed.id(201)
    for command in [["add"], ["remove"]] {
      _ = await catalog.run("tag", command[0], item, "--mood", "Windy")
    }
    let untagged = try await lastOperation(catalog)
    _ = await catalog.run("tag", "merge", "moods", "Windy", "Cozy")
    _ = await catalog.run("history", "make")
    let outcome = await catalog.run("revert", untagged)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(
      try await catalog.query(
        "SELECT name FROM item_mood JOIN mood ON mood.id = mood_id WHERE item_id = '\(item)'"
      ).split(separator: "\n").contains("Cozy"), "\(outcome)")
    #expect(try await catalog.program("verify").status == 0)
  }

  /// Names that led to a value are its own for as long as it keeps the name to which they led.
  @Test func aNameStaysWithTheValueThatWasRenamedAgain() async throws {
    let catalog = try await TestCatalog.imported()
    _ = await catalog.run("tag", "rename", "moods", "Cozy", "Quiet")
    let first = try await lastOperation(catalog)
    _ = await catalog.run("tag", "rename", "moods", "Quiet", "Silent")
    _ = await catalog.run("history", "make")
    #expect(await catalog.run("revert", first).status == 2)
    let names = "SELECT name FROM projection_alias ORDER BY 1"
    #expect(try await catalog.query(names) == "Cozy\nQuiet")
  }

  @Test(arguments: ["two\nlines", "a \u{1B}[31mcolour", "bell \u{7}"])
  func aReasonIsShownOnOneLine(reason: String) async throws {
    let catalog = try await TestCatalog.imported()
    let wrong = try await lastOperation(catalog)
    _ = await catalog.run("history", "make")
    let done = await catalog.run("revert", wrong, "--reason", reason)
    #expect(done.status == 0, "\(done)")
    let again = try await catalog.importSeed(SampleSeed.text())
    #expect(again.output.contains("stays reverted"), "\(again)")
    #expect(!again.errors.contains(reason), "\(again.errors.debugDescription)")
    #expect(try await catalog.program("verify").status == 0)
  }

  @Test func aLongReasonIsRefused() async throws {
    let catalog = try await TestCatalog.imported()
    let bytes = try catalog.eventBytes()
    let outcome = await catalog.run(
      "revert", try await lastOperation(catalog), "--reason", String(repeating: "é", count: 2_500))
    #expect(outcome.status == 64 && outcome.errors.contains("5000 bytes"), "\(outcome)")
    #expect(try catalog.eventBytes() == bytes)
  }

  /// A question is planned on the log's rows: what was changed by hand is seen before the append.
  @Test func aDatabaseThatWasChangedByHandIsRefused() async throws {
    let catalog = try await TestCatalog.imported()
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    _ = await catalog.run("history", "make")
    let bytes = try catalog.eventBytes()
    try await catalog.sqlite(
      "UPDATE library_item SET title = 'x' WHERE id = '\(SampleSeed.id(101))'")
    for option in [[], ["--dry-run"], ["--dry-run", "--events"]] {
      let outcome = await InProcess.run(
        ["revert", try await lastOperation(catalog), "--catalog", catalog.path] + option)
      #expect(outcome.status == 2 && outcome.errors.contains("changed by hand"), "\(outcome)")
      #expect(outcome.output.isEmpty)
    }
    #expect(try catalog.eventBytes() == bytes)
  }

  @Test func severalImportsAreTakenBackAtOnce() async throws {
    let catalog = try await TestCatalog.imported()
    let before = try await catalog.head().sequence
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    let middle = try await catalog.head().sequence
    try await catalog.importSeed(SampleSeed.text(revision: 3, sounds: 30))
    let last = try await catalog.head().sequence
    _ = await catalog.run("history", "make")
    let cut = await catalog.run("revert", "\(before + 1)..\(last - 1)")
    #expect(cut.status == 1 && cut.errors.contains("are one batch"), "\(cut)")
    let done = await catalog.run("revert", "\(before + 1)..\(last)")
    #expect(done.status == 0 && done.output.contains("reverted 2 operations"), "\(done)")
    #expect(try await isSame(catalog, since: before))
    #expect(
      await catalog.run("log", "--newest", "--limit", "1").output.contains(
        "revert:\(before + 1)..\(last)"))
    for revision in [2, 3] {
      let again = try await catalog.importSeed(
        SampleSeed.text(revision: revision, sounds: revision == 3 ? 30 : 0))
      #expect(again.output.contains("stays reverted"), "\(again)")
    }
    #expect(middle < last)
  }

  @Test(arguments: [
    ("1", "event 1 says what this is a catalog of"), ("999999", "there is no event 999999"),
    ("00000000-0000-4000-8000-000000000001", "the log has no operation"),
  ])
  func whatCannotBeTakenBackIsRefused(name: String, message: String) async throws {
    let catalog = try await TestCatalog.imported()
    let bytes = try catalog.eventBytes()
    let outcome = await catalog.run("revert", name)
    #expect(outcome.status == 1 && outcome.errors.contains(message), "\(outcome)")
    #expect(try catalog.eventBytes() == bytes)
  }

  @Test func aPackageStaysReverted() async throws {
    let archive = try TestCatalog()
    let package = ScratchFolder.repository + "/Examples/Concerts/data-v1."
    _ = await archive.run("init", "--kind", "concert-archive")
    _ = await archive.run("shows", "import", package + "0.0")
    let before = try await archive.head().sequence
    _ = await archive.run("shows", "import", package + "1.0")
    #expect(await archive.run("revert", try await lastOperation(archive)).status == 0)
    #expect(try await isSame(archive, since: before))
    let again = await archive.run("shows", "import", package + "1.0")
    #expect(again.status == 0 && again.output.contains("stays reverted"), "\(again)")
    #expect(again.errors.contains("takes that revert back"), "\(again)")
    #expect(again.errors.contains("of this document differ from the catalog"), "\(again)")
    let planned = await archive.run(
      "shows", "import", package + "1.0", "--dry-run", "--take-reverted")
    #expect(planned.status == 2 && planned.output.contains("would append"), "\(planned)")
    let taken = await archive.run("shows", "import", package + "1.0", "--take-reverted")
    #expect(taken.status == 0 && taken.output.contains("appended"), "\(taken)")
    #expect(
      await archive.run("shows", "import", package + "1.0").output.contains("nothing new"))
  }

  @Test func aDocumentOfTracksStaysReverted() async throws {
    let library = try TestCatalog()
    let examples = ScratchFolder.repository + "/Examples/Tracks/"
    _ = await library.run("init", "--kind", "track-library")
    _ = await library.run("tracks", "import", examples + "morning.m3u8")
    let before = try await library.head().sequence
    _ = await library.run("tracks", "import", examples + "iTunes.xml")
    #expect(await library.run("revert", try await lastOperation(library)).status == 0)
    #expect(try await isSame(library, since: before))
    #expect(try await library.program("verify").status == 0)
    let head = try await library.head()
    let again = await library.run("tracks", "import", examples + "iTunes.xml")
    #expect(again.errors.contains("the document stays reverted"), "\(again)")
    #expect(again.output.contains("stays reverted, 0 events"), "\(again)")
    #expect(again.errors.contains("--take-reverted takes"), "\(again)")
    #expect(try await library.head() == head)
    let taken = await library.run("tracks", "import", examples + "iTunes.xml", "--take-reverted")
    #expect(taken.status == 0 && taken.output.contains("appended"), "\(taken)")
    #expect(
      await library.run("tracks", "import", examples + "iTunes.xml").output.contains("nothing new"))
  }
}
