import CatalogTestSupport
import Foundation
import Promises
import Testing

/// What commands say of a database that somebody changed, and of events that contradict each other.
@Suite(
  .promise(
    "Whatever decodes has an effect, the same in both row stores and in Python, and stops "
      + "no replay",
    by: "a log that an earlier release poisoned"),
  .promise("Nothing that another hand changes in the database gets into the log"),
  .promise("What was appended is reported as appended, whether the database has it yet or not"),
  .promise(
    "A command that finds drift ends with status 2 and names the place; `rebuild` repairs it",
    by: "a checkpoint that was moved back, a touched digest, a dry run over drift"),
  .promise(
    "A full-text index that finds less than its table has is named, by `verify` and `doctor`"),
  .promise(
    "A database of another projector, or without digests of this version, is rebuilt by "
      + "any command that opens it, with one line"))
struct DriftedCatalogTests {
  private func sample() async throws -> TestCatalog {
    try await SharedCatalogs.sample.value.copy(hasHistory: false)
  }

  @Test func aQuickVerificationOfASoundCatalogFindsNothing() async throws {
    let catalog = try await sample()
    let outcome = await catalog.run("verify", "--quick")
    #expect(outcome.status == 0)
    #expect(outcome.lines.last?.hasPrefix("verified quickly: ") == true)
    let json = try await catalog.run("verify", "--quick", "--format", "json").object()
    #expect(json["equal"] as? Bool == true)
    #expect((json["rows"] as? Int ?? 0) > 20)
    #expect(await catalog.run("verify", "--quick", "--receipt", "x").status == 64)
  }

  @Test(arguments: [
    ("UPDATE mood SET name = name || '!'", "rows of mood"),
    ("DELETE FROM library_item WHERE rowid = 1", "library_item has"),
    ("DROP INDEX projection_idx_item_source", "the index projection_idx_item_source is missing"),
    ("CREATE TABLE mine (a)", "unexpected table mine"),
    ("DROP TABLE pack", "the table pack is missing"),
    ("DELETE FROM projection_item_search_data", "the full-text index projection_item_search"),
    (
      "DELETE FROM mood; DELETE FROM projection_digest WHERE table_name = 'mood'",
      "the rows cannot be verified"
    ),
    ("INSERT INTO projection_conflict VALUES (5, 'item.upserted', 'forged')", "cannot be verified"),
    ("INSERT INTO projection_conflict VALUES (7, x'ff', x'00ff')", "cannot be verified"),
  ])
  func whatWasChangedIsNamedAndMended(sql: String, words: String) async throws {
    let catalog = try await sample()
    let before = try await catalog.receipt()
    try await catalog.sqlite(sql)
    let quick = await catalog.run("verify", "--quick")
    #expect(quick.status == 2 && quick.output.contains(words), "\(quick)")
    let doctor = await catalog.run("doctor")
    #expect(doctor.status == 2 && doctor.output.contains("catalogctl rebuild"), "\(doctor)")
    #expect(await catalog.run("rebuild").status == 0)
    #expect(await catalog.run("doctor").status == 0)
    #expect(try await catalog.receipt() == before)
  }

  /// The head that the rows stood at before, in the checkpoint alone, and where the digests stand as well.
  @Test(arguments: [false, true])
  func aCheckpointThatIsMovedBackIsNotBelieved(movesDigests: Bool) async throws {
    let catalog = try await sample()
    let old = try await catalog.query("SELECT sequence || ' ' || chain FROM projection_checkpoint")
      .split(separator: " ")
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    try await catalog.sqlite(
      "UPDATE projection_checkpoint SET sequence = \(old[0]), chain = '\(old[1])'")
    if movesDigests {
      let sum = try await catalog.query(
        "SELECT substr(hex(digest), 65) FROM projection_digest WHERE table_name = ''")
      try await catalog.sqlite(
        """
        UPDATE projection_digest SET rows = \(old[0]), digest = x'\(old[1])\(sum)'
        WHERE table_name = ''
        """)
    }
    let rows = "SELECT count(*), sum(rows) FROM projection_digest"
    let title = "SELECT title FROM library_item WHERE id = '\(SampleSeed.id(101))'"
    let before = [try await catalog.query(rows), try await catalog.query(title)]
    for command in [
      ["items", "atmosphere"], ["tag", "add", SampleSeed.id(201), "--mood", "Cozy"],
      ["verify", "--quick"], ["doctor"],
    ] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(outcome.status == 2, "\(command): \(outcome)")
      #expect((outcome.output + outcome.errors).contains("digests"), "\(command): \(outcome)")
    }
    #expect(try await [catalog.query(rows), catalog.query(title)] == before)
    #expect(await catalog.run("rebuild").status == 0)
    #expect(await catalog.run("verify", "--quick").status == 0)
  }

  /// Commands of all kinds show no row of it.
  @Test func whatWasChangedIsNotShown() async throws {
    let catalog = try await sample()
    #expect(await catalog.run("status").lines.contains("drift     none"))
    try await catalog.sqlite("UPDATE library_item SET title = 'Oops' WHERE rowid = 1")
    let status = await catalog.run("status")
    #expect(
      status.lines.contains { $0.hasPrefix("drift     the rows of library_item") }, "\(status)")
    let documents = catalog.folder.file("documents")
    for command in [["rows", "library_item"], ["tables"], ["export", documents]] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(outcome.status == 2 && outcome.output.isEmpty, "\(command): \(outcome)")
      #expect(outcome.errors.contains("changed by hand"), "\(command): \(outcome)")
    }
    #expect(!FileManager.default.fileExists(atPath: documents))
    let receipt = await catalog.run("receipt")
    #expect(
      receipt.status == 0 && receipt.errors.contains("rows that no event made"), "\(receipt)")
    // The database as it is was asked for.
    #expect(await catalog.run("rows", "library_item", "--at", "live").output.contains("Oops"))
  }

  /// What was changed by hand is evidence: it stays until somebody asks for a rebuild.
  @Test(arguments: [
    ("UPDATE projection_digest SET rows = rows + 1 WHERE table_name = 'library_item'", "digests"),
    ("DELETE FROM projection_digest WHERE table_name = ''", "digests"),
    // A database without digests is stale: the answer is that of the log.
    ("DROP TABLE projection_digest", "would append 16 events"),
  ])
  func aDryRunReplacesNoEvidence(sql: String, words: String) async throws {
    let catalog = try await sample()
    try await catalog.sqlite("\(sql); UPDATE library_item SET title = 'Evidence'")
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "two.json")
    let outcome = await catalog.run("import", "--dry-run", seed)
    #expect(
      outcome.status == 2 && (outcome.output + outcome.errors).contains(words), "\(outcome)")
    #expect(
      try await catalog.query("SELECT DISTINCT title FROM library_item") == "Evidence")
  }

  /// Nothing proves the rows of such a database, right or wrong: it is stale.
  @Test(arguments: [
    "DROP TABLE projection_digest",
    "UPDATE projection_digest SET stretch = 1 WHERE table_name = ''",
  ])
  func aDatabaseWithoutDigestsIsRebuiltByTheNextCommand(sql: String) async throws {
    for command in [
      ["items", "sfx"], ["verify"], ["tag", "add", SampleSeed.id(201), "--mood", "Cozy"],
    ] {
      let catalog = try await sample()
      let untouched = try await sample()
      let right = try await Program.catalogctl(command + ["--catalog", untouched.path])
      try await catalog.sqlite("\(sql); UPDATE library_item SET title = 'Wrong'")
      let doctor = await catalog.run("doctor")
      #expect(doctor.status == 2 && doctor.output.contains("digests were removed"), "\(doctor)")
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 0 && outcome.output == right.output, "\(command): \(outcome)")
      #expect(
        outcome.errors.contains("notice: the database is rebuilt: it has no digests"), "\(outcome)")
      #expect(await catalog.run("doctor").status == 0)
    }
  }

  /// Pages of an index that have lost their words: what is left is found.
  /// Nothing else differs: the two replays and the rows are the same.
  @Test(arguments: [
    "INSERT INTO grdb_migrations VALUES ('by hand')", "DELETE FROM grdb_migrations",
    "UPDATE grdb_migrations SET identifier = CAST(identifier AS BLOB)",
  ])
  func aChangedListOfMigrationsIsNamed(sql: String) async throws {
    let catalog = try await sample()
    try await catalog.sqlite(sql)
    for command in [["verify"], ["verify", "--quick"], ["doctor"], ["packs"]] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 2, "\(command) \(outcome)")
      #expect(
        (outcome.output + outcome.errors).contains("grdb_migrations"), "\(command) \(outcome)")
    }
  }

  @Test func aFullTextIndexWithoutItsWordsIsNamed() async throws {
    let catalog = try await SharedCatalogs.starter.value.copy(hasHistory: false)
    try await catalog.sqlite(
      "UPDATE projection_item_search_data SET block = x'00ff' WHERE id > 10")
    let doctor = try await catalog.program("doctor")
    #expect(
      doctor.status == 2
        && doctor.output.contains("the full-text index projection_item_search"), "\(doctor)")
  }

  @Test func aChangeIsRefusedWithStatus2AndAppendsNothing() async throws {
    let catalog = try await sample()
    let head = try await catalog.head()
    try await catalog.sqlite("UPDATE mood SET name = name || '!'")
    let outcome = await catalog.run("tag", "add", SampleSeed.id(201), "--mood", "Cozy")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("mood") && outcome.errors.contains("catalogctl rebuild"))
    #expect(try await catalog.head() == head)
  }

  /// A name means what the proved rows say, in the step that decides.
  @Test(arguments: [
    ["merge", "moods", "Nonsense", "Cozy"], ["merge", "moods", "Cozy", "Nonsense"],
    ["rename", "moods", "Nonsense", "Sense"], ["alias", "moods", "Other", "Nonsense"],
    ["add", SampleSeed.id(201), "--mood", "Nonsense"],
    ["remove", SampleSeed.id(201), "--mood", "Nonsense"],
    ["suppress", SampleSeed.id(201), "--mood", "Nonsense"],
  ])
  func anAliasMadeByHandIsNotFollowed(arguments: [String]) async throws {
    let catalog = try await sample()
    let head = try await catalog.head()
    try await catalog.sqlite(
      """
      INSERT INTO projection_alias (dimension, name, value_id, origin)
      SELECT 'mood', 'Nonsense', id, 'aliased' FROM mood ORDER BY id LIMIT 1
      """)
    let outcome = await InProcess.run(["tag"] + arguments + ["--catalog", catalog.path])
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.errors.contains("projection_alias"), "\(outcome)")
    #expect(try await catalog.head() == head)
  }

  /// What "all" entries are decides what Apple Music is asked, and an empty answer would look like success.
  @Test func aRefreshOfAllPlaylistsIsNotOfNone() async throws {
    let catalog = try await sample()
    try await catalog.sqlite("UPDATE library_item SET is_visible = 0 WHERE kind = 'music'")
    let outcome = try await Program.catalogctl(
      ["music", "refresh", "--catalog", catalog.path],
      environment: [
        "APPLE_MUSIC_API": "http://127.0.0.1:9", "APPLE_MUSIC_TOKEN": MusicCommandTests.token,
        "APPLE_MUSIC_KEY_FILE": "",
      ])
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.errors.contains("rows of library_item"), "\(outcome)")
  }

  @Test func aChangeSaysWhatBecameOfIt() async throws {
    let catalog = try await sample()
    let change = try await catalog.run(
      "tag", "add", SampleSeed.id(201), "--mood", "Fresh", "--format", "json"
    ).object()
    #expect(change["outcome"] as? String == "applied")
    let again = try await catalog.run(
      "tag", "add", SampleSeed.id(201), "--mood", "Fresh", "--format", "json"
    ).object()
    #expect(again["outcome"] as? String == "unchanged")
  }

  /// A log that nobody can read to its end is not said to be applied by the next command.
  @Test func anEventThatNobodyCanReadIsNamed() async throws {
    for event in [
      ("item.painted", "{}"),
      (
        "dimension.value.added",
        #"{"dimension":"moods","id":18446744073709551616,"name":"A","sortOrder":null,"isSystem":true}"#
      ),
    ] {
      let catalog = try TestCatalog()
      try PoisonedLog(adding: event).write(to: catalog.events)
      #expect(await catalog.run("rebuild").status == 1)
      let doctor = await catalog.run("doctor")
      #expect(doctor.status == 2 && doctor.output.contains("event 6 (\(event.0) "), "\(doctor)")
      #expect(!doctor.output.contains("the next command"), "\(doctor)")
      let rescued = catalog.folder.file("rescued")
      #expect(await catalog.run("salvage", "--past-gaps", rescued).status == 2)
      #expect(await InProcess.run(["rebuild", "--catalog", rescued]).status == 0)
    }
  }

  /// A log that an earlier release poisoned: a value with a name that is taken, and an item tagged with it.
  @Test func aLogWithConflictsReplaysAndTellsOfThem() async throws {
    let log = PoisonedLog()
    let catalog = try TestCatalog()
    try log.write(to: catalog.events)
    #expect(await catalog.run("rebuild").status == 0)
    let verified = await catalog.run("verify", "--quick")
    #expect(verified.status == 0, "\(verified)")
    #expect(verified.output.contains("conflict: event 3 (dimension.value.added)"))
    let doctor = await catalog.run("doctor")
    #expect(doctor.status == 0 && doctor.output.contains("event 3, dimension.value.added"))
    #expect(doctor.errors.contains("0 findings, 2 notes"))
    let lint = await catalog.run("lint", "--brief")
    #expect(lint.status == 2 && lint.output.contains("conflict: event 3"))
    #expect(await catalog.run("tag", "list").output.contains("Action"))
    #expect(await catalog.run("tag", "rename", "moods", "Action", "Deeds").status == 0)
    // New values get ids that are free, whatever is the greatest one.
    #expect(try await catalog.importSeed(SampleSeed.text(revision: 1)).status == 0)
    #expect(await catalog.run("tag", "add", SampleSeed.id(201), "--mood", "Newest").status == 0)
    // The import has an earlier time than the renaming.
    #expect(await catalog.run("doctor").errors.contains("0 findings, 3 notes"))
    #expect(await catalog.run("verify", "--quick").status == 0)
  }
}
