import CatalogModel
import CatalogStore
import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import EngineCommands

/// The lines in which `diff` and `bisect` leave something out, compared with their JSON, which has everything.
@Suite(
  .promise("Lines that leave something out say so, and with the JSON nothing is left out"))
struct LeftOutTests {
  private static let stamps: Set = ["updated_at", "collection_timestamp"]

  /// An archive with the first package, a long note, the second package, and the first again.
  private static func archive() async throws -> (
    TestCatalog, first: String, middle: String, last: String
  ) {
    let archive = try TestCatalog()
    let package = ScratchFolder.repository + "/Examples/Concerts/data-v1."
    func run(_ words: String...) async throws -> String {
      let outcome = await InProcess.run(words + ["--catalog", archive.path])
      #expect(outcome.status == 0, "\(words): \(outcome.errors)")
      return words[0] == "init" ? "" : "\(try await archive.head().sequence)"
    }
    _ = try await run("init", "--kind", "concert-archive")
    let first = try await run("shows", "import", package + "0.0")
    let show = "1977-05-08-lantern-hall-millbrook-ny-usa"
    _ = try await run("shows", "save", show)
    let note = (0..<400).map { "word\($0)" }.joined(separator: " ")
    _ = try await run("shows", "note", show, note)
    let middle = try await run("shows", "import", package + "1.0")
    let last = try await run("shows", "import", package + "0.0", "--force")
    return (archive, first, middle, last)
  }

  @Test func whatIsShownAndWhatIsLeftOutIsEverything() async throws {
    let (archive, first, middle, last) = try await Self.archive()
    var tried = (alone: 0, own: 0)
    for (from, to) in [(first, middle), (middle, last), (first, last), (last, first)] {
      let counts = try await Self.compare(archive, from, to)
      tried.alone += counts.alone
      tried.own += counts.own
    }
    #expect(tried.alone > 0 && tried.own > 0, "the test tries nothing")
  }

  private static func compare(
    _ archive: TestCatalog, _ first: String, _ last: String
  ) async throws -> (alone: Int, own: Int) {
    func json(_ more: String...) async -> Outcome {
      await InProcess.run(
        ["diff", first, last, "--rows", "10000", "--format", "json", "--catalog", archive.path]
          + more)
    }
    let tables = try await json("--all").objects()
    var own: [String: Int] = [:]
    var stamped = 0
    var alone = 0
    var shown: [String: (added: Int, removed: Int, changed: Int)] = [:]
    for table in tables {
      let name = try #require(table["table"] as? String)
      let counts = ["added", "removed", "changed"].map { table[$0] as? Int ?? 0 }
      if name.hasPrefix("projection_") {
        own[name] = counts.reduce(0, +)
        continue
      }
      let differences = try #require(table["differences"] as? [[String: Any]])
      let rows = Dictionary(grouping: differences) { "\($0["key"] ?? "")" }.values
      var changed = 0
      for row in rows {
        let columns = row.flatMap { difference -> [String] in
          (difference["row"] as? [String: Any]).map { Array($0.keys) }
            ?? [difference["column"] as? String ?? ""]
        }
        let hasStamps = columns.contains(where: Self.stamps.contains)
        let isAlone = columns.allSatisfy(Self.stamps.contains)
        stamped += hasStamps ? 1 : 0
        alone += isAlone ? 1 : 0
        if row[0]["change"] as? String == "changed", !isAlone { changed += 1 }
      }
      if counts[0] + counts[1] + changed > 0 { shown[name] = (counts[0], counts[1], changed) }
    }

    let text = await archive.run("diff", first, last, "--rows", "10000")
    #expect(text.status == 2)
    // After the counts come the columns that changed.
    let headings = text.lines.filter { !$0.hasPrefix(" ") }
      .map { $0.split(separator: " (").first.map(String.init) ?? $0 }
    #expect(
      Set(headings)
        == Set(
          shown.map {
            "\($0.key): \($0.value.added) added, \($0.value.removed) removed, \($0.value.changed) changed"
          }))
    #expect(!text.output.contains("updated_at") && !text.output.contains("projection_"))
    let line = try #require(text.errors.split(separator: "\n").first { $0.hasPrefix("left out: ") })
    let rows = own.values.reduce(0, +)
    #expect(line.contains(" of \(stamped) rows" + (alone > 0 ? ", \(alone) with no other" : "")))
    #expect(line.contains("\(rows) rows of the program's own tables ") == (rows > 0), "\(line)")
    for name in own.keys { #expect(line.contains(name)) }
    #expect(line.hasSuffix("; --all shows everything"))

    // JSON leaves out the program's own tables alone, and says so.
    let asked = await json()
    #expect(
      try asked.objects().compactMap { $0["table"] as? String }
        == tables.compactMap { $0["table"] as? String }.filter { own[$0] == nil })
    #expect(asked.errors.contains("left out: \(rows) rows of the program's own") == (rows > 0))

    // Everything, if it is asked for.
    let all = await archive.run("diff", first, last, "--rows", "10000", "--all")
    #expect(!all.errors.contains("left out"))
    #expect(all.lines.filter { !$0.hasPrefix(" ") }.count == tables.count)
    #expect(all.output.contains("updated_at"))
    return (alone, rows)
  }

  @Test func longValuesAreCutAtWordsAndSayTheirLength() async throws {
    let (archive, first, _, last) = try await Self.archive()
    let text = await archive.run("diff", first, last)
    let note = try #require(text.lines.first { $0.contains("library_notes") })
    // 10 × 5 + 90 × 6 + 300 × 7 letters and 399 spaces.
    #expect(note.contains("library_notes='word0 word1 word2 word3 word4 word5 word6 word7 word8"))
    #expect(note.contains("…' (3,089 characters)"), "\(note)")
    #expect(text.errors.contains("long value"))
    for line in text.lines { #expect(line.count < 2_000) }
    #expect(await archive.run("diff", first, last, "--all").output.contains("word399'"))
  }

  /// Rows that changed in nothing else are still a difference.
  @Test func whatIsLeftOutIsStillADifference() async throws {
    let (archive, _, _, last) = try await Self.archive()
    try await archive.sqlite("UPDATE shows SET updated_at = 5 WHERE date < '1970'")
    let text = await archive.run("diff", last, "live")
    #expect(text.status == 2)
    #expect(text.output == "the same but for what is left out\n")
    #expect(text.errors.contains("left out: updated_at of "))
    #expect(text.errors.contains(" rows with no other change; --all shows everything"))
    #expect(await archive.run("diff", last, "live", "--all").output.contains("updated_at: "))
    #expect(await archive.run("diff", last, last).output == "the same\n")
  }

  @Test func bisectLeavesOutTheSame() async throws {
    let (archive, first, middle, last) = try await Self.archive()
    let sql = "SELECT group_concat(library_notes) FROM library_shows"
    func bisect(_ options: String...) async throws -> (output: String, errors: String) {
      let outcome = await InProcess.run(
        ["bisect", "--good", first, "--bad", last, sql, "--catalog", archive.path]
          + options)
      #expect(outcome.status == 2, "\(outcome.errors)")
      return (outcome.output, outcome.errors)
    }
    let (short, left) = try await bisect("--rows")
    #expect(short.contains("NULL → 'word0 word1 "))
    #expect(short.contains("…' (3,089 characters)"))
    #expect(!short.contains("word399"))
    #expect(
      left.contains("left out: the rest of 2 long values; --details shows everything"), "\(left)")
    #expect(try await bisect("--rows", "--details").output.contains("word399'"))
    #expect(try await bisect("--format", "json").output.contains("word399'"))
    // A batch that writes rows of the program's own tables.
    let package = await archive.run(
      "bisect", "--good", first, "--bad", middle, "--rows",
      "SELECT data_version FROM data_version")
    #expect(!package.output.contains("projection_") && !package.output.contains("updated_at"))
    #expect(package.errors.contains("of the program's own tables projection_"), "\(package.errors)")
  }

  // MARK: Excerpts

  /// An excerpt is a part of the value, ends with a word or a character, and the length is that of the value.
  @Test func excerptsArePartsOfTheirValues() throws {
    var random = SeededGenerator("excerpts")
    let letters = ["a", "é", "e\u{301}", "👩‍👩‍👧", "'", " ", " ", "\u{4E2D}", "\n", "x"]
    for _ in 0..<500 {
      let text = (0..<random.below(300)).map { _ in letters[random.below(letters.count)] }.joined()
      var values = ValueExcerpts(isWhole: false)
      let line = values.text(.text(text))
      if text.unicodeScalars.count <= ValueExcerpts.longest {
        #expect(line == StoredValue.text(text).description && values.cut == 0)
        continue
      }
      #expect(values.cut == 1)
      let end = try #require(line.range(of: "…' (", options: .backwards))
      let excerpt = line[line.index(after: line.startIndex)..<end.lowerBound]
        .replacing("''", with: "'")
      #expect(text.utf8.starts(with: excerpt.utf8))
      #expect(1...ValueExcerpts.excerpt ~= excerpt.unicodeScalars.count)
      #expect(text.hasPrefix(excerpt), "a character is whole")
      #expect(line.hasSuffix("(\(text.count) characters)"))
    }
  }

  @Test func twoLongValuesShowWhereTheyDiffer() {
    let same = (0..<50).map { "word\($0)" }.joined(separator: " ")
    func change(_ old: String, _ new: String) -> String {
      var values = ValueExcerpts(isWhole: false)
      return values.change(from: .text(old), to: .text(new))
    }
    #expect(
      change(same + " old end", same + " new end")
        == "'…word48 word49 old end' (347 characters) → '…word48 word49 new end' (347 characters)")
    // The same letters in other bytes differ.
    #expect(change(same + " \u{e9}", same + " e\u{301}").contains("word49 \u{e9}"))
    // One is the beginning of the other.
    #expect(change(same, same + " more").hasSuffix("word49 more' (344 characters)"))
    #expect(change("x", same).hasPrefix("'x' → 'word0 word1 "))
    let long = String(repeating: "a", count: 500)
    #expect(change(long + "b", long + "c").hasSuffix("aac' (501 characters)"))
  }

  @Test func blobsAndGreatCharactersAreCut() {
    var values = ValueExcerpts(isWhole: false)
    #expect(
      values.text(.blob(Array(repeating: 255, count: 1_000)))
        == "x'\(String(repeating: "ff", count: 20))…' (1,000 bytes)")
    #expect(
      values.text(.malformed(Array(repeating: 255, count: 41)))
        == "CAST(x'\(String(repeating: "ff", count: 20))…' AS TEXT) (41 bytes)")
    #expect(values.text(.blob([1, 2])) == "x'0102'")
    let character = "e" + String(repeating: "\u{301}", count: 100_000)
    #expect(values.text(.text(character)).unicodeScalars.count < 100)
    #expect(values.cut == 3)
    var whole = ValueExcerpts(isWhole: true)
    #expect(whole.text(.text(character)).unicodeScalars.count > 100_000 && whole.cut == 0)
  }
}
