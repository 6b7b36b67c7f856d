import CatalogModel
import CatalogStore
import CatalogTestSupport
import Foundation
import GRDB
import Promises
import Testing

@testable import CatalogEngine
@testable import SoundLibrary

/// The Big List of Naughty Strings, from seed to rebuilt row.
@Suite(
  .promise(
    "Any text survives byte for byte after NFC",
    by: "the Big List of Naughty Strings, from a seed to a rebuilt row"))
struct NaughtyStringsTests {
  private static let strings: [String] = {
    let path = ScratchFolder.repository + "/Tests/CatalogModelTests/Resources/blns.json"
    guard let data = FileManager.default.contents(atPath: path),
      let strings = try? JSONDecoder().decode([String].self, from: data)
    else { return [] }
    return strings
  }()

  private static func isBlank(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.properties.isWhitespace }
  }

  /// Section by section what the rules say, written without the code under test.
  private static func folded(_ text: String) -> String {
    let words = text.unicodeScalars.split { $0.properties.isWhitespace }
    return NormalForm.nfc(words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " "))
  }

  @Test func theListIsThere() {
    #expect(Self.strings.count > 500)
  }

  @Test func everyStringThatIsNotBlankSurvivesAsTitleAndAsTag() async throws {
    let test = try TestCatalog()
    let catalog = try await test.open()
    let strings = Self.strings.filter { !Self.isBlank($0) }
    var seed = SeedText.sample
    seed.music = []
    seed.packs = [
      SeedText.Pack(
        id: SeedText.id(900),
        items: strings.enumerated().map { index, text in
          SeedText.Item(id: SeedText.id(2_000 + index), title: text, tags: ["themes": [text]])
        })
    ]
    try await catalog.importer.applyUpdates(seed.source())
    try await catalog.rebuild()

    for (index, text) in strings.enumerated() {
      let id = SeedText.id(2_000 + index)
      let row = try await catalog.opened.projection.pool.read { database in
        try StoredText.fetch(
          database,
          """
          SELECT CAST(title AS BLOB), CAST(sfx_theme.name AS BLOB) FROM library_item
          JOIN item_sfx_theme ON item_id = library_item.id JOIN sfx_theme ON sfx_theme_id = sfx_theme.id
          WHERE library_item.id = '\(id)'
          """)
      }
      #expect(row.count == 2)
      #expect(row.first == Data(NormalForm.nfc(text).utf8), "title \(text.debugDescription)")
      #expect(row.last == Data(Self.folded(text).utf8), "tag \(text.debugDescription)")
    }
  }

  @Test(arguments: ["", " ", "\u{3000}\t", "\u{85}\u{2028}"])
  func blankOnesAreRefused(text: String) async throws {
    let test = try TestCatalog()
    let catalog = try await test.open()
    var title = SeedText.sample
    title.packs[0].items[0].title = text
    var tag = SeedText.sample
    tag.packs[0].items[0].tags = ["themes": [text]]
    for seed in [title, tag] {
      let error = await #expect(throws: DocumentError.self) {
        try await catalog.importer.applyUpdates(seed.source())
      }
      #expect(error?.path?.hasPrefix("$.packs[0].items[0].") == true)
    }
    #expect(try test.logBytes().isEmpty)
  }

  @Test func aZeroCharacterIsRefused() async throws {
    let test = try TestCatalog()
    let catalog = try await test.open()
    var seed = SeedText.sample
    seed.packs[0].items[0].title = "cut\u{0}here"
    await #expect(throws: DocumentError.self) {
      try await catalog.importer.applyUpdates(seed.source())
    }
    #expect(try test.logBytes().isEmpty)
  }
}
