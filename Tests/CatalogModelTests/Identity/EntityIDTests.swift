import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import CatalogModel

@Suite(
  .promise(
    "Ids and times have one spelling each, and times that other programs print are read as "
      + "GNU `date` reads them",
    by: "random ids, compared with Foundation"))
struct EntityIDTests {
  @Test func agreesWithFoundationOnRandomIDs() throws {
    var dice = Dice(seed: 31)
    for _ in 0..<2_000 {
      let id = EntityID(high: dice.next(), low: dice.next())
      let uuid = try #require(UUID(uuidString: id.description))
      #expect(uuid.uuidString.lowercased() == id.description)
      #expect(EntityID(uuid.uuidString) == id, "upper case is read")
      #expect(EntityID(bytes: id.bytes) == id)
      let other = EntityID(high: dice.chance(50) ? id.high : dice.next(), low: dice.next())
      #expect((id < other) == (id.description < other.description))
    }
  }

  @Test(arguments: [
    "", "xyz", "11111111-1111-4111-8111-11111111111", "11111111-1111-4111-8111-1111111111111",
    "11111111-1111-4111-8111-11111111111g", "11111111x1111-4111-8111-111111111111",
    "111111111111-4111-8111-1111-11111111", "{1111111-1111-4111-8111-11111111111}",
    "１1111111-1111-4111-8111-111111111",
  ])
  func refuses(text: String) {
    #expect(EntityID(text) == nil)
  }

  /// Every byte in every place, and a thousand random changes: eight digits at once are read as one by
  /// one, but for capital letters, which the fast path leaves to the other.
  @Test func theFastPathReadsWhatThePlainOneReads() {
    var dice = Dice(seed: 32)
    func compare(_ text: [UInt8]) {
      let plain = EntityID(utf8: text)
      let isLower = !text.contains { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }
      let fast = text.withUnsafeBufferPointer { EntityID(canonical: $0) }
      #expect(fast == (isLower ? plain : nil), "\(text)")
    }
    let text = Array(EntityID(high: dice.next(), low: dice.next()).description.utf8)
    for place in text.indices {
      for byte in 0...UInt8.max {
        var changed = text
        changed[place] = byte
        compare(changed)
      }
    }
    for _ in 0..<1_000 {
      var changed = Array(EntityID(high: dice.next(), low: dice.next()).description.utf8)
      compare(changed)
      for _ in 0..<3 {
        changed[Int(dice.next() % 36)] = UInt8(truncatingIfNeeded: dice.next())
        compare(changed)
      }
    }
  }
}
