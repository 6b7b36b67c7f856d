import CatalogModel
import Promises
import Testing

@testable import SoundLibrary

@Suite(
  .promise("The tags of an item are a set: each name once, compared byte for byte"))
struct TagSetTests {
  @Test func namesAreUniqueAndSortedByTheirBytes() {
    var tags = TagSet()
    tags[TagDimension.all[3]] = ["b", "a", "é", "Z", "b"]
    #expect(tags[TagDimension.all[3]] == ["Z", "a", "b", "é"])
    tags[TagDimension.all[0]] = ["x"]
    tags[TagDimension.all[5]] = ["y"]
    tags[TagDimension.all[3]] = ["q"]
    var all: [String] = []
    func note(dimension: TagDimension, name: String) { all.append("\(dimension.key):\(name)") }
    tags.forEachValue(note)
    #expect(all == ["locations:x", "atmosphereThemes:q", "creatureTypes:y"])
    #expect(tags.count == 3)
    tags[TagDimension.all[3]] = []
    tags[TagDimension.all[0]] = []
    tags[TagDimension.all[5]] = []
    #expect(tags.isEmpty && tags == TagSet())
  }

  @Test func spellingsThatOnlyLookEqualAreBothKept() {
    var tags = TagSet()
    tags[TagDimension.all[0]] = ["e\u{301}", "\u{E9}"]
    #expect(tags.count == 2)
  }
}
