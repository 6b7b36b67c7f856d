import CatalogModel
import CatalogStore
import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import CatalogEngine
@testable import SoundLibrary

@Suite(
  .promise(
    "Importing again appends nothing, and a revision appends the difference; downloads are "
      + "kept"))
struct SeedImporterTests {
  private let test: TestCatalog

  init() throws {
    test = try TestCatalog()
  }

  @Test func theStarterSeedNeedsNoArgumentsAndIsImportedOnce() async throws {
    let catalog = try await test.open()
    let first = try await catalog.importer.importIfNeeded()
    #expect(first.outcome == .imported)
    let again = try await catalog.importer.importIfNeeded()
    #expect(again.outcome == .unchanged)
    #expect(again.eventCount == 0)
    #expect(again.chain == first.chain)
    let music = try await catalog.library.fetchItems(kind: .music)
    #expect(music.count == 5)
    let applied = try await catalog.importer.applyUpdates()
    #expect(applied.outcome == .unchanged)
  }

  @Test func theSameContentInOtherBytesAppendsNothing() async throws {
    let catalog = try await test.open()
    let first = try await catalog.importer.applyUpdates(SeedText.sample.source())
    let again = try await catalog.importer.applyUpdates(SeedText.sample.source(pretty: true))
    #expect(again.outcome == .unchanged)
    #expect(again.chain == first.chain)
  }

  @Test func aRevisionAppendsTheDifferenceAlone() async throws {
    let catalog = try await test.open()
    try await catalog.importer.applyUpdates(SeedText.sample.source())
    var seed = SeedText.sample
    seed.revision = 2
    seed.music[0].item.title = "Another song"
    seed.packs[0].items[0].tags["locations"] = ["Forest", "Swamp"]
    seed.packs[1].items[1].isVisible = true
    let report = try await catalog.importer.applyUpdates(seed.source())
    let events = Dictionary(uniqueKeysWithValues: report.events.map { ($0.type, $0.count) })
    #expect(
      events == [
        "seed.imported": 1, "item.upserted": 1, "dimension.value.added": 1, "item.tags.set": 1,
        "item.visibility.changed": 1,
      ])
    #expect(report.events.first?.type == "seed.imported")
    try await expectReplaysTheSame(catalog)
  }

  @Test func aRevisionThatOnlyCountsUpIsRemembered() async throws {
    let catalog = try await test.open()
    try await catalog.importer.applyUpdates(SeedText.sample.source())
    var seed = SeedText.sample
    seed.revision = 5
    let report = try await catalog.importer.applyUpdates(seed.source())
    #expect(report.events.map(\.type) == ["seed.imported"])
    seed.revision = 4
    await expectRefused(seed, at: "$.revision", value: "4")
  }

  @Test func valuesInAnotherOrderAreMoved() async throws {
    let catalog = try await test.open()
    try await catalog.importer.applyUpdates(SeedText.sample.source())
    var seed = SeedText.sample
    seed.revision = 2
    seed.dimensions["locations"] = ["Arctic", "Forest", "Hill"]
    let report = try await catalog.importer.applyUpdates(seed.source())
    let events = Dictionary(uniqueKeysWithValues: report.events.map { ($0.type, $0.count) })
    #expect(
      events == ["seed.imported": 1, "dimension.value.added": 1, "dimension.value.ordered": 2])
    #expect(
      try test.sql("SELECT name FROM location WHERE sort_order NOTNULL ORDER BY sort_order")
        == "Arctic\nForest\nHill\n")
  }

  @Test func whatARevisionLacksIsLeftAloneUnlessRetired() async throws {
    let catalog = try await test.open()
    try await catalog.importer.applyUpdates(SeedText.sample.source())
    var seed = SeedText.sample
    seed.revision = 2
    seed.music.remove(at: 1)
    seed.packs[0].items.remove(at: 0)
    let left = try await catalog.importer.applyUpdates(seed.source())
    #expect(left.events.map(\.type).first == "seed.imported")
    #expect(try await catalog.library.fetchItems(kind: .sfx).count == 2)

    let retired = try await catalog.importer.applyUpdates(seed.source(), retiresMissing: true)
    #expect(retired.events.last?.type == "item.visibility.changed")
    #expect(retired.events.last?.count == 1)
    #expect(try await catalog.library.fetchItems(kind: .sfx).map(\.title) == ["Growl"])
    // Music is always shown.
    #expect(try await catalog.library.fetchItems(kind: .music).count == 2)
    let again = try await catalog.importer.applyUpdates(seed.source(), retiresMissing: true)
    #expect(again.outcome == .unchanged)

    var back = SeedText.sample
    back.revision = 3
    try await catalog.importer.applyUpdates(back.source())
    #expect(try await catalog.library.fetchItems(kind: .sfx).count == 2)
    #expect(
      try test.sql("SELECT count(*) FROM item_location WHERE item_id = '\(SeedText.id(10))'")
        == "1\n")
    try await expectReplaysTheSame(catalog)
  }

  @Test func anItemMovesBetweenPacksOfItsSeed() async throws {
    let catalog = try await test.open()
    var seed = SeedText.sample
    seed.packs.append(
      SeedText.Pack(id: SeedText.id(102), items: [SeedText.Item(id: SeedText.id(30), title: "X")]))
    try await catalog.importer.applyUpdates(seed.source())
    seed.revision = 2
    seed.packs[2].items.append(seed.packs[0].items.remove(at: 0))
    try await catalog.importer.applyUpdates(seed.source())
    #expect(
      try test.sql("SELECT pack_id FROM pack_item WHERE item_id = '\(SeedText.id(10))'")
        == "\(SeedText.id(102))\n")
    try await expectReplaysTheSame(catalog)
  }

  @Test func anUpdateKeepsWhatPacksHaveInstalled() async throws {
    let catalog = try await test.open()
    try await catalog.importer.applyUpdates(SeedText.sample.source())
    let pack = SeedText.id(100)
    let asset = PackDownloadCompleted.Asset(
      asset: try #require(EntityID(SeedText.id(900))),
      item: try #require(EntityID(SeedText.id(10))),
      url: "https://x/", path: "AudioAssets/a.wav", etag: nil,
      sha256: String(repeating: "0", count: 64), bytes: 1, codec: "wav", sampleRate: nil,
      channels: nil, isLoopable: false)
    let id = try #require(EntityID(pack))
    try await catalog.catalog.change(by: "test") { _ in
      [
        .packDownloadStarted(
          PackDownloadStarted(pack: id, version: 1, bytesTotal: 1, bytesDownloaded: 0)),
        .packDownloadCompleted(
          PackDownloadCompleted(pack: id, version: 1, bytesTotal: 1, assets: [asset])),
      ]
    }
    var seed = SeedText.sample
    seed.revision = 2
    seed.packs[0].title = "Renamed"
    seed.packs[0].version = 2
    seed.packs[0].items[0].title = "Stride"
    try await catalog.importer.applyUpdates(seed.source())
    #expect(
      try test.sql("SELECT state, installed_version FROM pack_state WHERE pack_id = '\(pack)'")
        == "downloaded|1\n")
    #expect(try test.sql("SELECT local_path FROM local_asset") == "AudioAssets/a.wav\n")
    #expect(try test.sql("SELECT title, version FROM pack WHERE id = '\(pack)'") == "Renamed|2\n")
  }

  @Test func theVersionOfAPackNeverFalls() async throws {
    let catalog = try await test.open()
    var seed = SeedText.sample
    seed.packs[0].version = 7
    try await catalog.importer.applyUpdates(seed.source())
    seed.revision = 2
    seed.packs[0].version = 3
    try await catalog.importer.applyUpdates(seed.source())
    #expect(
      try test.sql("SELECT version FROM pack WHERE id = '\(SeedText.id(100))'") == "7\n")
  }

  @Test(arguments: Conflict.all)
  func contradictionsAreRefusedWhole(conflict: Conflict) async throws {
    let catalog = try await test.open()
    try await catalog.importer.applyUpdates(SeedText.sample.source())
    var other = SeedText.sample
    other.seedID = "other"
    other.music = []
    other.packs = [
      SeedText.Pack(
        id: SeedText.id(200), items: [SeedText.Item(id: SeedText.id(40), title: "Theirs")])
    ]
    try await catalog.importer.applyUpdates(other.source())
    var seed = SeedText.sample
    seed.revision = conflict.revision
    conflict.change(&seed)
    await expectRefused(seed, at: conflict.path, value: conflict.value)
  }

  @Test func aRefusedDocumentLeavesNoTraceInANewFolder() async throws {
    await #expect(throws: DocumentError.self) {
      try await SeedImporter.applied(
        .bytes(Array("{".utf8), name: "seed.json"), to: test.directory,
        options: TestCatalog.options())
    }
    #expect(!FileManager.default.fileExists(atPath: test.directory.path))
  }

  /// The second says something else of the same revision, and only after the first.
  @Test func aDocumentThatIsRefusedRefusesThoseBeforeIt() async throws {
    let first = SeedText.sample
    var second = first
    second.packs[0].title = "Another title"
    let error = await #expect(throws: DocumentError.self) {
      try await SeedImporter.applied(
        first.source(), second.source(), to: test.directory, options: TestCatalog.options())
    }
    #expect(error?.code == .conflict)
    #expect(!FileManager.default.fileExists(atPath: test.directory.path))
    second.revision = first.revision + 1
    let done = try await SeedImporter.applied(
      first.source(), second.source(), to: test.directory, options: TestCatalog.options())
    #expect(done.map(\.outcome) == [.imported, .imported])
    let catalog = try await test.open()
    let batches = try catalog.opened.log.head()?.sequence
    #expect(done.last?.sequence == batches)
  }

  @Test func theFaultsOfAllDocumentsAreListed() async throws {
    let error = await #expect(throws: DocumentError.self) {
      try await SeedImporter.applied(
        .bytes(Array("{".utf8), name: "one.json"), SeedText.sample.source(),
        .bytes(Array("[]".utf8), name: "two.json"), to: test.directory,
        options: TestCatalog.options())
    }
    #expect(error?.all.map(\.file) == ["one.json", "two.json"])
  }

  @Test func aPlanChangesNothing() async throws {
    let planned = try await SeedImporter.planned(
      SeedText.sample.source(), in: test.directory, options: TestCatalog.options())[0]
    #expect(planned.outcome == .planned)
    #expect(!FileManager.default.fileExists(atPath: test.directory.path))
    let done = try await SeedImporter.applied(
      SeedText.sample.source(), to: test.directory, options: TestCatalog.options())[0]
    #expect(done.events.elementsEqual(planned.events, by: ==))
  }

  /// Large documents are compared with rows in memory, small ones row by row.
  @Test func largeDocumentsAreComparedAsSmallOnes() async throws {
    let catalog = try await test.open()
    var seed = SeedText.sample
    seed.packs.append(
      SeedText.Pack(
        id: SeedText.id(300),
        items: (0..<2_100).map {
          SeedText.Item(
            id: SeedText.id(1_000 + $0), title: "Item \($0)", tags: ["themes": ["T\($0 % 30)"]])
        }))
    let first = try await catalog.importer.applyUpdates(seed.source())
    #expect(first.outcome == .imported)
    seed.revision = 2
    seed.packs[2].items[77].title = "Changed"
    seed.packs[2].items[78].tags["themes"] = ["T1", "New"]
    let second = try await catalog.importer.applyUpdates(seed.source())
    let events = Dictionary(uniqueKeysWithValues: second.events.map { ($0.type, $0.count) })
    #expect(
      events == [
        "seed.imported": 1, "item.upserted": 1, "dimension.value.added": 1, "item.tags.set": 1,
      ])
    try await expectReplaysTheSame(catalog)
  }

  private func expectRefused(_ seed: SeedText, at path: String, value: String) async {
    do {
      let before = try test.logBytes()
      let catalog = try await test.open()
      let error = await #expect(throws: DocumentError.self) {
        try await catalog.importer.applyUpdates(seed.source())
      }
      #expect(error?.path == path)
      #expect(error?.value?.contains(value) == true, "\(error?.description ?? "")")
      #expect(error?.file == "seed.json")
      #expect(try test.logBytes() == before)
    } catch {
      Issue.record(error)
    }
  }

  private func expectReplaysTheSame(_ catalog: SoundLibrary) async throws {
    let live = try await catalog.receipt()
    try await catalog.rebuild()
    #expect(try await catalog.receipt() == live)
  }
}

/// A change of the sample seed that contradicts the catalog.
struct Conflict: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var revision = 2
  let path: String
  let value: String
  let change: @Sendable (inout SeedText) -> Void

  static let all = [
    Conflict(
      testDescription: "a revision with other content", revision: 1, path: "$.revision", value: "1"
    ) { $0.music[0].item.title = "Other" },
    Conflict(
      testDescription: "an item of another seed", path: "$.packs[0].items[2].id",
      value: SeedText.id(40)
    ) { $0.packs[0].items.append(SeedText.Item(id: SeedText.id(40), title: "Mine")) },
    Conflict(
      testDescription: "a pack of another seed", path: "$.packs[2].id", value: SeedText.id(200)
    ) { $0.packs.append(SeedText.Pack(id: SeedText.id(200), items: [])) },
    Conflict(
      testDescription: "an item of another kind", path: "$.packs[0].items[2].id",
      value: SeedText.id(1)
    ) {
      $0.packs[0].items.append(
        SeedText.Item(id: $0.music.remove(at: 0).item.id, title: "Was music"))
    },
    Conflict(
      testDescription: "a pack of another kind", path: "$.packs[0].kind", value: "atmosphere"
    ) {
      $0.packs[0].kind = "atmosphere"
      $0.packs[0].items = []
    },
    Conflict(
      testDescription: "a playlist of another entry",
      path: "$.music[0].appleMusicPlaylistId", value: "pl.2"
    ) {
      $0.music.remove(at: 1)
      $0.music[0].playlist = "pl.2"
    },
    Conflict(
      testDescription: "an item that moves out of a pack the document does not list",
      path: "$.packs[0].items[0].id", value: SeedText.id(10)
    ) {
      let item = $0.packs.remove(at: 0).items[0]
      $0.packs = [SeedText.Pack(id: SeedText.id(103), items: [item])]
    },
  ]
}
