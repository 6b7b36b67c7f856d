import CatalogTestSupport
import Promises
import Testing

@testable import CatalogModel
@testable import SoundLibrary

@Suite(
  .promise(
    "Any generated event is written and read again, by the fast reader and the plain one "
      + "alike",
    by: "names of tags that were read before"))
struct KnownNamesTests {
  /// One decoder for many events gives what a new one gives for each: canonically equivalent spellings,
  /// escapes, long names and names of any script stay different.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func oneDecoderForManyEventsGivesWhatANewOneGives(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let parts = [
      "Café", "Cafe\u{301}", "a", "\"", "\\", "\u{1}", "雨", "🎧", " ", "Harbor", "\u{FFFD}",
    ]
    var decoder = SoundEventDecoder()
    for sequence in 1...2_000 as ClosedRange<UInt64> {
      var tags = TagSet()
      for dimension in TagDimension.all where random.below(3) > 0 {
        tags[dimension] = (0...random.below(3)).map { _ in
          (0...random.below(4)).map { _ in random.pick(parts) }.joined()
        }
      }
      let record = SoundEventRecord(
        sequence: sequence, at: Timestamp(milliseconds: 0), operation: EntityID(high: 1, low: 2),
        by: "person",
        event: .itemTagsSet(
          ItemTagsSet(item: EntityID(high: 3, low: sequence), source: "person", tags: tags)))
      let line = EventEncoder().encode(record)
      let read = try decoder.decode(line: line, expecting: sequence)
      var other = SoundEventDecoder()
      #expect(try read == other.decode(line: line, expecting: sequence))
      #expect(EventEncoder().encode(read) == line)
    }
  }
}
