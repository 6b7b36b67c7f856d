import CatalogTestSupport
import Foundation
import Testing

/// Commands that append all that a log of described tables can hold.
struct GoldenStory {
  /// The kind's own events, which use each verb.
  static let own = [
    "product.added", "product.moved", "product.sold", "product.tagged", "tag.removed",
    "product.removed",
  ]

  private let test: TestCatalog

  init() throws { test = try TestCatalog() }

  func catalog() async throws -> TestCatalog {
    let kind = try test.folder.write(Self.description, to: "kind.json")
    try await run("init", "--describe", kind, "--at", "2026-01-01T00:00:00Z")
    try await importing(
      "product", as: "all.csv",
      #"""
      sku,name,shelf,price,pieces,ean,active,seen,owner,picture,more,checked
      A1,Bell,S1,2.25,7,4001,1,2026-01-01T10:00:00Z,6f7ddbb0-95a3-4b0f-8a6e-0d0d2f7a1c01,AAE=,"{""b"":1,""a"":[true,null]}",2026-01-01T10:00:00Z
      A2,Grün,,1e300,9007199254740992,,0,,,,,
      A3,Door,S2,0.5,-3,4003,1,,,,[],

      """#, "--at", "2026-01-02T00:00:00Z")
    try await importing(
      "line", as: "lines.jsonl",
      """
      {"a":"x","n":1}
      {"a":"x","n":1}
      {"a":"y","n":null}

      """, "--complete", "--at", "2026-01-03T00:00:00Z")
    try await importing(
      "nightly", as: "n1.csv",
      """
      Article;Name;Price;Pieces;Else
      A1;Bell;2,75;8;q
      A2;Grün;1e300;9007199254740992;q
      A4;La\u{301}mp;4,5;1;q

      """, "--at", "2026-01-04T00:00:00Z")
    try await record("product.added", "sku=B1", "name=Rope", "ean=4009", #"more={"x":[1,2]}"#)
    try await record("product.moved", "sku=B1", "shelf=S9")
    try await record("product.sold", "sku=B1", "pieces=-2")
    for tagged in [("B1", "new"), ("A1", "new"), ("A1", "old")] {
      try await record("product.tagged", "sku=\(tagged.0)", "tag=\(tagged.1)")
    }
    try await record("tag.removed", "tag=old")
    try await record("product.removed", "sku=B1")
    let second = try test.folder.write(Self.second, to: "second.json")
    try await run("kind", "change", second, "--drop", "product.owner", "--drop", "gone")
    try await importing(
      "nightly", as: "n2.csv",
      """
      Article;Name;Price;Pieces
      A1;Bell;3,25;8,5
      A2;Grün;1e300;1
      A4;La\u{301}mp;4,5;2
      A5;Saw;1;1

      """)
    let head = try await test.head().sequence
    try await record("product.sold", "sku=A4", "pieces=-2")
    try await record("product.tagged", "sku=A1", "tag=last")
    try await record("product.removed", "sku=A5")
    try await run("revert", "\(head - 3)..\(head)", "--column", "cost", "--reason", "wrong prices")
    return test
  }

  private func run(_ words: String...) async throws { try await run(words) }

  private func run(_ words: [String]) async throws {
    // Documents are named without their folder.
    let outcome = try await Program.run(
      "env", ["-C", test.folder.path, Program.catalogctl] + words + ["--catalog", test.path])
    try #require(outcome.status == 0, "\(words): \(outcome)")
  }

  private func importing(
    _ table: String, as name: String, _ text: String, _ options: String...
  ) async throws {
    _ = try test.folder.write(text, to: name)
    try await run(["import", "\(table)=\(name)"] + options)
  }

  private func record(_ event: String, _ members: String...) async throws {
    try await run(["record", event] + members + ["--at", "2026-01-05T00:00:00Z", "--by", "Ann"])
  }

  /// Another description: tables with other names, a wider type, a column and a table less, a column and a table more.
  private static var second: String {
    [
      (#""version": 1"#, #""version": 2"#),
      (#""owner": "id?", "#, #""colour": {"type": "text", "default": "grey"}, "#),
      (#""price": {"type""#, #""cost": {"was": "price", "type""#),
      (#""price": "Price""#, #""cost": "Price""#),
      (#""price": 0.25"#, #""cost": 0.25"#), ("WHERE price", "WHERE cost"),
      (#""pieces": {"type": "integer""#, #""pieces": {"type": "number""#),
      (#""pieces": "integer"}"#, #""pieces": "number"}"#),
      (#""tagging": { "key""#, #""label": { "was": "tagging", "key""#),
      (#""put": "tagging""#, #""put": "label""#),
      (#""removeAll": "tagging""#, #""removeAll": "label""#),
      (
        #""gone": { "key": "id", "columns": {"id": "integer"} }"#,
        #""extra": { "key": ["a", "b"], "columns": {"a": "text", "b": "integer", "c": "blob?"} }"#
      ),
    ].reduce(description) { $0.replacing($1.0, with: $1.1) }
  }

  private static let description = """
    { "kind": "stock", "version": 1,
      "tables": {
        "product": { "key": "sku", "indexes": [["shelf"]],
          "columns": {"sku": "text", "name": {"type": "text", "name": true}, "shelf": "text?",
            "price": {"type": "number", "default": 1.5}, "pieces": {"type": "integer", "default": 0},
            "ean": {"type": "text?", "unique": true}, "active": {"type": "flag", "default": true},
            "seen": "time?", "owner": "id?", "picture": "blob?", "more": "json?",
            "checked": {"type": "time?", "ignore": "alone"}} },
        "tagging": { "key": ["product", "tag"], "indexes": [["tag"]],
          "columns": {"product": {"type": "text", "refers": "product", "gone": "remove"}, "tag": "text",
            "by_whom": "text?", "number": "integer?"} },
        "line": { "key": "whole row", "columns": {"a": "text", "n": "integer?"} },
        "gone": { "key": "id", "columns": {"id": "integer"} } },
      "documents": {
        "nightly": { "csv": {"separator": ";", "decimal": ","}, "complete": true,
          "rows": {"product": {"columns": {"sku": "Article", "name": "Name", "price": "Price", "pieces": "Pieces"}}},
          "others": "drop", "refuse": {"removed": "any"} } },
      "events": {
        "product.added": {"data": {"sku": "text", "name": "text", "ean": "text?", "more": "json?"},
          "needs": [{"noRow": "product", "key": ["$sku"], "else": "there is {row.name} already"}],
          "does": [{"put": "product", "row": {"sku": "$sku", "name": "$name", "ean": "$ean", "more": "$more",
            "seen": "@at", "shelf": "none"}}]},
        "product.moved": {"data": {"sku": "text", "shelf": "text?"},
          "does": [{"set": "product", "key": ["$sku"], "to": {"shelf": "$shelf"}}]},
        "product.sold": {"data": {"sku": "text", "pieces": "integer"},
          "does": [{"add": "product", "key": ["$sku"], "to": {"pieces": "$pieces", "price": 0.25}}]},
        "product.tagged": {"data": {"sku": "text", "tag": "text"},
          "does": [{"put": "tagging", "row": {"product": "$sku", "tag": "$tag", "by_whom": "@by",
            "number": "@sequence"}}]},
        "tag.removed": {"data": {"tag": "text"}, "does": [{"removeAll": "tagging", "where": {"tag": "$tag"}}]},
        "product.removed": {"data": {"sku": "text"}, "does": [{"remove": "product", "key": ["$sku"]}]} },
      "rules": {"no price below 0": {"sql": "SELECT sku FROM product WHERE price < 0"}} }
    """
}
