import CatalogModel
import CatalogTestSupport
import DescribedTables
import Projections
import Promises
import Testing

@Suite(
  "Differences between documents and tables",
  .promise("After an import a table is what its document has", by: "compared with a model"))
struct DifferenceTests {
  /// Compares a row of values, as a store gives cells.
  static func add(_ row: [Value], to comparison: TableComparison) {
    func next(_ place: Int, _ cells: [PackedCell]) {
      guard place < row.count else { return comparison.add(cells) }
      row[place].withCell { next(place + 1, cells + [$0]) }
    }
    next(0, [])
  }

  @Test("The difference is that of a plain model, for random rows", arguments: 1...40)
  func agreesWithModel(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    func rows() -> [String: [Value]] {
      var rows: [String: [Value]] = [:]
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        let key = "k\(Int.random(in: 0..<50, using: &random))"
        let price = [Value.null, .real(1), .real(2.5)].randomElement(using: &random) ?? .null
        rows[key] = [
          .text(key), .text(["A", "B"].randomElement(using: &random) ?? ""), price,
          .integer(Int64.random(in: -1...1, using: &random)), .text(""),
        ]
      }
      return rows
    }
    let (present, wanted) = (rows(), rows())
    func cell(_ value: Value) -> String {
      switch value {
      case .text(let text): text
      case .integer(let integer): String(integer)
      case .real(let real): "\(real)"
      default: ""
      }
    }
    // Sorted rows are searched otherwise than others, and the first one that is out of order is known late.
    var ordered = wanted.sorted { $0.key < $1.key }.map(\.value)
    switch seed % 3 {
    case 0: ordered.shuffle(using: &random)
    case 1 where ordered.count > 1: ordered.swapAt(ordered.count - 1, ordered.count / 2)
    default: break
    }
    let text =
      "sku,name,price,stock,ean\n"
      + ordered.map { $0.map(cell).joined(separator: ",") + "\n" }.joined()
    let isComplete = Bool.random(using: &random)
    var request = TableDocumentRequest()
    request.isComplete = isComplete
    let kind = CSVDocumentTests.shop.replacing(", \"unique\": true", with: "")
    let document = try TableDocumentReader(
      KindDescription.read(Array(kind.utf8), file: "kind.json"), "products", request
    ).read(SourceFile(name: "shop.csv", bytes: Array(text.utf8)))
    let comparison = TableComparison(document.tables[0], of: document)
    let sorted = present.sorted { $0.key < $1.key }.map(\.value)
    for row in seed % 2 == 0 ? sorted : Array(present.values) { Self.add(row, to: comparison) }
    let difference = try comparison.finish()

    let added = difference.added.map { difference.whole(Int($0)) }
    #expect(Set(added) == Set(wanted.filter { present[$0.key] == nil }.values))
    let gone = present.keys.filter { wanted[$0] == nil }
    #expect(Set(difference.removed.map(\.key)) == (isComplete ? Set(gone.map { [.text($0)] }) : []))
    var changed: [Value: [String]] = [:]
    for group in difference.changed {
      for row in group.rows {
        changed[document.tables[0].value(0, of: row)] = group.columns.map {
          document.tables[0].columns[$0].name
        }
      }
    }
    let names = document.tables[0].columns.map(\.name)
    for (key, row) in wanted {
      guard let other = present[key] else { continue }
      let expected = row.indices.filter { row[$0] != other[$0] }.map { names[$0] }
      #expect(changed[.text(key)] ?? [] == expected)
    }
    let cells = difference.changesByColumn.reduce(0) { $0 + $1.count }
    #expect(cells == changed.values.reduce(0) { $0 + $1.count })
  }

  @Test("A key that is there twice is found wherever it is, with both lines", arguments: 1...20)
  func findsRepeatedKeys(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let type = ["text", "integer"][Int(seed % 2)]
    let table = #"{"key": ["a", "b"], "columns": {"a": "\#(type)", "b": "text"}}"#
    let kind = #"{"kind": "k", "version": 1, "tables": {"t": \#(table)}}"#
    var keys = Set((0..<40).map { _ in Int.random(in: -200...20_000, using: &random) }).sorted()
    let twice = Int.random(in: 0..<keys.count, using: &random)
    let place = Int.random(in: (twice + 1)...keys.count, using: &random)
    keys.insert(keys[twice], at: place)
    let text = "b,a\n" + keys.map { "x,\($0)\n" }.joined()
    let error = #expect(throws: DocumentError.self) {
      try TableDocumentReader(
        KindDescription.read(Array(kind.utf8), file: "kind.json"), "t", TableDocumentRequest()
      ).read(SourceFile(name: "t.csv", bytes: Array(text.utf8)))
    }
    let description = error.map { "\($0)" } ?? ""
    #expect(description.contains("line \(place + 2)"), "\(description)")
    #expect(description.contains("is also on line \(twice + 2)"), "\(description)")
  }

  private func difference(
    _ text: String, kind: String, present: [[Value]], complete: Bool = true,
    scope: [(column: String, text: String)] = []
  ) throws -> TableDifference {
    var request = TableDocumentRequest()
    request.isComplete = complete
    request.scope = scope
    let document = try TableDocumentReader(
      KindDescription.read(Array(kind.utf8), file: "kind.json"), "t", request
    ).read(SourceFile(name: "t.csv", bytes: Array(text.utf8)))
    let comparison = TableComparison(document.tables[0], of: document)
    for row in present { Self.add(row, to: comparison) }
    return try comparison.finish()
  }

  private static let stamped = """
    {"kind": "k", "tables": {"t": {"key": "id", "columns": {
      "id": "integer", "name": "text", "seen": {"type": "text", "ignore": "alone"}}}}}
    """

  @Test("A column that is new alone makes no change, and goes along with others")
  func ignoresAlone() throws {
    let present: [[Value]] = [
      [.integer(1), .text("A"), .text("old")], [.integer(2), .text("B"), .text("old")],
    ]
    let difference = try difference(
      "id,name,seen\n1,A,new\n2,C,new\n", kind: Self.stamped, present: present)
    #expect(difference.quietRows == 1)
    #expect(difference.changed.map(\.columns) == [[1, 2]])
    #expect(difference.changed.map(\.rows) == [[1]])
  }

  @Test("Equal rows of a table without a key are counted")
  func countsEqualRows() throws {
    let kind = """
      {"kind": "k", "tables": {"t": {"key": "whole row", "columns": {"a": "text", "b": "integer?"}}}}
      """
    let row: (String, Int64?) -> [Value] = { [.text($0), .integer($1)] }
    let difference = try difference(
      "a,b\nx,1\nx,1\nx,1\ny,\n", kind: kind,
      present: [row("x", 1), row("z", 1), row("y", nil), row("y", nil)])
    #expect(difference.added.map { difference.rows.repetition(Int($0)) } == [2, 3])
    #expect(difference.removed.map(\.key) == [row("y", nil), row("z", 1)])
    #expect(difference.removed.map(\.repetition) == [2, nil])
    #expect(difference.changed.isEmpty)
  }

  @Test("A whole document of a scope removes nothing beyond it")
  func keepsOutOfScope() throws {
    let difference = try difference(
      "id,seen\n1,s\n", kind: Self.stamped,
      present: [
        [.integer(1), .text("A"), .text("s")], [.integer(2), .text("A"), .text("s")],
        [.integer(3), .text("B"), .text("s")],
      ],
      scope: [("name", "A")])
    #expect(difference.removed.map(\.key) == [[.integer(2)]])
    #expect(difference.inScopeCount == 2)
  }

  @Test("The most common change is named", arguments: [true, false])
  func namesCommonChange(isComplete: Bool) throws {
    let present: [[Value]] = (0..<50).map {
      [.integer(Int64($0)), .text($0 < 30 ? "Bath/Taps" : "n\($0)"), .text("s")]
    }
    let lines = (0..<50).map { "\($0),\($0 < 30 ? "Lighting/Lamps" : "m\($0)"),s\n" }.joined()
    let difference = try difference(
      "id,name,seen\n" + lines, kind: Self.stamped, present: present, complete: isComplete)
    let change = try #require(difference.commonest.first)
    #expect(change.column == "name" && change.count == 30)
    // Two of the others, each of which one row has.
    #expect(difference.commonest.dropFirst().map(\.count) == [1, 1])
    #expect(change.before == .text("Bath/Taps") && change.after == .text("Lighting/Lamps"))
    #expect(difference.changesByColumn.map(\.count) == [50])
  }

  @Test(
    "A table of 20 rows or more may not shrink by more than the limit",
    arguments: [
      (rows: 19, left: 0, new: 0, isRefused: false), (rows: 20, left: 16, new: 0, isRefused: false),
      (rows: 20, left: 15, new: 0, isRefused: true), (rows: 20, left: 0, new: 20, isRefused: false),
      (rows: 20, left: 0, new: 15, isRefused: true),
    ])
  func guardsRemoval(rows: Int, left: Int, new: Int, isRefused: Bool) throws {
    let present: [[Value]] = (0..<rows).map { [.integer(Int64($0)), .text("A"), .text("s")] }
    let lines = (Array(0..<left) + Array(1_000..<1_000 + new)).map { "\($0),A,s\n" }.joined()
    let difference = try difference("id,name,seen\n" + lines, kind: Self.stamped, present: present)
    let refusal = difference.refusal(.standard)
    #expect((refusal != nil) == isRefused)
    #expect(difference.refusal(.any) == nil)
    if let refusal { #expect(refusal.sentence == "\(rows - left) of 20 rows of t would go") }
  }

  @Test("A new row needs each column that is never NULL")
  func needsColumns() throws {
    let error = try #require(throws: DocumentError.self) {
      try difference("id,seen\n1,s\n2,s\n", kind: Self.stamped, present: [], complete: false)
    }
    #expect(
      error.description.contains("line 2: the row is new, and the document has no name"), "\(error)"
    )
  }
}
