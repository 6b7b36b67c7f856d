import CatalogModel
import CatalogTestSupport
import Projections
import Promises
import StoreTestSupport
import Testing

@testable import CatalogEngine
@testable import SoundLibrary

@Suite(
  .promise(
    "Importing again appends nothing, and a revision appends the difference; downloads are "
      + "kept"),
  .promise(
    "A policy, a document, an answer or an option has no number with which work never "
      + "begins, never ends, or a sum overflows",
    by: "the greatest revision"))
struct SeedRevisionTests {
  private let test: ScratchCatalog

  init() throws {
    test = try ScratchCatalog()
  }

  @Test func importingTheSameAgainAppendsNothing() async throws {
    let first = try await test.apply(.sample())
    #expect(first.outcome == .imported)
    #expect(first.events.first?.type == "seed.imported")
    let files = try test.logFiles
    let again = try await test.apply(.sample())
    #expect(again.outcome == .unchanged)
    #expect(again.eventCount == 0)
    #expect(again.sequence == first.sequence)
    #expect(again.chain == first.chain)
    #expect(try test.logFiles == files)
  }

  @Test func bundledSeedNeedsNoArguments() async throws {
    let catalog = try await test.open()
    let first = try await catalog.importer.importIfNeeded()
    #expect(first.outcome == .imported)
    #expect(first.documents[0].seedID == "starter")
    let again = try await catalog.importer.importIfNeeded()
    #expect(again.outcome == .unchanged)
    #expect(again.chain == first.chain)
    #expect(try await catalog.importer.applyUpdates().outcome == .unchanged)
    catalog.close()
    let reducer = try test.reduceInPython()
    #expect(reducer.status == 0, "\(reducer.output)\(reducer.errors)")
    #expect(try test.rows("PRAGMA foreign_key_check") == [])
  }

  /// Earlier releases took such a revision, and no other could follow it: the words of its error trapped. Its row is what
  /// that release wrote, and any revision that a document may hold today follows it.
  @Test func aRevisionThatNoOtherCanFollowIsFollowedAllTheSame() async throws {
    try await test.apply(.sample())
    let catalog = try await test.open()
    let event = SoundEvent.seedImported(
      SeedImported(
        seed: "test", revision: .max, sha256: String(repeating: "0", count: 64),
        counts: .init(values: 0, music: 0, packs: 0, packItems: 0)))
    try await Blocking.run {
      // As an earlier release did: no rehearsal.
      let writer = try catalog.opened.openLog(knownHeads: catalog.opened.knownHeads())
      defer { writer.close() }
      var batch = try EventBatch(
        writer, after: writer.head, at: Timestamp(milliseconds: 0), by: "seed:test", input: [])
      var isRefused = false
      do { try batch.add(event, SoundLibraryKind()) } catch is CatalogError { isRefused = true }
      #expect(isRefused)
      var line: [UInt8] = []
      EventEncoder().encode(
        SoundEventRecord(
          sequence: writer.head.sequence + 1, at: Timestamp(milliseconds: 0),
          operation: EntityID(high: 0, low: 0), by: "seed:test", event: event), into: &line)
      var old = try writer.makeBatch(expecting: writer.head)
      try line.withUnsafeBytes { try old.append(line: $0) }
      _ = try writer.append(old)
    }
    catalog.close()
    let later = try await test.open()
    let found = try await later.lint.findings().filter {
      if case .conflict = $0 { true } else { false }
    }
    #expect(found.isEmpty)
    later.close()
    let report = try await test.apply(.sample(revision: 2))
    #expect(report.outcome == .imported && report.documents[0].revision == 2)
    let refusal = try await test.refusal(of: .sample(revision: 1))
    #expect(
      refusal?.message.contains(
        "is older than revision 2 of seed \"test\", which was already imported") == true)
  }

  @Test func theGreatestRevisionHasNoNext() async throws {
    let greatest = Int(NumberRules.greatest)
    #expect(try await test.apply(.sample(revision: greatest)).outcome == .imported)
    let lower = try await test.refusal(of: .sample(revision: 5))
    #expect(lower?.advice?.contains("no greater number is allowed") == true, "\(lower as Any)")
    var other = TestSeed.sample(revision: greatest)
    other.music[0].title = "Other"
    #expect(try await test.refusal(of: other)?.advice?.contains("no greater number") == true)
    let beyond = try await test.refusal(of: .sample(revision: greatest + 1))
    #expect(beyond?.path == "$.revision")
  }

  @Test(arguments: [1, 2, 3])
  func importIfNeededLooksOnlyWhetherAnyRevisionIsThere(revision: Int) async throws {
    try await test.apply(.sample(revision: 2))
    let head = try test.head
    let catalog = try await test.open()
    defer { catalog.close() }
    var seed = TestSeed.sample(revision: revision)
    seed.music[0].title = "Other"
    let report = try await catalog.importer.importIfNeeded(seed.source)
    #expect(report.outcome == .unchanged)
    #expect(report.documents[0].revision == 2)
    #expect(try test.head == head)
  }

  @Test func revisionChangesAddsMovesHidesAndReorders() async throws {
    try await test.apply(.sample())
    var seed = TestSeed.sample(revision: 2)
    seed.music[1].title = "Another title"
    seed.music[2].appleMusicPlaylistId = "pl.other"
    seed.music.append(TestSeed.song(4))
    seed.music[3].tags["moods"] = ["Brand new"]
    seed.packs[2].items.append(seed.packs[0].items.remove(at: 0))
    seed.packs[0].items.reverse()
    seed.packs[0].version = 4
    seed.packs[1].items[0].isVisible = false
    seed.dimensions["locations"] = ["Forest", "Desert", "Arctic"]
    let report = try await test.apply(seed)
    let counts = Dictionary(uniqueKeysWithValues: report.events.map { ($0.type, $0.count) })
    #expect(
      counts == [
        "seed.imported": 1, "dimension.value.added": 2, "dimension.value.ordered": 2,
        "item.upserted": 2, "item.tags.set": 1, "playlist.linked": 2, "pack.upserted": 1,
        "item.visibility.changed": 1, "pack.items.set": 2,
      ])
    #expect(
      try test.rows("SELECT name, sort_order FROM location ORDER BY sort_order")
        == ["Forest|0", "Desert|1", "Arctic|2"])
    #expect(
      try test.rows("SELECT pack_id, item_id, sort_order FROM pack_item ORDER BY pack_id, 3")
        == [
          (100, 103, 0), (100, 102, 1), (200, 201, 0), (200, 202, 1), (300, 301, 0), (300, 101, 1),
        ].map { "\(TestSeed.id($0.0))|\(TestSeed.id($0.1))|\($0.2)" })
    #expect(
      try test.rows("SELECT version FROM pack WHERE id = '\(TestSeed.id(100))'") == ["4"])
    #expect(
      try test.rows("SELECT id FROM library_item WHERE is_visible = 0") == [TestSeed.id(201)])
    #expect(
      try test.rows("SELECT apple_music_playlist_id FROM music_playlist_ref ORDER BY 1")
        == ["pl.1", "pl.2", "pl.4", "pl.other"])
    #expect(try await test.apply(seed).outcome == .unchanged)
  }

  @Test func itemsThatARevisionLacksStayAsTheyAre() async throws {
    try await test.apply(.sample())
    var seed = TestSeed.sample(revision: 2)
    seed.music.removeLast()
    seed.packs[0].items.removeFirst()
    seed.packs.removeLast()
    let report = try await test.apply(seed)
    // The member that is not listed goes behind those that are.
    #expect(report.events.map(\.type) == ["seed.imported", "pack.items.set"])
    #expect(try test.rows("SELECT count(*) FROM library_item WHERE is_visible = 1") == ["9"])
    #expect(
      try test.rows(
        "SELECT item_id FROM pack_item WHERE pack_id = '\(TestSeed.id(100))' ORDER BY sort_order")
        == [102, 103, 101].map(TestSeed.id))
  }

  @Test func retiringHidesPackItemsButNoMusicAndTheyReturnIntact() async throws {
    try await test.apply(.sample())
    let items = "SELECT * FROM library_item ORDER BY id"
    let tags = "SELECT * FROM item_sfx_theme ORDER BY 1, 2"
    let itemsBefore = try test.rows(items)
    let tagsBefore = try test.rows(tags)
    var seed = TestSeed.sample(revision: 2)
    seed.music.removeFirst()
    seed.packs[0].items.removeFirst()
    seed.packs.removeLast()
    let report = try await test.apply(seed, retiresMissing: true)
    #expect(report.events.contains { $0.type == "item.visibility.changed" && $0.count == 2 })
    #expect(
      try test.rows("SELECT id FROM library_item WHERE is_visible = 0 ORDER BY id")
        == [101, 301].map(TestSeed.id))
    #expect(try test.rows(tags) == tagsBefore)
    #expect(try await test.apply(seed, retiresMissing: true).outcome == .unchanged)
    try await test.apply(.sample(revision: 3), retiresMissing: true)
    #expect(try test.rows(items) == itemsBefore)
    #expect(try test.rows(tags) == tagsBefore)
  }

  /// What a download has put there is no business of a seed.
  @Test func updatesKeepWhatIsDownloaded() async throws {
    try await test.apply(.sample())
    let catalog = try await test.open()
    defer { catalog.close() }
    let pack = try #require(EntityID(TestSeed.id(100)))
    let asset = PackDownloadCompleted.Asset(
      asset: try #require(EntityID(TestSeed.id(900))),
      item: try #require(EntityID(TestSeed.id(101))), url: "https://x",
      path: "AudioAssets/p/a.aac", etag: "e", sha256: String(repeating: "0", count: 64), bytes: 9,
      codec: "aac", sampleRate: 48_000, channels: 2, isLoopable: true)
    try await catalog.catalog.change(by: "test") { _ in
      [
        .packDownloadStarted(
          PackDownloadStarted(pack: pack, version: 1, bytesTotal: 9, bytesDownloaded: 0)),
        .packDownloadCompleted(
          PackDownloadCompleted(pack: pack, version: 1, bytesTotal: 9, assets: [asset])),
      ]
    }
    let queries = [
      "SELECT * FROM pack_state ORDER BY 1", "SELECT * FROM local_asset",
      "SELECT * FROM item_local_audio",
    ]
    let before = try queries.map(test.rows)
    var seed = TestSeed.sample(revision: 2)
    seed.packs[0].title = "Renamed"
    seed.packs[0].version = 2
    seed.packs[0].items[0].title = "Renamed too"
    seed.packs[0].items.removeLast()
    try await catalog.importer.applyUpdates(seed.source, retiresMissing: true)
    #expect(try queries.map(test.rows) == before)
    #expect(before[1].first?.contains("AudioAssets/p/a.aac") == true)
  }

  @Test func packVersionNeverFalls() async throws {
    var seed = TestSeed.sample()
    seed.packs[0].version = 5
    try await test.apply(seed)
    let report = try await test.apply(.sample(revision: 2))
    #expect(report.events.map(\.type) == ["seed.imported"])
    #expect(try test.rows("SELECT version FROM pack ORDER BY id") == ["5", "1", "1"])
  }

  @Test func otherBytesOfTheSameContentAreUnchanged() async throws {
    try await test.apply(.sample())
    let head = try test.head
    let catalog = try await test.open()
    defer { catalog.close() }
    let spaced = try TestSeed.sample().bytes + [0x0A, 0x20]
    let report = try await catalog.importer.applyUpdates(.bytes(spaced, name: "spaced.json"))
    #expect(report.outcome == .unchanged)
    #expect(try test.head == head)
  }
}
