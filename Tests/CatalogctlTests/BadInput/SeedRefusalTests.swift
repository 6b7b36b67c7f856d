import CatalogTestSupport
import Foundation
import Promises
import Testing

/// One good seed, broken in one place, and what standard error must say about it.
struct BrokenSeed: Sendable, CustomTestStringConvertible {
  let name: String
  let text: String
  let path: String
  /// The offending text; nil if something is missing.
  let value: String?
  let says: String

  init(
    _ name: String, _ old: String, _ new: String, _ path: String, _ value: String?, _ says: String
  ) {
    self.name = name
    text = SampleSeed.replacing(old, new)
    self.path = path
    self.value = value
    self.says = says
  }

  var testDescription: String { name }
}

/// Documents that are refused by themselves, whatever the catalog holds.
@Suite(
  .promise(
    "A document is refused as a whole, with file, path, offset and value, and changes nothing",
    by: "the real program"))
struct SeedRefusalTests {
  static let song = SampleSeed.id(1)
  static let sound = SampleSeed.id(201)

  static let broken: [BrokenSeed] = [
    BrokenSeed(
      "missing key", "\"title\":\"Song 1\",", "", "$.music[0]", nil, "\"title\" is missing"),
    BrokenSeed("missing revision", "\"revision\":1,", "", "$", nil, "\"revision\" is missing"),
    BrokenSeed("wrong type", "\"Song 1\"", "7", "$.music[0].title", "7", "is not a string"),
    BrokenSeed("wrong format", "\"format\":1", "\"format\":2", "$.format", "2", "format 1"),
    BrokenSeed(
      "unknown key", "\"title\":\"Song 1\"", "\"titel\":\"Song 1\"", "$.music[0].titel",
      "\"titel\"", "did you mean \"title\"?"),
    BrokenSeed(
      "one key twice", "\"title\":\"Song 1\"", "\"title\":\"a\",\"title\":\"Song 1\"",
      "$.music[0].title", "\"title\"", "appears twice"),
    BrokenSeed(
      "one UUID twice in the seed", song, SampleSeed.id(2), "$.music[1].id",
      "\"\(SampleSeed.id(2))\"", "id of another item"),
    BrokenSeed(
      "one UUID in two packs", sound, SampleSeed.id(101), "$.packs[1].items[0].id",
      "\"\(SampleSeed.id(101))\"", "id of another item"),
    BrokenSeed(
      "two packs with one UUID", SampleSeed.sfxPack, SampleSeed.atmospherePack, "$.packs[1].id",
      "\"\(SampleSeed.atmospherePack)\"", "another pack"),
    BrokenSeed(
      "malformed UUID", song, "00000000-0000-4000-8000-00000000000x", "$.music[0].id",
      "\"00000000-0000-4000-8000-00000000000x\"", "not a UUID"),
    BrokenSeed("empty title", "\"Song 1\"", "\"\"", "$.music[0].title", "\"\"", "blank"),
    BrokenSeed(
      "blank title", "\"Song 1\"", "\" \\t\u{3000}\"", "$.music[0].title", "\" \\t\u{3000}\"",
      "blank"),
    BrokenSeed("U+0000 in a title", "\"Song 1\"", "\"a\\u0000b\"", "", nil, "U+0000"),
    BrokenSeed(
      "empty pack title", "\"Creatures\"", "\"\"", "$.packs[1].title", "\"\"", "blank"),
    BrokenSeed(
      "empty tag name", "\"moods\":[\"Cozy\",\"Ominous\"]", "\"moods\":[\"Cozy\",\"\"]",
      "$.dimensions.moods[1]", "\"\"", "blank"),
    BrokenSeed(
      "blank tag of an item", "[\"Undead\"]}}", "[\"\\u00a0\"]}}",
      "$.packs[1].items[0].tags.creatureTypes[0]", "\"\\u00a0\"", "blank"),
    BrokenSeed(
      "unknown kind", "\"kind\":\"sfx\"", "\"kind\":\"noise\"", "$.packs[1].kind", "\"noise\"",
      "not a kind"),
    BrokenSeed(
      "a dimension that the kind lacks", "\"themes\":[\"Epic War\"]",
      "\"creatureTypes\":[\"Ooze\"]",
      "$.music[0].tags.creatureTypes", "\"creatureTypes\"", "a music item does not have"),
    BrokenSeed(
      "negative duration", "\"duration\":61.5", "\"duration\":-0.5",
      "$.packs[0].items[0].duration", "-0.5", "negative"),
    BrokenSeed(
      "negative revision", "\"revision\":1", "\"revision\":-1", "$.revision", "-1", "from 1 to"),
  ]

  @Test(arguments: broken)
  func aBrokenSeedIsRefusedAndNothingChanges(_ broken: BrokenSeed) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let before = try ScratchFolder.contents(catalog.path)
    let outcome = try await catalog.importSeed(broken.text)
    #expect(outcome.status == 1)
    #expect(outcome.output.isEmpty)
    let errors = outcome.errors
    #expect(errors.hasPrefix("catalogctl: \(catalog.folder.file("seed.json")): \(broken.path)"))
    if let value = broken.value { #expect(errors.contains("\(value) "), "\(errors)") }
    #expect(errors.contains(broken.says), "\(errors)")
    let offset = try #require(byteOffset(in: errors), "no byte offset in: \(errors)")
    if let value = broken.value {
      #expect(Array(broken.text.utf8)[offset...].starts(with: value.utf8), "points elsewhere")
    }
    #expect(try ScratchFolder.contents(catalog.path) == before, "something was changed")
  }

  @Test(arguments: broken)
  func aBrokenSeedMakesNoCatalog(_ broken: BrokenSeed) async throws {
    let catalog = try TestCatalog()
    #expect(try await catalog.importSeed(broken.text).status == 1)
    #expect(!catalog.folder.exists("catalog"))
    #expect(try await catalog.importSeed(broken.text, "--dry-run").status == 1)
    #expect(!catalog.folder.exists("catalog"))
  }

  @Test(arguments: [
    ("no json", 0), ("{", 1), ("", 0), ("[1,2", 4), ("{\"format\":1}}", 12), ("\u{FEFF}{}", 0),
    ("<html></html>", 0), ("{'format':1}", 1), ("{\"format\":1,}", 12),
  ])
  func whatIsNoJSONIsRefusedWithAByteOffset(text: String, offset: Int) async throws {
    guard !text.isEmpty else { return }
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let before = try ScratchFolder.contents(catalog.path)
    let outcome = try await catalog.importSeed(text)
    #expect(outcome.status == 1)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains(catalog.folder.file("seed.json")))
    #expect(outcome.errors.contains("(byte \(offset), line 1, column \(offset + 1))"))
    #expect(try ScratchFolder.contents(catalog.path) == before)
  }

  /// The example of docs/SEEDS.md: a line for each fault, and the program's name before the first.
  @Test func allFaultsAreListedAsThePageSays() async throws {
    let page = try String(contentsOfFile: Program.package + "/docs/SEEDS.md", encoding: .utf8)
    let shown = try #require(
      page.firstMatch(
        of: /```json\n(.*?)```\n\n```text\n\$ catalogctl import my-seed.json\n(.*?)```/
          .dotMatchesNewlines()))
    let catalog = try TestCatalog()
    let outcome = try await catalog.importSeed(String(shown.1))
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    let file = catalog.folder.file("seed.json")
    #expect(outcome.errors.replacing(file, with: "my-seed.json") == String(shown.2))
    #expect(!catalog.folder.exists("catalog"))
  }

  @Test func whatIsNotListedIsCounted() async throws {
    let catalog = try TestCatalog()
    let names = Array(repeating: "7", count: 13).joined(separator: ",")
    let outcome = try await catalog.importSeed(
      SampleSeed.replacing("[\"Cozy\",\"Ominous\"]", "[\(names)]"))
    #expect(outcome.lines.count == 0)
    #expect(outcome.errors.split(separator: "\n").count == 11)
    #expect(outcome.errors.hasSuffix("\nand 3 more\n"))
  }

  @Test func aSeedThatIsRefusedRefusesThoseBesideIt() async throws {
    let catalog = try TestCatalog()
    let good = try catalog.folder.write(SampleSeed.text(), to: "good.json")
    let bad = try catalog.folder.write("{", to: "bad.json")
    for words in [[good, bad], [bad, good]] {
      for format in ["text", "json"] {
        let outcome = await InProcess.run(
          ["import", "--format", format, "--catalog", catalog.path] + words)
        #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains("bad.json"), "\(outcome)")
      }
    }
    #expect(!catalog.folder.exists("catalog"))
    // So does a document that contradicts what those before it bring.
    let other = try catalog.folder.write(
      SampleSeed.replacing("Place 103", "Another place"), to: "other.json")
    let outcome = await catalog.run("import", good, other)
    #expect(outcome.status == 1 && outcome.errors.contains("$.revision"), "\(outcome)")
    #expect(!catalog.folder.exists("catalog"))
    #expect(await catalog.run("import", good).status == 0)
  }
}

/// The number behind "(byte " in a message.
func byteOffset(in message: String) -> Int? {
  guard let range = message.firstRange(of: "(byte ") else { return nil }
  return Int(message[range.upperBound...].prefix { $0.isNumber })
}
