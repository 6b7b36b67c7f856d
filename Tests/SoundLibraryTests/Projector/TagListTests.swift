import CatalogModel
import CatalogTestSupport
import Promises
import Testing

@testable import Projections
@testable import SoundLibrary

/// What a source gives an item, as one text.
@Suite(
  .promise(
    "The tags of an item are a set: each name once, compared byte for byte",
    by: "what a source gives an item, as one text"))
struct TagListTests {
  @Test func aTextNamesDimensionsInTheirOrderAndIdsAscending() {
    let tags = [
      ItemTag(dimension: .creatureTypes, value: 12), ItemTag(dimension: .locations, value: 7),
      ItemTag(dimension: .moods, value: 2), ItemTag(dimension: .locations, value: -3),
      ItemTag(dimension: .locations, value: 0),
    ]
    #expect(TagList.text(of: tags) == "location=-3,0,7 mood=2 creature_type=12")
    #expect(TagList.text(of: []).isEmpty)
  }

  /// An event may have any id; the room for a text is counted beforehand.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func whatIsWrittenIsRead(seed: UInt64) {
    var random = SplitMix(seed: seed)
    for _ in 0..<500 {
      let tags = Set(
        (0..<random.below(12)).map { _ in
          ItemTag(
            dimension: random.pick(TagDimension.all),
            value: random.pick([
              .min, .max, Int64(random.below(100)), Int64(bitPattern: random.next()),
            ])
          )
        })
      #expect(TagList.tags(in: TagList.text(of: tags)) == tags.sorted(), "seed \(seed)")
    }
    let longest = TagDimension.all.map { ItemTag(dimension: $0, value: .min) }
    #expect(TagList.tags(in: TagList.text(of: longest)) == longest)
  }

  /// One array serves all lists that are read: what an earlier one left in it counts no more.
  @Test func aListIsReadOverALongerOne() {
    let reader = TagListReader()
    var tags: [TagListReader.Tag] = []
    for (text, expected) in [
      ("location=3,7 mood=2", [3, 7, 2]), ("mood=5", [5]), ("", []), ("location=1,2", [1, 2]),
    ] as [(String, [Int64])] {
      let count = Array(text.utf8).withUnsafeBytes { reader.read($0, into: &tags) }
      #expect(count.map { tags[..<$0].map(\.id) } == expected, "\(text)")
    }
  }

  @Test(arguments: [
    "mood", "mood=", "mood=1,", "mood=1 ", "mood=x", "nothing=1", "=1", "mood=1;2", " mood=1",
    "mood=9223372036854775808",
  ])
  func whatIsNoListIsNone(text: String) {
    #expect(TagList.tags(in: text) == nil)
  }
}
