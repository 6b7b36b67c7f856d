import CatalogTestSupport
import Promises
import Testing

@testable import Projections

/// Compares what an observed store reports with the states of a plain one that gets the same calls.
@Suite(
  .promise("Each change of a watched row is reported once, with the row before and after it"))
struct ObservedRowStoreTests {
  private let table: TableDescription
  private let schema: Schema

  init() {
    var schema = Schema()
    table = schema.add(
      "pairs", columns: [Column("id", .integer), Column("name", .text, unique: true)], key: ["id"])
    self.schema = schema
  }

  @Test(arguments: 0..<20)
  func eachChangeOfAWatchedRowIsReported(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let plain = MemoryRowStore(schema: schema)
    var reported: [RowChange] = []
    let observed = ObservedRowStore(
      MemoryRowStore(schema: schema), isWatched: { _, key in key != [.integer(3)] },
      onChange: { reported.append($0) })
    for _ in 0..<200 {
      let key: [Value] = [.integer(Int64.random(in: 0..<5, using: &random))]
      let row: [Value]? =
        Bool.random(using: &random)
        ? key + [.text("\(Int.random(in: 0..<8, using: &random))")] : nil
      let before = try plain.row(in: table, key: key)
      let isAccepted = (try? change(plain, key, to: row)) != nil
      reported = []
      #expect(((try? change(observed, key, to: row)) != nil) == isAccepted)
      let isReported = isAccepted && key != [.integer(3)]
      #expect(reported.map(\.key) == (isReported ? [key] : []))
      #expect(reported.map(\.before) == (isReported ? [before] : []))
      #expect(reported.map(\.after) == (isReported ? [row] : []))
      #expect(try observed.rows(in: table) == plain.rows(in: table))
    }
  }

  /// A row without a key goes to the base, which refuses it.
  @Test(arguments: [[], [.integer(1)], [.integer(1), .text("a"), .null]] as [[Value]])
  func aRowOfAnotherLengthIsRefused(row: [Value]) throws {
    let observed = ObservedRowStore(MemoryRowStore(schema: schema)) { _ in
      Issue.record("nothing changed")
    }
    let error = #expect(throws: ProjectionError.self) { try observed.put(row, in: table) }
    #expect(error?.code == .invalidRow)
  }

  private func change(_ store: some RowStore, _ key: [Value], to row: [Value]?) throws {
    if let row { try store.put(row, in: table) } else { try store.remove(key: key, from: table) }
  }
}
