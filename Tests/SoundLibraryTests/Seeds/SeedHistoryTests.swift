import CatalogTestSupport
import Promises
import StoreTestSupport
import Testing

@testable import SoundLibrary

/// Random revisions of a seed, held against what the documents themselves say.
@Suite(
  .promise(
    "Importing again appends nothing, and a revision appends the difference; downloads are "
      + "kept",
    by: "random revisions, compared with the documents"))
struct SeedHistoryTests {
  @Test(arguments: (1...6).map { UInt64($0) })
  func catalogSaysWhatTheNewestRevisionSays(number: UInt64) async throws {
    let test = try ScratchCatalog()
    var random = SplitMix(seed: number)
    var seed = TestSeed.sample()
    var hidden: Set<String> = []
    var next = 1_000
    for revision in 1...12 {
      seed.revision = revision
      if revision > 1 { change(&seed, &random, &next) }
      let retires = random.below(3) == 0
      try await test.apply(seed, retiresMissing: retires)
      let comment = "seed \(number), revision \(revision)"
      let listed = seed.music + seed.packs.flatMap(\.items)
      try expectItems(listed, in: test, comment)
      try expectMembers(of: seed, in: test, comment)

      // What is not listed keeps its visibility, or loses it where the missing retire.
      let ids = Set(listed.map(\.id))
      let missing = try test.rows("SELECT id, kind, is_visible FROM library_item")
        .map { $0.split(separator: "|").map(String.init) }
        .filter { !ids.contains($0[0]) }
      for row in missing where row[1] != "music" {
        if retires { hidden.insert(row[0]) }
        #expect(row[2] == (hidden.contains(row[0]) ? "0" : "1"), "\(comment) \(row)")
      }
      hidden.formUnion(listed.filter { !$0.isVisible }.map(\.id))
      hidden.subtract(listed.filter(\.isVisible).map(\.id))
      #expect(try await test.apply(seed).outcome == .unchanged, "\(comment) again")
    }
    let before = try await test.receipt()
    let catalog = try await test.open()
    try await catalog.rebuild()
    #expect(try await catalog.receipt() == before, "seed \(number), rebuilt")
    catalog.close()
    let reducer = try test.reduceInPython()
    #expect(reducer.status == 0, "seed \(number): \(reducer.output)\(reducer.errors)")
  }

  private func expectItems(
    _ items: [TestSeed.Item], in test: ScratchCatalog, _ comment: String
  ) throws {
    let found = try test.rows(
      "SELECT id, title, subtitle, is_visible FROM library_item ORDER BY id")
    let expected = items.map { item in
      "\(item.id)|\(item.title)|\(item.subtitle ?? "~")|\(item.isVisible ? 1 : 0)"
    }
    #expect(Set(expected).subtracting(found).isEmpty, "\(comment)")

    let tables = [
      "SELECT item_id, name FROM item_location JOIN location ON id = location_id",
      "SELECT item_id, name FROM item_mood JOIN mood ON id = mood_id",
      "SELECT item_id, name FROM item_music_theme JOIN music_theme ON id = music_theme_id",
      "SELECT item_id, name FROM item_sfx_theme JOIN sfx_theme ON id = sfx_theme_id",
      """
      SELECT item_id, name FROM item_atmosphere_theme JOIN atmosphere_theme
      ON id = atmosphere_theme_id
      """,
      "SELECT item_id, name FROM item_creature_type JOIN creature_type ON id = creature_type_id",
    ]
    let ids = Set(items.map(\.id))
    let tags = try tables.flatMap(test.rows).filter { ids.contains(String($0.prefix(36))) }
    let wanted = items.flatMap { item in
      item.tags.values.flatMap { $0 }.map { "\(item.id)|\($0)" }
    }
    #expect(tags.sorted() == wanted.sorted(), "\(comment)")
  }

  private func expectMembers(
    of seed: TestSeed, in test: ScratchCatalog, _ comment: String
  ) throws {
    for pack in seed.packs {
      let members = try test.rows(
        "SELECT item_id FROM pack_item WHERE pack_id = '\(pack.id)' ORDER BY sort_order")
      #expect(Array(members.prefix(pack.items.count)) == pack.items.map(\.id), "\(comment)")
    }
    #expect(
      try test.rows("SELECT item_id FROM pack_item GROUP BY item_id HAVING count(*) > 1") == [],
      "\(comment): in two packs")
    #expect(
      try test.rows(
        """
        SELECT pack_id FROM pack_item GROUP BY pack_id
        HAVING min(sort_order) <> 0 OR max(sort_order) <> count(*) - 1
          OR count(DISTINCT sort_order) <> count(*)
        """) == [], "\(comment): gaps in an order")
  }

  private func change(_ seed: inout TestSeed, _ random: inout SplitMix, _ next: inout Int) {
    for _ in 0..<1 + random.below(6) {
      let pack = random.below(seed.packs.count)
      switch random.below(10) {
      case 0:
        next += 1
        seed.music.append(TestSeed.song(next))
      case 1:
        next += 1
        seed.packs[pack].items.append(
          seed.packs[pack].kind == "sfx" ? TestSeed.sound(next) : TestSeed.place(next))
      case 2: seed.packs[pack].items.shuffle(using: &random)
      case 3: seed.music.shuffle(using: &random)
      case 4:
        // Packs 0 and 2 are of one kind.
        guard let item = seed.packs[0].items.popLast() else { break }
        seed.packs[2].items.insert(item, at: random.below(seed.packs[2].items.count + 1))
      case 5: _ = seed.packs[pack].items.popLast()
      case 6:
        guard !seed.packs[pack].items.isEmpty else { break }
        let item = random.below(seed.packs[pack].items.count)
        seed.packs[pack].items[item].isVisible.toggle()
      case 7:
        guard !seed.packs[pack].items.isEmpty else { break }
        let item = random.below(seed.packs[pack].items.count)
        seed.packs[pack].items[item].tags["moods"] =
          ["A", "B", "C", "D"].filter { _ in random.below(2) == 0 }
      case 8:
        guard !seed.music.isEmpty else { break }
        let song = random.below(seed.music.count)
        seed.music[song].title = "Title \(random.below(5))"
        seed.music[song].subtitle = random.below(2) == 0 ? nil : "Subtitle"
        seed.music[song].appleMusicPlaylistId = "pl.\(random.next())"
      default:
        seed.dimensions["moods"] = ["D", "B", "A", "Ominous"].shuffled(using: &random)
        seed.packs[pack].version += 1
      }
    }
  }
}
