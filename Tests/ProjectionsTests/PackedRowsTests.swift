import CatalogModel
import CatalogTestSupport
import Promises
import Testing

@testable import Projections

@Suite(
  .promise(
    "A table of any size is rebuilt in memory, and its rows behave as those of dictionaries",
    by: "keys in the order of their values"))
struct PackedRowsTests {
  private static func column(_ type: ColumnType) -> CellCoding.Form {
    CellCoding.Form(Column("c", type))
  }

  private static func bytes(_ value: Value, _ type: ColumnType) -> [UInt8] {
    var buffer = RowBuffer()
    CellCoding.append(value, column(type), inKey: true, to: &buffer, blobs: BlobPool())
    return Array(buffer.bytes)
  }

  @Test(arguments: [1, 2] as [UInt64])
  func bytesOfAKeyKeepTheOrderOfItsIntegers(seed: UInt64) {
    var random = SplitMix(seed: seed)
    for _ in 0..<5_000 {
      let left = Int64(bitPattern: random.next()) >> Int64(random.below(64))
      let right = random.below(4) == 0 ? left &+ 1 : Int64(bitPattern: random.next()) >> 40
      let ordered = Self.bytes(.integer(left), .integer)
        .lexicographicallyPrecedes(Self.bytes(.integer(right), .integer))
      #expect(ordered == (left < right), "seed \(seed): \(left) and \(right)")
    }
  }

  /// SQLite orders text by bytes, and ids and times as the text that it stores.
  @Test(arguments: [3, 4] as [UInt64])
  func bytesOfAKeyKeepTheOrderOfTheStoredText(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let letters = ["", "a", "b", "é", "\u{1}", "ÿ", "林", "🐉", "\u{FFFF}"]
    for _ in 0..<5_000 {
      let texts = (0..<2).map { _ in
        (0..<random.below(4)).map { _ in random.pick(letters) }.joined()
      }
      expectOrder(texts.map { (.text($0), $0) }, .text)
      let ids = (0..<2).map { _ in
        EntityID(high: random.next() >> UInt64(random.below(64)), low: random.next())
      }
      expectOrder(ids.map { (.id($0), $0.description) }, .id)
      let times = (0..<2).map { _ in
        Timestamp(milliseconds: Int64(random.next() % 4_000_000_000_000) - 1_000_000_000)
      }
      expectOrder(times.map { (.time($0), $0.description) }, .time)
    }
  }

  private func expectOrder(_ pair: [(value: Value, stored: String)], _ type: ColumnType) {
    let packed = Self.bytes(pair[0].value, type)
      .lexicographicallyPrecedes(Self.bytes(pair[1].value, type))
    let stored = pair[0].stored.utf8.lexicographicallyPrecedes(pair[1].stored.utf8)
    #expect(packed == stored, "\(pair[0].stored) and \(pair[1].stored)")
  }

  /// Long rows that are replaced and removed again and again make the table compact itself.
  @Test(arguments: [5, 6] as [UInt64])
  func compactionLosesNothing(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var schema = Schema()
    let table = schema.add(
      "t",
      columns: [
        Column("id", .integer), Column("group", .integer, nullable: true),
        Column("note", .text, nullable: true),
      ], key: ["id"], indexes: [.index("i", on: ["group"])])
    let index = IndexReference(table: table, ordinal: 0)
    let store = MemoryRowStore(schema: schema)
    var model: [Int64: [Value]] = [:]
    for step in 0..<4_000 {
      let id = Int64(random.below(40)) - 20
      if random.below(4) == 0 {
        try store.remove(key: [.integer(id)], from: table)
        model[id] = nil
      } else {
        let note = String(repeating: random.pick(["x", "é", "林"]), count: random.below(4_000))
        let row: [Value] = [
          .integer(id), random.below(5) == 0 ? .null : .integer(Int64(random.below(3)) - 1),
          random.below(9) == 0 ? .null : .text(note),
        ]
        try store.put(row, in: table)
        model[id] = row
      }
      guard step % 50 == 0 else { continue }
      for group in [.null, .integer(-1), .integer(0), .integer(1)] as [Value] {
        let expected = model.values.filter { $0[1] == group }.sorted { left, right in
          Self.number(left) < Self.number(right)
        }
        #expect(try store.rows(by: index, equal: [group]) == expected, "seed \(seed) step \(step)")
      }
      for id in -20..<20 as Range<Int64> {
        #expect(
          try store.row(in: table, key: [.integer(id)]) == model[id], "seed \(seed) step \(step)")
      }
      #expect(store.greatestKey(in: table) == model.keys.max())
    }
  }

  private static func number(_ row: [Value]) -> Int64 {
    if case .integer(let number) = row[0] { number } else { 0 }
  }
}
