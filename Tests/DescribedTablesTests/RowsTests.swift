import CatalogTestSupport
import Promises
import Testing

@Suite(
  "rows finds rows by values as import reads them, and its CSV is read back",
  .promise(
    "Rows are found by key, name, values and words as a plain model finds them, and their "
      + "CSV is read again"))
struct RowsTests {
  private static let kind = """
    {"kind": "shop", "tables": {
      "goods": {"key": "sku", "columns": {"sku": "text", "note": "text?", "count": "integer?",
        "at": "time?", "photo": "blob?", "data": "json?", "isSold": "flag?", "owner": "id?"}},
      "mixed": {"key": "sku", "columns": {"sku": "text", "value": "any?"}},
      "notes": {"key": "whole row", "columns": {"note": "text?"}}},
     "documents": {"values": {"json": {}, "rows": {"mixed": {"at": "[]"}}},
       "all": {"csv": {"empty": "always null"}, "rows": {"goods": {}}}}}
    """
  private static let id = "6f7ddbb0-95a3-4b0f-8a6e-0d0d2f7a1c01"

  private func shop() throws -> TableShop {
    let shop = try TableShop(Self.kind)
    let text = """
      sku,note,count,at,photo,data,isSold,owner
      a,,1,2026-01-31T12:00:00Z,x'0001',"{""b"": 1, ""a"": 2}",no,\(Self.id)
      b,"",,2026-02-01,x'',,yes,
      c,"two
      lines",-7,,,"[1, 2]",,
      "d "," x,""y"" ",,,,,,

      """
    let taken = try shop.take("goods", text, "--empty-null")
    try #require(taken.status == 0, "\(taken.everything)")
    let values = """
      [{"sku": "a", "value": 1}, {"sku": "b", "value": "1"}, {"sku": "c", "value": 2.5},
       {"sku": "d", "value": {"base64": "AAE="}}, {"sku": "e", "value": "x"}, {"sku": "f", "value": null}]
      """
    let mixed = try shop.take("values", values, as: "values.json")
    try #require(mixed.status == 0, "\(mixed.everything)")
    return shop
  }

  @Test("A table is the same after its CSV was imported into it, and into another catalog")
  func readsBack() throws {
    let shop = try shop()
    let exported = try shop.run("rows", "goods", "--csv")
    #expect(exported.errors.isEmpty, "\(exported.errors)")
    let again = try shop.take(
      "goods", exported.output, as: "again.csv", "--empty-null", "--complete")
    #expect(again.status == 0 && again.output.contains("nothing new"), "\(again.everything)")
    let other = try TableShop(Self.kind)
    #expect(try other.take("goods", exported.output, "--empty-null").status == 0)
    #expect(try other.run("rows", "goods", "--csv").output == exported.output)
    let counted = try other.run(
      "query",
      "SELECT count(*) FILTER (WHERE note IS NULL), count(*) FILTER (WHERE note = ''), count(*) FILTER (WHERE photo = x'') FROM goods"
    )
    #expect(counted.output.contains("1") && counted.status == 0, "\(counted.everything)")
    #expect(try other.rows("goods", "photo=x''").isEmpty == false)
  }

  @Test("A text in quotation marks is not NULL, unless the description says so")
  func readsQuotedTexts() throws {
    let shop = try shop()
    #expect(try shop.take("all", "sku,note\nq,\"\"\n", as: "all.csv").status == 0)
    let nulls = try shop.run("query", "SELECT sku FROM goods WHERE note IS NULL ORDER BY sku")
    #expect(
      nulls.output.split(separator: "\n").map(String.init) == ["sku", "a", "q"],
      "\(nulls.everything)")
    let empty = try shop.run("query", "SELECT sku FROM goods WHERE note = ''")
    #expect(
      empty.output.split(separator: "\n").map(String.init) == ["sku", "b"], "\(empty.everything)")
  }

  @Test("What CSV cannot say is said")
  func saysWhatIsLost() throws {
    let shop = try shop()
    #expect(
      try shop.run("rows", "mixed", "--csv").errors
        == "import reads each value of value as a text: CSV has no types\n")
    try shop.take("notes", "note\n\"\"\nx\n", "--empty-null")
    #expect(try shop.run("rows", "notes", "--csv").errors.isEmpty)
  }

  @Test(
    "Filters",
    arguments: [
      ("at=2026-01-31T13:00:00+01:00", "a"), ("at=2026-02-01", "b"), ("at<2026-02-01", "a"),
      ("at>=2026-01-31 12:00", "a b"), ("photo=x'0001'", "a"), ("photo=AAE=", "a"),
      ("data={\"a\":2,  \"b\":1}", "a"), ("data=[1,2]", "c"), ("isSold=no", "a"),
      ("isSold=true", "b"), ("owner=\(id.uppercased())", "a"), ("count=-7", "c"),
      ("count!=1", "b c d"), ("sku!=a", "b c d"), ("note=", "a b"), ("note~LINES", "c"),
    ])
  func finds(filter: String, skus: String) throws {
    let found = try shop().run("rows", "goods", filter, "--columns", "sku")
    #expect(found.status == 0, "\(found.everything)")
    let lines = found.output.split(separator: "\n").dropFirst().map {
      $0.replacing(" ", with: "")
    }
    #expect(lines.joined(separator: " ") == skus, "\(filter)")
  }

  @Test(
    "Filters of a column with values of any type",
    arguments: [
      ("value=1", "a b"), ("value=2.5", "c"), ("value=x'0001'", "d"), ("value=x", "e"),
      ("value!=1", "c d e f"), ("value>1", "c"), ("value>=w", "e"), ("value=", "f"),
    ])
  func findsAny(filter: String, skus: String) throws {
    #expect(try shop().rows("mixed", filter, "--columns", "sku").joined(separator: " ") == skus)
  }

  @Test(
    "A value that the column cannot have is an error",
    arguments: ["owner=abc", "at=yesterday", "isSold=perhaps", "count=1.5", "photo=x'0'", "data={"])
  func refuses(filter: String) throws {
    let refused = try shop().run("rows", "goods", filter)
    #expect(refused.status == 64 && refused.errors.contains(" is not "), "\(refused.everything)")
  }
}
