import CatalogModel
import CatalogTestSupport
import DescribedTables
import Projections
import Promises
import Testing

@Suite(
  "Documents of JSON",
  .promise(
    "Documents of CSV and JSON are read as Python reads them; what is refused names file, "
      + "line and column"))
struct JSONDocumentTests {
  static let kind = """
    {"kind": "shop", "tables": {
       "products": {"key": "sku", "columns": {"sku": "text", "name": "text", "price": "number?",
         "active": "flag", "more": "json?", "code": "json?"}},
       "tags": {"key": ["sku", "tag"], "columns": {"sku": "text", "tag": "text"}}},
     "documents": {
       "feed": {"rows": {
          "products": {"at": "shop.products.{sku}",
            "columns": {"name": "title", "price": "price.amount", "active": {"from": "enabled", "missing": true}}},
          "tags": {"at": "shop.products.{sku}.tags[]", "columns": {"tag": "@"}}},
         "ignore": ["stamp"], "count": "shop.count"},
       "lines": {"jsonl": {}, "rows": {"products": {"at": "[]"}}, "others": "drop"}}}
    """

  private func read(_ text: String, _ document: String = "feed") throws -> TableDocument {
    try TableDocumentReader(
      KindDescription.read(Array(Self.kind.utf8), file: "kind.json"), document
    ).read(SourceFile(name: "feed.json", bytes: Array(text.utf8)))
  }

  private func rows(_ document: TableDocument, _ table: Int = 0) -> [[Value]] {
    document.tables[table].rows.map { document.tables[table].values($0) }
  }

  @Test("Rows come from maps, members, arrays and the values themselves")
  func readsRows() throws {
    let document = try read(
      """
      {"stamp": 1, "shop": {"count": 2, "products": {
        "a": {"tags": ["x", "y"], "title": "A", "price": {"amount": 1.50}, "enabled": false,
              "more": {"b": [1], "a": 9007199254740993}, "code": "7"},
        "b\\u00fc": {"title": "B", "price": {"amount": null}, "code": 7}}}}
      """)
    #expect(
      rows(document) == [
        [
          .text("a"), .text("A"), .real(1.5), .integer(0),
          .text("{\"a\":9007199254740993,\"b\":[1]}"), .text("\"7\""),
        ],
        [.text("bü"), .text("B"), .null, .integer(1), .null, .text("7")],
      ])
    #expect(rows(document, 1) == [[.text("a"), .text("x")], [.text("a"), .text("y")]])
    #expect(document.tables[0].columns[3].name == "active")
  }

  @Test("Lines of JSON keep their numbers")
  func readsLines() throws {
    let document = try read(
      "{\"sku\":\"a\",\"name\":\"A\",\"active\":true,\"vendor\":1}\n\n{\"active\":1,\"sku\":\"b\",\"name\":\"B\"}",
      "lines")
    #expect(rows(document).map(\.[0]) == [.text("a"), .text("b")])
    #expect(document.tables[0].origin(1) == 3)
    #expect(document.passedOver == ["vendor": 1])
    #expect(document.endsWithLineEnd == false)
  }

  static let orders = """
    {"kind": "shop", "tables": {
       "orders": {"key": ["shop", "id"], "columns": {"shop": "text", "id": "integer", "buyer": "text"}},
       "lines": {"key": ["shop", "order_id", "place"],
         "columns": {"shop": "text", "order_id": {"type": "integer"}, "place": "integer", "sku": "text"}},
       "notes": {"key": ["order_id", "line", "text"],
         "columns": {"order_id": "integer", "line": "integer", "text": "text"}}},
     "documents": {
       "feed": {"json": {}, "rows": {
          "orders": {"at": "orders[]", "columns": {"id": "head.number"}},
          "lines": {"at": "orders[shop, order_id=head.number].lines[#place]"},
          "notes": {"at": "orders[order_id=head.number].lines[#line].notes[]", "columns": {"text": "@"}}}},
       "nightly": {"jsonl": {}, "rows": {
          "orders": {"at": "[]", "columns": {"id": "head.number"}},
          "lines": {"at": "[order_id=head.number, shop].lines[#place]"},
          "notes": {"at": "[order_id=head.number].lines[#line].notes[]", "columns": {"text": "@"}}}}}}
    """

  /// Two orders with three lines; members come in any order.
  static let order = [
    "{\"lines\": [{\"sku\": \"a\", \"notes\": [\"red\", \"big\"]}, {\"sku\": \"b\"}], "
      + "\"buyer\": \"Ada\", \"head\": {\"number\": 7}, \"shop\": \"S\"}",
    "{\"shop\": \"S\", \"head\": {\"number\": 8}, \"buyer\": \"Bob\", \"lines\": [{\"sku\": \"a\"}]}",
  ]

  @Test(
    "A child table has the key of the row above under another name",
    arguments: [
      ("feed", "{\"orders\": [" + order.joined(separator: ",") + "]}"),
      ("nightly", order.joined(separator: "\n") + "\n"),
    ])
  func childrenNameTheirParent(_ name: String, _ text: String) throws {
    let document = try TableDocumentReader(
      KindDescription.read(Array(Self.orders.utf8), file: "kind.json"), name
    ).read(SourceFile(name: "feed.json", bytes: Array(text.utf8)))
    #expect(
      rows(document) == [
        [.text("S"), .integer(7), .text("Ada")], [.text("S"), .integer(8), .text("Bob")],
      ])
    #expect(
      rows(document, 1) == [
        [.text("S"), .integer(7), .integer(0), .text("a")],
        [.text("S"), .integer(7), .integer(1), .text("b")],
        [.text("S"), .integer(8), .integer(0), .text("a")],
      ])
    #expect(
      rows(document, 2) == [
        [.integer(7), .integer(0), .text("red")], [.integer(7), .integer(0), .text("big")],
      ])
  }

  @Test("A child row without its parent's key is refused, with the path to write")
  func childrenWithoutParent() throws {
    let kind = """
      {"kind": "shop", "tables": {
         "lines": {"key": ["order_id", "sku"], "columns": {"order_id": "integer", "sku": "text"}}},
       "documents": {"feed": {"rows": {"lines": {"at": "[]AT.lines[]"}}, "others": "drop"}}}
      """
    func error(_ path: String, _ text: String) throws -> String {
      let kind = kind.replacing("[]AT", with: path)
      let error = try #require(throws: DocumentError.self) {
        try TableDocumentReader(
          KindDescription.read(Array(kind.utf8), file: "kind.json"), "feed"
        ).read(SourceFile(name: "feed.json", bytes: Array(text.utf8)))
      }
      return error.description
    }
    let unnamed = try error("[]", "[{\"id\": 7, \"lines\": [{\"sku\": \"a\"}]}]")
    #expect(unnamed.contains("$[0].lines[0]: order_id is missing"), "\(unnamed)")
    #expect(unnamed.contains("[order_id=MEMBER] in the path"), "\(unnamed)")
    let lacking = try error("[order_id=id]", "[{\"lines\": [{\"sku\": \"a\"}]}]")
    #expect(
      lacking.contains("$[0].lines[0]: order_id is missing: the object above has no id"),
      "\(lacking)")
    let wrong = try error("[order_id=id]", "[{\"id\": \"x\", \"lines\": [{\"sku\": \"a\"}]}]")
    #expect(wrong.contains("$[0].id: \"x\" is not a whole number"), "\(wrong)")
  }

  @Test("A document that is null is not one without rows")
  func nullIsNoDocument() throws {
    let kind = #"{"kind": "shop", "tables": {"goods": {"key": "sku", "columns": {"sku": "text"}}}}"#
    for (text, sentence) in [
      ("null", "$: null is not an array"), ("{}", "$: {} is not an array"),
    ] {
      let error = try #require(throws: DocumentError.self) {
        try TableDocumentReader(
          KindDescription.read(Array(kind.utf8), file: "kind.json"), "goods"
        ).read(SourceFile(name: "goods.json", bytes: Array(text.utf8)))
      }
      #expect(error.description.contains(sentence), "\(error)")
    }
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    var text: String
    var document = "feed"
    var sentence: String
    var testDescription: String { sentence }

    static let all = [
      Refused(
        text: "{\"shop\": {\"count\": 0, \"product\": {}}}",
        sentence: "the document has no shop.products"),
      Refused(
        text: "{\"shops\": {}}", sentence: "$.shops: \"shops\" is not named in the description"),
      Refused(text: "[]", sentence: "$: [] is not an object"),
      Refused(
        text: "{\"shop\": {\"count\": 3, \"products\": {}}}",
        sentence: "$.shop.count: 3 is not the number of rows: the document has 0"),
      Refused(
        text: "{\"shop\": {\"products\": {}}}", sentence: "the document has no shop.count"),
      Refused(
        text:
          "{\"shop\": {\"count\": 1, \"products\": {\"a\": {\"title\": \"A\", \"tags\": \"x\"}}}}",
        sentence: "$.shop.products.a.tags: \"x\" is not an array"),
      Refused(
        text: "{\"shop\": {\"count\": 1, \"products\": {\"a\": {\"titel\": \"A\"}}}}",
        sentence: "$.shop.products.a.titel: \"titel\" is not named in the description"),
      Refused(
        text: "{\"shop\": {\"count\": 1, \"products\": {\"a\": {\"title\": 7}}}}",
        sentence: "$.shop.products.a.title: 7 is not a text"),
      Refused(
        text: "{\"shop\": {\"count\": 1, \"products\": {\"a\": {\"title\": null}}}}",
        sentence: "$.shop.products.a.title: null is not a text"),
      Refused(
        text:
          "{\"shop\": {\"count\": 1, \"products\": {\"a\": {\"title\": \"A\", \"tags\": [\"x\", \"x\"]}}}}",
        sentence: "$.shop.products.a.tags[1]: the key sku, tag = \"a\", \"x\" is also the one of "
          + "$.shop.products.a.tags[0]"),
      Refused(
        text: "{\"shop\": {\"count\": 1, \"products\": {\"a\": {\"title\": \"A\"",
        sentence: "the JSON ends too early"),
      Refused(
        text:
          "{\"sku\":\"a\",\"name\":\"A\",\"active\":true}\n{\"sku\":\"b\",\"name\":\"B\",\"active\":2}",
        document: "lines", sentence: "feed.json: line 2, $.active: 2 is not true or false (byte 68)"
      ),
      Refused(
        text: "{\"sku\":\"a\",\"name\":\"A\",\"active\":true}\n{\"sku\":\"b\",\"na",
        document: "lines",
        sentence: "line 2: the string that starts here is not closed"),
      Refused(
        text:
          "{\"sku\":\"a\",\"name\":\"A\",\"active\":true}\n{\"sku\":\"a\",\"name\":\"A\",\"active\":true}\n",
        document: "lines",
        sentence: "line 2: the key sku = \"a\" is also on line 1, in a row that is the same"),
    ]
  }

  @Test("A document with a fault is refused at its place", arguments: Refused.all)
  func refuses(_ refused: Refused) throws {
    let error = try #require(throws: DocumentError.self) {
      try read(refused.text, refused.document)
    }
    #expect(error.description.contains(refused.sentence), "\(error)")
  }

  @Test("Paths are read, and what is none is refused")
  func readsPaths() {
    #expect(RowsPath("a.b")?.steps == [.member("a"), .member("b")])
    #expect(RowsPath("[]")?.steps == [.elements])
    #expect(RowsPath("@")?.steps == [])
    #expect(
      RowsPath("p.{sku}.\"a.b\"[x].c[#n]")?.steps == [
        .member("p"), .members(column: "sku"), .member("a.b"),
        .elementsByMembers([.init("x", ["x"])]), .member("c"), .elementsByPlace(column: "n"),
      ])
    #expect(
      RowsPath("o[x, y=a.\"b c\" ]")?.steps == [
        .member("o"), .elementsByMembers([.init("x", ["x"]), .init("y", ["a", "b c"])]),
      ])
    for text in [
      "o[=id]", "o[x=]", "o[x,]", "o[x=a[]]", "o[x={a}]", "a.", ".a", "a..b", "{", "{}", "[x",
      "a b]", "a[#]", "\"a", "a{b}",
    ] {
      #expect(RowsPath(text) == nil, "\(text)")
    }
  }
}
