import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Changes made to the database by hand, found by `verify` and mended by `rebuild`.
@Suite(
  .promise(
    "A command that finds drift ends with status 2 and names the place; `rebuild` repairs it",
    by: "changes of rows, indexes, schemas and checkpoints by hand"),
  .promise("Drift is named with table, key, column, both values and event"),
  .promise(
    "A full-text index that finds less than its table has is named, by `verify` and `doctor`"))
struct DriftTests {
  struct Drift: Sendable, CustomTestStringConvertible {
    let name: String
    let statement: String
    /// What a line of the finding must hold.
    let says: [String]
    /// Table, key, column, live and expected value as JSON tells them.
    var table: String?
    var key: [String: String] = [:]
    var column: String?
    var live: String?
    var expected: String?
    /// The type of the event that wrote the row last; nil if the finding is of no row.
    var event: String?

    var testDescription: String { name }
  }

  static let title = SampleSeed.id(101)

  static let drifts: [Drift] = [
    Drift(
      name: "a changed row",
      statement: "UPDATE library_item SET title = 'Forged' WHERE id = '\(title)'",
      says: ["library_item", title, "title", "'Forged'", "'Place 101'"],
      table: "library_item", key: ["id": "'\(title)'"], column: "title", live: "'Forged'",
      expected: "'Place 101'", event: "item.upserted"),
    Drift(
      name: "a changed number",
      statement: "UPDATE pack SET version = 2 WHERE id = '\(SampleSeed.sfxPack)'",
      says: ["pack", SampleSeed.sfxPack, "version is 2", "should be 1"],
      table: "pack", key: ["id": "'\(SampleSeed.sfxPack)'"], column: "version", live: "2",
      expected: "1", event: "pack.upserted"),
    Drift(
      name: "a removed row",
      statement: "DELETE FROM music_playlist_ref WHERE item_id = '\(SampleSeed.id(2))'",
      says: ["music_playlist_ref", SampleSeed.id(2), "is missing in the live database"],
      table: "music_playlist_ref", key: ["item_id": "'\(SampleSeed.id(2))'"],
      event: "playlist.linked"),
    Drift(
      name: "a removed tag",
      statement: "DELETE FROM item_mood WHERE item_id = '\(SampleSeed.id(201))'",
      says: ["item_mood", SampleSeed.id(201), "is missing in the live database"],
      table: "item_mood", key: ["item_id": "'\(SampleSeed.id(201))'", "mood_id": "4"],
      event: "item.tags.set"),
    Drift(
      name: "an added tag",
      statement: "INSERT INTO item_mood VALUES ('\(SampleSeed.id(201))', 1)",
      says: ["item_mood", SampleSeed.id(201), "should not be in the live database"],
      table: "item_mood", key: ["item_id": "'\(SampleSeed.id(201))'", "mood_id": "1"]),
    Drift(
      name: "a time that is another",
      statement: """
        UPDATE library_item SET updated_at = '2026-01-31T12:00:00.001Z' WHERE id = '\(title)'
        """,
      says: ["updated_at", "'2026-01-31T12:00:00.001Z'", "'2026-01-31T12:00:00.000Z'"],
      table: "library_item", key: ["id": "'\(title)'"], column: "updated_at",
      live: "'2026-01-31T12:00:00.001Z'", expected: "'2026-01-31T12:00:00.000Z'",
      event: "item.upserted"),
    Drift(
      name: "a dropped table", statement: "DROP TABLE music_track_cache",
      says: ["the live database lacks the table music_track_cache"]),
    Drift(
      name: "a damaged full-text index",
      statement: "DELETE FROM projection_item_search_data WHERE id > 10",
      says: ["cannot read the full-text index projection_item_search"]),
    Drift(
      name: "running digests of other rows",
      statement: "UPDATE projection_digest SET rows = rows + 1 WHERE table_name = 'library_item'",
      says: ["the running digests, or their checkpoint, were changed by hand"]),
    Drift(
      name: "no running digests", statement: "DELETE FROM projection_digest",
      says: ["the running digests, or their checkpoint, were changed by hand"]),
    Drift(
      name: "an added table", statement: "CREATE TABLE mine (a)",
      says: ["the live database has the table mine, which the projector does not create"]),
    Drift(
      name: "an added column", statement: "ALTER TABLE mood ADD COLUMN colour TEXT",
      says: ["the live database has the table mood as", "colour TEXT"]),
    Drift(
      name: "an added index", statement: "CREATE INDEX mine ON pack (title)",
      says: ["the live database has the index mine, which the projector does not create"]),
  ]

  /// The words are all there, and a search does not get to the pages that hold them.
  @Test(arguments: ["projection_value_search", "projection_item_search"])
  func aFullTextIndexThatFindsLessIsNamed(index: String) async throws {
    let catalog = try await SharedCatalogs.starter.value.copy(hasHistory: false)
    try await catalog.sqlite("DELETE FROM \(index)_idx")
    let says = "a search through the full-text index \(index) finds "
    for command in [["verify"], ["verify", "--thorough"], ["doctor"]] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 2 && outcome.output.contains(says), "\(command): \(outcome)")
    }
    #expect(try await catalog.program("rebuild").status == 0)
    for command in [["verify"], ["doctor"]] {
      #expect(try await Program.catalogctl(command + ["--catalog", catalog.path]).status == 0)
    }
  }

  /// Bytes of the schema were overwritten: SQLite knows no such column then.
  @Test(arguments: [
    ("projection_digest", "digest BLOB"), ("projection_digest", "stretch INTEGER"),
    ("projection_checkpoint", "chain "), ("projection_conflict", "sequence "),
    ("library_item", "title "),
  ])
  func aRebuildMendsAColumnThatHasAnotherName(table: String, column: String) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let receipt = try await catalog.receipt()
    let other = "x" + column.dropFirst()
    try await catalog.sqlite(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, '\(column)', '\(other)') WHERE name = '\(table)'
      """)
    #expect(try await catalog.program("verify").status != 0)
    let rebuilt = try await catalog.program("rebuild")
    #expect(rebuilt.status == 0, "\(rebuilt)")
    #expect(try await catalog.receipt() == receipt)
    #expect(try await catalog.program("verify").status == 0)
  }

  @Test(arguments: Sample.of(drifts, atMost: 5, "DriftTests", isDear: true))
  func verifyFindsItAndRebuildMendsIt(_ drift: Drift) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let receipt = try await catalog.receipt()
    try await catalog.sqlite(drift.statement)

    let text = try await catalog.program("verify")
    #expect(text.status == 2, "\(text)")
    #expect(text.errors.isEmpty)
    for part in drift.says { #expect(text.output.contains(part), "\(part) in \(text.output)") }
    #expect(text.output.contains("1 difference; `catalogctl rebuild --keep-old FILE`"), "\(text)")

    let json = try await catalog.program("verify", "--format", "json")
    #expect(json.status == 2)
    let findings = try #require(try json.object()["findings"] as? [[String: Any]])
    #expect(findings.count == 1)
    let finding = try #require(findings.first)
    #expect(finding["subject"] as? String == "live")
    #expect(finding["table"] as? String == drift.table)
    #expect(finding["key"] as? [String: String] ?? [:] == drift.key)
    #expect(finding["column"] as? String == drift.column)
    #expect(finding["live"] as? String == drift.live)
    #expect(finding["expected"] as? String == drift.expected)
    if let type = drift.event {
      let sequence = try #require(finding["event"] as? Int)
      let event = await catalog.run("event", "\(sequence)", "--format", "json").output
      #expect(event.contains("\"type\":\"\(type)\""), "\(event)")
      #expect(text.output.contains("last written by event \(sequence), "))
      #expect(text.output.contains(", \(type), seed:sample"))
    } else if drift.table != nil {
      #expect(text.output.contains("no event wrote this row"))
    }

    let rebuilt = try await catalog.program("rebuild")
    #expect(rebuilt.status == 0, "\(rebuilt)")
    let verified = try await catalog.program("verify")
    #expect(verified.status == 0, "\(verified)")
    #expect(try await catalog.receipt() == receipt)
  }

  @Test func aDroppedIndexIsNamed() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let index = try await catalog.query(
      "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY 1 LIMIT 1")
    try await catalog.sqlite("DROP INDEX \(index)")
    let outcome = try await catalog.program("verify")
    #expect(outcome.status == 2)
    #expect(outcome.output.contains("the live database lacks the index \(index)"))
    #expect(try await catalog.program("rebuild").status == 0)
    #expect(try await catalog.program("verify").status == 0)
  }

  @Test func aRowThatNoEventWroteIsSaidToBe() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    try await catalog.sqlite(
      """
      INSERT INTO mood (id, name, sort_order, is_system, created_at) \
      VALUES (77, 'Mine', 7, 0, '2026-01-31T12:00:00.000Z')
      """)
    let outcome = try await catalog.program("verify")
    #expect(outcome.status == 2)
    #expect(outcome.output.contains("mood"))
    #expect(outcome.output.contains("77"))
    #expect(outcome.output.contains("should not be in the live database"))
    #expect(outcome.output.contains("no event wrote this row"))
  }

  @Test func theListingOfManyDifferencesIsCutAndCounted() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    try await catalog.sqlite("UPDATE library_item SET title = title || '!'")
    let outcome = try await catalog.program("verify", "--rows", "5")
    #expect(outcome.status == 2)
    #expect(outcome.lines.filter { $0.hasPrefix("live: ") }.count == 5)
    #expect(outcome.output.contains("… and 15 more differences; --rows lists more"))
    #expect(outcome.output.contains("20 differences; "))
    let json = try await catalog.program("verify", "--rows", "5", "--format", "json").object()
    #expect(json["unlisted"] as? Int == 15)
  }

  /// The last writer is the last: a row that two revisions wrote names the second.
  @Test func theLastOfTwoWritersIsNamed() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let first = try await catalog.head().sequence
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    try await catalog.sqlite("UPDATE library_item SET title = 'x' WHERE id = '\(Self.title)'")
    let json = try await catalog.program("verify", "--format", "json").object()
    let finding = try #require((json["findings"] as? [[String: Any]])?.first)
    #expect(finding["expected"] as? String == "'Place 101 again'")
    #expect(try #require(finding["event"] as? Int) > first)
  }

  @Test func aChangedCheckpointIsFound() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    try await catalog.sqlite(
      "UPDATE projection_checkpoint SET chain = '\(String(repeating: "0", count: 64))'")
    let outcome = try await catalog.program("verify")
    // The digests stand at the log's own head: the log is sound.
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.errors.contains("catalogctl rebuild"), "\(outcome)")
    #expect(await catalog.run("rebuild").status == 0)
    #expect(await catalog.run("verify", "--quick").status == 0)
  }

  /// Neither an empty database, to be filled from event 1 on, nor one that stands for a moment of the log.
  @Test func rowsWithoutACheckpointAreSaidToBe() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let receipt = try await catalog.receipt()
    try await catalog.sqlite("DELETE FROM projection_checkpoint")
    for command in [["verify"], ["packs"], ["tag", "list"]] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.errors.contains("rows and no checkpoint"), "\(outcome)")
      #expect(outcome.errors.contains("catalogctl rebuild --keep-old FILE"), "\(outcome)")
    }
    let kept = catalog.folder.file("kept.sqlite")
    #expect(await catalog.run("rebuild", "--keep-old", kept).status == 0)
    #expect(
      try await Program.run("sqlite3", [kept, "SELECT count(*) FROM projection_checkpoint"]).output
        == "0\n")
    #expect(try await catalog.receipt() == receipt)
  }
}
