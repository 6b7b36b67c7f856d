import Projections
import Promises
import Testing

/// Values are equal if SQLite stores the same bytes.
@Suite(
  .promise("Two values are equal if SQLite stores the same bytes"))
struct ValueTests {
  private static let composed = "Caf\u{e9}"
  private static let decomposed = "Cafe\u{301}"

  @Test func textsAreComparedByTheirBytes() {
    #expect(Self.composed == Self.decomposed, "to Swift they are equal")
    #expect(Value.text(Self.composed) != .text(Self.decomposed))
    #expect(Set([Value.text(Self.composed), .text(Self.decomposed)]).count == 2)
    #expect(Value.text("a" + Self.composed) == .text("aCaf\u{e9}"))
  }

  @Test func valuesOfDifferentTypesAreNotEqual() {
    let values: [Value] = [
      .null, .integer(0), .integer(1), .real(0), .real(-0.0), .real(1), .text(""), .text("1"),
      .blob([]),
      .blob([0x31]),
    ]
    for (place, value) in values.enumerated() {
      for (other, another) in values.enumerated() {
        #expect((value == another) == (place == other), "\(value), \(another)")
      }
    }
    #expect(Set(values).count == values.count)
  }
}
