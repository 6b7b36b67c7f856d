import CatalogEngine
import CatalogModel
import CatalogTestSupport
import DescribedTables
import KindConformance
import Projections
import Promises
import Testing

/// Reverts of random changes of described tables, whole and in part, each compared with a plain model of the cells.
@Suite(
  "Reverts of generated histories of tables",
  .promise(
    "A revert restores the cells that only the operation wrote, and no other",
    by: "generated tables; 2,000 operations with `TEST_ALL=1`"))
struct TableRevertHistoryTests {
  @Test(
    "Any operations are taken back",
    arguments: Sample.reverts(
      RevertLength(seed: 1, batches: 60, reverts: 40),
      RevertLength(seed: 2, batches: 60, reverts: 40)))
  func anyOperations(_ length: RevertLength) throws {
    let kind = DescribedKind(
      try KindDescription.read(Array(TableStates.description.utf8), file: "kind.json"))
    var states = TableStates(seed: length.seed)
    let trial = try RevertTrial(kind, parts: TableStates.parts) { _ in nil }
    let batches =
      [[.described(DescribedMoment(kind.description))]]
      + (0..<length.batches).map { _ in states.change() }
    let finding = try trial.run(batches, reverts: length.reverts, seed: length.seed)
    #expect(finding == nil, "\(finding ?? "")")
  }
}

/// States of three tables, one after the other, as a program would have them that writes a list each night.
struct TableStates {
  static let description = """
    { "kind": "reverted-tables", "version": 1,
      "tables": {
        "shelf": { "key": "name", "columns": {"name": "text", "room": "text?"} },
        "product": { "key": "sku",
          "columns": {"sku": "text", "name": "text", "price": "number?", "stock": {"type": "integer", "default": 0},
            "ean": {"type": "text?", "unique": true},
            "shelf": {"type": "text?", "refers": "shelf", "gone": "refuse"}} },
        "price": { "key": ["sku", "day"],
          "columns": {"sku": {"type": "text", "refers": "product", "gone": "remove"}, "day": "integer",
            "amount": "number"} } } }
    """

  static let parts = [
    RevertPart(tables: ["product"]), RevertPart(tables: ["price", "shelf"]),
    RevertPart(columns: ["stock", "amount"]), RevertPart(tables: ["product"], columns: ["ean"]),
    RevertPart(tables: ["product"], columns: ["name", "shelf"]),
  ]

  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  /// Events that put and remove some rows. Those that contradict the rows are left out by the trial.
  mutating func change() -> [TableEvent] {
    (0...random.below(4)).map { _ in event() }
  }

  private mutating func text(_ prefix: String, _ count: Int) -> Value {
    .text("\(prefix)\(random.below(count))")
  }

  private mutating func event() -> TableEvent {
    let shelf = random.below(3) == 0 ? Value.null : text("S", 3)
    let ean = random.below(2) == 0 ? Value.null : text("e", 9)
    switch random.below(9) {
    case 0: return put("shelf", ["name", "room"], [text("S", 3), text("r", 3)])
    case 1: return gone("shelf", ["name"], [text("S", 3)])
    case 2, 3:
      return put(
        "product", ["sku", "name", "price", "stock", "ean", "shelf"],
        [
          text("p", 6), text("n", 3), .real(Double(random.below(4))),
          .integer(Int64(random.below(4))), ean, shelf,
        ])
    case 4:
      return put("product", ["sku", "stock"], [text("p", 6), .integer(Int64(random.below(9)))])
    case 5: return put("product", ["sku", "ean"], [text("p", 6), ean])
    case 6: return gone("product", ["sku"], [text("p", 6)])
    case 7:
      return put(
        "price", ["sku", "day", "amount"],
        [text("p", 6), .integer(Int64(random.below(3))), .real(Double(random.below(5)))])
    default:
      return gone("price", ["sku", "day"], [text("p", 6), .integer(Int64(random.below(3)))])
    }
  }

  private func put(_ table: String, _ columns: [String], _ row: [Value]) -> TableEvent {
    .rowsPut(RestoredRows(table: table, columns: columns, rows: [row], key: [], gone: []))
  }

  private func gone(_ table: String, _ key: [String], _ values: [Value]) -> TableEvent {
    .rowsPut(RestoredRows(table: table, columns: [], rows: [], key: key, gone: [values]))
  }
}
