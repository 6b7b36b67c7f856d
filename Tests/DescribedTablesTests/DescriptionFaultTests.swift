import CatalogTestSupport
import Foundation
import Promises
import Testing

@Suite(
  "All that is wrong with a description is listed, with its place",
  .promise(
    "A description of tables is refused with all of its faults and their places, or it "
      + "opens, rebuilds and verifies"))
struct DescriptionFaultTests {
  private func checked(_ text: String, _ options: String...) throws -> Program {
    let folder = try ScratchFolder()
    return try Program(
      [BuiltProgram.path("catalogctl"), "kind", "check", folder.write(text, to: "kind.json")]
        + options)
  }

  @Test("Each rule that SQLite refuses")
  func rules() throws {
    let run = try checked(
      """
      {"kind": "shop", "tables": {"t": {"key": "sku", "columns": {"sku": "text"}}},
       "rules": {"a": {"sql": "SELECT skuu FROM t"}, "no b": {"sql": "DELETE FROM t"}, "c": {"sql": "SELECT sku FROM t;"},
         "d": {"sql": "SELECT 1 FROM nosuch"}}}
      """)
    #expect(run.status == 1)
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count == 3, "\(run.everything)")
    for place in [
      "$.rules.a.sql: is refused by SQLite: no such column: skuu",
      "$.rules[\"no b\"].sql: does not only read; write a SELECT",
      "$.rules.d.sql: is refused by SQLite: no such table: nosuch",
    ] { #expect(run.errors.contains(place), "\(run.everything)") }
  }

  @Test("Paths of a document of JSON")
  func paths() throws {
    let run = try checked(
      """
      {"kind": "shop", "tables": {"t": {"key": "sku", "columns": {"sku": "text", "price": "number", "name": "text"}}},
       "documents": {"l": {"count": "a[", "rows": {"t": {"at": "a..b", "columns": {"price": "x.[]", "name": {"from": "x..y"}}}},
           "json": {}},
         "c": {"csv": {}, "rows": {"t": {"columns": {"name": "a..b"}}}}}}
      """)
    #expect(run.status == 1)
    for place in [
      "$.documents.l.count: \"a[\" is not a path",
      "$.documents.l.rows.t.at: \"a..b\" is not a path",
      "$.documents.l.rows.t.columns.price: \"x.[]\"", "columns.name.from: \"x..y\" is not a path",
    ] { #expect(run.errors.contains(place), "\(run.everything)") }
    #expect(run.errors.split(separator: "\n").count == 4, "\(run.everything)")
  }

  @Test("Columns that a path takes and the table lacks")
  func pathColumns() throws {
    let run = try checked(
      """
      {"kind": "shop", "tables": {"lines": {"key": "order_id", "columns": {"order_id": "integer", "n": "integer"}}},
       "documents": {
         "a": {"json": {}, "rows": {"lines": {"at": "orders[id].lines[#n]"}}},
         "b": {"json": {}, "rows": {"lines": {"at": "orders[ordr_id=id].lines[#place]"}}},
         "c": {"json": {}, "rows": {"lines": {"at": "{shop}.orders[order_id=head.id].lines[]"}}}}}
      """)
    #expect(run.status == 1)
    for place in [
      "$.documents.a.rows.lines.at: \"orders[id].lines[#n]\" takes id, which is not a column of lines (",
      "write [COLUMN=id] with the column that has the value",
      "takes ordr_id, which is not a column of lines (", "did you mean \"order_id\"?",
      "takes place, which is not a column of lines (", "write [#COLUMN]",
    ] { #expect(run.errors.contains(place), "\(run.everything)") }
    #expect(run.errors.split(separator: "\n").count == 3, "\(run.everything)")
  }

  @Test("More than ten faults, as text and as JSON")
  func all() throws {
    let columns = (1...30).map { "\"c\($0)\": \"txt\"" }.joined(separator: ", ")
    let text =
      "{\"kind\": \"shop\", \"tables\": {\"t\": {\"key\": \"c1\", \"columns\": {\(columns)}}}}"
    #expect(try checked(text).errors.split(separator: "\n").count == 30)
    let run = try checked(text, "--format", "json")
    #expect(run.status == 1)
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let faults = try #require(json?["faults"] as? [[String: Any]])
    #expect(faults.count == 30 && faults[29]["path"] as? String == "$.tables.t.columns.c30")
  }

  @Test("removeAll takes the columns of an index in any order")
  func orders() throws {
    let shop = try TableShop(
      """
      {"kind": "shop", "tables": {"t": {"key": ["a", "b"], "indexes": [["c", "d"]],
         "columns": {"a": "text", "b": "text", "c": "text", "d": "text"}}},
       "events": {"t.put": {"data": {"a": "text", "c": "text", "d": "text"},
           "does": [{"put": "t", "row": {"a": "$a", "b": "b", "c": "$c", "d": "$d"}}]},
         "t.gone": {"data": {"c": "text", "d": "text"}, "does": [{"removeAll": "t", "where": {"d": "$d", "c": "$c"}}]},
         "t.cut": {"data": {"a": "text"}, "does": [{"removeAll": "t", "where": {"b": "b", "a": "$a"}}]}}}
      """)
    for (a, c, d) in [("1", "x", "y"), ("2", "x", "y"), ("3", "y", "x"), ("4", "x", "x")] {
      #expect(try shop.run("record", "t.put", "a=\(a)", "c=\(c)", "d=\(d)").status == 0)
    }
    #expect(try shop.run("record", "t.gone", "c=x", "d=y").status == 0)
    #expect(try shop.rows("t") == ["3,b,y,x", "4,b,x,x"])
    #expect(try shop.run("record", "t.cut", "a=4").status == 0)
    #expect(try shop.rows("t") == ["3,b,y,x"])
    #expect(try shop.run("verify").status == 0)
    #expect(try SecondReader.complaint(of: shop.catalog) == nil)
  }

  @Test("The options of init and rows")
  func options() throws {
    let folder = try ScratchFolder()
    let list = try folder.write("a,b,c\n1,x,2\n1,x,3\n1,x,3\n", to: "list.csv")
    let kind = try folder.write(
      "{\"kind\": \"shop\", \"tables\": {\"t\": {\"key\": \"a\", \"columns\": {\"a\": \"text\"}}}}",
      to: "kind.json")
    func run(_ words: String...) throws -> Program {
      try Program([BuiltProgram.path("catalogctl")] + words + ["--catalog", folder.file("shop")])
    }
    let ignored = try run("init", "--describe", kind, "--key", "a")
    #expect(ignored.status == 64 && ignored.errors.contains("--key is about --table"))
    #expect(try run("init", "--describe", kind, "--separator", ";").status == 64)
    #expect(try run("init", "--table", "t=\(list)", "--key", "u=a").status == 64)
    let doubled = try run("init", "--table", "t=\(list)", "--key", "a,b")
    #expect(doubled.status == 1, "\(doubled.everything)")
    #expect(
      doubled.errors.contains("line 3, a, b: \"1\", \"x\" is also on line 2"), "\(doubled.errors)")
    let json = try folder.write("[{\"a\": 1, \"b\": 2}, {\"a\": 1, \"b\": 3}]", to: "list.json")
    #expect(
      try run("init", "--table", "t=\(json)", "--key", "a").errors.contains(
        "does not identify the rows"))
    let whole = try run("init", "--table", "t=\(list)", "--key", "whole row")
    #expect(whole.status == 0, "\(whole.everything)")
    #expect(try run("import", "t=\(list)").status == 0)
    let part = try run("rows", "t", "--limit", "2")
    #expect(part.errors.contains("2 of 3 rows"), "\(part.everything)")
    let rest = try run("rows", "t", "--skip", "2", "--format", "json")
    #expect(rest.output.contains("\"total\" : 3"), "\(rest.everything)")
    #expect(try run("rows", "t", "c=3").errors.contains("2 rows"))
  }
}
