import CatalogModel
import CatalogTestSupport
import Foundation

@testable import CatalogEngine
@testable import SoundLibrary

/// A small seed document as a value that tests change.
struct SeedText {
  struct Item {
    var id: String
    var title: String
    var tags: [String: [String]] = [:]
    var isVisible = true
    var duration: Double?

    var json: [String: Any] {
      var json: [String: Any] = ["id": id, "title": title, "tags": tags, "isVisible": isVisible]
      if let duration { json["duration"] = duration }
      return json
    }
  }

  struct Pack {
    var id: String
    var kind = "sfx"
    var title = "Pack"
    var version = 1
    var items: [Item]
  }

  var seedID = "test"
  var revision = 1
  var dimensions: [String: [String]] = ["locations": ["Forest", "Hill"], "moods": ["Cozy"]]
  var music: [(item: Item, playlist: String)] = []
  var packs: [Pack] = []

  static func id(_ number: Int) -> String {
    EntityID(high: 0x1000_0000_0000_5000, low: 0x8000_0000_0000_0000 + UInt64(number)).description
  }

  /// Two music entries and two packs of two items.
  static let sample = SeedText(
    music: [
      (Item(id: id(1), title: "Song", tags: ["moods": ["Cozy"], "themes": ["Epic"]]), "pl.1"),
      (Item(id: id(2), title: "Tune"), "pl.2"),
    ],
    packs: [
      Pack(
        id: id(100),
        items: [
          Item(id: id(10), title: "Step", tags: ["locations": ["Forest"], "themes": ["Feet"]]),
          Item(id: id(11), title: "Growl", tags: ["creatureTypes": ["Beast"]], duration: 1.5),
        ]),
      Pack(
        id: id(101), kind: "atmosphere",
        items: [
          Item(id: id(20), title: "Rain", tags: ["themes": ["Wet"]]),
          Item(id: id(21), title: "Wind", isVisible: false),
        ]),
    ])

  /// - Parameter pretty: other bytes for the same content.
  func bytes(pretty: Bool = false) throws -> [UInt8] {
    let document: [String: Any] = [
      "format": 1, "seedId": seedID, "revision": revision, "dimensions": dimensions,
      "music": music.map { $0.item.json.merging(["appleMusicPlaylistId": $0.playlist]) { $1 } },
      "packs": packs.map { pack in
        [
          "id": pack.id, "kind": pack.kind, "title": pack.title, "version": pack.version,
          "manifestUrl": "https://example.com/manifest.json", "items": pack.items.map(\.json),
        ] as [String: Any]
      },
    ]
    return Array(
      try JSONSerialization.data(
        withJSONObject: document, options: pretty ? [.sortedKeys, .prettyPrinted] : [.sortedKeys]))
  }

  func source(pretty: Bool = false) throws -> SeedSource {
    .bytes(try bytes(pretty: pretty), name: "seed.json")
  }
}

/// Catalogs in folders of their own, with a clock that stands still and a fixed log id.
struct TestCatalog {
  let folder: ScratchFolder
  let directory: CatalogDirectory

  init() throws {
    folder = try ScratchFolder()
    directory = CatalogDirectory(folder.file("catalog"))
  }

  static func options(at time: Int64 = 1_767_225_600_000) -> SoundLibrary.Options {
    SoundLibrary.Options(clock: .fixed(Timestamp(milliseconds: time)))
  }

  func open(at time: Int64 = 1_767_225_600_000) async throws -> SoundLibrary {
    try await SoundLibrary.open(directory, options: Self.options(at: time))
  }

  /// Every byte of the log, to see that nothing has changed.
  func logBytes() throws -> [String: Data] {
    var files: [String: Data] = [:]
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.events)) ?? []
    for name in names {
      files[name] = try Data(contentsOf: URL(fileURLWithPath: directory.events + "/" + name))
    }
    return files
  }

  /// Runs SQL in the live database with the sqlite3 tool, as somebody by hand would.
  @discardableResult
  func sql(_ statement: String) throws -> String {
    try Program("sqlite3", directory.database, statement).output
  }
}
