import CatalogTestSupport
import Testing

@Suite("A dry run of an import refuses what the import refuses, with the same words")
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
      ("sku,price,ean\nc,10,1\n", "another row of goods has the same ean"),
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
}
