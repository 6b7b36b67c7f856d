import CatalogTestSupport
import Foundation

/// Documents with values that people rarely write: empty and missing ones, texts from all over Unicode, lists with an entry twice.
struct GeneratedDocuments {
  var dice: Dice
  private let seed: UInt64

  init(seed: UInt64) {
    dice = Dice(seed: seed)
    self.seed = seed
  }

  private static func id(_ number: Int) -> String { SampleSeed.id(number) }

  /// A text that is not blank.
  private mutating func title(_ number: Int) -> String { "\(number) \(dice.text())" }

  private mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
    dice.chance(60) ? make(&self) : nil
  }

  private static func bytes(_ object: [String: Any]) throws -> Data {
    try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
  }

  // MARK: Sound libraries

  /// A revision of one of two seeds.
  mutating func seedDocument(_ place: Int, revision: Int) throws -> Data {
    let moods = ["Cozy", "Grim", "Æther", "灯", "Vast \(place)"]
    func some(_ names: [String], _ dice: inout Dice) -> [String] {
      names.filter { _ in dice.chance(40) }.shuffled(using: &dice)
    }
    var document: [String: Any] = ["format": 1, "seedId": "seed-\(place)", "revision": revision]
    document["dimensions"] = [
      "moods": some(moods, &dice), "locations": some(["Sea", "Hill", "Moor"], &dice),
    ]
    document["music"] = (0..<4).map { number -> [String: Any] in
      var item = self.item(place * 1_000 + number)
      item["appleMusicPlaylistId"] = "pl.\(place).\(number)"
      item["useSnapshot"] = dice.chance(50)
      item["tags"] = ["moods": some(moods, &dice), "themes": some(["Sea", "War"], &dice)]
      return item
    }
    document["packs"] = (0..<3).map { number -> [String: Any] in
      let kind = number == 0 ? "atmosphere" : "sfx"
      var pack: [String: Any] = [
        "id": Self.id(place * 1_000 + 900 + number), "kind": kind, "title": title(number),
        "version": revision, "manifestUrl": "https://example.com/\(place)/\(number)",
      ]
      pack["description"] = maybe { $0.dice.chance(30) ? "" : $0.dice.text() }
      pack["items"] = (0..<dice.below(6)).map { member -> [String: Any] in
        var item = self.item(place * 1_000 + 100 * (number + 1) + member)
        item["isVisible"] = dice.chance(80)
        var tags = ["moods": some(moods, &dice), "locations": some(["Sea", "Fen"], &dice)]
        if kind == "sfx" { tags["creatureTypes"] = some(["Undead", "Ooze"], &dice) }
        item["tags"] = tags
        return item
      }.shuffled(using: &dice)
      return pack
    }
    return try Self.bytes(document)
  }

  private mutating func item(_ number: Int) -> [String: Any] {
    var item: [String: Any] = ["id": Self.id(number), "title": title(number)]
    item["subtitle"] = maybe { $0.dice.chance(30) ? "" : $0.dice.text() }
    item["duration"] = maybe { Double($0.dice.below(100_000)) / 7 }
    return item
  }

  // MARK: Concerts

  /// Writes a package into a new folder.
  mutating func package(_ path: String, version: Int) throws {
    for folder in ["shows", "recordings"] {
      try FileManager.default.createDirectory(
        atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
    }
    func write(_ object: [String: Any], _ name: String) throws {
      try Self.bytes(object).write(to: URL(filePath: "\(path)/\(name).json"))
    }
    var package: [String: Any] = ["name": "Generated", "version": "\(version).0"]
    package["description"] = maybe { $0.dice.text() }
    try write(["package": package], "manifest")
    let recordings = (0..<8).map { "r\($0).sbd" }
    for recording in recordings { try write(self.recording(), "recordings/\(recording)") }
    let shows = (0..<12).map { "197\($0 % 3)-05-0\(1 + $0 % 4)-hall-\($0)" }
    for show in shows { try write(self.show(show, recordings), "shows/\(show)") }
    let collections = (0..<3).map { number -> [String: Any] in
      var collection: [String: Any] = ["id": "c\(number)", "name": title(number)]
      collection["description"] = maybe { $0.dice.text() }
      collection["tags"] = maybe { _ in ["era", "tour"] }
      // A show may be there twice.
      collection["show_ids"] = (0..<dice.below(6)).map { _ in dice.pick(shows) }
      return collection
    }
    try write(["collections": collections], "collections")
  }

  private mutating func show(_ id: String, _ recordings: [String]) -> [String: Any] {
    var show: [String: Any] = [
      "show_id": id, "date": String(id.prefix(10)), "band": "The Band", "venue": dice.text(),
    ]
    for key in ["city", "state", "country", "location_raw", "url"] {
      show[key] = maybe { $0.dice.chance(30) ? "" : $0.dice.pick(["NY", "Sweden", "USA", "ö"]) }
    }
    show["show_time"] = maybe { $0.dice.pick(["early", "late"]) }
    show["setlist_status"] = maybe { _ in "found" }
    show["setlist"] = maybe { documents in
      (0..<documents.dice.below(3)).map { _ -> [String: Any] in
        var set: [String: Any] = [
          "songs": (0..<documents.dice.below(3)).map { _ -> [String: Any] in
            var song: [String: Any] = ["name": documents.dice.text()]
            song["segue_into_next"] = documents.maybe { $0.dice.chance(50) }
            return song
          }
        ]
        set["set_name"] = documents.maybe { $0.dice.text() }
        return set
      }
    }
    show["lineup"] = maybe { documents in
      (0..<documents.dice.below(3)).map { _ -> [String: Any] in
        var musician: [String: Any] = ["name": documents.dice.text()]
        musician["instruments"] = documents.maybe { $0.dice.text() }
        return musician
      }
    }
    let listed = recordings.filter { _ in dice.chance(25) }.shuffled(using: &dice)
    show["recordings"] = listed
    show["best_recording"] = listed.first
    show["recording_count"] = maybe { $0.dice.below(9) }
    show["avg_rating"] = maybe { Double($0.dice.below(50)) / 9 }
    show["total_high_ratings"] = dice.below(9)
    show["total_low_ratings"] = dice.below(9)
    return show
  }

  private mutating func recording() -> [String: Any] {
    var recording: [String: Any] = ["rating": Double(dice.below(50)) / 9]
    recording["raw_rating"] = maybe { Double($0.dice.below(50)) / 9 }
    recording["review_count"] = maybe { $0.dice.below(100) }
    for key in ["source_type", "taper", "source", "lineage"] {
      recording[key] = maybe { $0.dice.chance(30) ? "" : $0.dice.text() }
    }
    return recording
  }

  // MARK: Tracks

  mutating func library() throws -> Data {
    let numbers = Array(0..<15).shuffled(using: &dice)
    let tracks = numbers.map { track($0) }
    let collections = (0..<3).map { number -> [String: Any] in
      var collection: [String: Any] = ["id": Self.id(500 + number), "name": title(number)]
      collection["description"] = maybe { $0.dice.chance(30) ? "" : $0.dice.text() }
      collection["artworkURL"] = maybe { _ in "https://example.com/\(number)" }
      collection["trackIDs"] = (0..<dice.below(9)).map { _ in Self.id(dice.pick(numbers)) }
      return collection
    }
    return try Self.bytes(["tracks": tracks, "collections": collections])
  }

  private mutating func track(_ number: Int) -> [String: Any] {
    var track: [String: Any] = [
      "id": Self.id(number), "title": dice.chance(10) ? "" : dice.text(),
      "duration": Double(dice.below(100_000)) / 7,
      "fileURL": dice.pick([
        "/Music/\(number) é.mp3", "file://localhost/G:/Music/\(number).mp3",
        "https://example.com/\(number)?a=%2F", "spotify:track:\(number)",
      ]),
    ]
    for key in ["artist", "album", "albumArtist", "genre", "artworkURL"] {
      track[key] = maybe { $0.dice.chance(30) ? "" : $0.dice.text() }
    }
    track["artworkData"] = maybe { $0.dice.pick(["AAAA", "R0lGODlhAQABAAAAACw="]) }
    track["year"] = maybe { $0.dice.below(3) * 1_000 }
    track["trackNumber"] = maybe { $0.dice.below(3) }
    track["isrc"] = maybe { "XXL01110000\($0.dice.below(4))" }
    track["appleMusicID"] = maybe { "150000000\($0.dice.below(4))" }
    track["dateAdded"] = maybe { "200\($0.dice.below(9))-02-28T00:00:00.00\($0.dice.below(9))Z" }
    return track
  }
}
