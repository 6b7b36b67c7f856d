import CatalogEngine
import CatalogModel
import DescribedTables
import Projections
import Promises
import Testing

@Suite(
  "Descriptions of kinds",
  .promise(
    "A description of tables is refused with all of its faults and their places, or it "
      + "opens, rebuilds and verifies"))
struct KindDescriptionTests {
  @Test("A description is read, written in canonical form, and read again")
  func isTheSameAfterWriting() throws {
    let description = try Shop.description()
    let written = try description.checked()
    #expect(written == description)
    #expect(written.canonical.description == description.canonical.description)
    #expect(description.tables.map(\.name) == ["products", "product_tags"])
    #expect(description.table("products")?.column("synced_at")?.attention == .alone)
    #expect(description.document("nightly")?.isComplete == true)
    #expect(description.rules.map(\.level) == [.refuse])
  }

  @Test("A description with one fault is refused at its place, with advice", arguments: Fault.all)
  func refuses(_ fault: Fault) throws {
    let error = try #require(throws: DocumentError.self) {
      try KindDescription.read(Array(fault.text.utf8), file: "kind.json")
    }
    #expect(error.faultCount == 1, "\(error)")
    #expect(error.description.contains(fault.sentence), "\(error)")
  }

  @Test(
    "What no catalog can have is refused, and a sentence says which it is",
    arguments: [
      (#""search": ["name"], "#, "text", "", nil),
      ("", "text", #", "rules": {"r": {"sql": "SELECT absent FROM t"}}"#, "no such column: absent"),
      (
        "", "text", #", "rules": {"r": {"sql": "SELECT 1 WHERE 0; SELECT id FROM t"}}"#,
        "not one statement"
      ), ("", "text", "", nil),
    ])
  func refusesToCarryOut(search: String, type: String, rules: String, sentence: String?) throws {
    let text = """
      {"kind": "k", "version": 1, "tables": {"t": {"key": "id", \(search)"columns": \
      {"id": "text", "name": "\(type)"}}}\(rules)}
      """
    let kind = DescribedKind(try KindDescription.read(Array(text.utf8), file: "kind.json"))
    guard let sentence else { return try kind.requireCarriedOut() }
    let error = try #require(throws: DocumentError.self) { try kind.requireCarriedOut() }
    #expect("\(error)".contains(sentence), "\(error)")
  }

  @Test("All faults are listed at once, in the order of their places")
  func listsAllFaults() throws {
    let text = """
      {"kind": "Shop", "tables": {
        "p q": {"key": "sku", "columns": {"sku": "string", "rowid": "text"}},
        "b": {"key": "a", "columns": {"a": "text"}, "colour": 1}}, "rule": {}}
      """
    let error = try #require(throws: DocumentError.self) {
      try KindDescription.read(Array(text.utf8), file: "kind.json")
    }
    let places = ([error] + error.furtherFaults).map(\.path)
    #expect(
      places == [
        "$.kind", "$.tables[\"p q\"]", "$.tables[\"p q\"].columns.sku",
        "$.tables[\"p q\"].columns.rowid", "$.tables.b.colour", "$.rule",
      ], "\(error)")
    #expect(error.description.contains("did you mean \"rules\"?"))
    #expect(error.description.contains("did you mean \"text\"?"))
  }
}

struct Fault: Sendable, CustomTestStringConvertible {
  let text: String
  let sentence: String
  var testDescription: String { sentence }

  private static func columns(_ columns: String, _ more: String = "") -> String {
    "{\"kind\": \"k\", \"tables\": {\"t\": {\"key\": \"a\", \"columns\": {\"a\": \"text\", \(columns)}\(more)}}}"
  }

  private static func event(_ event: String) -> String {
    "{\"kind\": \"k\", \"tables\": {\"t\": {\"key\": \"a\", \"columns\": {\"a\": \"text\", \"n\": \"integer\"}}}, "
      + "\"events\": {\"t.done\": \(event)}}"
  }

  static let all: [Fault] = [
    Fault(
      text: columns("\"b\": \"numer\""), sentence: "$.tables.t.columns.b: \"numer\" is not a type"),
    Fault(text: columns("\"b\": \"numer\""), sentence: "did you mean \"number\"?"),
    Fault(text: columns("\"A\": \"text\""), sentence: "differ only in capital letters"),
    Fault(text: columns("\"_x\": \"text\""), sentence: "columns of the program begin with \"_\""),
    Fault(
      text: columns("\"b\": {\"type\": \"integer\", \"default\": 1.5}"),
      sentence: "$.tables.t.columns.b.default: 1.5 is not a whole number"),
    Fault(
      text: columns("\"b\": {\"default\": 9007199254740993, \"type\": \"number\"}"),
      sentence: "cannot be kept exactly as a number"),
    Fault(
      text: columns("\"b\": {\"type\": \"text\", \"refers\": \"s\"}"),
      sentence: "\"s\" is not a table"),
    Fault(
      text: columns("\"b\": \"text\"", ", \"indexes\": [[\"c\"]]"),
      sentence: "\"c\" is not a column of t"),
    Fault(
      text:
        "{\"kind\": \"k\", \"tables\": {\"t\": {\"key\": \"a\", \"columns\": {\"a\": \"number\"}}}}",
      sentence: "$.tables.t.key: \"a\" cannot be in a key"),
    Fault(
      text:
        "{\"kind\": \"k\", \"tables\": {\"t\": {\"key\": \"b\", \"columns\": {\"a\": \"text\"}}}}",
      sentence: "\"b\" is not a column of t"),
    Fault(
      text: event("{\"data\": {}, \"does\": [{\"remove\": \"t\", \"key\": [\"$a\"]}]}"),
      sentence: "$.events[\"t.done\"].does[0].key[0]: \"$a\" is not a member of t.done"),
    Fault(
      text: event(
        "{\"data\": {\"a\": \"text\"}, \"does\": [{\"set\": \"t\", \"key\": [\"$a\"], \"to\": {\"n\": \"$a\"}}]}"
      ),
      sentence: "is a text, and n is a whole number"),
    Fault(
      text: event(
        "{\"data\": {\"a\": \"text\"}, \"does\": [{\"put\": \"t\", \"row\": {\"a\": \"$a\"}}]}"),
      sentence: "the row lacks n"),
    Fault(
      text: event(
        "{\"data\": {\"n\": \"integer\"}, \"does\": [{\"removeAll\": \"t\", \"where\": {\"n\": \"$n\"}}]}"
      ),
      sentence: "t has no index of n"),
    Fault(
      text: event(
        "{\"data\": {\"a\": \"text\"}, \"needs\": [{\"row\": \"t\", \"key\": [\"$a\"], \"else\": \"no {b}\"}], "
          + "\"does\": [{\"remove\": \"t\", \"key\": [\"$a\"]}]}"),
      sentence: "names {b}, which is not known"),
  ]
}

/// The description of docs and tests: a shop.
enum Shop {
  static func description() throws -> KindDescription {
    try KindDescription.read(Array(text.utf8), file: "kind.json")
  }

  static let text = """
    { "kind": "shop", "version": 1,
      "tables": {
        "products": { "key": "sku", "indexes": [["category"]], "search": ["name", "vendor"],
          "columns": {"sku": "text", "name": {"type": "text", "name": true}, "category": "text", "vendor": "text",
            "price": "number", "currency": "text", "stock": "integer", "ean": {"type": "text?", "unique": true},
            "active": "flag", "synced_at": {"type": "time?", "ignore": "alone"}} },
        "product_tags": { "key": ["product", "tag"],
          "columns": {"product": {"type": "text", "refers": "products", "gone": "remove"}, "tag": "text"} } },
      "documents": {
        "nightly": { "csv": {"separator": ";", "encoding": "windows-1252", "decimal": ","}, "complete": true,
          "rows": {"products": {"columns": {"sku": "Article no.", "name": "Name", "price": "Price"}}},
          "others": "refuse", "refuse": {"removed": "20%", "rowsOfOtherLength": true} },
        "feed": { "rows": {
          "products": {"at": "products.{sku}", "columns": {"name": "title", "price": "price.amount",
            "active": {"from": "enabled", "missing": true}}},
          "product_tags": {"at": "products.{product}.tags[]", "columns": {"tag": "@"}} } } },
      "events": {
        "product.counted": {
          "data": {"sku": "text", "stock": "integer"},
          "needs": [{"row": "products", "key": ["$sku"], "else": "there is no product {sku}"}],
          "does": [{"set": "products", "key": ["$sku"], "to": {"stock": "$stock"}}] } },
      "rules": { "every product has a category": {
        "sql": "SELECT sku FROM products WHERE category IS NULL OR category = ''", "level": "refuse"} } }
    """
}
