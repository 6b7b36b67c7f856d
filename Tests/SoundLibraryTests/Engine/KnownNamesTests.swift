import CatalogTestSupport
import Promises
import Testing

@testable import CatalogModel
@testable import SoundLibrary

/// Names that were read before are found again as they were, and no other name is taken for them.
@Suite(
  .promise(
    "Any generated event is written and read again, by the fast reader and the plain one "
      + "alike",
    by: "names that were read before, on a real kind"))
struct KnownNamesTests {
  private static func key(_ name: String) -> KnownNames.Key? {
    Array(name.utf8).withUnsafeBufferPointer { KnownNames.Key($0) }
  }

  @Test func aNameIsFoundOrNotAndNeverAnother() throws {
    var random = SplitMix(seed: 11)
    var known = KnownNames()
    // More than the table has places, so that many are pushed out; several share their first bytes.
    let names = (0..<20_000).map { number in
      String("Misty é\(number)".dropLast(random.below(3))) + (number % 7 == 0 ? " Harbor" : "")
    }
    var found = 0
    for name in names {
      let key = try #require(Self.key(name))
      if let text = known[key] {
        #expect(Array(text.utf8) == Array(name.utf8))
        found += 1
      }
      known.add(name, for: key)
      #expect(known[key].map { Array($0.utf8) } == Array(name.utf8))
    }
    #expect(found > 100)
  }

  @Test func namesOfUnequalLengthAreNotEqual() {
    #expect(Self.key("a") != Self.key("aa"))
    #expect(Self.key("") == nil)
    #expect(Self.key(String(repeating: "a", count: 24)) != nil)
    #expect(Self.key(String(repeating: "a", count: 25)) == nil)
  }

  /// One decoder for many events gives what a new one gives for each: canonically equivalent spellings,
  /// escapes, long names and names of any script are told apart.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func oneDecoderForManyEventsGivesWhatANewOneGives(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let parts = [
      "Café", "Cafe\u{301}", "a", "\"", "\\", "\u{1}", "雨", "🎧", " ", "Harbor", "\u{FFFD}",
    ]
    var decoder = EventDecoder()
    for sequence in 1...2_000 as ClosedRange<UInt64> {
      var tags = TagSet()
      for dimension in TagDimension.all where random.below(3) > 0 {
        tags[dimension] = (0...random.below(3)).map { _ in
          (0...random.below(4)).map { _ in random.pick(parts) }.joined()
        }
      }
      let record = EventRecord(
        sequence: sequence, at: Timestamp(milliseconds: 0), operation: EntityID(high: 1, low: 2),
        by: "person",
        event: .itemTagsSet(
          ItemTagsSet(item: EntityID(high: 3, low: sequence), source: "person", tags: tags)))
      let line = EventEncoder().encode(record)
      let read = try decoder.decode(line: line, expecting: sequence)
      var other = EventDecoder()
      #expect(try read == other.decode(line: line, expecting: sequence))
      #expect(EventEncoder().encode(read) == line)
    }
  }
}
