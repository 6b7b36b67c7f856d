import CatalogModel
import CatalogTestSupport
import DescribedTables
import Projections
import Promises
import Testing

@Suite(
  "Tables from documents",
  .promise(
    "A table that is made from a document has the types, names and keys that its values show"))
struct InferenceTests {
  private func infer(
    _ text: String, _ table: String = "products", key: [String]? = nil, file: String = "t.csv"
  ) throws -> TableInference {
    try TableInference(SourceFile(name: file, bytes: Array(text.utf8)), table: table, key: key)
  }

  private func list(_ rows: Int, _ header: String, _ row: (Int) -> String) -> String {
    header + "\n" + (0..<rows).map { row($0) + "\n" }.joined()
  }

  @Test("A number is one only if each value is spelt as one")
  func findsTypes() throws {
    let text = list(
      30, "id,whole,padded,price,exponent,zero,flag,empty,none,comma,large,mixed"
    ) {
      "\($0),\($0 - 5),00\($0),\($0).50,\($0)e3,-0,\($0 % 2 == 0),\($0 == 3 ? "" : "1"),,"
        + "\"\($0),5\",92233720368547758\(10 + $0),\($0 == 9 ? "x" : "1")"
    }
    let inference = try infer(text)
    let types = inference.table.columns.map {
      "\($0.name) \($0.type.rawValue)\($0.isOptional ? "?" : "")"
    }
    #expect(
      types == [
        "id integer", "whole integer", "padded text", "price number", "exponent text",
        "zero text", "flag flag", "empty integer?", "none text", "comma text", "large text",
        "mixed text",
      ])
    #expect(inference.notes.count == 1)
    #expect(inference.notes.first?.hasPrefix("the values of comma look like numbers") == true)
  }

  @Test("The sentence has columns, key, name and unique columns")
  func writesSentence() throws {
    let inference = try infer(
      list(5_000, "sku,name,price,stock,ean") {
        "S-\($0),N \($0 % 99),\($0).5,\($0 % 7),40\(10_000_000_000 + $0)"
      })
    #expect(
      inference.sentence
        == "products, from the header and 5,000 rows: sku text, key · name text, the row's name · "
        + "price number · stock whole number · ean text, unique")
    #expect(
      inference.keySentence == "the key is sku, which identifies all rows; ean would do as well")
    #expect(inference.isComplete)
  }

  @Test("Below twenty rows the key is asked for", arguments: [19, 20])
  func asksForKey(rows: Int) throws {
    let inference = try infer(list(rows, "a,b") { "\($0),x" })
    #expect(inference.isComplete == (rows == 20))
    #expect(inference.keys.best == ["a"])
    #expect(try infer(list(rows, "a,b") { "\($0),x" }, key: ["a"]).isComplete)
  }

  @Test(
    "Sentences have the number of what they count",
    arguments: [(1, "1 row is too few"), (2, "2 rows are too few")])
  func countsRows(rows: Int, words: String) throws {
    let whole = try infer(list(rows, "a,b") { "\($0),x" })
    #expect(whole.keySentence?.hasPrefix(words) == true)
    #expect(whole.sentence.contains("the header and \(rows == 1 ? "1 row" : "\(rows) rows"):"))
    let short = try infer(list(30, "a,b") { $0 < rows ? "\($0)" : "\($0),x" })
    let beginning =
      rows == 1
      ? "1 row has not as many values as the header, on line 2"
      : "2 rows have not as many values as the header, the first on line 2"
    #expect(short.notes == [beginning])
  }

  @Test(
    "A first line that looks like a row is pointed out, and names that are years are not",
    arguments: [
      ("1,Lamp,9.90", "1"), ("Lamp,9.90,2026-01-31T12:00:00Z", "9.90"), ("sku,2019,2020", nil),
      ("sku,name,price", nil), ("7,name,price", nil),
    ] as [(String, String?)])
  func noticesTheLackOfNames(first: String, value: String?) throws {
    let row =
      first.contains("T12")
      ? "Tap,#.5,2026-01-31T12:00:00Z" : first.contains("20") ? "#,1,#.5" : "#,Tap,#.5"
    let inference = try infer(list(30, first) { row.replacing("#", with: "\($0)") })
    #expect(
      inference.notes.contains { $0.hasPrefix("the line of names has ") }
        == (value != nil), "\(inference.notes)")
    if let value {
      #expect(inference.notes.contains { $0.contains("\"\(value)\", which looks like") })
    }
  }

  @Test("Two columns together may identify the rows, or none")
  func findsPairs() throws {
    let pair = try infer(list(100, "trip,stop,time") { "\($0 / 10),\($0 % 10),\($0 % 10)" })
    #expect(pair.keys.candidates == [["trip", "stop"], ["trip", "time"]])
    let none = try infer(list(40, "a,b") { "\($0 / 20),\($0 % 10)" })
    #expect(none.keys.best == nil)
    #expect(none.keySentence == "no column, and no two together, identify the 40 rows")
  }

  @Test("Names that no column can have are changed, and the document keeps them")
  func changesNames() throws {
    let inference = try infer(
      list(30, "Artikel-Nr;Größe;GICS Sector;gics_sector;_id;7") { "a\($0);1;s;t;u\($0);v" })
    #expect(
      inference.table.columns.map(\.name) == [
        "Artikel_Nr", "Grosse", "GICS_Sector_2", "gics_sector", "id", "column_7",
      ])
    let kind = KindDescription(
      kind: "k", tables: [inference.table], documents: inference.document.map { [$0] } ?? [])
    #expect(try kind.checked().documents.first?.rows.first?.columns.count == 5)
  }

  @Test("A description that was made up reads the document that it was made from")
  func readsOwnDocument() throws {
    for (file, text) in [
      ("t.csv", list(25, "Nr;name") { "\($0);\"a;b\"" }),
      ("t.json", "{\"n\": 2, \"data\": {\"items\": [{\"id\": 1, \"x y\": [1]}, {\"id\": 2}]}}"),
      ("t.json", "{\"a\": {\"v\": 1}, \"b\": {\"v\": 2.5}}"),
      ("t.jsonl", "{\"id\": 1, \"v\": \"x\"}\n{\"id\": 2, \"v\": 3}\n"),
    ] {
      let source = try SourceFile(name: file, bytes: Array(text.utf8))
      let inference = try TableInference(source, table: "rows")
      let kind = try KindDescription(
        kind: "k", tables: [inference.table], documents: inference.document.map { [$0] } ?? []
      ).checked()
      let document = try TableDocumentReader(kind, "rows").read(source)
      #expect(document.tables.map(\.count) == [inference.rows], "\(text)")
    }
  }
}
