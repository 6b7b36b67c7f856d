import CatalogTestSupport
import Foundation
import Testing

/// Documents that stay reverted, and what happens to their things meanwhile.
@Suite struct StayingDocumentsTests {
  private static func id(_ number: Int) -> String { SampleSeed.id(number) }

  private static func item(_ number: Int, _ title: String, mood: String = "Cozy") -> String {
    """
    {"id":"\(id(number))","title":"\(title)","tags":{"moods":["\(mood)"]}}
    """
  }

  private static func pack(_ number: Int, _ items: [String], kind: String = "atmosphere") -> String
  {
    """
    {"id":"\(id(number))","kind":"\(kind)","title":"Pack \(number)","version":1,
     "manifestUrl":"https://packs.example.com/p.json","items":[\(items.joined(separator: ","))]}
    """
  }

  private static func seed(_ packs: [String], revision: Int = 1, of seed: String = "small")
    -> String
  {
    """
    {"format":1,"seedId":"\(seed)","revision":\(revision),
     "dimensions":{"moods":["Cozy","Tense"]},"packs":[\(packs.joined(separator: ","))]}
    """
  }

  private func revertLast(_ catalog: TestCatalog) async throws {
    let last = await catalog.run("log", "--newest", "--limit", "1", "--format", "json")
    let operation = try #require(last.output.firstMatch(of: /"op"\s*:\s*"([^"]+)"/)).output.1
    let reverted = await catalog.run("revert", String(operation))
    try #require(reverted.status == 0, "\(reverted)")
  }

  private static let base = pack(90, [item(1, "Bell"), item(2, "Cat")])

  /// What a document says of things that are another document's now is left out, with all that depends on them.
  @Test(arguments: [
    pack(92, [item(6, "Fox")], kind: "sfx"), pack(93, [item(5, "Fox")], kind: "sfx"),
    pack(93, [item(5, "Fox", mood: "Tense")]), pack(92, [item(6, "Fox")]),
    pack(92, [item(6, "Fox"), item(5, "Fox", mood: "Tense")]),
  ])
  func anOlderSeedLeavesOutWhatIsOfAnotherSeedNow(other: String) async throws {
    let catalog = try TestCatalog()
    func take(_ text: String) async throws {
      let done = try await catalog.importSeed(text)
      try #require(done.status == 0 && done.output.contains("appended"), "\(done)")
    }
    let second = Self.seed([Self.base, Self.pack(92, [Self.item(5, "Elk")])], revision: 2)
    try await take(Self.seed([Self.base]))
    try await take(second)
    try await revertLast(catalog)
    try await take(Self.seed([other], of: "other"))
    try await take(Self.seed([Self.base], revision: 3))
    for options in [[], ["--dry-run"]] {
      let older = await InProcess.run(
        ["import", try catalog.folder.write(second, to: "older.json"), "--catalog", catalog.path]
          + options)
      #expect(older.status == 0 && older.output.contains(", 0 events"), "\(older)")
    }
  }
}
