import CatalogModel
import CatalogTestSupport
import Testing

@testable import Projections
@testable import SoundLibraryKind

/// What a source gives an item, as one text.
@Suite struct TagListTests {
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
}
