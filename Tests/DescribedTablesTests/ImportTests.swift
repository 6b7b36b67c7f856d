import CatalogEngine
import CatalogModel
import CatalogStore
import CatalogTestSupport
import DescribedTables
import EventLog
import Foundation
import Projections
import Promises
import Testing

/// Documents that are generated, each the whole of its table, imported one after another. After each import the table must
/// be the document, and in the end the second reader must find the same rows in the log.
@Suite(
  "After an import a table is what its document has",
  .promise(
    "After an import a table is what its document has",
    by: "generated documents, and a second reader of the log"))
struct ImportTests {
  @Test("A document that was imported before, and is not the last one, is pointed out")
  func notesAnOldDocument() throws {
    let shop = try TableShop(
      #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text", "v": "integer"}}, "u": {"key": "id", "columns": {"id": "text"}}}}"#
    )
    func take(_ value: Int, _ options: String...) throws -> Program {
      let file = try shop.folder.write("id,v\na,\(value)\nb,7\n", to: "\(value).csv")
      return try shop.run(["import", "t=\(file)"] + options)
    }
    for value in 1...3 {
      let new = try take(value)
      #expect(new.status == 0 && !new.errors.contains("imported before"), "\(new.everything)")
    }
    let event = try #require(
      shop.run("log", "--type", "source.read").output.split(separator: "\n").dropFirst().first?
        .split(separator: " ").first)
    for options in [["--dry-run"], []] {
      let old = try shop.run(["import", "t=\(shop.folder.file("2.csv"))"] + options)
      #expect(
        old.errors.contains(
          "2.csv was imported before, by event \(event), and 1 import came after it"),
        "\(old.everything)")
    }
    for words in [
      ["show", "\(event)"], ["log", "--operations"], ["log", "--operations", "--type", "rows.put"],
    ] {
      let named = try shop.run(words)
      #expect(named.output.contains("2.csv\n"), "\(words): \(named.everything)")
    }
    // Imports of other tables are none of this one.
    for name in ["u", "v"] {
      let file = try shop.folder.write("id\n\(name)\n", to: "\(name).csv")
      #expect(try shop.run("import", "u=\(file)").status == 0)
    }
    let again = try shop.run("import", "t=\(shop.folder.file("1.csv"))", "--dry-run")
    #expect(again.errors.contains(", and 3 imports came after it"), "\(again.everything)")
    // It is the last one now.
    #expect(!(try take(2).errors.contains("imported before")))
    // A row was changed in another way since.
    try shop.take("t", "id,v\nb,8\n", as: "part.csv", "--part")
    let json = try take(2, "--format", "json")
    #expect(json.output.contains("was imported before"), "\(json.everything)")
  }

  @Test("An old document that stays reverted, or is taken again, is called old")
  func notesAnOldRevertedDocument() throws {
    let shop = try TableShop(
      #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text", "v": "integer"}}}}"#
    )
    try shop.take("t", "id,v\na,1\nb,1\n")
    try shop.take("t", "id,v\na,2\n", as: "wrong.csv")
    #expect(try shop.run("revert", "head").status == 0)
    // It is the last one still.
    for options in [["--dry-run"], ["--take-reverted", "--dry-run"]] {
      let taken = try shop.run(["import", "t=\(shop.folder.file("wrong.csv"))"] + options)
      #expect(!taken.errors.contains("imported before"), "\(taken.everything)")
    }
    try shop.take("t", "id,v\nb,3\n", as: "later.csv")
    for (options, verb) in [([], "would be"), (["--take-reverted"], "are")] {
      let taken = try shop.run(["import", "t=\(shop.folder.file("wrong.csv"))"] + options)
      #expect(
        taken.status == 0
          && taken.errors.contains(
            "and 1 import came after it: rows that changed since \(verb) as they were then"),
        "\(taken.everything)")
    }
    #expect(try shop.rows("t") == ["a,2", "b,3"])
  }

  @Test("A list that was cut is refused, whether the one before it was complete or a part")
  func refusesACutListAfterAPart() throws {
    let shop = try TableShop(
      #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text", "v": "text"}}}}"#)
    try shop.take("t", "id,v\na,whole\nb,whole\n", "--complete")
    try shop.take("t", "id,v\na,other\n", as: "part.csv")
    let cut = try shop.take("t", "id,v\na,other\nb,wh", as: "cut.csv", "--complete")
    #expect(
      cut.status == 1 && cut.errors.contains("--unterminated takes it"), "\(cut.everything)")
    #expect(try shop.rows("t") == ["a,other", "b,whole"])
  }

  @Test("A row with an empty key is taken, and pointed out")
  func notesAnEmptyKey() throws {
    let shop = try TableShop(
      #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text", "v": "integer"}}}}"#
    )
    let taken = try shop.take("t", "id,v\na,1\n,2\n")
    #expect(
      taken.status == 0
        && taken.everything.contains("t: 1 row with an empty key, the first on line 3"),
      "\(taken.everything)")
    #expect(!(try shop.take("t", "id,v\nb,\n", as: "b.csv").everything.contains("empty key")))
  }

  @Test("A few keys with a space around them are pointed out, and not those of a fixed width")
  func notesASpaceAroundAKey() throws {
    let shop = try TableShop(
      #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text", "v": "integer"}}}}"#
    )
    let taken = try shop.take("t", "id,v\na,1\n b,2\nc,3\n\"d \",4\n")
    #expect(
      taken.everything.contains("t: 2 rows with a space around the key, the first on line 3"),
      "\(taken.everything)")
    #expect(try shop.rows("t").count == 4)
    let fixed = try shop.take("t", "id,v\na   ,1\nb   ,2\nc123,3\n", as: "fixed.csv")
    #expect(fixed.status == 0 && !fixed.everything.contains("around"), "\(fixed.everything)")
  }

  @Test("A log that is too long to be searched has its history for that")
  func notesAnOldDocumentOfALongLog() throws {
    let shop = try TableShop(
      #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text", "v": "text"}}}}"#)
    var random = SplitMix(seed: 5)
    // No compression makes digits shorter than four tenths of their bytes.
    let noise = (0..<600).map { "\($0),\((0..<1_000).map { _ in "\(random.next())" }.joined())\n" }
    func take(_ name: String, _ value: String) throws -> Program {
      let rows = "id,v\na,\(value)\n" + noise.joined()
      return try shop.run(["import", "t=\(shop.folder.write(rows, to: name))"])
    }
    #expect(try take("long.csv", "").status == 0)
    let bytes = try FileManager.default.contentsOfDirectory(atPath: shop.catalog + "/events").map {
      try Data(contentsOf: URL(filePath: "\(shop.catalog)/events/\($0)")).count
    }
    try #require(bytes.reduce(0, +) > 4 << 20)
    #expect(try take("short.csv", "a").status == 0)
    let event = try #require(
      shop.run("log", "--type", "source.read", "--newest").output.split(separator: " ").first)
    #expect(try take("other.csv", "b").status == 0)
    let old = ["import", "t=\(shop.folder.file("short.csv"))", "--dry-run"]
    #expect(!(try shop.run(old).errors.contains("imported before")))
    #expect(try shop.run("history", "make").status == 0)
    let noted = try shop.run(old)
    #expect(
      noted.errors.contains("short.csv was imported before, by event \(event), and 1 import came"),
      "\(noted.everything)")
  }

  @Test("Documents in a row", arguments: [1, 2, 3, 4])
  func follows(seed: UInt64) async throws {
    let shop = try ImportedShop()
    var documents = Documents(seed: seed, rows: 700)
    for step in 0..<8 {
      documents.change()
      let report = try await shop.take("product", documents.productText)
      try await shop.take("line", documents.lineText)
      let table = try #require(report.documents.first?.tables.first)
      #expect(table.rows == documents.rows.count)
      try await shop.expect(documents, "seed \(seed), step \(step)")
    }
    #expect(try SecondReader.complaint(of: shop.folder.path) == nil, "seed \(seed)")
  }

  @Test(
    "A document of many rows is written as a database of its own, and its events are as small as others"
  )
  func writesMany() async throws {
    let shop = try ImportedShop()
    // Beyond four times `OpenedCatalog.fewEvents`.
    let documents = Documents(seed: 5, rows: 41_000)
    let report = try await shop.take("line", documents.lineText)
    try await shop.take("product", documents.productText)
    try await shop.expect(documents, "many rows")
    #expect(report.eventCount > 41_000 / 500)
    #expect(try SecondReader.complaint(of: shop.folder.path) == nil)
    let again = try await shop.take("product", documents.productText)
    #expect(again.outcome == .unchanged)
  }

  @Test("Nothing is appended if others appended since the caller looked at what would change")
  func requiresTheExpectedEnd() async throws {
    let shop = try ImportedShop()
    let documents = Documents(seed: 7, rows: 5)
    let looked = try await shop.take("product", documents.productText).head
    let head = try await shop.take("line", documents.lineText).head
    var later = documents
    later.change()
    let refused = await #expect(throws: EventLogError.self) {
      try await shop.take("product", later.productText, after: looked)
    }
    #expect(refused?.code == .headMoved)
    try await shop.expect(documents, "refused")
    #expect(try await shop.take("product", later.productText, after: head).outcome == .imported)
  }

  @Test(
    "A scan of a table finds what was changed by hand",
    arguments: [
      "UPDATE line SET n = 77 WHERE rowid = 3", "DELETE FROM line WHERE rowid = 3",
      "INSERT INTO line SELECT 'k', name, n, owner, at FROM line LIMIT 1",
      "UPDATE line SET owner = 'nobody' WHERE rowid = 3",
    ])
  func findsChanges(sql: String) async throws {
    let shop = try ImportedShop()
    let documents = Documents(seed: 6, rows: 40)
    try await shop.take("line", documents.lineText)
    let count = try await shop.scanned("line")
    #expect(count == 40)
    await #expect(throws: StoreError.self) { try await shop.scanned("line", after: sql) }
  }
}

private struct ImportedShop {
  static let description = """
    { "kind": "shop", "version": 1,
      "tables": {
        "product": { "key": "sku",
          "columns": {"sku": "text", "name": "text", "price": "number?", "owner": "id?",
            "ean": {"type": "text?", "unique": true}, "picture": "blob?"} },
        "line": { "key": "whole row",
          "columns": {"name": "text", "n": "integer?", "owner": "id?", "at": "time?"} } } }
    """

  let folder: ScratchFolder
  private let kind: DescribedKind
  private var directory: CatalogDirectory { CatalogDirectory(folder.path) }

  init() throws {
    folder = try ScratchFolder()
    kind = DescribedKind(
      try KindDescription.read(Array(Self.description.utf8), file: "kind.json"))
    _ = try TableCatalog.create(in: directory, kind, options: OpeningOptions())
  }

  /// Imports a document that is the whole table.
  @discardableResult
  func take(
    _ table: String, _ text: String, after expected: LogHead? = nil
  ) async throws -> TableImportReport {
    var request = TableDocumentRequest()
    request.isComplete = true
    let catalog = try await EventCatalog.openExisting(directory, kind)
    defer { catalog.close() }
    var permissions = TableImporter.Permissions()
    permissions.removal = true
    let file = try SourceFile(name: "\(table).csv", bytes: Array(text.utf8))
    var importer = TableImporter(kind, [ImportSource(table, file, request)], permissions)
    importer.expected = expected
    return try await importer.apply(to: catalog)
  }

  /// How many rows a scan of a table visits.
  ///
  /// - Parameter sql: a change that another program makes before, while the catalog is open.
  @discardableResult
  func scanned(_ name: String, after sql: String? = nil) async throws -> Int {
    let catalog = try await EventCatalog.openExisting(directory, kind)
    defer { catalog.close() }
    if let sql { _ = try SQLiteShell.rows(of: folder.path + "/catalog.sqlite", sql) }
    let table = try #require(kind.schema.tables.first { $0.name == name })
    return try catalog.opened.projection.readProved { rows in
      var count = 0
      try rows.scan(table) { _ in count += 1 }
      return count
    }
  }

  func expect(_ documents: Documents, _ comment: Comment) async throws {
    let catalog = try await EventCatalog.openExisting(directory, kind)
    defer { catalog.close() }
    let schema = kind.schema
    let (products, lines) = try await catalog.readProved { rows in
      func all(_ name: String) throws -> [[Value]] {
        let table = try #require(schema.tables.first { $0.name == name })
        return try rows.rows(in: table)
      }
      return (try all("product"), try all("line"))
    }
    #expect(Set(products.map(Self.shown)) == Set(documents.rows.map(\.cells)), comment)
    // Without the hidden key.
    let counts = Dictionary(grouping: lines.map { Self.shown(Array($0.dropFirst())) }) { $0 }
    let wanted = Dictionary(grouping: documents.lines) { $0 }
    #expect(counts.mapValues(\.count) == wanted.mapValues(\.count), comment)
  }

  private static func shown(_ row: [Value]) -> [String] {
    row.map { value in
      switch value {
      case .null: ""
      case .integer(let integer): String(integer)
      case .real(let real): String(real)
      case .text(let text): text
      case .id(let id): id.description
      case .time(let time): time.description
      case .blob(let bytes): Data(bytes).base64EncodedString()
      }
    }
  }
}

/// The rows that two documents have, as plain texts.
private struct Documents {
  struct Product: Hashable {
    var cells: [String]
  }

  private var random: SplitMix
  private(set) var rows: [Product] = []
  private(set) var lines: [[String]] = []
  private var number = 0

  init(seed: UInt64, rows count: Int) {
    random = SplitMix(seed: seed)
    for _ in 0..<count {
      rows.append(product())
      lines.append(line())
    }
  }

  mutating func change() {
    for place in rows.indices where random.below(4) == 0 {
      let column = 1 + random.below(5)
      rows[place].cells[column] = product().cells[column]
    }
    // Two rows exchange their unique values.
    let (left, right) = (random.below(rows.count), random.below(rows.count))
    let ean = rows[left].cells[4]
    rows[left].cells[4] = rows[right].cells[4]
    rows[right].cells[4] = ean
    rows.removeAll { _ in random.below(20) == 0 }
    lines.removeAll { _ in random.below(10) == 0 }
    for _ in 0..<random.below(40) {
      rows.append(product())
      lines.append(line())
    }
    lines += lines.prefix(3)
  }

  private mutating func product() -> Product {
    number += 1
    return Product(cells: [
      "S\(number)",
      random.pick([
        "Lamp", "5\" pipe", "a, b", "two\nlines", "Gru\u{308}n", "Gr\u{fc}n", "\u{1F600}", "",
      ])
        + String(random.below(9)),
      random.pick(["", "0.0", "-2.5", "1e+16", "12.99", "3.0"]), owner(),
      "40\(number)", random.pick(["", "AP8=", "aGVsbG8="]),
    ])
  }

  private mutating func line() -> [String] {
    [
      random.pick(["x", "y", "Gru\u{308}n"]), random.pick(["", "0", "-7", "9223372036854775807"]),
      owner(), random.pick(["", "2026-01-31T12:00:00.000Z"]),
    ]
  }

  private mutating func owner() -> String {
    random.pick(["", "6f7ddbb0-95a3-4b0f-8a6e-0d0d2f7a1c0\(random.below(9))"])
  }

  var productText: String {
    Self.csv(["sku", "name", "price", "owner", "ean", "picture"], rows.map(\.cells))
  }
  var lineText: String { Self.csv(["name", "n", "owner", "at"], lines) }

  private static func csv(_ header: [String], _ rows: [[String]]) -> String {
    ([header] + rows).map { row in
      row.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ",") + "\n"
    }.joined()
  }
}
