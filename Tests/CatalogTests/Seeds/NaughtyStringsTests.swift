import Catalog
import CatalogModel
import CatalogTestSupport
import Foundation
import GRDB
import Testing

/// The Big List of Naughty Strings, from a seed to rows and back through a rebuild.
@Suite struct NaughtyStringsTests {
  /// Those that a title may be: not blank, no U+0000.
  private static func strings() throws -> [String] {
    let path = "Tests/CatalogModelTests/Resources/blns.json"
    let data = try Data(
      contentsOf: URL(fileURLWithPath: ScratchFolder.repository + "/" + path))
    return try JSONDecoder().decode([String].self, from: data).filter {
      (try? TextRules.title($0)) != nil && (try? TextRules.tagName($0)) != nil
    }
  }

  @Test func surviveAsTitlesAndTagsByteForByte() async throws {
    let strings = try Self.strings()
    #expect(strings.count > 450)
    let test = try TestCatalog()
    var seed = TestSeed()
    seed.music = strings.enumerated().map { number, text in
      var song = TestSeed.song(number + 1)
      song.title = text
      song.subtitle = text + "'" + text
      song.tags = ["moods": [text]]
      return song
    }
    try await test.apply(seed)
    for isRebuilt in [false, true] {
      if isRebuilt {
        let catalog = try await test.open()
        try await catalog.rebuild()
        catalog.close()
      }
      let found = try DatabaseQueue(path: test.directory.database).read { database in
        try Row.fetchAll(
          database,
          sql: """
            SELECT title, subtitle, name FROM library_item
            JOIN item_mood ON item_id = library_item.id JOIN mood ON mood.id = mood_id
            ORDER BY library_item.id
            """)
      }
      #expect(found.count == strings.count)
      for (row, text) in zip(found, strings) {
        let title: String = row[0]
        let subtitle: String = row[1]
        let name: String = row[2]
        #expect(try Array(title.utf8) == Array(TextRules.title(text).utf8))
        #expect(try Array(subtitle.utf8) == Array(TextRules.title(text + "'" + text).utf8))
        #expect(try Array(name.utf8) == Array(TextRules.tagName(text).utf8))
      }
    }
    let reducer = try test.reduceInPython()
    #expect(reducer.status == 0, "\(reducer.output)\(reducer.errors)")
  }
}
