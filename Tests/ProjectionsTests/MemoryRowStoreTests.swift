import CatalogModel
import CatalogTestSupport
import Promises
import Testing

@testable import Projections

/// Holds the packed store against dictionaries.
@Suite(
  .promise(
    "A table of any size is rebuilt in memory, and its rows behave as those of dictionaries",
    by: "a blob of many rows is kept once; places beyond 4 GiB; ordinals"))
struct MemoryRowStoreTests {
  private struct Tables {
    let schema: Schema
    let mixed: TableDescription
    let joins: TableDescription
    let numbered: TableDescription
    let pictures: TableDescription

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
      pictures = schema.add(
        "pictures",
        columns: [
          Column("id", .integer), Column("cover", .blob, nullable: true), Column("title", .text),
          Column("back", .blob),
        ],
        key: ["id"], indexes: [.index("l", on: ["cover"]), .index("m", on: ["title", "back"])])
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
    // Each long blob is kept once, and none that no row has.
    let long = models[tables.pictures.ordinal].values.joined().filter { $0.blobCount >= 1_024 }
    #expect(store.blobByteCount == Set(long).reduce(0) { $0 + $1.blobCount })
    for table in tables.schema.tables {
      let rows = models[table.ordinal].values.sorted {
        table.key(of: $0).shown < table.key(of: $1).shown
      }
      let kept = store.rows(in: table).sorted { table.key(of: $0).shown < table.key(of: $1).shown }
      #expect(kept == rows, "seed \(seed)")
    }
  }

  @Test func aPictureOfManyRowsIsKeptOnce() throws {
    let tables = Tables()
    let store = MemoryRowStore(schema: tables.schema)
    let cover = Value.blob(Array(repeating: 7, count: 1 << 20))
    for id in 0..<5_000 as Range<Int64> {
      try store.put([.integer(id), cover, .text("t"), .blob([1])], in: tables.pictures)
    }
    #expect(store.blobByteCount == 1 << 20)
    // 5 GB, if each row had its own.
    #expect(store.drain(tables.pictures).count == 5_000)
  }

  @Test func aTableIsCompactedBeforeItsOrdinalsEnd() throws {
    let tables = Tables()
    var schema = tables.schema
    schema.limits.ordinals = 5
    let store = MemoryRowStore(schema: schema)
    for id in 0..<100 as Range<Int64> {
      try store.put([.integer(id), .text("n\(id)")], in: tables.numbered)
      if id >= 4 { try store.remove(key: [.integer(id - 4)], from: tables.numbered) }
    }
    #expect(store.rows(in: tables.numbered).map { $0[0] } == (96..<100).map { .integer($0) })
    try store.put([.integer(100), .text("n")], in: tables.numbered)
    let error = #expect(throws: ProjectionError.self) {
      try store.put([.integer(101), .text("n")], in: tables.numbered)
    }
    #expect(error?.code == .limit)
    #expect(error?.message.hasPrefix("numbered has the most rows") == true)
    #expect(store.count(of: tables.numbered) == 5)
  }

  /// The third case has an uncommitted blob when the row is refused.
  @Test func aRefusedRowLeavesNoBlob() throws {
    let tables = Tables()
    let store = MemoryRowStore(schema: tables.schema)
    let long = Value.blob(Array(repeating: 1, count: 4_000))
    for row in [
      [.integer(1), long, .null, .blob([])], [.integer(1), long, .text("\u{0}"), long],
    ] as [[Value]] {
      #expect(throws: ProjectionError.self) { try store.put(row, in: tables.pictures) }
      #expect(store.blobByteCount == 0)
    }
    let found = try store.rows(
      by: IndexReference(table: tables.pictures, ordinal: 0), equal: [long])
    #expect(found.isEmpty)
    #expect(store.blobByteCount == 0)
  }

  @Test func placesBeyondFourGigabytesAreFound() {
    var arena = ByteArena(at: 1 << 32 - 100)
    var places: [(UInt64, [UInt8])] = []
    for length in [50, 40, 200, 1 << 20, 3 << 20, 7] {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ length) }
      places.append((bytes.withUnsafeBytes { arena.append($0) }, bytes))
    }
    #expect(places.last.map { $0.0 > 1 << 32 } == true)
    for (place, bytes) in places {
      let kept = UnsafeRawBufferPointer(start: arena.pointer(place), count: bytes.count)
      #expect(kept.elementsEqual(bytes))
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
      case .any:
        return random.pick([
          .integer(Int64(random.below(9)) - 4), .real(1), .text("1"),
          .blob([UInt8](repeating: 49, count: random.pick([1, 5_000]))),
        ])
      case .blob:
        let lengths = [0, 1, 1_023, 1_024, 1_025, 5_000]
        return .blob(Array(repeating: UInt8(random.below(3)), count: lengths[random.below(6)]))
      }
    }
  }
}

extension Value {
  fileprivate var blobCount: Int { if case .blob(let bytes) = self { bytes.count } else { 0 } }
}

extension [Value] {
  /// For a sort that both sides share.
  fileprivate var shown: String { "\(self)" }
}
