import CatalogTestSupport
import Foundation
import Promises
import Testing

/// A revert goes by cells: what a later event changed stays, and nothing else does.
@Suite(
  .promise("A revert restores the cells that only the operation wrote, and no other"))
struct CellRevertTests {
  private static func id(_ number: Int) -> String {
    "3f2a8c10-5b1e-4d7a-9c33-0a1b2c3d4e" + String(format: "%02d", number)
  }

  /// A revision of a small seed: an item is its number, title, duration and tags.
  private static func seed(
    _ revision: Int, _ items: (number: Int, title: String, duration: Int?, tags: String)...
  ) -> String {
    let list = items.map { item in
      let duration = item.duration.map { #", "duration": \#($0)"# } ?? ""
      return
        #"{"id": "\#(id(item.number))", "title": "\#(item.title)"\#(duration), "tags": {\#(item.tags)}}"#
    }
    return """
      {"format": 1, "seedId": "small", "revision": \(revision),
       "dimensions": {"moods": ["Cozy", "Tense"], "locations": ["Forest"]},
       "packs": [{"id": "\(id(90))", "kind": "atmosphere", "title": "Pack", "version": 1,
         "manifestUrl": "https://example.com/pack.json", "items": [\(list.joined(separator: ", "))]}]}
      """
  }

  private static let cozy = #""moods": ["Cozy"]"#
  private static let tense = #""moods": ["Tense"], "locations": ["Forest"]"#

  /// Three revisions: the second has a wrong title and an item too many, the third changes another cell and adds an item.
  private func threeRevisions() async throws -> (catalog: TestCatalog, wrong: String, last: String)
  {
    let catalog = try TestCatalog()
    try await catalog.importSeed(Self.seed(1, (1, "Bell", nil, Self.cozy)))
    let first = try await catalog.head().sequence
    try await catalog.importSeed(
      Self.seed(2, (1, "BELL WRONG", nil, Self.cozy), (2, "Door", nil, Self.tense)))
    let second = try await catalog.head().sequence
    let last = Self.seed(
      3, (1, "BELL WRONG", 9, Self.cozy), (2, "Door", nil, Self.tense), (3, "Creak", nil, Self.cozy)
    )
    try await catalog.importSeed(last)
    return (catalog, "\(first + 1)..\(second)", last)
  }

  @Test func aLaterChangeOfAnotherCellKeepsNoTitle() async throws {
    let (catalog, wrong, last) = try await threeRevisions()
    let planned = await catalog.run("revert", wrong, "--dry-run")
    #expect(planned.status == 0, "\(planned)")
    #expect(planned.output.contains("'BELL WRONG' → 'Bell'"), "\(planned)")
    let done = await catalog.run("revert", wrong)
    #expect(done.status == 0, "\(done)")
    #expect(
      try await catalog.query(
        "SELECT title || coalesce(duration, 0) FROM library_item ORDER BY title")
        == "Bell9.0\nCreak0")
    #expect(try await catalog.query("SELECT count(*) FROM pack_item") == "2")
    #expect(
      try await catalog.query("SELECT sort_order FROM pack_item ORDER BY 1") == "0\n1")
    #expect(await catalog.run("search", "bell").output.contains("Bell"))
    #expect(try await catalog.program("verify").status == 0)

    // The last document names what the revert took: it says so, and takes it if it is to.
    let again = try await catalog.importSeed(last)
    #expect(again.status == 0 && again.output.contains("stays reverted, 0 events"), "\(again)")
    #expect(again.errors.contains("--take-reverted"), "\(again)")
    let taken = try await catalog.importSeed(last, "--take-reverted")
    #expect(taken.status == 0, "\(taken)")
    #expect(
      try await catalog.query("SELECT title FROM library_item ORDER BY 1")
        == "BELL WRONG\nCreak\nDoor")
    #expect(try await catalog.importSeed(last).output.contains("nothing new"))
    #expect(try await catalog.program("verify").status == 0)
  }

  /// A number that a plan gives to a value which does not come back is in no log: another value has the one that it had.
  @Test func aValueThatIsGoneIsCalledByItsName() async throws {
    let catalog = try TestCatalog()
    func seed(_ revision: Int, _ moods: String) -> String {
      Self.seed(revision, (1, "Bell", nil, Self.cozy)).replacingOccurrences(
        of: #"["Cozy", "Tense"]"#, with: moods)
    }
    try await catalog.importSeed(seed(1, #"["Cozy"]"#))
    let first = try await catalog.head().sequence
    try await catalog.importSeed(seed(2, #"["Cozy", "Windy"]"#))
    let second = try await catalog.head().sequence
    _ = await catalog.run("tag", "add", Self.id(1), "--mood", "Windy")
    _ = await catalog.run("tag", "remove", Self.id(1), "--mood", "Windy")
    let untagged = try await catalog.head().sequence
    #expect(await catalog.run("revert", "\(first + 1)..\(second)").status == 0)
    try await catalog.importSeed(seed(3, #"["Cozy", "Stormy"]"#))
    let number = try await catalog.query("SELECT id FROM mood WHERE name = 'Stormy'")
    let outcome = await catalog.run("revert", "\(untagged)")
    #expect(
      outcome.status == 2
        && outcome.output.contains("it refers to mood id=\(number) (Windy), which is gone"),
      "\(outcome)")
  }

  /// People do not see the rows that the program keeps for one that stays.
  @Test func rowsThatPeopleDoNotSeeAreNotListed() async throws {
    let (catalog, wrong, _) = try await threeRevisions()
    let first = try #require(wrong.firstMatch(of: /[0-9]+/).flatMap { Int($0.output) })
    let seen = await catalog.run("revert", "2..\(first - 1)", "--dry-run")
    #expect(seen.status == 2 && seen.output.contains("library_item id="), "\(seen)")
    #expect(!seen.output.contains("  projection_"), "\(seen)")
    let whole = await catalog.run("revert", "2..\(first - 1)", "--dry-run", "--all")
    #expect(whole.status == 2 && whole.output.contains("  projection_item number="), "\(whole)")
  }

  @Test func anItemThatAPersonTaggedStaysWhole() async throws {
    let (catalog, wrong, _) = try await threeRevisions()
    _ = await catalog.run("tag", "add", Self.id(2), "--mood", "Cozy")
    let done = await catalog.run("revert", wrong)
    #expect(done.status == 2, "\(done)")
    #expect(
      try await catalog.query(
        "SELECT name FROM item_mood JOIN mood ON mood.id = mood_id WHERE item_id = '\(Self.id(2))' ORDER BY 1"
      )
        == "Cozy\nTense")
    #expect(
      try await catalog.query("SELECT count(*) FROM pack_item WHERE item_id = '\(Self.id(2))'")
        == "1")
    #expect(
      try await catalog.query("SELECT title FROM library_item WHERE id = '\(Self.id(1))'") == "Bell"
    )
    #expect(try await catalog.program("verify").status == 0)
  }

  @Test func theFirstOfTwoTagsIsUndone() async throws {
    let (catalog, _, _) = try await threeRevisions()
    _ = await catalog.run("tag", "add", Self.id(1), "--mood", "Tense")
    let first = try await catalog.head().sequence
    _ = await catalog.run("tag", "add", Self.id(1), "--location", "Forest")
    let done = await catalog.run("revert", "\(first)")
    #expect(done.status == 0, "\(done)")
    let moods = "SELECT count(*) FROM item_mood WHERE item_id = '\(Self.id(1))'"
    #expect(try await catalog.query(moods) == "1")
    let places = "SELECT count(*) FROM item_location WHERE item_id = '\(Self.id(1))'"
    #expect(try await catalog.query(places) == "1")
  }

  @Test func aPartIsReverted() async throws {
    let (catalog, wrong, _) = try await threeRevisions()
    let done = await catalog.run("revert", wrong, "--table", "library_item", "--column", "title")
    #expect(done.status == 0, "\(done)")
    #expect(
      try await catalog.query("SELECT title FROM library_item ORDER BY 1") == "Bell\nCreak\nDoor")
    let unknown = await catalog.run("revert", wrong, "--column", "titel")
    #expect(unknown.status == 64 && unknown.errors.contains("no table has a column"), "\(unknown)")
    #expect(try await catalog.program("verify").status == 0)
  }

  @Test(arguments: [("title = 'Bell'", "Bell"), ("title = 'Door'", "BELL WRONG")])
  func aConditionChoosesRows(condition: String, title: String) async throws {
    let (catalog, wrong, _) = try await threeRevisions()
    let done = await catalog.run(
      "revert", wrong, "--table", "library_item", "--where", condition)
    #expect(done.status == 0, "\(done)")
    #expect(
      try await catalog.query("SELECT title FROM library_item WHERE id = '\(Self.id(1))'") == title)
  }

  @Test func aForcedRevertTakesWhatTheOperationWroteAlone() async throws {
    let (catalog, wrong, _) = try await threeRevisions()
    try await catalog.importSeed(
      Self.seed(
        4, (1, "Bell tower", 11, Self.cozy), (2, "Door", nil, Self.tense),
        (3, "Creak", nil, Self.cozy)))
    let head = try await catalog.head()
    let refused = await catalog.run("revert", wrong, "--force")
    #expect(refused.status == 1, "\(refused)")
    #expect(refused.errors.contains("library_item title: 1 later value"), "\(refused)")
    #expect(try await catalog.head() == head)
    let done = await catalog.run("revert", wrong, "--force", "--yes")
    #expect(done.status == 0, "\(done)")
    #expect(
      try await catalog.query(
        "SELECT title || coalesce(duration, 0) FROM library_item ORDER BY title")
        == "Bell11.0\nCreak0")
  }

  @Test func aDryRunSaysHowManyEventsThereWouldBe() async throws {
    let (catalog, wrong, _) = try await threeRevisions()
    let planned = await catalog.run("revert", wrong, "--dry-run", "--format", "json")
    let lines = await catalog.run("revert", wrong, "--dry-run", "--events")
    let before = try await catalog.head().sequence
    #expect(await catalog.run("revert", wrong).status == 0)
    let events = try await catalog.head().sequence - before
    #expect(planned.output.contains("\"events\" : \(events)"), "\(planned)")
    #expect(lines.lines.count == events, "\(lines)")
    // A reason in another normal form is written in the form of all texts.
    let last = try await catalog.head().sequence
    let reason = "cafe\u{301}"
    #expect(await catalog.run("revert", "\(before + 1)..\(last)", "--reason", reason).status == 0)
  }

  /// The restored values come from the log, whatever the history has.
  @Test func aChangedHistoryChangesNoRevert() async throws {
    let (catalog, wrong, _) = try await threeRevisions()
    _ = await catalog.run("history", "make")
    let whole = await catalog.run("revert", wrong, "--dry-run", "--events", "--format", "text")
    let path = catalog.path + "/history.sqlite"
    var bytes = try Data(contentsOf: URL(filePath: path))
    let (old, new) = (Data("Bell".utf8), Data("Zell".utf8))
    var count = 0
    while let range = bytes.range(of: old) {
      bytes.replaceSubrange(range, with: new)
      count += 1
    }
    #expect(count > 0)
    try bytes.write(to: URL(filePath: path))
    func withoutTimes(_ text: String) -> String {
      text.replacing(/"at":"[^"]*"/, with: "")
    }
    let planned = await catalog.run("revert", wrong, "--dry-run", "--events", "--format", "text")
    #expect(withoutTimes(planned.output) == withoutTimes(whole.output))
    #expect(await catalog.run("revert", wrong).status == 0)
    #expect(
      try await catalog.query("SELECT title FROM library_item WHERE id = '\(Self.id(1))'") == "Bell"
    )
    #expect(try await catalog.program("verify").status == 0)
  }

  /// The numbers of items are those of other items after the first revert.
  @Test func aRevertOfARangeGivesNoItemTheTagsOfAnother() async throws {
    let catalog = try TestCatalog()
    func items(_ revision: Int, _ titles: [(Int, String)]) -> String {
      let list = titles.map { number, title in
        #"{"id": "\#(Self.id(number))", "title": "\#(title)", "tags": {\#(number % 2 == 0 ? Self.cozy : Self.tense)}}"#
      }
      return """
        {"format": 1, "seedId": "small", "revision": \(revision),
         "dimensions": {"moods": ["Cozy", "Tense"], "locations": ["Forest"]},
         "packs": [{"id": "\(Self.id(90))", "kind": "atmosphere", "title": "Pack", "version": 1,
           "manifestUrl": "https://example.com/pack.json", "items": [\(list.joined(separator: ", "))]}]}
        """
    }
    let all = (1...9).map { ($0, "Sound \($0)") }
    try await catalog.importSeed(items(1, all))
    let first = try await catalog.head().sequence
    #expect(await catalog.run("revert", "2..\(first)").status == 0)
    try await catalog.importSeed(items(2, [(20, "Before all")] + all))
    let second = try await catalog.head().sequence
    let tags =
      "SELECT title, name FROM item_mood JOIN mood ON mood.id = mood_id JOIN library_item ON library_item.id = item_id"
    let before = Set(try await catalog.query(tags).split(separator: "\n"))
    try await catalog.importSeed(
      items(3, [(20, "Before all"), (1, "Changed later")] + all.dropFirst()))
    let done = await catalog.run("revert", "\(first + 1)..\(second)")
    #expect(done.status == 0 || done.status == 2, "\(done)")
    let after = Set(try await catalog.query(tags).split(separator: "\n"))
    #expect(after.filter { !$0.hasPrefix("Changed later") }.isSubset(of: before))
    #expect(try await catalog.program("verify").status == 0)
    #expect(await catalog.run("doctor").status == 0)
  }
}
