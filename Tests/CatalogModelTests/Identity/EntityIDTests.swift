import CatalogModel
import Foundation
import Testing

@Suite struct EntityIDTests {
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
}
