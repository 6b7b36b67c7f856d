import CatalogModel
import CatalogTestSupport
import Projections
import Testing

@testable import SoundLibraryKind

/// Holds the packed store against dictionaries.
@Suite struct MemoryRowStoreTests {
  private struct Tables {
    let schema: Schema
    let mixed: TableDescription
    let joins: TableDescription
    let numbered: TableDescription

    init() {
      var schema = Schema()
      mixed = schema.add(
        "mixed",
        columns: [
          Column("name", .text), Column("number", .integer, nullable: true),
          Column("amount", .real, nullable: true), Column("owner", .id, nullable: true),
          Column("at", .time, nullable: true),
          Column("note", .text, nullable: true),
        ],
        key: ["name"], indexes: [.index("i", on: ["number"]), .index("j", on: ["note", "owner"])])
      joins = schema.add(
        "joins",
        columns: [Column("item", .id), Column("value", .integer)],
        key: ["item", "value"], indexes: [.lookup(["item"]), .index("k", on: ["value"])])
      numbered = schema.add(
        "numbered",
        columns: [Column("id", .integer), Column("name", .text)],
        key: ["id"], indexes: [.lookup(["name"])])
      self.schema = schema
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func behavesAsDictionaries(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let tables = Tables()
    let store = MemoryRowStore(schema: tables.schema)
    var models: [[[Value]: [Value]]] = tables.schema.tables.map { _ in [:] }

    for step in 0..<6_000 {
      let table = random.pick(tables.schema.tables)
      let row = Self.row(of: table, &random)
      let key = table.key(of: row)
      switch random.below(10) {
      case 0..<6:
        try store.put(row, in: table)
        models[table.ordinal][key] = row
      case 6, 7:
        try store.remove(key: key, from: table)
        models[table.ordinal][key] = nil
      default: break
      }
      #expect(
        try store.row(in: table, key: key) == models[table.ordinal][key],
        "seed \(seed) step \(step)")
      let index = IndexReference(table: table, ordinal: random.below(table.indexes.count))
      let wanted = index.description.columns.map { row[$0] }
      let found = Set(try store.rows(by: index, equal: wanted))
      let expected = models[table.ordinal].values.filter { other in
        index.description.columns.map { other[$0] } == wanted
      }
      #expect(found == Set(expected), "seed \(seed) step \(step) index of \(table.name)")
    }
    #expect(
      store.greatestKey(in: tables.numbered)
        == models[tables.numbered.ordinal].keys.compactMap {
          if case .integer(let id) = $0[0] { id } else { nil }
        }.max())
    for table in tables.schema.tables {
      #expect(store.count(of: table) == models[table.ordinal].count)
    }
  }

  @Test func drainsRowsInTheOrderOfTheirKeysBytes() throws {
    let tables = Tables()
    let store = MemoryRowStore(schema: tables.schema)
    let names = ["b", "a", "", "é", "Z", "aa", "林", "a b"]
    for name in names {
      try store.put([.text(name), .null, .null, .null, .null, .null], in: tables.mixed)
    }
    var seen: [String] = []
    store.drain(tables.mixed) { cells in
      if case .text(let bytes) = cells[0] { seen.append(String(decoding: bytes, as: UTF8.self)) }
    }
    #expect(seen == names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    #expect(store.count(of: tables.mixed) == 0)
  }

  @Test func integersKeepTheirOrderInKeys() throws {
    let tables = Tables()
    let store = MemoryRowStore(schema: tables.schema)
    let numbers: [Int64] = [
      0, 1, -1, 127, 128, 255, 256, -128, -129, 65_535, 65_536, .max, .min, .max - 1, -256, -257,
    ]
    for number in numbers {
      try store.put([.integer(number), .text("n")], in: tables.numbered)
    }
    var seen: [Int64] = []
    store.drain(tables.numbered) { cells in
      if case .integer(let number) = cells[0] { seen.append(number) }
    }
    #expect(seen == numbers.sorted())
  }

  @Test func rowsOfAnIndexComeInKeyOrderAfterItsNewestRowIsRemoved() throws {
    let tables = Tables()
    let store = MemoryRowStore(schema: tables.schema)
    let index = IndexReference(table: tables.numbered, ordinal: 0)
    for id in [5, 3, 9, 1] as [Int64] {
      try store.put([.integer(id), .text("same")], in: tables.numbered)
      _ = try store.rows(by: index, equal: [.text("same")])
    }
    try store.remove(key: [.integer(1)], from: tables.numbered)
    #expect(
      try store.rows(by: index, equal: [.text("same")]).map { $0[0] }
        == [.integer(3), .integer(5), .integer(9)])
  }

  @Test func anIndexBuiltLateHoldsEveryRow() throws {
    let tables = Tables()
    let store = MemoryRowStore(schema: tables.schema)
    for id in 0..<2_000 as Range<Int64> {
      try store.put([.integer(id), .text("n\(id % 7)")], in: tables.numbered)
    }
    for id in stride(from: 0, to: 2_000, by: 3) as StrideTo<Int64> {
      try store.put([.integer(id), .text("changed")], in: tables.numbered)
    }
    let index = IndexReference(table: tables.numbered, ordinal: 0)
    #expect(try store.rows(by: index, equal: [.text("changed")]).count == 667)
    #expect(try store.rows(by: index, equal: [.text("none")]).isEmpty)
  }

  @Test func growsOverManyChunksAndCompactsWhatWasReplaced() throws {
    let tables = Tables()
    let store = MemoryRowStore(schema: tables.schema)
    let long = String(repeating: "x", count: 900)
    for round in 0..<4 {
      for id in 0..<3_000 as Range<Int64> {
        try store.put([.integer(id), .text("\(long) \(round) \(id)")], in: tables.numbered)
      }
    }
    #expect(store.count(of: tables.numbered) == 3_000)
    #expect(
      try store.row(in: tables.numbered, key: [.integer(2_999)])?[1] == .text("\(long) 3 2999"))
  }

  @Test func rowsLongerThanAChunkLieBetweenOthers() throws {
    let tables = Tables()
    let store = MemoryRowStore(schema: tables.schema)
    func text(_ id: Int64) -> String {
      String(repeating: "\(id % 10)", count: id % 3 == 0 ? 700_000 * Int(id) : 100)
    }
    for id in 0..<10 as Range<Int64> {
      try store.put([.integer(id), .text(text(id))], in: tables.numbered)
    }
    for id in 0..<10 as Range<Int64> {
      #expect(try store.row(in: tables.numbered, key: [.integer(id)])?[1] == .text(text(id)))
    }
  }

  private static func row(of table: TableDescription, _ random: inout SplitMix) -> [Value] {
    table.columns.map { column in
      if column.isNullable, random.below(4) == 0 { return .null }
      switch column.type {
      case .integer: return .integer(Int64(random.below(40)) - 10)
      case .real: return .real(Double(random.below(9)) / 4)
      case .text: return .text(["", "a", "A", "é", "ab", "林檎", "x y"][random.below(7)])
      case .id:
        return .id(EntityID(high: UInt64(random.below(3)), low: UInt64(random.below(5))))
      case .time: return .time(Timestamp(milliseconds: Int64(random.below(5)) - 2))
      case .blob: return .blob([UInt8(random.below(3))])
      }
    }
  }
}
