import CatalogModel
import Foundation

@testable import SoundLibrary

/// A seed document that tests change and write as JSON.
struct TestSeed: Encodable {
  struct Item: Encodable {
    var id: String
    var title: String
    var subtitle: String?
    var duration: Double?
    var artworkUrl: String?
    var isVisible = true
    var appleMusicPlaylistId: String?
    var useSnapshot: Bool?
    var tags: [String: [String]] = [:]
  }

  struct Pack: Encodable {
    var id: String
    var kind: String
    var title: String
    var description: String?
    var artworkUrl: String?
    var version = 1
    var manifestUrl = "https://packs.example.com/manifest.json"
    var items: [Item] = []
  }

  var format = 1
  var seedId = "test"
  var revision = 1
  var dimensions: [String: [String]] = [:]
  var music: [Item] = []
  var packs: [Pack] = []

  static func id(_ number: Int) -> String {
    let digits = String(number)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  static func song(_ number: Int) -> Item {
    Item(
      id: id(number), title: "Song \(number)", appleMusicPlaylistId: "pl.\(number)",
      useSnapshot: false,
      tags: ["locations": ["Forest"], "moods": ["Cozy"], "themes": ["Epic War"]])
  }

  static func sound(_ number: Int) -> Item {
    Item(
      id: id(number), title: "Sound \(number)", duration: 1.5,
      tags: ["locations": ["Forest"], "themes": ["Footsteps"], "creatureTypes": ["Undead"]])
  }

  static func place(_ number: Int) -> Item {
    Item(
      id: id(number), title: "Place \(number)", subtitle: "Café",
      tags: ["moods": ["Cozy", "Ominous"], "themes": ["Ritual"]])
  }

  /// Every kind and every dimension: music 1 … 3, packs 100 (sfx 101 … 103) and 200 (atmosphere
  /// 201 … 202), and 300 (sfx 301).
  static func sample(revision: Int = 1) -> TestSeed {
    TestSeed(
      revision: revision,
      dimensions: [
        "locations": ["Arctic", "Forest"], "moods": ["Ominous"], "musicThemes": ["Epic War"],
        "atmosphereThemes": ["Ritual"], "sfxThemes": ["Footsteps"], "creatureTypes": ["Undead"],
      ],
      music: (1...3).map(song),
      packs: [
        Pack(id: id(100), kind: "sfx", title: "Sounds", items: (101...103).map(sound)),
        Pack(id: id(200), kind: "atmosphere", title: "Places", items: (201...202).map(place)),
        Pack(id: id(300), kind: "sfx", title: "More sounds", items: [sound(301)]),
      ])
  }

  var bytes: [UInt8] {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return Array(try encoder.encode(self))
    }
  }

  var source: SeedSource {
    get throws { .bytes(try bytes, name: "test.json") }
  }
}
