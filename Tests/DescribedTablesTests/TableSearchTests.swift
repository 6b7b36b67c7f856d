import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `rows --search` against a plain model, which looks at the words of each row.
@Suite(
  "Rows are found by their words",
  .promise(
    "Rows are found by key, name, values and words as a plain model finds them, and their "
      + "CSV is read again",
    by: "compared with a plain model"))
struct TableSearchTests {
  private static let kind = """
    {"kind": "shop", "version": 1, "tables": {
      "goods": {"key": "sku", "search": ["name", "vendor"],
        "columns": {"sku": "text", "name": "text", "vendor": "text?", "price": "integer"}},
      "parts": {"key": ["a", "b"], "search": "name", "columns": {"a": "integer", "b": "text", "name": "text"}},
      "lines": {"key": "whole row", "search": ["name"], "columns": {"name": "text", "n": "integer"}}},
     "events": {"goods.gone": {"data": {"sku": "text"}, "does": [{"remove": "goods", "key": ["$sku"]}]},
      "goods.named": {"data": {"sku": "text", "name": "text"},
        "does": [{"set": "goods", "key": ["$sku"], "to": {"name": "$name"}}]}}}
    """
  private static let words = ["lamp", "Lamps", "SLIM", "tap", "brass", "2nd", "Spade"]

  private struct Rows {
    let table: String
    let header: String
    /// The places of the columns that are searched.
    let searched: [Int]
    var rows: [[String]] = []

    var csv: String { ([header] + rows.map(line)).joined(separator: "\n") + "\n" }

    /// A row as CSV: nothing between two commas would be NULL.
    private func line(_ row: [String]) -> String {
      row.map { $0.isEmpty ? "\"\"" : $0 }.joined(separator: ",")
    }

    /// The rows that have each word, and one that begins with the last, sorted.
    func found(_ query: String) -> [String] {
      let wanted = query.lowercased().split(separator: " ").map(String.init)
      return rows.filter { row in
        let words = searched.flatMap { row[$0].lowercased().split(separator: " ") }.map(String.init)
        return wanted.dropLast().allSatisfy(words.contains)
          && words.contains { $0.hasPrefix(wanted.last ?? "") }
      }.map(line).sorted()
    }
  }

  private let folder: ScratchFolder
  private let catalog: String

  init() throws {
    folder = try ScratchFolder()
    catalog = folder.file("catalog")
    let kind = try folder.write(Self.kind, to: "kind.json")
    try run("init", "--describe", kind)
  }

  @discardableResult
  private func run(_ words: String..., status: Int32 = 0) throws -> Program {
    let run = try Program([BuiltProgram.path("catalogctl")] + words + ["--catalog", catalog])
    try #require(run.status == status, "\(words): \(run.everything)")
    return run
  }

  private func head() throws -> String {
    String(try run("head").output.split(separator: " ")[0])
  }

  private func requireFound(
    _ tables: [Rows], at moment: String?, _ random: inout SplitMix
  ) throws {
    for table in tables {
      for _ in 0..<3 {
        let first = random.pick(Self.words)
        let query =
          random.below(2) == 0 ? String(first.prefix(3)) : first + " " + random.pick(Self.words)
        let run = try Program(
          [
            BuiltProgram.path("catalogctl"), "rows", table.table, "--search", query, "--csv",
            "--catalog", catalog,
          ]
            + (moment.map { ["--at", $0] } ?? []))
        let lines = run.output.split(separator: "\n").dropFirst().map(String.init).sorted()
        #expect(lines == table.found(query), "\(table.table), \(query), \(moment ?? "live")")
      }
    }
  }

  @Test("Live and in the past, after imports, events and a revert", arguments: [UInt64(1), 2, 3])
  func agreesWithAModel(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    func name() -> String {
      (0..<random.below(4)).map { _ in random.pick(Self.words) }.joined(separator: " ")
    }
    var goods = Rows(table: "goods", header: "sku,name,vendor,price", searched: [1, 2])
    var parts = Rows(table: "parts", header: "a,b,name", searched: [2])
    var lines = Rows(table: "lines", header: "name,n", searched: [0])
    var past: [(moment: String, tables: [Rows])] = []
    for _ in 0..<3 {
      goods.rows = (0..<25).filter { _ in random.below(4) > 0 }.map {
        ["s\($0)", name(), random.pick(Self.words), "7"]
      }
      parts.rows = (0..<25).filter { _ in random.below(4) > 0 }.map { ["\($0 - 9)", "b", name()] }
      lines.rows = (0..<25).map { _ in [name(), "\(random.below(2))"] }
      for table in [goods, parts, lines] {
        let file = try folder.write(table.csv, to: table.table + ".csv")
        try run("import", "\(table.table)=\(file)", "--complete", "--allow-removal")
      }
      past.append((try head(), [goods, parts, lines]))
    }
    let (gone, named) = (goods.rows[0][0], goods.rows[1][0])
    try run("record", "goods.gone", "sku=\(gone)")
    try run("record", "goods.named", "sku=\(named)", "name=brass tap")
    goods.rows[1][1] = "brass tap"
    goods.rows.removeFirst()
    past.append((try head(), [goods, parts, lines]))
    let event = try head()
    try run("revert", event)
    goods.rows[0][1] = past[2].tables[0].rows[1][1]
    try requireFound([goods, parts, lines], at: nil, &random)
    for (moment, tables) in past { try requireFound(tables, at: moment, &random) }
    try run("verify")
    try run("rebuild")
    try requireFound([goods, parts, lines], at: nil, &random)
  }

  @Test("A misspelt word has a suggestion, and other tables say how they are searched")
  func suggests() throws {
    let file = try folder.write("sku,name,vendor,price\nA,Café Straße,,1\n", to: "goods.csv")
    try run("import", "goods=\(file)")
    #expect(try run("rows", "goods", "--search", "strasse cafe").output.contains("Café Straße"))
    #expect(
      try run("rows", "goods", "--search", "strase").errors.contains("did you mean \"strasse\"?"))
    let other = try run("rows", "projection_goods_words", "--search", "x", status: 64)
    #expect(other.errors.contains("is not searched"), "\(other.errors)")
  }
}
