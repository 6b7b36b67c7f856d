import CatalogTestSupport
import Foundation
import Promises
import Testing

@Suite(
  "A value of a unique column that another row has is refused with its file and line",
  .promise("A value of a unique column that another row has is refused with its file and line"))
struct UniqueValueTests {
  private static let kind = """
    {"kind": "shop", "tables": {
       "goods": {"key": "sku", "columns": {"sku": "text", "ean": {"type": "integer?", "unique": true},
         "code": {"type": "text?", "unique": true}}}},
     "documents": {"feed": {"json": {}, "rows": {"goods": {"at": "[]"}}},
       "lines": {"jsonl": {}, "rows": {"goods": {"at": "[]"}}}}}
    """

  private func shop() throws -> TableShop {
    let shop = try TableShop(Self.kind)
    let taken = try shop.take("goods", "sku,ean,code\na,1,A\nb,2,B\nc,3,C\n")
    try #require(taken.status == 0, "\(taken.everything)")
    return shop
  }

  @Test("A row that the catalog has, in each format, added or changed")
  func names() throws {
    let shop = try shop()
    let head = try shop.head()
    for (table, name, text, places) in [
      (
        "goods", "new.csv", "sku,ean,code\nd,4,D\ne,1,E\nf,6,B\n",
        [
          "new.csv: line 3, ean: 1 is also in the row sku=a of goods, and is unique",
          "new.csv: line 4, code: B is also in the row sku=b of goods, and is unique",
        ]
      ),
      (
        "feed", "new.json", "[{\"sku\": \"d\"},\n {\"sku\": \"e\", \"ean\": 2}]",
        ["new.json: ean: 2 is also in the row sku=b of goods, and is unique (byte 16)"]
      ),
      (
        "lines", "new.jsonl", "{\"sku\": \"d\"}\n{\"sku\": \"e\", \"code\": \"C\"}\n",
        ["new.jsonl: line 2, code: C is also in the row sku=c of goods, and is unique"]
      ),
    ] {
      let refused = try shop.take(table, text, as: name)
      #expect(refused.status == 1, "\(refused.everything)")
      for place in places { #expect(refused.errors.contains(place), "\(refused.everything)") }
      #expect(try shop.take(table, text, as: name, "--dry-run").errors == refused.errors)
    }
    #expect(try shop.head() == head)
  }

  @Test("A row of a table without a key, unless the document replaces it")
  func namesWithoutKey() throws {
    let shop = try TableShop(
      """
      {"kind": "shop", "tables": {"goods": {"key": "whole row",
        "columns": {"name": "text", "ean": {"type": "integer", "unique": true}}}}}
      """)
    #expect(try shop.take("goods", "name,ean\na,1\nb,2\n").status == 0)
    let text = "name,ean\nc,3\nd,1\n"
    let refused = try shop.take("goods", text, as: "new.csv")
    #expect(
      refused.errors.contains(
        "new.csv: line 3, ean: 1 is also in the row name=a, ean=1 of goods, and is unique"),
      "\(refused.everything)")
    let whole = try shop.take("goods", text, as: "new.csv", "--complete", "--allow-removal")
    #expect(whole.status == 0, "\(whole.everything)")
  }

  @Test("Two rows of one document")
  func repeats() throws {
    let shop = try shop()
    let refused = try shop.take("goods", "sku,ean\nd,7\ne,8\nf,7\n", as: "new.csv")
    #expect(
      refused.errors.contains("new.csv: line 4, ean: \"7\" is also on line 2, and is unique"),
      "\(refused.everything)")
  }

  @Test("Values that a row gives up in the same document are free")
  func exchanges() throws {
    let shop = try shop()
    let swapped = try shop.take("goods", "sku,ean,code\na,2,A\nb,1,B\nd,3,D\nc,9,X\ne,,C\n")
    #expect(swapped.status == 0, "\(swapped.everything)")
    #expect(try shop.rows("goods") == ["a,2,A", "b,1,B", "c,9,X", "d,3,D", "e,,C"])
    let whole = try shop.take(
      "goods", "sku,ean,code\na,2,A\nf,1,B\n", as: "whole.csv", "--complete")
    #expect(whole.status == 0, "\(whole.everything)")
    #expect(try shop.rows("goods") == ["a,2,A", "f,1,B"])
  }
}
