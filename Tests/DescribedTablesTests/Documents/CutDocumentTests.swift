import CatalogTestSupport
import Promises
import Testing

@Suite(
  "A document that is cut within its last value is refused if the one before it ended with a line end",
  .promise(
    "Documents of CSV and JSON are read as Python reads them; what is refused names file, "
      + "line and column",
    by: "a last value that is cut"))
struct CutDocumentTests {
  private static let kind = """
    {"kind": "shop", "tables": {
      "goods": {"key": "sku", "columns": {"sku": "text", "price": "number", "vendor": "text?"}}},
     "documents": {"lines": {"jsonl": {}, "rows": {"goods": {"at": "[]"}}}}}
    """

  @Test(
    "The import and its dry run refuse it, and --unterminated takes it",
    arguments: [
      ("goods", "list.csv", "sku,price\na,100.25\n", "sku,price\na,100.2", "line 2"),
      (
        "lines", "list.jsonl", "{\"sku\": \"a\", \"price\": 100.25}\n",
        "{\"sku\": \"a\", \"price\": 100.2}", "line 1"
      ),
    ])
  func isRefused(
    table: String, file: String, whole: String, cut: String, place: String
  ) throws {
    let shop = try TableShop(Self.kind)
    let first = try shop.take(table, whole, as: file)
    #expect(first.status == 0, "\(first.everything)")
    let head = try shop.head()
    for options in [["--dry-run"], []] {
      let refused = try shop.run(
        ["import", "\(table)=\(shop.folder.write(cut, to: file))"] + options)
      #expect(refused.status == 1, "\(refused.everything)")
      #expect(refused.errors.contains("\(place): the document ends without a line end"))
      #expect(refused.errors.contains("--unterminated takes it"))
    }
    #expect(try shop.head() == head)
    #expect(try shop.take(table, cut, as: file, "--unterminated").status == 0)
    #expect(try shop.rows("goods") == ["a,100.2,"])
    // Nothing is expected of what follows a document without a line end.
    #expect(try shop.take(table, cut.replacing("100.2", with: "7"), as: file).status == 0)
  }

  @Test("The document of another scope, and the first one, may end as they like")
  func isAboutOneSource() throws {
    let shop = try TableShop(Self.kind)
    #expect(
      try shop.take("goods", "sku,price,vendor\na,1,x", "--scope", "vendor=x").status == 0)
    #expect(
      try shop.take("goods", "sku,price,vendor\na,2,x\n", "--scope", "vendor=x").status == 0)
    #expect(
      try shop.take("goods", "sku,price,vendor\nb,1,y", "--scope", "vendor=y").status == 0)
    // The same document is known although its line end is, too.
    let text = "sku,price,vendor\nc,1,z\n"
    #expect(try shop.take("goods", text).status == 0)
    #expect(try shop.take("goods", text).output.contains("the same document was imported last"))
  }
}
