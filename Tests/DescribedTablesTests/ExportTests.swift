import CatalogModel
import CatalogTestSupport
import DescribedTables
import Foundation
import Promises
import Testing

@Suite(
  "Tables that are exported are imported back",
  .promise(
    "The documents of an export are imported back as the same rows, or the export names what is not",
    by: "round trips of examples and generated histories; `query --at`"))
struct ExportTests {
  // MARK: Examples

  struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: String
    /// Documents of JSON Lines by table.
    var documents: [String: String] = [:]
    /// Documents by the files that they are read from.
    var files: [String: String] = [:]

    var testDescription: String { name }

    static func all() throws -> [Example] {
      let examples = ScratchFolder.repository + "/Examples"
      func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(examples)/\(path)", encoding: .utf8)
      }
      let products = ["products": "\(examples)/Tables/products.csv"]
      return try [
        Example(name: "Tables", kind: text("Tables/kind.json"), files: products),
        Example(
          name: "Tables, with NULL", kind: text("Tables/kind-2.json"),
          documents: [
            "products": """
            {"sku": "A", "name": "", "price": 0.1, "stock": -9223372036854775808, "colour": null}
            {"sku": "B", "name": " b;\\"c\\"\\r\\n,", "price": 1e300, "stock": 9007199254740993, "colour": ""}
            {"sku": "é", "name": "e\u{301}", "price": 9007199254740992, "stock": 0, "colour": "\\ttab"}
            {"sku": "<<<<<<< HEAD", "name": ">>>>>>> x", "price": 1, "stock": 0, "colour": null}
            {"sku": ">>>>>>> main", "name": "x", "price": 1, "stock": 0, "colour": null}
            """
          ]),
        Example(
          name: "Bookshelf", kind: text("Bookshelf/kind.json"),
          documents: [
            "book": """
            {"id": "00000000-0000-4000-8000-000000000002", "title": "Two", "reader": null, "lent_at": null}
            {"id": "00000000-0000-4000-8000-000000000001", "title": "One", "reader": "NULL", "lent_at": "2026-01-31T12:00:00.001Z"}
            """
          ]),
        Example(
          name: "Stock", kind: Stock.text,
          documents: [
            "product": """
            {"sku": "a", "name": "One", "shelf": "", "price": 3, "pieces": 9223372036854775807, "ean": "007", "active": false, "seen": "2026-01-31", "owner": "6f7ddbb0-95a3-4b0f-8a6e-0d0d2f7a1c01", "picture": {"base64": ""}, "more": {"b": [1.50, null], "a": "x'00'"}, "extra": "x'00'"}
            {"sku": "b", "name": "x'00'", "picture": {"base64": "AP8="}, "more": "text", "extra": ""}
            {"sku": "c", "name": "\\u001b[1m", "price": 0.30000000000000004, "more": [1e99, 12345678901234567890], "extra": "1"}
            """,
            "order": """
            {"product": "b", "tag": "#1", "group": "new"}
            {"product": "a", "tag": "", "group": null}
            """,
            "line": String(repeating: "{\"a\": \"x\", \"n\": 1}\n", count: 12)
              + "{\"a\": \"x\", \"n\": null}\n{\"a\": \"\", \"n\": null}\n",
          ]),
        Example(
          name: "Shop", kind: Shop.text,
          documents: [
            "products": """
            {"sku": "1", "name": "Tap", "category": "Bath", "vendor": "F", "price": 12.5, "currency": "EUR", "stock": 1, "active": true}
            """,
            "product_tags": """
            {"product": "1", "tag": "a,b"}
            """,
          ]),
      ]
    }
  }

  @Test(
    "A new catalog of the same description has the same content", arguments: try Example.all())
  func examplesComeBack(example: Example) throws {
    let shop = try TableShop(example.kind)
    let empty = try TableShop(example.kind)
    try take(example, into: shop)
    let wanted = try shop.run("receipt", "--content").output
    #expect(wanted.contains("digest") || wanted.contains("tables"), "\(wanted)")
    for format in ["csv", "jsonl", "json"] {
      let out = shop.folder.file("out-\(format)")
      let exported = try shop.run("export", out, "--as", format)
      #expect(exported.status == 0, "\(format): \(exported.everything)")
      let other = try TableShop(copying: empty)
      try importing(out, format, into: other)
      #expect(try other.run("receipt", "--content").output == wanted, "\(format)")
    }
    #expect(try shop.run("receipt", "--content").output == wanted)
    let compared = try shop.run("diff", "head", "live")
    #expect(compared.status == 0, "\(compared.everything)")
  }

  private func take(_ example: Example, into shop: TableShop) throws {
    let written = try example.documents.sorted { $0.key < $1.key }.map { table, text in
      "\(table)=" + (try shop.folder.write(text + "\n", to: "\(table).jsonl"))
    }
    let taken = try shop.run(["import"] + written + example.files.map { "\($0)=\($1)" })
    try #require(taken.status == 0, "\(taken.everything)")
  }

  /// Imports all documents of a folder.
  private func importing(_ folder: String, _ format: String, into shop: TableShop) throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let documents = files.map { "\($0.prefix { $0 != "." })=\(folder)/\($0)" }
    let taken = try shop.run(
      ["import"] + documents + (format == "csv" ? ["--empty-null"] : []))
    try #require(taken.status == 0, "\(taken.everything)")
  }

  // MARK: Generated histories

  @Test("Generated histories, now and at a moment", arguments: [UInt64(1), 2, 3, 4])
  func generatedComeBack(seed: UInt64) throws {
    let folder = try ScratchFolder()
    let path = folder.file("catalog")
    var history = try GeneratedHistory(seed: seed, path)
    try history.run(steps: Sample.count(40, of: 60))
    var random = SplitMix(seed: seed)
    let head = try #require(
      Int(
        Program([BuiltProgram.path("catalogctl"), "head", "--catalog", path]).output
          .prefix { $0 != " " }))
    let moments = [nil, "\(head)", "\(3 + random.below(max(1, head - 3)))"]
    let empty = try TableShop(history.kind.description.canonical.description)
    for (number, moment) in moments.enumerated() {
      var answers: [String: Program] = [:]
      for format in ["csv", "jsonl", "json"] {
        try comesBack(
          history.kind.description, path, moment, format, folder.file("out-\(number)-\(format)"),
          into: TableShop(copying: empty), &answers)
      }
    }
  }

  /// - Parameter answers: those of the exported catalog at this moment, by statement.
  private func comesBack(
    _ description: KindDescription, _ path: String, _ moment: String?, _ format: String,
    _ out: String, into other: TableShop, _ answers: inout [String: Program]
  ) throws {
    let at = moment.map { ["--at", $0] } ?? []
    let program = [BuiltProgram.path("catalogctl")]
    let exported = try Program(program + ["export", out, "--as", format, "--catalog", path] + at)
    try importing(out, format, into: other)
    /// Whether both catalogs have the same values with their types: `1`, `1.0`, `'1'`, `x'31'`.
    func isSame(_ read: [(table: DescribedTable, columns: [DescribedColumn])]) throws -> Bool {
      // One statement, since a start of the program takes longer than what it reads.
      let rows = read.map { table, columns in
        let key = (table.keyColumns.isEmpty ? ["_key"] : table.keyColumns)
        let values = key.map { "quote(\"\($0)\")" } + columns.map { "quote(\"\($0.name)\")" }
        let types = columns.map { "typeof(\"\($0.name)\")" }
        let cells = (values + types).joined(separator: ", ")
        return "SELECT '\(table.name)', json_array(\(cells)) FROM \"\(table.name)\""
      }
      let sql = rows.joined(separator: " UNION ALL ") + " ORDER BY 1, 2"
      let wanted =
        try answers[sql]
        ?? Program(program + ["query", sql, "--format", "csv", "--catalog", path] + at)
      answers[sql] = wanted
      let found = try other.run("query", sql, "--format", "csv")
      try #require(wanted.status == 0 && found.status == 0, "\(wanted.everything)")
      return found.output == wanted.output
    }
    let all = description.tables.map { (table: $0, columns: $0.columns.filter(\.isKept)) }
    let isWhole = try isSame(all)
    for (table, kept) in isWhole ? [] : all where try !isSame([(table, kept)]) {
      for column in kept where try !isSame([(table, [column])]) {
        #expect(format == "csv" && column.type == .any, "\(format), \(table.name).\(column.name)")
        #expect(exported.errors.contains("of the column \(column.name) as others"))
      }
    }
    #expect(exported.status == (isWhole ? 0 : 2), "\(exported.everything)")
  }

  // MARK: The forms of described documents

  @Test("CSV has the form of the document that is called as the table")
  func hasTheDescribedForm() throws {
    let folder = try ScratchFolder()
    let list = try folder.write(
      "Art. no.;Preis;Größe\nA;12,50;\"x;y\"\nB;3;\nC;-1,25;z\n", to: "list.csv")
    let catalog = folder.file("catalog")
    let program = [BuiltProgram.path("catalogctl")]
    let made = try Program(
      program + [
        "init", "--table", "goods=\(list)", "--key", "Art. no.", "--decimal-comma", "--catalog",
        catalog,
      ])
    try #require(made.status == 0, "\(made.everything)")
    let taken = try Program(program + ["import", "goods=\(list)", "--catalog", catalog])
    try #require(taken.status == 0, "\(taken.everything)")
    let exported = try Program(program + ["export", "goods", "-", "--catalog", catalog])
    #expect(exported.status == 0, "\(exported.everything)")
    #expect(
      exported.output == "Art. no.;Preis;Größe\nA;12,5;\"x;y\"\nB;3,0;\"\"\nC;-1,25;z\n")
    let back = try folder.write(exported.output, to: "back.csv")
    let again = try Program(
      program + ["import", "goods=\(back)", "--empty-null", "--complete", "--catalog", catalog])
    #expect(again.output.contains("nothing new"), "\(again.everything)")
  }

  @Test(
    "JSON of a table whose document is CSV has the names of the columns, and so has CSV of one of JSON"
  )
  func hasTheOtherForm() throws {
    for (kind, taken, ending) in [
      (
        """
        {"kind": "odd", "tables": {"goods": {"key": "no", "columns": {"no": "integer", "price": "number"}}},
         "documents": {"goods": {"complete": true, "csv": {"separator": ";", "decimal": ","},
           "rows": {"goods": {"columns": {"no": "Art. no.", "price": "Preis"}}}}}}
        """, "Art. no.;Preis\n1;12,5\n2;3,0\n", "csv"
      ),
      (
        """
        {"kind": "odd", "tables": {"goods": {"key": "no", "columns": {"no": "integer", "price": "number"}}},
         "documents": {"goods": {"complete": true, "json": {},
           "rows": {"goods": {"at": "a.b[]", "columns": {"price": "price.amount"}}}}}}
        """,
        #"{"a": {"b": [{"no": 1, "price": {"amount": 12.5}}, {"no": 2, "price": {"amount": 3}}]}}"#,
        "json"
      ),
    ] {
      let shop = try TableShop(kind)
      let first = try shop.take("goods", taken, as: "goods.\(ending)")
      try #require(first.status == 0, "\(first.everything)")
      for format in ending == "csv" ? ["json", "jsonl"] : ["csv"] {
        let file = shop.folder.file("out.\(format)")
        let exported = try shop.run("export", "goods=\(file)")
        #expect(exported.status == 0, "\(exported.everything)")
        let again = try shop.run("import", "goods=\(file)")
        #expect(again.output.contains("nothing new"), "\(again.everything)")
        #expect(again.errors.contains("its columns are called as those of the table"))
        // It has all rows, as the document of the description has.
        let less = try shop.take(
          "goods", format == "csv" ? "no,price\n2,3\n" : "[{\"no\": 2, \"price\": 3}]",
          as: "less.\(format == "csv" ? "csv" : "json")")
        #expect(less.output.contains("1 removed"), "\(less.everything)")
        let back = try shop.take("goods", taken, as: "goods.\(ending)")
        #expect(back.output.contains("1 added"), "\(back.everything)")
      }
    }
  }

  // MARK: Findings

  @Test("What an import would not read as it is has a sentence and status 2")
  func namesWhatDoesNotComeBack() throws {
    let shop = try TableShop(
      """
      {"kind": "odd", "tables": {
        "mixed": {"key": "id", "columns": {"id": "integer", "value": "any?"}},
        "notes": {"key": "whole row", "columns": {"note": "text?"}},
        "rest": {"key": "id", "columns": {"id": "integer", "_others": "json?"}},
        "deep": {"key": "id", "columns": {"id": "integer"}}},
       "documents": {"feed": {"others": "keep", "rows": {"rest": {}}},
         "deep": {"json": {}, "rows": {"deep": {"at": "a.b[]"}}}}}
      """)
    for (name, text, ending) in [
      ("mixed", "[{\"id\": 1, \"value\": 1}, {\"id\": 2, \"value\": \"1\"}]", "json"),
      ("notes", "[{\"note\": null}, {\"note\": \"\"}]", "json"),
      ("feed", "[{\"id\": 1, \"x\": 2}]", "json"),
      ("deep", "{\"a\": {\"b\": [{\"id\": 1}]}}", "json"),
    ] {
      let taken = try shop.take(name, text, as: "\(name).\(ending)")
      try #require(taken.status == 0, "\(taken.everything)")
    }
    let csv = try shop.run("export", shop.folder.file("csv"))
    #expect(csv.status == 2, "\(csv.everything)")
    for sentence in [
      "mixed: import reads 1 value of the column value as others; CSV has no types, and --as jsonl keeps them",
      "notes: import reads 1 row of 2; an empty line of CSV is not a row",
      "rest: import refuses this document: ",
    ] { #expect(csv.errors.contains(sentence), "\(csv.errors)") }
    #expect(shop.folder.exists("csv/deep.csv") && !csv.errors.contains("deep:"))
    let lines = try shop.run("export", shop.folder.file("lines"), "--as", "jsonl")
    #expect(lines.status == 2, "\(lines.everything)")
    #expect(!lines.errors.contains("mixed:") && !lines.errors.contains("notes:"))
    #expect(lines.errors.contains("deep: import refuses this document: "), "\(lines.errors)")
    let mixed = try shop.run("export", "mixed", "-", "--as", "jsonl")
    #expect(mixed.status == 0, "\(mixed.everything)")
    #expect(mixed.output == "{\"id\":1,\"value\":1}\n{\"id\":2,\"value\":\"1\"}\n")
  }

  // MARK: Refusals

  @Test("A refusal changes nothing and says what to do")
  func refusalsChangeNothing() throws {
    let shop = try TableShop(Stock.text)
    try shop.take(
      "product", "{\"sku\": \"a\", \"name\": \"One\"}\n", as: "product.jsonl")
    let full = shop.folder.file("full")
    try FileManager.default.createDirectory(atPath: full, withIntermediateDirectories: false)
    _ = try shop.folder.write("mine", to: "full/product.csv")
    let plain = try shop.folder.write("mine", to: "plain")
    let new = shop.folder.file("new")
    let before = try ScratchFolder.contents(shop.folder.path)
    for (words, status, sentence) in [
      ([full], 1, "is not empty; name a new one"),
      ([plain], 1, "is not a folder; name a new folder"),
      (["\(plain)/out"], 1, "cannot create"),
      (["product=\(plain)"], 1, "already exists; name a new file"),
      (["product=\(new)", "order=\(plain)"], 1, "already exists; name a new file"),
      (["product=\(new)", "order=\(new)"], 64, "is named for two tables"),
      (["product=\(new)", "order=-"], 64, "standard output is one document"),
      (["product=\(new)", "order=\(shop.folder.path)/./new"], 64, "is named for two tables"),
      (["product=\(new).csv.gz"], 64, "would not be compressed: leave out .gz"),
      (["product=\(new).tsv"], 64, "name it .csv"),
      (["product="], 64, "with both names"), (["=new"], 64, "with both names"),
      (["produkt=\(new)"], 64, "did you mean \"product\"?"),
      (["produkt", "-"], 64, "did you mean \"product\"?"),
      (["projection_source=\(new)"], 64, "is the program's own table"),
      (["product"], 64, "product is a table"),
      (["product", "-", "--format", "json"], 64, "name a file"),
      ([new, "--at", "99999"], 1, "there is no event 99999"),
      ([new, "--at", "someday"], 64, "is not a moment"),
      ([new, "--as", "xml"], 64, "csv"), ([shop.catalog + "/events/out"], 1, "is refused"),
    ] as [([String], Int32, String)] {
      let refused = try shop.run(["export"] + words)
      #expect(refused.status == status, "\(words): \(refused.everything)")
      #expect(refused.errors.contains(sentence), "\(words): \(refused.everything)")
      #expect(refused.output.isEmpty, "\(words): \(refused.output)")
    }
    let after = try ScratchFolder.contents(shop.folder.path)
    let changed = Set(before.keys).symmetricDifference(after.keys).filter {
      !$0.contains("history.sqlite") && !$0.contains("catalog.sqlite")
    }
    #expect(changed.isEmpty, "\(changed)")
    #expect(!shop.folder.exists("new"))
  }

  @Test("A damaged log is what the error names")
  func namesTheDamage() throws {
    let shop = try TableShop(Stock.text)
    try shop.take("product", "{\"sku\": \"a\", \"name\": \"One\"}\n", as: "product.jsonl")
    let events = shop.catalog + "/events"
    let segment = try #require(
      try FileManager.default.contentsOfDirectory(atPath: events).first { $0.hasSuffix(".zst") })
    let path = "\(events)/\(segment)"
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[200] ^= 0xFF
    try bytes.write(to: URL(filePath: path))
    for words in [
      ["export", shop.folder.file("out")], ["kind", "show"], ["import", "product=\(path)"],
      ["lint"],
    ] {
      let refused = try shop.run(words)
      #expect(refused.status == 3, "\(refused.everything)")
      #expect(!refused.errors.contains("sound-library"), "\(refused.errors)")
    }
    #expect(!shop.folder.exists("out"))
  }

  @Test("A server that is away leaves the rows, and is what the error of a change names")
  func namesTheServer() throws {
    let shop = try TableShop(Stock.text)
    let document = try shop.folder.write("{\"sku\": \"a\", \"name\": \"One\"}\n", to: "a.jsonl")
    try FileManager.default.removeItem(atPath: shop.catalog + "/events")
    // Nothing listens on port 1.
    try "postgresql://127.0.0.1:1/none#shop\n".write(
      toFile: shop.catalog + "/log.url", atomically: true, encoding: .utf8)
    let refused = try shop.run(["import", "product=\(document)"])
    #expect(refused.status == 1, "\(refused.everything)")
    #expect(refused.errors.contains("cannot be reached"), "\(refused.errors)")
    let written = try shop.run(["export", shop.folder.file("out")])
    #expect(written.status == 0 && written.errors.contains("the server cannot be reached"))
    #expect(try shop.run(["kind", "show"]).output.contains("\"product\""))
  }

  @Test("A catalog of another kind has no described tables")
  func refusesOtherKinds() throws {
    let folder = try ScratchFolder()
    let program = [BuiltProgram.path("catalogctl")]
    let catalog = ["--catalog", folder.file("catalog")]
    #expect(try Program(program + ["init"] + catalog).status == 0)
    let refused = try Program(program + ["kind", "show"] + catalog)
    #expect(refused.status == 1, "\(refused.everything)")
    #expect(refused.errors.contains("not described by its log"), "\(refused.errors)")
    let table = try Program(program + ["export", "goods=\(folder.file("out"))"] + catalog)
    #expect(table.status != 0, "\(table.everything)")
    #expect(!folder.exists("out"))
  }

  @Test("A killed export leaves no file under its name, and the next one removes its rest")
  func removesWhatAKilledProcessLeft() throws {
    let shop = try TableShop(Stock.text)
    let out = shop.folder.file("out")
    try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: false)
    // No process has this number.
    _ = try shop.folder.write("sku", to: "out/.product.csv.catalog-part-2147483646")
    let exported = try shop.run("export", out)
    #expect(exported.status == 0, "\(exported.everything)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: out).sorted() == [
        "line.csv", "order.csv", "product.csv",
      ])
  }
}
