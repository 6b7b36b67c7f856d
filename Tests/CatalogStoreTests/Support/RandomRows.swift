import CatalogModel
import CatalogTestSupport
import Projections
import Testing

/// Calls of a row store with few keys, so that rows meet.
struct RandomRows {
  var random: SplitMix
  private let numbers: Int64

  /// - Parameter numbers: how many keys a column has.
  init(seed: UInt64, numbers: Int64 = 6) {
    random = SplitMix(seed: seed)
    self.numbers = numbers
  }

  mutating func step(
    _ tables: [TableDescription], _ store: some RowStore, _ model: MemoryRowStore
  ) throws {
    guard let table = tables.randomElement(using: &random) else { return }
    let row = row(of: table)
    let key = table.key(of: row)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<45:
      guard isUnique(row, table, model) else { return }
      try store.put(row, in: table)
      try model.put(row, in: table)
    case 45..<60:
      try store.remove(key: key, from: table)
      try model.remove(key: key, from: table)
    case 60..<72:
      #expect(try store.row(in: table, key: key) == model.row(in: table, key: key))
    case 72..<78:
      let column = Int.random(in: 0..<table.columns.count, using: &random)
      #expect(
        try store.value(column, in: table, key: key) == model.value(column, in: table, key: key))
    case 78..<95:
      guard !table.indexes.isEmpty else { return }
      let index = IndexReference(
        table: table, ordinal: Int.random(in: 0..<table.indexes.count, using: &random))
      let values = index.description.columns.map { row[$0] }
      #expect(
        try store.rows(by: index, equal: values) == model.rows(by: index, equal: values),
        "\(table.name)")
      #expect(
        try store.value(0, by: index, equal: values) == model.value(0, by: index, equal: values))
    default:
      guard table.key.count == 1, table.columns[table.key[0]].type == .integer else { return }
      #expect(try store.greatestKey(in: table) == model.greatestKey(in: table), "\(table.name)")
    }
  }

  mutating func row(of table: TableDescription) -> [Value] {
    table.columns.enumerated().map { place, column in
      let number = Int64.random(in: 0..<numbers, using: &random)
      if column.isNullable, Int.random(in: 0..<4, using: &random) == 0 { return .null }
      switch column.type {
      case .integer: return .integer(number)
      case .real: return .real([0.5, 1, 0, 2.25][Int(number % 4)])
      case .text:
        if column.name == "kind" { return .text(["novel", "essay", "poem"][Int(number % 3)]) }
        // Two of them are canonically equivalent, and other bytes.
        let texts = ["", "caf\u{E9}", "cafe\u{301}", "one two", "two", "Two"]
        return .text(number < 6 ? texts[Int(number)] : "text \(number)")
      case .id: return .id(EntityID(high: UInt64(number % 3) << 56, low: UInt64(number)))
      case .time: return .time(Timestamp(milliseconds: number * 1_000))
      case .blob: return .blob([UInt8(truncatingIfNeeded: number)])
      case .any: return [.integer(number), .real(1), .text("1"), .blob([49])][Int(number % 4)]
      }
    }
  }

  /// A projector never gives two rows the same of what is unique.
  func isUnique(
    _ row: [Value], _ table: TableDescription, _ model: MemoryRowStore
  ) -> Bool {
    table.uniques.allSatisfy { unique in
      model.rows(in: table).allSatisfy { other in
        !unique.allSatisfy { other[$0] != .null && other[$0] == row[$0] }
          || table.key(of: other) == table.key(of: row)
      }
    }
  }
}
