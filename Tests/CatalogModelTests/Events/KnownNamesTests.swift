import CatalogTestSupport
import Promises
import Testing

@testable import CatalogModel

/// Names that were read before are found again as they were, and no other name is taken for them.
@Suite(
  .promise(
    "Any generated event is written and read again, by the fast reader and the plain one "
      + "alike",
    by: "names that were read before"))
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
}
