import CatalogEngine
import CatalogModel
import CatalogTestSupport
import DescribedTables
import Foundation
import Projections
import Promises
import Testing

@Suite(
  "Generated descriptions",
  .promise(
    "A description of tables is refused with all of its faults and their places, or it "
      + "opens, rebuilds and verifies"))
struct GeneratedDescriptionTests {
  /// The members of a right description are exchanged, removed and doubled. Whatever comes of it is read or refused; what is
  /// read has tables that SQLite makes, and some of them become catalogs that are rebuilt.
  @Test("A description is refused with a place, or opens", arguments: [UInt64(1), 2, 3, 4])
  func areReadOrRefused(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var accepted = 0
    var refused = 0
    let texts = [Shop.text, Stock.text]
    for _ in 0..<Sample.count(600, of: 2_500) {
      var json = try JSONValue.parse(Array(random.pick(texts).utf8), file: "kind.json")
      for _ in 0..<random.below(3) + 1 { json = mutated(json, &random) }
      do throws(DocumentError) {
        let description = try KindDescription.read(
          Array(json.description.utf8), file: "kind.json")
        accepted += 1
        #expect(throws: Never.self) { try description.checked() }
        let kind = DescribedKind(description)
        #expect(throws: Never.self, "\(description.canonical)") {
          try requireCatalog(of: kind, rebuilding: accepted % 50 == 1)
        }
        let searched = description.tables.count { !$0.search.isEmpty }
        #expect(kind.schema.tables.count == description.tables.count + 3 + searched)
        #expect(kind.schema.fullTextIndexes.count == searched)
        #expect(kind.reversalRules.derived.count == 2 + searched)
      } catch {
        refused += 1
        #expect(error.path != nil || error.offset != nil, "\(error)")
      }
    }
    #expect(accepted > 20 && refused > 200, "\(accepted) accepted, \(refused) refused")
  }

  /// Makes sure that SQLite takes the tables of a kind, unless it refuses a rule, and that a catalog of it opens.
  private func requireCatalog(of kind: DescribedKind, rebuilding: Bool) throws {
    do {
      try kind.requireCarriedOut()
    } catch is DocumentError {
      return
    }
    guard rebuilding else { return }
    let folder = try ScratchFolder()
    let directory = CatalogDirectory(folder.file("catalog"))
    #expect(try TableCatalog.create(in: directory, kind, options: OpeningOptions()))
    let catalog = try OpenedCatalog.openExisting(directory, kind, options: OpeningOptions())
    defer { catalog.close() }
    try catalog.rebuild()
    #expect(try catalog.log.head()?.sequence == 2)
  }

  private func mutated(_ json: JSONValue, _ random: inout SplitMix) -> JSONValue {
    switch json {
    case .object(var members) where !members.isEmpty:
      let place = random.below(members.count)
      switch random.below(9) {
      case 0: members.remove(at: place)
      case 1: members[place].key = random.pick(["order", "Sku", "a b", "x", "_y", "rowid", "tags"])
      case 2:
        members.append(
          JSONValue.Member(
            key: random.pick(["was", "default", "key", "name"]), value: value(&random)))
      default: members[place].value = mutated(members[place].value, &random)
      }
      return .object(members)
    case .array(var elements) where !elements.isEmpty:
      let place = random.below(elements.count)
      switch random.below(5) {
      case 0: elements.remove(at: place)
      case 1: elements.append(elements[place])
      default: elements[place] = mutated(elements[place], &random)
      }
      return .array(elements)
    default: return value(&random)
    }
  }

  private func value(_ random: inout SplitMix) -> JSONValue {
    random.pick([
      .null, .bool(true), .number("1"), .number("9007199254740993"), .number("1e400"), .string(""),
      .string("text?"), .string("integer"), .string("any"), .string("json?"), .string("whole row"),
      .string("$sku"), .string("@at"), .string("products"), .string("e\u{301}"), .array([]),
      .object([]), .array([.string("sku")]), .string("sku"), .string("name"),
    ])
  }
}
