import CatalogTestSupport
package import Projections
import Promises
import Testing

/// Changes over rows that stay as they are answer as the changed rows themselves do.
@Suite(
  .promise(
    "The two row stores make the same rows, and answer the same in any order of calls",
    by: "changes over rows that stay"))
struct OverlaidRowStoreTests {
  private typealias Tables = ShelfTables

  private static let tables = Tables.various

  @Test(arguments: (1...12).map { UInt64($0) })
  func anySequenceOfCallsAnswersAsTheChangedRows(seed: UInt64) throws {
    let base = MemoryRowStore(schema: Tables.schema)
    let model = MemoryRowStore(schema: Tables.schema)
    var random = RandomRows(seed: seed)
    // The more rows lie below, the more are covered.
    for _ in 0..<Int(seed * 20) { try random.step(Self.tables, base, model) }
    let below = Self.tables.map { base.rows(in: $0) }
    let overlaid = OverlaidRowStore(base, Tables.schema)
    for _ in 0..<1_200 { try random.step(Self.tables, overlaid, model) }
    for table in Self.tables {
      #expect(try overlaid.rows(in: table) == model.rows(in: table), "\(table.name), seed \(seed)")
    }
    #expect(Self.tables.map { base.rows(in: $0) } == below, "seed \(seed)")
  }

  /// A value that a row below has, has no more, or has again.
  @Test(arguments: (1...12).map { UInt64($0) })
  func aValueThatARowHasIsRefusedAlike(seed: UInt64) throws {
    let base = MemoryRowStore(schema: Tables.schema)
    let model = MemoryRowStore(schema: Tables.schema)
    var random = RandomRows(seed: seed)
    let tables = Self.tables.filter { !$0.uniques.isEmpty }
    #expect(!tables.isEmpty)
    for _ in 0..<30 { try random.step(tables, base, model) }
    let overlaid = OverlaidRowStore(base, Tables.schema)
    var refused = 0
    for _ in 0..<600 {
      let table = try #require(tables.randomElement(using: &random.random))
      let row = random.row(of: table)
      if Int.random(in: 0..<4, using: &random.random) == 0 {
        try overlaid.remove(key: table.key(of: row), from: table)
        try model.remove(key: table.key(of: row), from: table)
        continue
      }
      let expected = Result { try model.put(row, in: table) }
      let found = Result { try overlaid.put(row, in: table) }
      switch (expected, found) {
      case (.success, .success): continue
      case (.failure(let one as ProjectionError), .failure(let other as ProjectionError)):
        #expect(one.code == other.code)
        refused += 1
      default: Issue.record("\(expected) and \(found), \(table.name), seed \(seed)")
      }
    }
    #expect(refused > 0)
    for table in tables { #expect(try overlaid.rows(in: table) == model.rows(in: table)) }
  }
}

/// For tests, by reading all rows.
extension MemoryRowStore: SearchedRows {
  package func visitRows(
    of table: TableDescription, where columns: [Int], are values: [Value],
    _ visit: ([Value]) throws -> Bool
  ) throws {
    for row in rows(in: table) where columns.map({ row[$0] }) == values {
      guard try visit(row) else { return }
    }
  }
}
