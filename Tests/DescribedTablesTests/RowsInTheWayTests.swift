import CatalogTestSupport
import Promises
import Testing

@Suite(
  "A description that rows do not fit is refused with the rows that are in the way",
  .promise(
    "A description that rows do not fit is refused with those rows; a type that becomes "
      + "wider keeps all values"))
struct RowsInTheWayTests {
  private static let columns =
    #""sku": "text", "name": "text?", "ean": "text?", "count": "integer", "vendor": "text?""#

  private static func kind(_ columns: String, key: String = #""sku""#) -> String {
    """
    {"kind": "shop", "tables": {"goods": {"key": \(key), "columns": {\(columns)}},
      "vendors": {"key": "id", "columns": {"id": "text"}}}}
    """
  }

  private func refusal(of columns: String, key: String = #""sku""#) throws -> [String] {
    let shop = try TableShop(Self.kind(Self.columns))
    let text = """
      sku,name,ean,count,vendor
      A,Lamp,4711,9007199254740993,acme
      B,,4712,2,
      C,Tap,4711,3,acme
      D,,none,4,

      """
    try #require(try shop.take("goods", text, "--empty-null").status == 0)
    let head = try shop.head()
    let changed = try shop.run(
      "kind", "change", shop.folder.write(Self.kind(columns, key: key), to: "new.json"))
    #expect(changed.status == 1, "\(changed.everything)")
    #expect(try shop.head() == head)
    return changed.errors.split(separator: "\n").map(String.init)
  }

  @Test(
    "One reason each",
    arguments: [
      (
        #""ean": "text?""#, #""ean": {"type": "text?", "unique": true}"#,
        "goods.ean cannot be unique: goods[sku=A] and goods[sku=C] have 4711"
      ),
      (
        #""ean": "text?""#, #""ean": "integer?""#,
        "goods.ean is a text and cannot become a whole number; describe another column, and import into it: goods[sku=D] has none"
      ),
      (
        #""name": "text?""#, #""name": "text""#,
        "a column that may be NULL stays so: goods[sku=B] has no value, and 1 more row"
      ),
      (
        #""count": "integer""#, #""count": "number""#,
        "goods.count cannot be a number: goods[sku=A] has 9007199254740993"
      ),
      (
        #""vendor": "text?""#, #""vendor": {"type": "text?", "refers": "vendors"}"#,
        "2 rows of goods would refer to rows of vendors that do not exist: goods[sku=A] to acme"
      ),
    ])
  func namesRows(column: String, other: String, reason: String) throws {
    let lines = try refusal(of: Self.columns.replacing(column, with: other))
    #expect(lines.count == 1 && lines[0].hasSuffix(reason), "\(lines)")
  }

  @Test("Another key names two rows that would have the same")
  func namesRowsOfAKey() throws {
    let lines = try refusal(
      of: Self.columns.replacing("vendor\": \"text?", with: "vendor\": \"text?"),
      key: #"["ean"]"#.replacing("ean", with: "count"))
    #expect(lines.count == 1 && lines[0].hasSuffix("describe a second table, and import into it"))
    let narrow = try refusal(
      of: Self.columns.replacing(#""ean": "text?""#, with: #""ean": "text""#), key: #""ean""#)
    #expect(
      narrow.contains { $0.hasSuffix(": goods[sku=C] would have the key of goods[sku=A]") },
      "\(narrow)")
  }

  @Test("Events that follow from the first one that contradicts are not listed one by one")
  func namesOneEvent() throws {
    let kind = """
      {"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text", "code": "text"}}},
       "events": {
         "t.added": {"data": {"id": "text", "code": "text"}, "does": [{"put": "t", "row": {"id": "$id", "code": "$code"}}]},
         "t.coded": {"data": {"id": "text", "code": "text"}, "needs": [{"row": "t", "key": ["$id"], "else": "there is no {id}"}],
           "does": [{"set": "t", "key": ["$id"], "to": {"code": "$code"}}]}}}
      """
    let shop = try TableShop(kind)
    for event in [
      ["t.added", "id=a", "code=x"], ["t.added", "id=b", "code=x"], ["t.coded", "id=b", "code=y"],
      ["t.coded", "id=b", "code=z"],
    ] { try #require(try shop.run(["record"] + event).status == 0) }
    let unique = kind.replacing(
      #""code": "text"}}}"#, with: #""code": {"type": "text", "unique": true}}}}"#)
    let changed = try shop.run("kind", "change", shop.folder.write(unique, to: "new.json"))
    let lines = changed.errors.split(separator: "\n")
    #expect(changed.status == 1 && lines.count == 1, "\(changed.everything)")
    #expect(
      lines[0].contains("event 4 would change nothing: another row of t has the same code"),
      "\(changed.errors)")
    #expect(
      lines[0].hasSuffix("neither would 2 later events, which may follow from it"),
      "\(changed.errors)")
  }

  @Test(
    "A name that cannot be dropped is refused, and the same description has the version of the log")
  func checksChoices() throws {
    let shop = try TableShop(Self.kind(Self.columns))
    let same = try shop.folder.write(Self.kind(Self.columns), to: "same.json")
    for name in ["nosuch", "goods.nosuch", "goods.name", "vendors"] {
      let refused = try shop.run("kind", "change", same, "--drop", name)
      #expect(
        refused.status == 1 && refused.errors.contains("\(name), which is to be dropped"),
        "\(refused.everything)")
    }
    let unchanged = try shop.run("kind", "change", same, "--format", "json")
    #expect(unchanged.output.contains("\"version\" : 1"), "\(unchanged.everything)")
    let less = try shop.folder.write(
      Self.kind(Self.columns.replacing(#", "vendor": "text?""#, with: "")), to: "less.json")
    #expect(try shop.run("kind", "change", less, "--drop", "goods.vendor").status == 0)
  }
}
