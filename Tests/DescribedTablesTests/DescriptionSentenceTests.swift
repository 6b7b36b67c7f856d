import DescribedTables
import Foundation
import Promises
import Testing

@Suite(
  "What another description changes is said in sentences",
  .promise("What another description would change is said in sentences before it is applied"))
struct DescriptionSentenceTests {
  private static let former = """
    { "kind": "shop", "tables": {"product": {"key": "sku", "columns": {"sku": "text", "price": "integer"}}},
      "documents": {"nightly": {"csv": {}, "complete": true, "rows": {"product": {}}}},
      "rules": {"dear": {"sql": "SELECT sku FROM product WHERE price > 100", "level": "report"}} }
    """

  @Test(
    arguments: [
      ("\"complete\": true", "\"complete\": false", ["document nightly: another one"]),
      (
        "\"price\": \"integer\"", "\"price\": \"number\"",
        ["product.price is a number instead of a whole number"]
      ),
      (
        "\"price\": \"integer\"", "\"price\": {\"type\": \"integer?\", \"ignore\": \"alone\"}",
        ["product.price may be NULL", "product.price makes no change alone"]
      ),
      (
        "{\"product\": {}}}}",
        "{\"product\": {\"columns\": {\"price\": \"cost\"}}}, \"others\": \"drop\"}}",
        ["document nightly: another one", "document nightly: its columns come from other places"]
      ),
      (", \"level\": \"report\"", "", ["rule dear: another one"]),
      ("\"dear\"", "\"cheap\"", ["new: rule cheap", "rule dear: removed"]),
      (
        "{\"nightly\"", "{\"weekly\": {\"csv\": {}, \"rows\": {\"product\": {}}}, \"nightly\"",
        ["new: document weekly"]
      ),
      (
        "\"price\": \"integer\"}", "\"price\": \"integer\", \"name\": \"text?\"}",
        ["new: column product.name"]
      ),
      (
        "{\"product\": {}}", "{\"product\": {\"columns\": {\"price\": \"cost\"}}}",
        ["document nightly: its columns come from other places"]
      ),
    ] as [(String, String, [String])])
  func isSaid(old: String, new: String, sentences: [String]) throws {
    let text = Self.former.replacingOccurrences(of: old, with: new)
    let change = try DescriptionChange(
      from: KindDescription.read(Array(Self.former.utf8), file: "kind.json"),
      to: KindDescription.read(Array(text.utf8), file: "kind.json"), dropping: [])
    #expect(change.sentences == sentences)
  }
}
