import CatalogTestSupport
import Foundation
import Promises
import Testing

@Suite(
  "projection diff shows what a description would change, and changes nothing",
  .promise(
    "What another description would change is said in sentences before it is applied",
    by: "`projection diff`"))
struct DescriptionDiffTests {
  private static func kind(
    _ price: String = "\"price\": \"number\"", more: String = "", tags: String = "\"tags\": {"
  ) -> String {
    """
    {"kind": "shop", "tables": {
       "goods": {"key": "sku", "columns": {"sku": "text", \(price)\(more)}},
       \(tags) "key": ["sku", "tag"], "columns": {"sku": "text", "tag": "text"}}}}
    """
  }

  private func shop() throws -> TableShop {
    let shop = try TableShop(Self.kind())
    for (table, text) in [("goods", "sku,price\na,1\nb,2\n"), ("tags", "sku,tag\na,x\n")] {
      let taken = try shop.take(table, text)
      try #require(taken.status == 0, "\(taken.everything)")
    }
    return shop
  }

  private func diff(_ shop: TableShop, _ kind: String, _ options: String...) throws -> Program {
    let file = try shop.folder.write(kind, to: "other.json")
    let before = try ScratchFolder.contents(shop.catalog)
    let run = try shop.run(["projection", "diff", file] + options)
    #expect(try ScratchFolder.contents(shop.catalog) == before)
    return run
  }

  @Test("A wider type, a default and a new table, with the rows that have other values")
  func widens() throws {
    let run = try diff(
      shop(),
      Self.kind(
        "\"price\": \"text\"", more: ", \"stock\": {\"type\": \"integer\", \"default\": 7}",
        tags: "\"stores\": {\"key\": \"id\", \"columns\": {\"id\": \"text\"}}, \"tags\": {"))
    #expect(run.status == 2, "\(run.everything)")
    for line in [
      "goods.price is a text instead of a number\n", "new: column goods.stock\n",
      "new: table stores\n",
      "goods.stock: the column is new, with values in 2 rows: rows.put 2\n  sku='a': 7\n",
      "goods.price: 2 rows have other values: rows.put 2\n  sku='a': 1.0 → '1'\n",
      "stores: the table is new, with 0 rows\n",
    ] { #expect(run.output.contains(line), "\(run.everything)") }
    #expect(!run.output.contains("projection_"), "\(run.output)")
  }

  @Test("Other names, and names that are dropped")
  func renames() throws {
    let shop = try shop()
    let renamed = try diff(
      shop,
      Self.kind(
        "\"cost\": {\"type\": \"number\", \"was\": \"price\"}",
        tags: "\"labels\": {\"was\": \"tags\","),
      "--format", "json")
    #expect(renamed.status == 2, "\(renamed.everything)")
    let json = try JSONSerialization.jsonObject(with: Data(renamed.output.utf8)) as? [String: Any]
    let found = try #require(json?["differences"] as? [[String: Any]])
    #expect(
      found.map { "\($0["table"] ?? "").\($0["column"] ?? ""): \($0["message"] ?? "")" } == [
        "goods.cost: the column was price", "labels.: the table was tags",
      ])
    let described = try #require(json?["described"] as? [String: Any])
    #expect((described["moves"] as? [String])?.count == 2)
    let lacking =
      "{\"kind\": \"shop\", \"tables\": {\"goods\": {\"key\": \"sku\", \"columns\": {\"sku\": \"text\"}}}}"
    let refused = try diff(shop, lacking)
    #expect(
      refused.status == 1 && refused.errors.contains("--drop goods.price"), "\(refused.everything)")
    #expect(try shop.run("kind", "change", shop.folder.file("other.json")).errors == refused.errors)
    let dropped = try diff(shop, lacking, "--drop", "tags", "--drop", "goods.price", "--rows", "1")
    #expect(dropped.status == 2, "\(dropped.everything)")
    for line in [
      "goods.price: the column is missing, which had values in 2 rows: rows.put 2\n  sku='a': 1.0\n",
      "tags: the table is missing, which had 1 row\n",
    ] { #expect(dropped.output.contains(line), "\(dropped.everything)") }
  }

  @Test("The same description, one that changes no row, and one with mistakes")
  func others() throws {
    let shop = try shop()
    let same = try diff(shop, Self.kind())
    #expect(
      same.status == 0 && same.output.hasPrefix("both descriptions make the same rows after event"),
      "\(same.everything)")
    let rule =
      Self.kind().dropLast(1)
      + ", \"rules\": {\"cheap\": {\"sql\": \"SELECT sku FROM goods WHERE price > 9\"}}}"
    let ruled = try diff(shop, String(rule))
    #expect(ruled.status == 0 && ruled.output.hasPrefix("new: rule cheap\n"), "\(ruled.everything)")
    let wrong = try diff(shop, Self.kind("\"price\": \"numbr\""))
    #expect(
      wrong.status == 1 && wrong.errors.contains("\"numbr\" is not a type"), "\(wrong.everything)")
  }
}
