import CatalogModel
import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import SoundLibrary

/// The brief's acceptance scenarios that are about browsing and filters, by their own words, on the seed
/// that ships.
@Suite(
  .promise("The brief's scenarios of browsing and filters hold on the seed that ships"))
struct BriefScenarioTests {
  private let scratch: ScratchCatalog
  private let catalog: SoundLibrary

  init() async throws {
    scratch = try ScratchCatalog()
    catalog = try await scratch.open()
    try await catalog.importer.importIfNeeded()
  }

  /// What the seed document itself says, read by nothing of ours.
  private static var document: [String: Any] {
    let path = ScratchFolder.repository + "/Seeds/starter.json"
    let json = try? JSONSerialization.jsonObject(
      with: FileManager.default.contents(atPath: path) ?? Data())
    return json as? [String: Any] ?? [:]
  }

  private static func items(_ kind: String) -> [[String: Any]] {
    let packs = document["packs"] as? [[String: Any]] ?? []
    return packs.filter { $0["kind"] as? String == kind }
      .flatMap { $0["items"] as? [[String: Any]] ?? [] }
  }

  private static func tags(_ item: [String: Any], _ key: String) -> [String] {
    (item["tags"] as? [String: [String]])?[key] ?? []
  }

  private static func ids(_ items: [[String: Any]]) -> Set<String> {
    Set(items.compactMap { ($0["id"] as? String)?.uppercased() })
  }

  private func id(_ name: String, _ key: String) async throws -> Int64 {
    let dimension = try #require(TagDimension.all.first { $0.key == key })
    return try await catalog.vocabulary.value(named: name, in: dimension).id
  }

  @Test("On first launch, all seeded Music playlists appear in browse immediately.")
  func playlistsAppear() async throws {
    let music = try #require(Self.document["music"] as? [[String: Any]])
    let browsed = try await catalog.library.fetchItems(kind: .music, sort: .title)
    #expect(Set(browsed.map(\.id.uuidString)) == Self.ids(music))
    #expect(browsed.allSatisfy { $0.availability == .requiresAppleMusic })
    let entries = try await catalog.music.listMusicEntries()
    #expect(
      Set(entries.map(\.playlistID))
        == Set(music.compactMap { $0["appleMusicPlaylistId"] as? String }))
    for entry in entries {
      #expect(try await catalog.music.playlistID(for: entry.id) == entry.playlistID)
    }
  }

  @Test(
    "Filtering by Location + Mood + Theme returns correct sets and facet counts update correctly.")
  func filtersAndFacets() async throws {
    let places = Self.items("atmosphere")
    let chosen = places.filter { item in
      !Set(Self.tags(item, "locations")).isDisjoint(with: ["Urban", "Forest"])
        && Self.tags(item, "moods").contains("Action")
        && Self.tags(item, "themes").contains("action")
    }
    #expect(chosen.count > 2)
    let filters = Filters(
      locationIDs: [try await id("Urban", "locations"), try await id("Forest", "locations")],
      moodIDs: [try await id("Action", "moods")],
      atmosphereThemeIDs: [try await id("action", "atmosphereThemes")])
    let found = try await catalog.library.fetchItems(kind: .atmosphere, filters: filters)
    #expect(Set(found.map(\.id.uuidString)) == Self.ids(chosen))

    let facets = try await catalog.facets.facetCounts(kind: .atmosphere, filters: filters)
    for (key, tagKey) in [
      ("locations", "locations"), ("moods", "moods"), ("atmosphereThemes", "themes"),
    ] {
      var counts: [String: Int] = [:]
      for item in chosen { for name in Self.tags(item, tagKey) { counts[name, default: 0] += 1 } }
      let dimension = try #require(TagDimension.all.first { $0.key == key })
      var found: [String: Int] = [:]
      for facet in facets[dimension] where facet.count > 0 { found[facet.value.name] = facet.count }
      #expect(found == counts, "\(key)")
    }
  }

  @Test("Seed import is idempotent (running twice does not duplicate rows).")
  func importTwice() async throws {
    let before = try await catalog.receipt()
    #expect(try await catalog.importer.importIfNeeded().outcome == .unchanged)
    #expect(try await catalog.importer.applyUpdates().outcome == .unchanged)
    #expect(try await catalog.receipt() == before)
  }

  /// The half of the scenario that needs no download: a newer seed brings them.
  @Test(
    """
    Packs can introduce new tag values; those tags appear in facets and can be used in filters without \
    app update.
    """)
  func newValues() async throws {
    var seed = TestSeed()
    seed.packs = [
      TestSeed.Pack(
        id: TestSeed.id(1), kind: "sfx", title: "New",
        items: [
          TestSeed.Item(
            id: TestSeed.id(2), title: "Hum",
            tags: [
              "locations": ["Space Elevator"], "moods": ["Weightless"],
              "themes": ["Zero G"], "creatureTypes": ["Robot"],
            ])
        ])
    ]
    try await catalog.importer.applyUpdates(seed.source)
    let facets = try await catalog.facets.facetCounts(kind: .sfx)
    for (key, name) in [
      ("locations", "Space Elevator"), ("moods", "Weightless"), ("sfxThemes", "Zero G"),
      ("creatureTypes", "Robot"),
    ] {
      let dimension = try #require(TagDimension.all.first { $0.key == key })
      let facet = try #require(facets[dimension].first { $0.value.name == name })
      #expect(facet.count == 1)
      var filters = Filters()
      filters[dimension] = [facet.value.id]
      #expect(
        try await catalog.library.fetchItems(kind: .sfx, filters: filters).map(\.title) == ["Hum"])
    }
  }

  @Test("The 656 creatures and 447 ambiences of the starter seed answer sensible questions.")
  func starterAnswers() async throws {
    #expect(try await catalog.library.countItems(kind: .sfx) == 656)
    #expect(try await catalog.library.countItems(kind: .atmosphere) == 447)
    let dragons = try await catalog.library.searchItems(kind: .sfx, query: "ancient red dra")
    #expect(dragons.allSatisfy { $0.title == "Ancient Red Dragon" } && !dragons.isEmpty)
    let page = try await catalog.library.fetchPage(
      kind: .sfx, filters: Filters(creatureTypeIDs: [try await id("Dragon", "creatureTypes")]),
      limit: 10, facets: .disjunctive)
    let types = try #require(TagDimension.all.last)
    #expect(page.facets?[types].first { $0.value.name == "Dragon" }?.count == page.total)
    #expect(page.facets?[types].reduce(0) { $0 + $1.count } == 656)
  }
}
