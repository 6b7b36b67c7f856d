import CatalogModel
import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import SoundLibrary

/// What a person types, and what they find.
@Suite(
  .promise(
    "What a person types finds what they mean; no input is an error",
    by: "the Big List of Naughty Strings as titles and as queries"))
struct SearchTests {
  private static let titles = [
    "Hero’s Journey", "Heros of Old", "Überwald", "Straße nach Westen", "5-8-77", "5 6 77 8",
    "Cosmic / Sci-Fi", "Science Fiction", "R&B Nights", "Rest & Be Thankful", "R & B Days",
    "C++ Builder",
    "C Major", "小林さん", "森林", "ドラゴン", "Dragon", "Dragon Turtle", "Ancient Red Dragon",
    "Château d'If", "DOORWood_Creak", "!!!", "NOT OR AND NEAR", "Ｆｕｌｌ　Ｗｉｄｔｈ", "Émile's Café",
    "a-ha",
  ]

  private static let seed: TestSeed = {
    var seed = TestSeed()
    seed.packs = [
      TestSeed.Pack(
        id: TestSeed.id(100), kind: "sfx", title: "Pack",
        items: titles.enumerated().map { TestSeed.Item(id: TestSeed.id($0 + 1), title: $1) } + [
          TestSeed.Item(id: TestSeed.id(60), title: "Plain", subtitle: "With a dragon in it"),
          TestSeed.Item(
            id: TestSeed.id(61), title: "Quiet",
            tags: ["creatureTypes": ["Dragon"], "moods": ["Awe-Inspiring"]]),
          TestSeed.Item(id: TestSeed.id(62), title: "Dragon hidden", isVisible: false),
        ])
    ]
    return seed
  }()

  /// Words that no item has, written as words that one has.
  @Test(arguments: [
    ("dragn", "dragon"), ("anciet dragn", "ancient dragon"), ("dragon", nil), ("zzyzx", nil),
    ("awe inspring", "awe inspiring"),
  ])
  func nearMissesAreNamed(query: String, near: String?) async throws {
    let scratch = try ScratchCatalog()
    let catalog = try await scratch.open()
    defer { catalog.close() }
    try await catalog.importer.applyUpdates(Self.seed.source)
    #expect(try await catalog.library.nearMiss(kind: nil, query: query) == near)
    #expect(try await catalog.library.nearMiss(kind: .music, query: query) == nil)
  }

  private func search(_ query: String) async throws -> [String] {
    let scratch = try ScratchCatalog()
    let catalog = try await scratch.open()
    defer { catalog.close() }
    try await catalog.importer.applyUpdates(Self.seed.source)
    return try await catalog.library.searchItems(kind: .sfx, query: query).map(\.title)
  }

  @Test(arguments: [
    ("heros", ["Heros of Old", "Hero’s Journey"]), ("hero's", ["Heros of Old", "Hero’s Journey"]),
    ("Hero’s", ["Heros of Old", "Hero’s Journey"]), ("hero journey", ["Hero’s Journey"]),
    ("uberwald", ["Überwald"]), ("ÜBER", ["Überwald"]), ("strasse", ["Straße nach Westen"]),
    ("straße w", ["Straße nach Westen"]), ("5-8-77", ["5-8-77"]), ("5-8", ["5-8-77"]),
    ("sci-fi", ["Cosmic / Sci-Fi"]), ("scifi", ["Cosmic / Sci-Fi"]),
    ("sci fi", ["Cosmic / Sci-Fi"]), ("R&B", ["R&B Nights", "R & B Days"]),
    ("r&", ["R&B Nights", "R & B Days", "Rest & Be Thankful", "Ancient Red Dragon"]),
    ("C++", ["C++ Builder"]), ("c major", ["C Major"]), ("林", ["小林さん", "森林"]),
    ("小林", ["小林さん"]), ("ラゴ", ["ドラゴン"]), ("chateau dif", ["Château d'If"]),
    ("if", ["Château d'If"]), ("!!!", ["!!!"]), ("not and", ["NOT OR AND NEAR"]),
    ("full width", ["Ｆｕｌｌ　Ｗｉｄｔｈ"]), ("emiles cafe", ["Émile's Café"]), ("aha", ["a-ha"]),
    ("awe inspiring", ["Quiet"]), ("awe-insp", ["Quiet"]), ("dragon red", ["Ancient Red Dragon"]),
    ("wood", ["DOORWood_Creak"]), ("creak door", ["DOORWood_Creak"]), ("doorw", ["DOORWood_Creak"]),
    ("\"", []), ("'", []), ("nothing like that", []),
  ])
  func findsAsTyped(query: String, titles: [String]) async throws {
    #expect(Set(try await search(query)) == Set(titles))
  }

  @Test func titlesComeFirstAndWholeTitlesBeforeThem() async throws {
    #expect(
      try await search("dragon")
        == ["Dragon", "Dragon Turtle", "Ancient Red Dragon", "Plain", "Quiet"])
  }

  @Test(arguments: ["", "   ", "\u{3000}"])
  func aBlankQueryFindsWhatBrowsingFinds(query: String) async throws {
    #expect(try await search(query).count == Self.titles.count + 2)
  }

  /// A cursor stays small enough for a command line, whatever the titles.
  @Test func longTitlesArePagedThrough() async throws {
    let scratch = try ScratchCatalog()
    let catalog = try await scratch.open()
    defer { catalog.close() }
    var seed = TestSeed()
    let titles = (1...5).map { String(repeating: "\u{FDFA}林", count: 3_000) + " \($0)" }
    seed.packs = [
      TestSeed.Pack(
        id: TestSeed.id(100), kind: "sfx", title: "Pack",
        items: titles.enumerated().map { TestSeed.Item(id: TestSeed.id($0 + 1), title: $1) })
    ]
    try await catalog.importer.applyUpdates(seed.source)
    for query in [nil, "林"] {
      var found: [String] = []
      var cursor: KeysetCursor?
      repeat {
        let page =
          if let query {
            try await catalog.library.searchPage(kind: .sfx, query: query, limit: 2, after: cursor)
          } else {
            try await catalog.library.fetchPage(kind: .sfx, limit: 2, after: cursor)
          }
        found += page.items.map(\.title)
        #expect(page.next.map { $0.description.utf8.count < 4_096 } ?? true)
        cursor = try page.next.map { try KeysetCursor($0.description) }
      } while cursor != nil && found.count < 10
      #expect(found == titles)
    }
  }

  /// The whole catalog is the same after a rebuild, so the index must be too.
  @Test func theIndexFollowsEveryChangeAndEveryRebuild() async throws {
    let scratch = try ScratchCatalog()
    let catalog = try await scratch.open()
    defer { catalog.close() }
    try await catalog.importer.applyUpdates(Self.seed.source)
    func titles(_ query: String) async throws -> [String] {
      try await catalog.library.searchItems(kind: nil, query: query).map(\.title)
    }
    var seed = Self.seed
    seed.revision = 2
    seed.packs[0].items[0].title = "Villain’s Journey"
    seed.packs[0].items[1].isVisible = false
    try await catalog.importer.applyUpdates(seed.source)
    #expect(try await titles("heros").isEmpty)
    #expect(try await titles("villains") == ["Villain’s Journey"])

    let dimension = TagDimension.creatureTypes
    let dragon = try await catalog.vocabulary.value(named: "Dragon", in: dimension)
    try await catalog.tags.rename(dragon.id, in: dimension, to: "Wyrm")
    #expect(try await titles("wyrm") == ["Quiet"])
    #expect(try await !titles("dragon").contains("Quiet"))
    try await catalog.tags.add(
      [TagName(dimension, "Lindworm")], to: #require(UUID(uuidString: TestSeed.id(60))))
    let lindworm = try await catalog.vocabulary.value(named: "Lindworm", in: dimension)
    try await catalog.tags.merge(dragon.id, into: lindworm.id, in: dimension)
    #expect(try await titles("wyrm").isEmpty)
    #expect(try await Set(titles("lindworm")) == ["Plain", "Quiet"])

    let before = try await catalog.receipt()
    try await catalog.rebuild()
    #expect(try await catalog.receipt() == before)
    #expect(try await Set(titles("lindworm")) == ["Plain", "Quiet"])
  }

  private static let naughty: [String] = {
    let path = ScratchFolder.repository + "/Tests/CatalogModelTests/Resources/blns.json"
    let data = FileManager.default.contents(atPath: path) ?? Data()
    return (try? JSONDecoder().decode([String].self, from: data)) ?? []
  }()

  /// Every naughty string is a title and a query at once: no error, and it finds itself where there is
  /// anything in it to find.
  @Test func noInputIsAnErrorAndEveryTitleFindsItself() async throws {
    let strings = Self.naughty.filter { !TextRules.isBlank($0) }
    #expect(strings.count > 400)
    var seed = TestSeed()
    seed.packs = [
      TestSeed.Pack(
        id: TestSeed.id(100), kind: "sfx", title: "Pack",
        items: strings.enumerated().map { TestSeed.Item(id: TestSeed.id($0 + 1), title: $1) })
    ]
    let scratch = try ScratchCatalog()
    let catalog = try await scratch.open()
    defer { catalog.close() }
    try await catalog.importer.applyUpdates(seed.source)
    for (number, text) in strings.enumerated() {
      let found = try await catalog.library.searchItems(kind: .sfx, query: text)
      let isFindable = !SearchQuery(text).terms.isEmpty
      #expect(
        found.contains { $0.id.uuidString == TestSeed.id(number + 1).uppercased() } == isFindable,
        "\(text.debugDescription)")
    }
    for text in Self.naughty + ["\u{0}", "a\u{0}b", "\"a", "a\"", "NEAR(", "title:x", "^a", "a*b"] {
      _ = try await catalog.library.searchPage(kind: nil, query: text, limit: 3)
    }
  }
}
