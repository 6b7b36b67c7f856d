import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Reverts as people see them: rows of the program's own are listed, chosen and counted as the rows that people know.
@Suite(
  .promise(
    "What stays after a revert is listed as people know it; conditions choose tags and "
      + "members"))
struct SeenRevertTests {
  private static let (bell, door, pack) = (SampleSeed.id(10), SampleSeed.id(11), SampleSeed.id(90))

  private static func item(_ id: String, _ title: String, _ tags: String) -> String {
    #"{"id":"\#(id)","title":"\#(title)","tags":{\#(tags)}}"#
  }

  private func take(
    _ items: [String], revision: Int, in catalog: TestCatalog
  ) async throws -> ClosedRange<UInt64> {
    let before = try await head(of: catalog)
    let seed = """
      {"format":1,"seedId":"small","revision":\(revision),"packs":[
       {"id":"\(Self.pack)","kind":"atmosphere","title":"Pack","version":1,
        "manifestUrl":"https://example.com/p.json","items":[\(items.joined(separator: ","))]}]}
      """
    let done = try await catalog.importSeed(seed)
    try #require(done.status == 0, "\(done)")
    return try await before + 1...head(of: catalog)
  }

  private func head(of catalog: TestCatalog) async throws -> UInt64 {
    let head = await catalog.run("head")
    return UInt64(head.output.prefix { $0.isNumber }) ?? 0
  }

  private func words(_ range: ClosedRange<UInt64>) -> String {
    "\(range.lowerBound)..\(range.upperBound)"
  }

  /// A person tagged the item that the operation added: it stays, and with it all that the operation gave it.
  @Test func whatStaysIsListedAsPeopleKnowIt() async throws {
    let catalog = try TestCatalog()
    _ = try await take(
      [Self.item(Self.bell, "Bell", #""moods":["Cozy"]"#)], revision: 1, in: catalog)
    let wrong = try await take(
      [
        Self.item(Self.bell, "BELL WRONG", #""moods":["Cozy"]"#),
        Self.item(Self.door, "Door", #""moods":["Tense"],"locations":["Forest"]"#),
      ], revision: 2, in: catalog)
    let tagged = await catalog.run("tag", "add", Self.door, "--mood", "Grim")
    try #require(tagged.status == 0, "\(tagged)")
    let person = try await head(of: catalog)
    let planned = await catalog.run("revert", words(wrong), "--dry-run")
    #expect(planned.status == 2, "\(planned)")
    let staying = try #require(planned.output.split(separator: "stay as they are").last)
      .prefix { $0 != "\0" }.split(separator: "\n").prefix { !$0.hasPrefix("left out") }
    let rows = staying.filter { $0.hasPrefix("  ") && !$0.hasPrefix("    ") }
    #expect(!rows.contains { $0.contains("projection_") }, "\(planned)")
    for name in ["Door · Tense", "Door · Forest", "Pack · Door", "(Door): item_mood"] {
      #expect(rows.contains { $0.contains(name) }, "\(name): \(planned)")
    }
    // Each has both causes.
    let causes = staying.filter { $0.hasPrefix("    event \(person),") }
    #expect(causes.count == rows.count, "\(planned)")
    let all = await catalog.run("revert", words(wrong), "--dry-run", "--all")
    #expect(all.output.contains("projection_tagging item_number="), "\(all)")
  }

  /// The tags of an item are one row of the program's own, and a condition is of the rows that people see.
  @Test func aConditionChoosesTags() async throws {
    let catalog = try TestCatalog()
    func items(_ one: String, _ other: String) -> [String] {
      [Self.item(Self.bell, "Bell", one), Self.item(Self.door, "Door", other)]
    }
    _ = try await take(
      items(#""moods":["Cozy"]"#, #""moods":["Cozy","Calm"]"#), revision: 1, in: catalog)
    let wrong = try await take(
      items(#""moods":["Tense"]"#, #""moods":["Calm","Tense"]"#), revision: 2, in: catalog)
    func moods(_ item: String) async throws -> Substring? {
      let query =
        "SELECT group_concat(name) FROM (SELECT name FROM item_mood JOIN mood ON mood.id = mood_id WHERE item_id = '\(item)' ORDER BY name)"
      return await catalog.run("query", query).output.split(separator: "\n").dropFirst().first
    }
    let none = await catalog.run("revert", words(wrong), "--table", "item_mood", "--where", "1=0")
    #expect(none.status == 0 && none.output.contains("nothing to undo"), "\(none)")
    let some = await catalog.run(
      "revert", words(wrong), "--table", "item_mood", "--where", "item_id = '\(Self.bell)'")
    #expect(some.status == 0, "\(some)")
    // The tag that the operation added met no condition before it.
    #expect(try await moods(Self.bell) == "Cozy,Tense")
    #expect(try await moods(Self.door) == "Calm,Tense")
  }

  /// Members of a list are moved and restored only if their rows met the condition.
  @Test func aConditionChoosesMembersOfAList() async throws {
    let catalog = try TestCatalog()
    let items = [1, 2, 3, 4].map { Self.item(SampleSeed.id($0), "Item \($0)", "") }
    _ = try await take(items, revision: 1, in: catalog)
    let wrong = try await take([items[3], items[0], items[2]], revision: 2, in: catalog)
    func order() async -> String {
      await catalog.run(
        "query",
        "SELECT group_concat(o, '') AS o FROM (SELECT substr(item_id, -1) AS o FROM pack_item ORDER BY sort_order)"
      ).output
    }
    let before = await order()
    let none = await catalog.run("revert", words(wrong), "--table", "pack_item", "--where", "0")
    #expect(none.output.contains("nothing to undo"), "\(none)")
    #expect(await order() == before)
    let moved = await catalog.run(
      "revert", words(wrong), "--table", "pack_item", "--where", "item_id = '\(SampleSeed.id(4))'")
    #expect(moved.status == 0, "\(moved)")
    #expect(await order().contains("134"), "\(moved)")
  }

  /// With a column, members that the operation added or removed stay, as rows do.
  @Test func aColumnOfAListRestoresPlacesAlone() async throws {
    let catalog = try TestCatalog()
    let items = [1, 2, 3, 4, 5].map { Self.item(SampleSeed.id($0), "Item \($0)", "") }
    _ = try await take([items[0], items[1], items[2], items[3]], revision: 1, in: catalog)
    let wrong = try await take(
      [items[3], items[4], items[0], items[1], items[2]], revision: 2, in: catalog)
    let reverted = await catalog.run(
      "revert", words(wrong), "--table", "pack_item", "--column", "sort_order")
    #expect(reverted.status == 0, "\(reverted)")
    let order =
      await catalog.run(
        "query",
        "SELECT group_concat(o, '') AS o FROM (SELECT substr(item_id, -1) AS o FROM pack_item ORDER BY sort_order)"
      ).lines.last ?? ""
    #expect(order.contains("5"), "\(order)")
    #expect(order.filter { $0 != "5" } == "1234", "\(order)")
  }

  /// A later place of a member goes as a later value of a cell does: it is counted, and a person has to agree.
  @Test func laterPlacesCost() async throws {
    let catalog = try TestCatalog()
    let items = [1, 2, 3, 4].map { Self.item(SampleSeed.id($0), "Item \($0)", "") }
    _ = try await take(items, revision: 1, in: catalog)
    let wrong = try await take(
      [items[3], items[0], items[1], items[2]], revision: 2, in: catalog)
    _ = try await take([items[0], items[1], items[3], items[2]], revision: 3, in: catalog)
    let head = try await head(of: catalog)
    let kept = await catalog.run("revert", words(wrong))
    #expect(kept.status == 2, "\(kept)")
    let refused = await catalog.run("revert", words(wrong), "--force")
    #expect(refused.status == 1, "\(refused)")
    #expect(
      refused.errors.contains("pack_item sort_order: 1 later value, such as 2 → 3"), "\(refused)")
    #expect(try await self.head(of: catalog) == head)
    let planned = await catalog.run("revert", words(wrong), "--force", "--dry-run", "--events")
    #expect(planned.errors.contains("later values would go: pack_item sort_order"), "\(planned)")
    let forced = await catalog.run("revert", words(wrong), "--force", "--yes", "--format", "json")
    #expect(forced.status == 0 && forced.output.contains(#""column" : "sort_order""#), "\(forced)")
  }

  /// The shows of a collection are rows of the program's own, and so are the recordings that a show lists.
  @Test func aPartHasTheMembersOfItsRows() async throws {
    let archive = try TestCatalog()
    let package = ScratchFolder.repository + "/Examples/Concerts/data-v1."
    _ = await archive.run("init", "--kind", "concert-archive")
    _ = await archive.run("shows", "import", package + "0.0")
    func collections() async -> String {
      await archive.run("query", "SELECT id, show_ids_json, total_shows FROM collections").output
    }
    let before = await collections()
    let first = try await head(of: archive) + 1
    _ = await archive.run("shows", "import", package + "1.0")
    let range = try await words(first...head(of: archive))
    #expect(await collections() != before)
    for (table, column) in [("shows", "recordings_raw"), ("collections", "show_ids_json")] {
      let refused = await archive.run("revert", range, "--table", table, "--column", column)
      #expect(refused.status == 1, "\(refused)")
      #expect(refused.errors.contains("\(column) follows from other rows"), "\(refused)")
    }
    let reverted = await archive.run("revert", range, "--table", "collections")
    #expect(reverted.status == 0, "\(reverted)")
    #expect(await collections() == before)
  }
}
