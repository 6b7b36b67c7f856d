import CatalogTestSupport
import Promises
import Testing

/// A tag is named by its value, and a value by its name: it may have another number once it was removed and added again.
@Suite(
  .promise(
    "A revert restores the cells that only the operation wrote, and no other",
    by: "values and tags that have another number now"))
struct ValueRevertTests {
  private static func id(_ number: Int) -> String {
    "3f2a8c10-5b1e-4d7a-9c33-0a1b2c3d4e" + String(number)
  }

  /// A seed with one pack, whose items are numbers, titles and moods.
  private static func seed(
    _ name: String, _ revision: Int = 1, moods: [String], pack: Int,
    _ items: (number: Int, title: String, moods: [String])...
  ) -> String {
    let list = items.map { item in
      #"{"id": "\#(id(item.number))", "title": "\#(item.title)", "tags": {"moods": \#(item.moods)}}"#
    }
    return """
      {"format": 1, "seedId": "\(name)", "revision": \(revision), "dimensions": {"moods": \(moods)},
       "packs": [{"id": "\(id(pack))", "kind": "atmosphere", "title": "Pack", "version": 1,
         "manifestUrl": "https://example.com/pack.json", "items": [\(list.joined(separator: ", "))]}]}
      """
  }

  /// A catalog with the item "Bell", which has the mood "Cozy".
  private func begun(moods: [String] = ["Cozy"]) async throws -> TestCatalog {
    let catalog = try TestCatalog()
    _ = await catalog.run("init")
    _ = try await take(Self.seed("s", moods: moods, pack: 90, (11, "Bell", ["Cozy"])), catalog)
    return catalog
  }

  /// Imports a seed.
  ///
  /// - Returns: the events of that.
  private func take(_ seed: String, _ catalog: TestCatalog) async throws -> ClosedRange<Int> {
    let before = try await catalog.head().sequence
    let run = try await catalog.importSeed(seed)
    try #require(run.status == 0, "\(run)")
    return try await before + 1...catalog.head().sequence
  }

  private func revert(
    _ events: ClosedRange<Int>, _ words: String..., in catalog: TestCatalog
  ) async throws -> (outcome: Outcome, events: ClosedRange<Int>) {
    let before = try await catalog.head().sequence
    let range = "\(events.lowerBound)..\(events.upperBound)"
    let outcome = await InProcess.run(
      ["revert", range] + words + ["--catalog", catalog.path])
    let after = try await catalog.head().sequence
    return (outcome, min(before + 1, after)...after)
  }

  private func tags(_ catalog: TestCatalog) async throws -> String {
    try await catalog.query(
      """
      SELECT title || ' ' || name FROM library_item JOIN item_mood ON item_id = library_item.id
      JOIN mood ON mood.id = mood_id ORDER BY 1
      """)
  }

  @Test func aTagReturnsUnderTheNewNumberOfItsValue() async throws {
    let catalog = try await begun()
    let wrong = try await take(
      Self.seed("t", moods: ["Tense"], pack: 91, (12, "Door", ["Tense"])), catalog)
    let reverted = try await revert(wrong, in: catalog)
    #expect(reverted.outcome.status == 0, "\(reverted.outcome)")
    // Another value has the number of the removed one, and that has another.
    _ = try await take(
      Self.seed("u", moods: ["Grim", "Tense"], pack: 92, (13, "Fog", ["Grim"])), catalog)
    let numbers = "SELECT id || ' ' || name FROM mood ORDER BY 1"
    #expect(try await catalog.query(numbers) == "1 Cozy\n2 Grim\n3 Tense")
    let again = try await revert(reverted.events, in: catalog)
    #expect(try await tags(catalog) == "Bell Cozy\nDoor Tense\nFog Grim", "\(again.outcome)")
    #expect(try await catalog.program("verify").status == 0)
  }

  @Test func aValueReturnsUnderANewNumber() async throws {
    let catalog = try await begun()
    let wrong = try await take(
      Self.seed("s", 2, moods: ["Cozy", "Tense"], pack: 90, (11, "Bell", ["Cozy", "Tense"])),
      catalog)
    let reverted = try await revert(wrong, in: catalog)
    _ = try await take(Self.seed("u", moods: ["Grim"], pack: 92, (13, "Fog", ["Grim"])), catalog)
    // Without its value a tag does not return as that of another one.
    let part = try await revert(reverted.events, "--table", "item_mood", in: catalog)
    #expect(part.outcome.status == 2, "\(part.outcome)")
    #expect(try await tags(catalog) == "Bell Cozy\nFog Grim")
    let again = try await revert(reverted.events, in: catalog)
    #expect(again.outcome.status == 0, "\(again.outcome)")
    #expect(try await tags(catalog) == "Bell Cozy\nBell Tense\nFog Grim", "\(again.outcome)")
    let undone = try await revert(again.events, in: catalog)
    #expect(try await tags(catalog) == "Bell Cozy\nFog Grim", "\(undone.outcome)")
    #expect(try await catalog.program("verify").status == 0)
  }

  /// The revert of a merge parts the values, though a later operation merged them, too.
  @Test func aMergeThatWasMadeAgainComesApart() async throws {
    let catalog = try await begun(moods: ["Cozy", "Snug"])
    func merge() async throws -> ClosedRange<Int> {
      let before = try await catalog.head().sequence
      let merged = await catalog.run("tag", "merge", "moods", "Cozy", "Snug")
      try #require(merged.status == 0, "\(merged)")
      return try await before + 1...catalog.head().sequence
    }
    let first = try await merge()
    #expect(try await tags(catalog) == "Bell Snug")
    let undone = try await revert(first, in: catalog)
    #expect(try await tags(catalog) == "Bell Cozy", "\(undone.outcome)")
    _ = try await merge()
    let again = try await revert(first, in: catalog)
    #expect(try await tags(catalog) == "Bell Cozy", "\(again.outcome)")
    #expect(try await catalog.query("SELECT name FROM mood ORDER BY 1") == "Cozy\nSnug")
    #expect(try await catalog.program("verify").status == 0)
  }

  /// A catalog whose item "Bell" got a value of a person's own.
  private func tagged() async throws -> (catalog: TestCatalog, events: ClosedRange<Int>) {
    let catalog = try await begun(moods: ["Cozy", "Snug"])
    let before = try await catalog.head().sequence
    let added = await catalog.run("tag", "add", Self.id(11), "--mood", "Tense", "--new")
    try #require(added.status == 0, "\(added)")
    return (catalog, try await before + 1...catalog.head().sequence)
  }

  /// The former name of a value goes with it.
  @Test func aForcedRevertTakesAValueThatWasRenamed() async throws {
    let (catalog, events) = try await tagged()
    #expect(await catalog.run("tag", "rename", "moods", "Tense", "Taut").status == 0)
    let planned = try await revert(events, "--force", "--dry-run", in: catalog)
    #expect(planned.outcome.output.contains("mood: 1 row that later events changed, as a whole"))
    #expect(planned.outcome.status == 0, "\(planned.outcome)")
    let kept = try await revert(events, in: catalog)
    #expect(kept.outcome.status == 2, "\(kept.outcome)")
    #expect(try await catalog.query("SELECT name FROM mood ORDER BY 1") == "Cozy\nSnug\nTaut")
    let forced = try await revert(events, "--force", "--yes", in: catalog)
    #expect(forced.outcome.status == 0, "\(forced.outcome)")
    #expect(try await catalog.query("SELECT name FROM mood ORDER BY 1") == "Cozy\nSnug")
    #expect(try await catalog.query("SELECT count(*) FROM projection_alias") == "0")
    #expect(try await tags(catalog) == "Bell Cozy")
    #expect(try await catalog.program("verify").status == 0)
  }

  /// A value that another item has stays, forced or not, and keeps its former name.
  @Test func aValueThatStaysKeepsItsFormerName() async throws {
    let (catalog, events) = try await tagged()
    #expect(await catalog.run("tag", "rename", "moods", "Tense", "Taut").status == 0)
    _ = try await take(
      Self.seed("t", moods: ["Taut"], pack: 91, (12, "Door", ["Taut"])), catalog)
    let forced = try await revert(events, "--force", "--yes", in: catalog)
    #expect(forced.outcome.status == 2, "\(forced.outcome)")
    #expect(try await tags(catalog) == "Bell Cozy\nDoor Taut", "\(forced.outcome)")
    #expect(try await catalog.query("SELECT name FROM projection_alias") == "Tense")
    #expect(try await catalog.program("verify").status == 0)
  }

  /// The costs of a forced revert name rows that people know, and those alone that go.
  @Test func theCostsOfAMergeAreTheTagsOfTheOtherValue() async throws {
    let (catalog, events) = try await tagged()
    #expect(await catalog.run("tag", "merge", "moods", "Tense", "Snug").status == 0)
    #expect(try await tags(catalog) == "Bell Cozy\nBell Snug")
    let planned = try await revert(events, "--force", "--dry-run", in: catalog).outcome
    let costs = planned.output.split(separator: "\n").drop { !$0.hasPrefix("later values") }
    #expect(
      costs.dropFirst().first
        == "  item_mood: 1 row that later events changed, as a whole, such as item_id='\(Self.id(11))' mood_id=2",
      "\(planned)")
    #expect(!planned.output.contains("  projection_"), "\(planned)")
    let forced = try await revert(events, "--force", "--yes", in: catalog)
    #expect(forced.outcome.status == 0, "\(forced.outcome)")
    #expect(try await tags(catalog) == "Bell Cozy")
    #expect(try await catalog.program("verify").status == 0)
  }

  @Test func laterTagsKeepTheirValues() async throws {
    let catalog = try await begun()
    let last = try await take(
      Self.seed("t", moods: ["Tense"], pack: 91, (12, "Door", ["Tense"])), catalog)
    let reverted = try await revert(2...last.upperBound, in: catalog)
    // The values exchange their numbers.
    let second = try await take(
      Self.seed(
        "t", 2, moods: ["Tense", "Cozy"], pack: 91, (12, "Door", ["Tense"]), (14, "Rain", ["Cozy"])),
      catalog)
    _ = try await take(
      Self.seed("v", moods: ["Tense"], pack: 93, (15, "Later", ["Tense"])), catalog)
    let range = try await revert(
      reverted.events.lowerBound...second.upperBound, in: catalog)
    #expect(
      try await tags(catalog) == "Bell Cozy\nDoor Tense\nLater Tense", "\(range.outcome)")
    #expect(try await catalog.program("verify").status == 0)
  }

  /// A merged value keeps its number: it is the same one if it is restored, whatever its name was last.
  @Test func aMergedValueThatReturnsIsTheSameOne() async throws {
    let catalog = try await begun(moods: ["Cozy", "Calm"])
    let first = try await catalog.head().sequence + 1
    #expect(await catalog.run("tag", "rename", "moods", "Cozy", "Soft").status == 0)
    #expect(await catalog.run("tag", "merge", "moods", "Soft", "Calm").status == 0)
    let merged = try await first...catalog.head().sequence
    #expect(try await tags(catalog) == "Bell Calm")
    let values = "SELECT id || ' ' || name FROM mood ORDER BY 1"
    let reverted = try await revert(merged, in: catalog)
    #expect(reverted.outcome.status == 0, "\(reverted.outcome)")
    // All is as before: neither has anything to do.
    for events in [merged, merged.lowerBound...reverted.events.upperBound] {
      let again = try await revert(events, in: catalog)
      #expect(again.outcome.status == 0, "\(again.outcome)")
      #expect(try await catalog.head().sequence == reverted.events.upperBound, "\(again.outcome)")
    }
    #expect(try await catalog.query(values) == "1 Cozy\n2 Calm")
    #expect(try await tags(catalog) == "Bell Cozy")
    let undone = try await revert(reverted.events, in: catalog)
    #expect(undone.outcome.status == 0, "\(undone.outcome)")
    #expect(try await tags(catalog) == "Bell Calm")
    #expect(try await catalog.program("verify").status == 0)
  }

  /// The tag is there by the other value's name: a revert of the operation that added it lists it, and takes it with `--force`.
  @Test func theTagOfAMergedValueIsListed() async throws {
    let catalog = try await begun(moods: ["Cozy", "Calm", "Soft"])
    let first = try await catalog.head().sequence + 1
    #expect(await catalog.run("tag", "add", Self.id(11), "--mood", "Calm").status == 0)
    let tagged = try await first...catalog.head().sequence
    #expect(await catalog.run("tag", "merge", "moods", "Calm", "Soft").status == 0)
    let merge = try await catalog.head().sequence
    let dry = try await revert(tagged, "--dry-run", in: catalog)
    let left = try await revert(tagged, in: catalog)
    for outcome in [dry.outcome, left.outcome] {
      #expect(outcome.status == 2)
      #expect(outcome.output.contains("(Bell · Soft): a later event changed it"), "\(outcome)")
      #expect(outcome.output.contains("event \(merge), "), "\(outcome)")
    }
    #expect(try await tags(catalog) == "Bell Cozy\nBell Soft")
    let elsewhere = try await revert(tagged, "--table", "item_location", in: catalog)
    #expect(elsewhere.outcome.status == 0, "\(elsewhere.outcome)")
    let forced = try await revert(tagged, "--force", "--yes", in: catalog)
    #expect(forced.outcome.status == 0, "\(forced.outcome)")
    #expect(try await tags(catalog) == "Bell Cozy")
    let again = try await revert(tagged, in: catalog)
    #expect(again.outcome.status == 0, "\(again.outcome)")
    #expect(try await catalog.program("verify").status == 0)
  }

  /// Without the removal, the merge would have given the item the other value's tag.
  @Test func aRemovedTagOfAMergedValueReturnsAsTheOtherOne() async throws {
    let catalog = try await begun(moods: ["Cozy", "Calm", "Soft"])
    #expect(await catalog.run("tag", "add", Self.id(11), "--mood", "Calm").status == 0)
    let first = try await catalog.head().sequence + 1
    #expect(await catalog.run("tag", "remove", Self.id(11), "--mood", "Calm").status == 0)
    let removal = try await first...catalog.head().sequence
    #expect(await catalog.run("tag", "merge", "moods", "Calm", "Soft").status == 0)
    // The other value has the merged one's name then, and is another one still.
    #expect(await catalog.run("tag", "rename", "moods", "Soft", "Calm").status == 0)
    #expect(try await tags(catalog) == "Bell Cozy")
    let reverted = try await revert(removal, in: catalog)
    #expect(reverted.outcome.status == 0, "\(reverted.outcome)")
    #expect(try await tags(catalog) == "Bell Calm\nBell Cozy")
    #expect(
      try await catalog.query("SELECT id || ' ' || name FROM mood ORDER BY 1") == "1 Cozy\n3 Calm")
    let again = try await revert(removal, in: catalog)
    #expect(again.outcome.status == 0, "\(again.outcome)")
    #expect(try await catalog.program("verify").status == 0)
  }

  /// `blame` names a value by its last name, out of the history and out of a replay.
  @Test func blameNamesValuesThatAreGone() async throws {
    let catalog = try await begun(moods: ["Cozy", "Calm"])
    #expect(await catalog.run("tag", "merge", "moods", "Cozy", "Calm").status == 0)
    for words in [[], ["--no-history"]] {
      let blame = await InProcess.run(
        ["blame", "library_item", Self.id(11), "--catalog", catalog.path] + words)
      #expect(blame.output.contains("moods: gone: Cozy\n"), "\(blame)")
      #expect(blame.output.contains("moods: Calm\n"), "\(blame)")
    }
  }

  /// A name that leads to a value is no other row to a person.
  @Test func aRenamedValueStaysForItsRename() async throws {
    let catalog = try await begun()
    let first = try await catalog.head().sequence + 1
    #expect(await catalog.run("tag", "add", Self.id(11), "--mood", "Grim").status == 0)
    let tagged = try await first...catalog.head().sequence
    #expect(await catalog.run("tag", "rename", "moods", "Grim", "Grimmer").status == 0)
    let rename = try await catalog.head().sequence
    let run = try await revert(tagged, in: catalog).outcome
    #expect(run.status == 2 && !run.output.contains("refers to it"), "\(run)")
    #expect(run.output.contains("(Grimmer): a later event changed it"), "\(run)")
    #expect(run.output.contains("event \(rename), "), "\(run)")
  }

  /// Another operation gave the item that tag, and keeps it, forced or not: nothing is left of the one that was added.
  @Test func aTagThatTheItemHadBeforeTheMergeStays() async throws {
    let catalog = try await begun(moods: ["Cozy", "Calm", "Soft"])
    let first = try await catalog.head().sequence + 1
    #expect(await catalog.run("tag", "add", Self.id(11), "--mood", "Calm").status == 0)
    let tagged = try await first...catalog.head().sequence
    #expect(await catalog.run("tag", "add", Self.id(11), "--mood", "Soft").status == 0)
    #expect(await catalog.run("tag", "merge", "moods", "Calm", "Soft").status == 0)
    for words in [[], ["--force", "--yes"]] {
      let run = await InProcess.run(
        ["revert", "\(tagged.lowerBound)..\(tagged.upperBound)", "--catalog", catalog.path] + words)
      #expect(run.status == 0, "\(run)")
    }
    #expect(try await tags(catalog) == "Bell Cozy\nBell Soft")
  }

  /// A restored value can have a number above those of all values that there ever were.
  @Test func valuesAreAddedAfterOneWithAHighNumber() async throws {
    let catalog = try await begun()
    let second = try await take(
      Self.seed("t", moods: ["Tense"], pack: 91, (12, "Door", ["Tense"])), catalog)
    let third = try await take(
      Self.seed("v", moods: ["Umbra"], pack: 93, (15, "Dusk", ["Umbra"])), catalog)
    _ = try await revert(third, in: catalog)
    let without = try await revert(second, in: catalog)
    _ = try await take(Self.seed("u", moods: ["Grim"], pack: 92, (13, "Fog", ["Grim"])), catalog)
    let range = try await revert(third.lowerBound...without.events.upperBound, in: catalog)
    #expect(range.outcome.status == 0, "\(range.outcome)")
    #expect(try await tags(catalog) == "Bell Cozy\nDoor Tense\nFog Grim")
    #expect(await catalog.run("tag", "merge", "moods", "Tense", "Cozy").status == 0)
    _ = try await take(
      Self.seed("w", moods: ["Wild", "Zen"], pack: 94, (16, "Storm", ["Wild", "Zen"])), catalog)
    #expect(
      try await tags(catalog) == "Bell Cozy\nDoor Cozy\nFog Grim\nStorm Wild\nStorm Zen")
    #expect(try await catalog.program("verify").status == 0)
  }
}
