import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Documents that stay reverted, and what happens to their things meanwhile.
@Suite(
  .promise(
    "A document whose import was reverted stays reverted until it is taken with "
      + "`--take-reverted`",
    by: "documents of all kinds"))
struct StayingDocumentsTests {
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

  /// A person set the tag that the revert took: no value differs, and the record of the document's tags does.
  @Test func aSentenceSaysThatOnlyRecordsDiffer() async throws {
    let catalog = try TestCatalog()
    let first = Self.seed([Self.pack(90, [Self.item(1, "Bell")])])
    let second = Self.seed(
      [Self.pack(90, [Self.item(1, "Bell", mood: "Cozy\",\"Tense")])], revision: 2)
    _ = try await catalog.importSeed(first)
    _ = try await catalog.importSeed(second)
    try await revertLast(catalog)
    let tagged = await catalog.run("tag", "add", Self.id(1), "--mood", "Tense")
    try #require(tagged.status == 0, "\(tagged)")
    for options in [[], ["--dry-run"]] {
      let again = await InProcess.run(
        ["import", catalog.folder.file("seed.json"), "--catalog", catalog.path] + options)
      #expect(again.output.contains("stays reverted, 0 events"), "\(again)")
      #expect(
        again.errors.contains(
          "this document differs from the catalog only in records of the program; --take-reverted takes them"
        ), "\(again)")
    }
  }

  /// Another document is imported, and what it makes again of the reverted one is said; also by a dry run of several.
  private func expectThereAgain(
    _ catalog: TestCatalog, first: [String], wrong: [String], next: [[String]]
  ) async throws {
    func run(_ words: [String]) async -> Outcome {
      await InProcess.run(words + ["--catalog", catalog.path])
    }
    for command in [first, wrong] {
      let done = await run(command)
      try #require(done.status == 0 && !done.errors.contains("this import"), "\(done)")
    }
    try await revertLast(catalog)
    for command in next {
      let done = await run(command)
      #expect(
        done.errors.contains("as they were before the revert: "),
        "\(command): \(done)")
      #expect(done.status == (command.contains("--dry-run") ? 2 : 0), "\(done)")
    }
  }

  @Test func aSeedThatHasTheMistakeStillSaysSo() async throws {
    let catalog = try TestCatalog()
    func write(_ title: String, _ revision: Int, _ others: [String] = []) throws -> String {
      try catalog.folder.write(
        Self.seed(
          [Self.pack(90, [Self.item(1, "Bell"), Self.item(2, title)] + others)],
          revision: revision), to: "\(revision).json")
    }
    let (first, wrong) = (try write("Cat", 1), try write("Dog", 2))
    let next = try write("Dog", 3, [Self.item(3, "Owl")])
    let other = try catalog.folder.write(
      Self.seed([Self.pack(91, [Self.item(9, "Elk")])], of: "other"), to: "other.json")
    try await expectThereAgain(
      catalog, first: ["import", first], wrong: ["import", wrong],
      next: [
        ["import", next, "--dry-run"], ["import", other, next, "--dry-run"], ["import", next],
      ])
  }

  /// Writes a playlist, in a folder of its own: of the same name each is a state of the same list.
  private static func list(
    _ folder: String, in library: TestCatalog, _ titles: [String]
  ) throws -> String {
    let lines = titles.map { "#EXTINF:60,Band - \($0)\n/music/\($0).mp3\n" }.joined()
    try FileManager.default.createDirectory(
      atPath: library.folder.file(folder), withIntermediateDirectories: true)
    return try library.folder.write("#EXTM3U\n" + lines, to: "\(folder)/list.m3u8")
  }

  @Test func aListThatHasTheMistakeStillSaysSo() async throws {
    let library = try TestCatalog()
    _ = await library.run("init", "--kind", "track-library")
    let next = [
      "tracks", "import", try Self.list("three", in: library, ["Fox", "Elk", "Cow", "Owl"]),
    ]
    try await expectThereAgain(
      library, first: ["tracks", "import", try Self.list("one", in: library, ["Elk", "Owl"])],
      wrong: ["tracks", "import", try Self.list("two", in: library, ["Fox", "Elk", "Owl"])],
      next: [next + ["--dry-run"], next])
  }

  /// Things that are another document's now are left out, with all that depends on them.
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
      #expect(older.status == 0, "\(older)")
      // If the pack is another seed's, nothing of it is left; else the pack itself differs.
      #expect(
        older.output.contains(
          other.contains("Pack 92") ? "nothing new, 0 events" : "stays reverted, 0 events"),
        "\(older)")
    }
  }

  /// The newest revision moved the item to another pack; the older one has another title for it.
  @Test func anOlderSeedIsComparedWithWhatTheNewestOneMoved() async throws {
    let catalog = try TestCatalog()
    let second = Self.seed(
      [Self.pack(90, [Self.item(1, "Bell"), Self.item(2, "Dog")])], revision: 2)
    _ = try await catalog.importSeed(Self.seed([Self.base]))
    _ = try await catalog.importSeed(second)
    try await revertLast(catalog)
    let third = try await catalog.importSeed(
      Self.seed(
        [Self.pack(90, [Self.item(1, "Bell")]), Self.pack(91, [Self.item(2, "Cat")])], revision: 3))
    try #require(third.status == 0, "\(third)")
    let older = await InProcess.run([
      "import", try catalog.folder.write(second, to: "older.json"), "--catalog", catalog.path,
    ])
    #expect(older.output.contains("stays reverted, 0 events"), "\(older)")
  }

  /// A document that was taken once is taken: if another one comes between, it is imported as any other.
  ///
  /// - Parameters:
  ///   - before: the command that imports the document which was there first.
  ///   - taken: the one that imports the document which is reverted and taken.
  private func takeAndReturn(
    _ catalog: TestCatalog, before: [String], taken: [String]
  ) async throws {
    func run(_ arguments: [String]) async -> Outcome {
      await InProcess.run(arguments + ["--catalog", catalog.path])
    }
    for command in [before, taken] {
      let done = await run(command)
      try #require(done.status == 0, "\(done)")
    }
    try await revertLast(catalog)
    let stays = await run(taken)
    #expect(stays.output.contains("stays reverted"), "\(stays)")
    for command in [taken + ["--take-reverted"], before, taken, before, taken] {
      let done = await run(command)
      try #require(done.status == 0, "\(done)")
      #expect(
        !done.output.contains("nothing new") && !done.errors.contains("revert"),
        "\(command): \(done)")
    }
    let lint = await run(["lint"])
    #expect(!lint.errors.contains("was reverted by"), "\(lint)")
    // Its last import is taken back: it stays so as after any revert.
    try await revertLast(catalog)
    let again = await run(taken)
    #expect(again.output.contains("stays reverted"), "\(again)")
  }

  @Test func aTableThatWasTakenDoesNotStayReverted() async throws {
    let catalog = try TestCatalog()
    func write(_ name: String, _ value: Int) throws -> String {
      let rows = (1...40).map { "row \($0),\($0 == 7 ? value : $0)\n" }.joined()
      return try catalog.folder.write("id,v\n" + rows, to: name)
    }
    let first = try write("t1.csv", 7)
    let made = await catalog.run("init", "--table", "t=\(first)")
    try #require(made.status == 0, "\(made)")
    try await takeAndReturn(
      catalog, before: ["import", "t=\(first)"],
      taken: ["import", "t=\(try write("t2.csv", 9))"])
  }

  @Test func aPackageThatWasTakenDoesNotStayReverted() async throws {
    let archive = try TestCatalog()
    let package = ScratchFolder.repository + "/Examples/Concerts/data-v1."
    _ = await archive.run("init", "--kind", "concert-archive")
    try await takeAndReturn(
      archive, before: ["shows", "import", package + "0.0", "--force"],
      taken: ["shows", "import", package + "1.0"])
  }

  @Test func aListThatWasTakenDoesNotStayReverted() async throws {
    let library = try TestCatalog()
    _ = await library.run("init", "--kind", "track-library")
    try await takeAndReturn(
      library,
      before: ["tracks", "import", try Self.list("one", in: library, ["Elk", "Fox", "Owl"])],
      taken: ["tracks", "import", try Self.list("two", in: library, ["Fox", "Elk", "Owl"])])
  }
}
