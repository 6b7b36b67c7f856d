import CatalogTestSupport
import Foundation
import Promises
import Testing

@Suite(
  "A dry run of an import refuses what the import refuses, with the same words",
  .promise(
    "A dry run of an import changes no byte and no time of a file, and refuses what the "
      + "import refuses",
    by: "the same words"))
struct TableDryRunTests {
  private static let kind = """
    {"kind": "shop", "tables": {
      "vendors": {"key": "id", "columns": {"id": "text"}},
      "goods": {"key": "sku", "columns": {"sku": "text", "price": "number",
        "ean": {"type": "integer?", "unique": true},
        "vendor": {"type": "integer?"}, "maker": {"type": "text?", "refers": "vendors"}}}},
     "documents": {"list": {"csv": {"empty": "null"}, "rows": {"goods": {}}}},
     "rules": {"no price is beyond 1000": {"sql": "SELECT sku FROM goods WHERE price > 1000"},
       "a price is beyond 5": {"sql": "SELECT sku FROM goods WHERE price <= 5; -- once", "level": "report"}}}
    """

  private func shop() throws -> TableShop {
    let shop = try TableShop(Self.kind)
    let first = try shop.take("list", "sku,price,ean\na,10,1\nb,10,2\n")
    try #require(first.status == 0, "\(first.everything)")
    return shop
  }

  @Test(
    "A rule, a unique value of a row outside of the document, and a reference",
    arguments: [
      ("sku,price\nc,5000\n", "the rule is broken: no price is beyond 1000"),
      (
        "sku,price,ean\nc,10,1\n",
        "list.csv: line 2, ean: 1 is also in the row sku=a of goods, and is unique"
      ),
      ("sku,price,maker\nc,10,nobody\n", "refers to vendors[id='nobody'], which does not exist"),
    ])
  func refuses(text: String, reason: String) throws {
    let shop = try shop()
    let (head, files) = try (shop.head(), ScratchFolder.contents(shop.catalog))
    let planned = try shop.take("list", text, "--dry-run")
    #expect(planned.status == 1 && planned.errors.contains(reason), "\(planned.everything)")
    #expect(planned.output.isEmpty)
    #expect(try ScratchFolder.contents(shop.catalog) == files)
    let refused = try shop.take("list", text)
    #expect(refused.status == 1 && refused.everything == planned.everything)
    #expect(try shop.head() == head)
  }

  @Test("A rule that is only reported has a line and is in the remarks")
  func reports() throws {
    let shop = try shop()
    let text = "sku,price\nc,3\n"
    let sentence = "the rule is broken: a price is beyond 5: 1 row, the first is sku='c'"
    let planned = try shop.take("list", text, "--dry-run")
    #expect(planned.status == 2 && planned.errors.contains(sentence), "\(planned.everything)")
    let taken = try shop.take("list", text, "--format", "json")
    #expect(taken.status == 0 && taken.output.contains(sentence), "\(taken.everything)")
    // A change of a table that the rule does not read reports nothing.
    let other = try shop.take("vendors", "id\nx\n", as: "vendors.csv")
    #expect(!other.errors.contains("a price is beyond 5"), "\(other.everything)")
  }

  @Test("It names the rows of a source that are gone from it")
  func namesRows() throws {
    let shop = try shop()
    let rows = (10..<40).map { "s\($0),10,\($0),\($0 % 2),\n" }.joined()
    let header = "sku,price,ean,vendor,maker\n"
    try #require(try shop.take("list", header + rows).status == 0)
    let part = header + "s11,10,11,1,\ns13,10,13,1,\n"
    let options = ["--scope", "vendor=1", "--complete", "--dry-run", "--allow-removal"]
    let file = try shop.folder.write(part, to: "part.csv")
    let planned = try shop.run(["import", "list=\(file)"] + options)
    #expect(planned.status == 2, "\(planned.everything)")
    let lines = planned.output.split(separator: "\n").filter { $0.contains("would lose") }
    #expect(lines.first == "  goods would lose 's15'" && lines.count == 10, "\(planned.output)")
    #expect(planned.output.contains("and 3 more rows"), "\(planned.output)")
    let json = try shop.run(["import", "list=\(file)", "--format", "json"] + options)
    #expect(json.output.contains("\"s39\"") && !json.output.contains("\"s38\""), "\(json.output)")
  }

  @Test(
    "It names the rows of a source that are gone from it, without a column that says which they are"
  )
  func namesRowsOfSource() throws {
    let shop = try TableShop(
      """
      {"kind": "shop", "tables": {
         "goods": {"key": ["sku", "id"], "columns": {"price": "number", "sku": "text", "id": "id"}},
         "lines": {"key": "whole row", "columns": {"n": "number", "a": "text"}}},
       "documents": {"ferrum": {"rows": {"goods": {}}}, "acme": {"rows": {"goods": {}}}}}
      """)
    func row(_ sku: String, _ price: Int) -> String {
      "\(sku),\(price),0190f5fe-7c00-7a00-8000-00000000000\(sku == "d" ? 4 : 1)\n"
    }
    let header = "sku,price,id\n"
    try shop.take("ferrum", header + row("a", 1) + row("b", 2) + row("c", 3) + row("d", 4))
    // d is in both; c goes, and comes again from the other source.
    try shop.take("acme", header + row("d", 5) + row("x", 1))
    let whole = header + row("a", 1) + row("b", 2) + row("d", 5) + row("x", 1)
    try shop.take("acme", whole, as: "list.csv", "--complete", "--by", "cleaner")
    try shop.take("acme", header + row("c", 3))
    let head = try shop.head()
    let planned = try shop.take(
      "ferrum", header + row("a", 7), as: "list.csv", "--dry-run", "--gone", "--format", "json")
    #expect(planned.status == 2, "\(planned.everything)")
    let json = try JSONSerialization.jsonObject(with: Data(planned.output.utf8)) as? [String: Any]
    let documents = try #require(json?["documents"] as? [[String: Any]])
    let table = try #require((documents[0]["tables"] as? [[String: Any]])?.first)
    #expect(
      table["goneFromSource"] as? [[String]] == [
        ["b", "0190f5fe-7c00-7a00-8000-000000000001"],
        ["d", "0190f5fe-7c00-7a00-8000-000000000004"],
      ])
    #expect(table["removed"] as? Int == 0 && table["gone"] == nil)
    let other = try shop.take(
      "acme", whole, as: "list.csv", "--dry-run", "--gone", "--by", "cleaner")
    #expect(
      other.output.contains("the document has all rows of goods that came from cleaner"),
      "\(other.everything)")
    #expect(try shop.head() == head)

    try shop.take("lines", "a,n\nu,1\nu,1\nv,2\n")
    let lines = try shop.take("lines", "a,n\nu,1\n", as: "list.csv", "--dry-run", "--gone")
    #expect(
      lines.output.contains(
        "the document lacks 2 rows of lines that came from import:lines:\n    1.0, 'u'\n    2.0, 'v'"
      ),
      "\(lines.everything)")
    #expect(try shop.take("lines", "a,n\n", as: "list.csv", "--gone").status == 64)
  }
}
