import CatalogModel
import CatalogTestSupport
import DescribedTables
import KindConformance
import PastViewsTestSupport
import Projections
import Promises
import Testing

@Suite(
  "A described kind keeps what the engine promises",
  .promise(
    "The views that other programs use over a history have the rows of each moment, or fail"),
  .promise(
    "A kind keeps what the engine promises of all kinds, and a kind that does not is found"))
struct DescribedConformanceTests {
  @Test("All events of a described kind, contradictions among them")
  func conforms() async throws {
    let kind = DescribedKind(try Stock.description())
    let findings = try await KindConformance(
      kind, batches: Stock.batches(kind), program: BuiltProgram.path("catalogctl")
    ).findings()
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test("Statements in Python over plain views have the answers of the databases that replays make")
  func plainViews() throws {
    let kind = DescribedKind(try Stock.description())
    var random = SplitMix(seed: 77)
    let more = (0..<60).map { _ -> TableEvent in
      let sku = JSONValue.string(random.pick(["a", "b", "c", "d"]))
      switch random.below(4) {
      case 0:
        let shelf = random.pick([JSONValue.null, .string("none"), .string("S1")])
        return Stock.own("product.moved", ["sku": sku, "shelf": shelf])
      case 1: return Stock.own("product.sold", ["sku": sku, "pieces": .number("1")])
      case 2: return Stock.own("product.removed", ["sku": sku])
      default:
        return Stock.own(
          "product.tagged", ["sku": sku, "tag": .string(random.pick(["new", "old", "NULL"]))])
      }
    }
    let folder = try ScratchFolder()
    let trial = try ViewsTrial.catalog(kind, Stock.batches(kind) + [more], in: folder)
    let found = try trial.compare(
      moments: 50, statements: Sample.count(2, of: 10), label: "views of a described kind")
    #expect(found.contains(" statements, "), "\(found)")
  }
}

/// A small shop, whose events have every verb.
enum Stock {
  static func description() throws -> KindDescription {
    try KindDescription.read(Array(text.utf8), file: "kind.json")
  }

  static let text = """
    { "kind": "stock", "version": 1,
      "tables": {
        "product": { "key": "sku", "indexes": [["shelf"]], "search": ["name", "shelf"],
          "columns": {"sku": "text", "name": {"type": "text", "name": true}, "shelf": "text?",
            "price": {"type": "number", "default": 1.5}, "pieces": {"type": "integer", "default": 0},
            "ean": {"type": "text?", "unique": true}, "active": {"type": "flag", "default": true},
            "seen": "time?", "owner": "id?", "picture": "blob?", "more": "json?", "extra": "any?"} },
        "order": { "key": ["product", "tag"], "indexes": [["tag"]],
          "columns": {"product": {"type": "text", "refers": "product", "gone": "remove"}, "tag": "text",
            "group": "text?"} },
        "line": { "key": "whole row", "search": "a", "columns": {"a": "text", "n": "integer?"} } },
      "events": {
        "product.added": {"data": {"sku": "text", "name": "text", "ean": "text?", "more": "json?"},
          "needs": [{"noRow": "product", "key": ["$sku"], "else": "there is {row.name} already"}],
          "does": [{"put": "product", "row": {"sku": "$sku", "name": "$name", "ean": "$ean", "more": "$more",
            "seen": "@at", "shelf": "none"}}]},
        "product.named": {"data": {"sku": "text", "name": "text"},
          "does": [{"merge": "product", "row": {"sku": "$sku", "name": "$name"}}]},
        "product.moved": {"data": {"sku": "text", "shelf": "text?"},
          "does": [{"set": "product", "key": ["$sku"], "to": {"shelf": "$shelf"}}]},
        "product.sold": {"data": {"sku": "text", "pieces": "integer"},
          "needs": [{"row": "product", "key": ["$sku"], "where": {"pieces": {"atLeast": "$pieces"}},
            "else": "{row.name} has {row.pieces} pieces, not {pieces}"}],
          "does": [{"add": "product", "key": ["$sku"], "to": {"pieces": "$pieces", "price": 0.25}}]},
        "product.tagged": {"data": {"sku": "text", "tag": "text"},
          "does": [{"put": "order", "row": {"product": "$sku", "tag": "$tag", "group": "@by"}}]},
        "tag.removed": {"data": {"tag": "text"}, "does": [{"removeAll": "order", "where": {"tag": "$tag"}}]},
        "product.removed": {"data": {"sku": "text"},
          "needs": [{"row": "product", "key": ["$sku"], "where": {"shelf": ["none", null]}, "else": "{sku} is on a shelf"}],
          "does": [{"remove": "product", "key": ["$sku"]}]} },
      "rules": {"no price below 0": {"sql": "SELECT sku FROM product WHERE price < 0"}} }
    """

  static func own(_ name: String, _ members: KeyValuePairs<String, JSONValue>) -> TableEvent {
    .own(OwnRecord(name, members: members.map { JSONValue.Member(key: $0.key, value: $0.value) }))
  }

  static func put(
    _ table: String, _ columns: [String], _ rows: [[Value]], key: [String] = [],
    gone: [[Value]] = []
  ) -> TableEvent {
    .rowsPut(
      RestoredRows(table: table, columns: columns, rows: rows, key: key, gone: gone))
  }

  static func batches(_ kind: DescribedKind) -> [[TableEvent]] {
    let nfd = "Gru\u{308}n"
    let source = SourceRead(
      name: "stock.csv", document: nil, format: "CSV", bytes: 12,
      sha256: String(repeating: "ab", count: 32), modified: nil, reading: "product",
      tables: [.init("product", rows: 3, new: 3, changed: 0, gone: 0)], warnings: [])
    return [
      [.described(DescribedMoment(kind.description))],
      [
        .sourceRead(source),
        put(
          "product", ["sku", "name", "pieces", "ean", "picture", "owner", "seen"],
          [
            [.text("a"), .text("One"), .integer(.max), .text("1"), .blob([0, 255]), .null, .null],
            [
              .text("b"), .text(nfd), .integer(7), .null, .null,
              .text("6f7ddbb0-95a3-4b0f-8a6e-0d0d2f7a1c01"), .text("2026-01-31T12:00:00.000Z"),
            ],
            [.text("c"), .text("Three"), .integer(-3), .text("3"), .null, .null, .null],
          ]),
        put("line", ["_key", "a", "n"], [[.text("k1"), .text("x"), .integer(1)]]),
      ],
      [
        own("product.tagged", ["sku": .string("a"), "tag": .string("new")]),
        own("product.tagged", ["sku": .string("b"), "tag": .string("new")]),
        own("product.tagged", ["sku": .string("b"), "tag": .string("old")]),
        own("product.moved", ["sku": .string("b"), "shelf": .string("S1")]),
      ],
      // Two rows change their unique values with each other.
      [put("product", ["sku", "ean"], [[.text("a"), .text("3")], [.text("c"), .text("1")]])],
      [
        own("product.added", ["sku": .string("d"), "name": .string("Four"), "more": .array([])]),
        own("product.sold", ["sku": .string("b"), "pieces": .number("2")]),
      ],
      [
        own("product.named", ["sku": .string("b"), "name": .string("Two")]),
        own("product.named", ["sku": .string("e"), "name": .string("Five")]),
      ],
      // What contradicts the rows.
      [own("product.added", ["sku": .string("d"), "name": .string("Four")])],
      [own("product.sold", ["sku": .string("b"), "pieces": .number("200")])],
      [own("product.sold", ["sku": .string("a"), "pieces": .number("1")])],
      [own("product.moved", ["sku": .string("none"), "shelf": .null])],
      [own("product.moved", ["sku": .string("a"), "other": .null])],
      [put("product", ["sku", "ean"], [[.text("a"), .text("1")]])],
      [put("product", ["sku", "active"], [[.text("a"), .integer(2)]])],
      [put("product", ["sku", "seen"], [[.text("a"), .text("today")]])],
      // Of an event of several rows the others stay undone, too, whatever is left out of the log before it.
      [
        put(
          "product", ["sku", "seen"],
          [[.text("a"), .text("today")], [.text("d"), .text("2026-02-01T12:00:00.000Z")]])
      ],
      [put("product", ["sku"], [[.text("z")]])],
      [put("none", ["sku"], [[.text("z")]])],
      [own("product.removed", ["sku": .string("b")])],
      [own("product.moved", ["sku": .string("b"), "shelf": .null])],
      [own("product.removed", ["sku": .string("b")])],
      [own("tag.removed", ["tag": .string("new")])],
      [put("product", [], [], key: ["sku"], gone: [[.text("c")], [.text("nothing")]])],
      [put("line", [], [], key: ["_key"], gone: [[.text("k1")]])],
    ]
  }
}
