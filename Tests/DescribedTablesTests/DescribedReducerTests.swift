import CatalogEngine
import CatalogModel
import CatalogTestSupport
import DescribedTables
import Foundation
import Projections
import Promises
import Testing

/// Histories that are generated, with changes of the description, folded by the projector and by a second reducer, which was
/// written from the page and carries each description out when it comes.
@Suite(
  "The rows of a described kind are what a second reader of the log makes of it",
  .promise(
    "The rows of a described kind are what a second reader finds in its log, whatever its "
      + "database says",
    by: "`Tools/table-reducer.py` over generated histories with changes of the description"))
struct DescribedReducerTests {
  @Test("Generated histories", arguments: [1, 2, 3, 4, 5, 6])
  func areTheSame(seed: UInt64) async throws {
    let folder = try ScratchFolder()
    var history = try GeneratedHistory(seed: seed, folder.path)
    try history.run(steps: 60)
    #expect(try SecondReader.complaint(of: folder.path) == nil, "seed \(seed)")
    #expect(history.appended > 20, "seed \(seed) appended \(history.appended)")
    #expect(history.changes > 1, "seed \(seed) changed the description \(history.changes) times")
  }
}

/// A catalog whose events and changes of the description are made up.
struct GeneratedHistory {
  private var random: SplitMix
  private let directory: CatalogDirectory
  private(set) var kind: DescribedKind
  private(set) var appended = 0
  private(set) var changes = 0
  private var columnNumber = 0

  init(seed: UInt64, _ path: String) throws {
    random = SplitMix(seed: seed)
    directory = CatalogDirectory(path)
    kind = DescribedKind(try Stock.description())
  }

  mutating func run(steps: Int) throws {
    _ = try TableCatalog.create(in: directory, kind, options: OpeningOptions())
    for _ in 0..<steps {
      if random.below(8) == 0 {
        try changeDescription()
      } else {
        try append(random.below(3) == 0 ? put() : own())
      }
    }
  }

  private mutating func append(_ event: TableEvent) throws {
    let catalog = EventCatalog(
      kind, try OpenedCatalog.openExisting(directory, kind, options: OpeningOptions()))
    defer { catalog.close() }
    do {
      try catalog.changeNow(by: "person") { _ in [event] }
      appended += 1
    } catch let error as ProjectionError {
      // An event that contradicts the rows is refused, and the log stays as it is.
      #expect(error.code != .foreign, "\(error)")
    } catch let error as CatalogError where error.code == .changeRefused {}
  }

  private var product: DescribedTable {
    kind.description.tables.first { $0.columns.contains { $0.name == "sku" } }
      ?? kind.description.tables[0]
  }

  private mutating func sku() -> String {
    random.pick(["a", "b", "c", "Gru\u{308}n", "Gr\u{fc}n"])
  }

  private mutating func put() -> TableEvent {
    let columns = product.columns.filter { column in
      column.name == "sku" || column.name == "name" || random.below(2) == 0
    }
    if random.below(5) == 0 {
      return Stock.put(product.name, [], [], key: ["sku"], gone: [[.text(sku())]])
    }
    var rows: [[Value]] = []
    for sku in Set((0..<random.below(3) + 1).map { _ in self.sku() }).sorted() {
      rows.append(columns.map { $0.name == "sku" ? .text(sku) : value($0) })
    }
    return Stock.put(product.name, columns.map(\.name), rows)
  }

  private mutating func value(_ column: DescribedColumn) -> Value {
    if column.isOptional, random.below(3) == 0 { return .null }
    switch column.type {
    case .any:
      return random.pick([
        .integer(1), .real(1), .text("1"), .text("e\u{301}"), .blob([49]),
        .blob(Array("e\u{301}".utf8)),
        .real(0.5), .integer(.max),
      ])
    case .text:
      return .text(
        random.pick(["", "x", "e\u{301}", "O'Brien \"q\"", "1"]) + String(random.below(4)))
    case .integer: return .integer(random.pick([0, -1, .max, .min, 9_007_199_254_740_993, 5]))
    case .number: return .real(random.pick([0, 0.1, -2.5, 1e300, 3]))
    case .flag: return .flag(random.below(2) == 0)
    case .time: return .text("2026-01-3\(random.below(2))T12:00:00.000Z")
    case .id: return .text("6f7ddbb0-95a3-4b0f-8a6e-0d0d2f7a1c0\(random.below(9))")
    case .blob: return .blob([UInt8(random.below(256)), 0])
    case .json: return .text("{\"a\":[1,\(random.below(9))]}")
    }
  }

  private mutating func own() -> TableEvent {
    switch random.below(7) {
    case 0:
      Stock.own("product.added", ["sku": .string(sku()).logged, "name": .string("New")])
    case 1:
      Stock.own(
        "product.moved",
        [
          "sku": .string(sku()).logged,
          "shelf": random.pick([.null, .string("S1"), .string("none")]),
        ])
    case 2:
      Stock.own(
        "product.sold",
        ["sku": .string(sku()).logged, "pieces": .number(String(random.below(9) - 2))])
    case 3, 4:
      Stock.own(
        "product.tagged",
        ["sku": .string(sku()).logged, "tag": .string(random.pick(["new", "old"]))])
    case 5: Stock.own("tag.removed", ["tag": .string(random.pick(["new", "old"]))])
    default: Stock.own("product.removed", ["sku": .string(sku()).logged])
    }
  }

  /// Renames, adds, drops and widens what no event of the kind's own names; events name the others by their names then.
  private mutating func changeDescription() throws {
    var new = kind.description
    guard let place = new.tables.firstIndex(where: { $0.name == product.name }) else { return }
    let free = new.tables[place].columns.indices.filter {
      !["sku", "name", "shelf", "price", "pieces", "ean", "more", "seen"].contains(
        new.tables[place].columns[$0].name)
    }
    var dropped: Set<String> = []
    columnNumber += 1
    switch random.below(4) {
    case 0:
      new.tables[place].columns.append(
        DescribedColumn("c\(columnNumber)", .integer, default: .integer(Int64(columnNumber))))
    case 1 where !free.isEmpty:
      let column = random.pick(free)
      new.tables[place].columns[column].was = new.tables[place].columns[column].name
      new.tables[place].columns[column].name = "r\(columnNumber)"
    case 2 where !free.isEmpty:
      let column = random.pick(free)
      dropped = ["\(product.name).\(new.tables[place].columns[column].name)"]
      new.tables[place].columns.remove(at: column)
    default:
      let narrow = free.filter { [.integer, .flag].contains(new.tables[place].columns[$0].type) }
      guard !narrow.isEmpty else { return }
      let column = random.pick(narrow)
      new.tables[place].columns[column].type = .text
      new.tables[place].columns[column].standard = new.tables[place].columns[column].standard.map {
        if case .integer(let integer) = $0 { .text(String(integer)) } else { $0 }
      }
    }
    let change = try DescriptionChange(
      from: kind.description, to: new.checked(), dropping: dropped)
    let head = try #require(try directory.existingLog().head())
    _ = try TableCatalog.describe(change, in: directory, kind, options: Self.rebuilding)
    kind = DescribedKind(
      kind.program.moments
        + [(head.sequence + 1, DescribedMoment(change.description, moves: change.moves))])
    changes += 1
  }

  private static var rebuilding: OpeningOptions {
    var options = OpeningOptions()
    options.stale = .rebuild
    return options
  }
}

extension JSONValue {
  /// As `record` writes it.
  fileprivate var logged: JSONValue {
    guard case .string(let text) = self,
      text.precomposedStringWithCanonicalMapping.utf8.count
        != text.utf8.count
    else { return self }
    return .object([
      JSONValue.Member(
        key: "base64", value: .string(Data(text.utf8).base64EncodedString()))
    ])
  }
}
