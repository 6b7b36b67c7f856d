import CatalogModel
import CatalogTestSupport
import Promises
import Testing

@testable import SoundLibrary

@Suite(
  .promise("A seed is read with all of its keys, in any order and spelling of JSON"))
struct SeedDocumentReaderTests {
  @Test func readsEveryKey() throws {
    let seed = try Self.read(GoodSeed.good)
    #expect(seed.seedID == "starter")
    #expect(seed.revision == 7)
    #expect("\(seed.revisionPlace)" == "$.revision")
    #expect(seed.vocabularies == [["Arctic", "Forest"], ["Cozy"], [], [], ["Magic"], ["Undead"]])
    let music = try #require(seed.music.first)
    #expect(music.item.id == EntityID(GoodSeed.itemID))
    #expect(music.item.title == "Tavern")
    #expect(music.item.subtitle == "Evening")
    #expect(music.item.duration == 61.5)
    #expect(music.item.artworkURL == "art.png")
    #expect(music.item.isVisible)
    #expect(music.playlistID == "pl.1")
    #expect(music.useSnapshot)
    #expect(Self.tags(music.item) == ["locations:Forest", "moods:Cozy", "musicThemes:Epic War"])
    let pack = try #require(seed.packs.first)
    #expect(pack.id == EntityID(GoodSeed.packID))
    #expect(pack.kind == .sfx)
    #expect(pack.title == "Pack")
    #expect(pack.description == "All of it")
    #expect(pack.artworkURL == "pack.png")
    #expect(pack.version == 3)
    #expect(pack.manifestURL == "https://example.com/m.json")
    let item = try #require(pack.items.first)
    #expect("\(item.place)" == "$.packs[0].items[0]")
    #expect(
      Self.tags(item) == [
        "locations:Hell", "moods:Ominous", "sfxThemes:Magic", "creatureTypes:Fiend",
      ])
  }

  @Test func optionalKeysMayBeAbsent() throws {
    let seed = try Self.read(
      """
      {"format":1,"seedId":"s","revision":1,
       "music":[{"id":"\(GoodSeed.itemID)","title":"T","appleMusicPlaylistId":"pl.1"}]}
      """)
    let music = try #require(seed.music.first)
    #expect(music.item.isVisible)
    #expect(!music.useSnapshot)
    #expect(music.item.subtitle == nil && music.item.duration == nil)
    #expect(music.item.tags.isEmpty)
    #expect(seed.packs.isEmpty && seed.vocabularies.allSatisfy(\.isEmpty))
  }

  @Test func keysMayComeInAnyOrder() throws {
    let kindLast = GoodSeed.replacing("\"kind\":\"sfx\",", "")
    let text = String(kindLast.dropLast(3)) + ",\"kind\":\"sfx\"}]}"
    let seed = try Self.read(text)
    let good = try Self.read(GoodSeed.good)
    #expect(seed.packs.first?.items.first?.tags == good.packs[0].items[0].tags)
  }

  @Test func escapedKeysAndIDsAreTheSameKeysAndIDs() throws {
    let id = "\\u0031" + GoodSeed.itemID.dropFirst()
    let text = GoodSeed.replacing("\"id\":\"\(GoodSeed.itemID)", "\"\\u0069d\":\"\(id)")
    #expect(try Self.read(text).music.first?.item.id == EntityID(GoodSeed.itemID))
  }

  @Test func tagsAreASet() throws {
    let text = GoodSeed.replacing(
      "[\"Fiend\"]", "[\"Ooze\",\" Fiend\",\"Ooze \",\"caf\u{E9}\",\"cafe\u{301}\",\"Beast\"]")
    let tags = try Self.read(text).packs[0].items[0].tags
    #expect(tags[TagDimension.all[5]] == ["Beast", "Fiend", "Ooze", "caf\u{E9}"])
  }

  @Test func aPackAndAnItemMayShareAnID() throws {
    let text = GoodSeed.replacing(GoodSeed.itemID, GoodSeed.packID)
    #expect(try Self.read(text).music.first?.item.id == EntityID(GoodSeed.packID))
  }

  @Test func negativeZeroIsZero() throws {
    let duration = try Self.read(GoodSeed.replacing("61.5", "-0.0")).music.first?.item.duration
    #expect(duration?.sign == .plus)
  }

  /// Titles survive byte for byte after NFC, tag names after folding, through document and event.
  @Test func naughtyStringsSurvive() throws {
    var seen = 0
    var dice = Dice(seed: 41)
    for text in try Resources.naughtyStrings() where !TextRules.isBlank(text) {
      seen += 1
      let json = dice.jsonString(text)
      let document = GoodSeed.replacing("\"Growl\"", json)
      let tagged = document.replacing("[\"Fiend\"]", with: "[\(json)]")
      let item = try Self.read(tagged).packs[0].items[0]
      let title = NormalForm.nfc(text)
      let name = try TextRules.tagName(text)
      var decoder = SoundEventDecoder()
      let upserted = SoundEvent.itemUpserted(
        ItemUpserted(
          id: item.id, kind: .sfx, title: item.title, subtitle: nil, duration: nil,
          artworkURL: nil))
      let set = SoundEvent.itemTagsSet(
        ItemTagsSet(item: item.id, source: "seed:s", tags: item.tags))
      for (number, event) in [upserted, set].enumerated() {
        let record = SoundEventRecord(
          sequence: UInt64(number + 1), at: Timestamp(milliseconds: 0), operation: item.id,
          by: "seed:s", event: event)
        let line = EventEncoder().encode(record)
        switch try decoder.decode(line: line, expecting: record.sequence).event {
        case .itemUpserted(let data): #expect(data.title.utf8.elementsEqual(title.utf8))
        case .itemTagsSet(let data):
          let names = data.tags[TagDimension.all[5]]
          #expect(names.count == 1 && names[0].utf8.elementsEqual(name.utf8), "\(text)")
        default: Issue.record("another event came back")
        }
      }
    }
    #expect(seen > 500)
  }

  static func read(_ text: String) throws -> SeedDocument {
    try SeedDocumentReader.read(Array(text.utf8), file: "seed.json")
  }

  private static func tags(_ item: SeedDocument.Item) -> [String] {
    var tags: [String] = []
    for (ordinal, dimension) in TagDimension.all.enumerated() {
      #expect(dimension.ordinal == ordinal)
      tags += item.tags[dimension].map { "\(dimension.key):\($0)" }
    }
    return tags
  }
}
