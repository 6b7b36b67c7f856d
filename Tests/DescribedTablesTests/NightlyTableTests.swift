import CatalogEngine
import CatalogStore
import CatalogTestSupport
import DescribedTables
import Foundation
import Projections
import Promises
import Testing

/// One list of thirty sets a category wrong, and later lists change other columns of the same rows: a revert takes back the wrong
/// values alone.
@Suite(
  "Thirty nightly lists of products, imported as a table",
  .promise(
    "A revert restores the cells that only the operation wrote, and no other",
    by: "the same as a table"))
struct NightlyTableTests {
  @Test("All categories are restored but those of rows that are gone, and no stock or price")
  func categories() async throws {
    let shop = try await NightlyShop()
    let before = try await shop.rows()
    let wrong = shop.wrong
    let gone = wrong.filter { before[$0] == nil }
    try #require(wrong.count > 40 && wrong.count > gone.count)
    let report = try await shop.catalog.revert(
      .events(shop.nights[NightlyShop.wrongNight]), columns: ["category"])
    let after = try await shop.rows()
    #expect(after.count == before.count)
    for (sku, old) in before {
      let new = try #require(after[sku])
      #expect(old.stock == new.stock && old.price == new.price, "\(sku)")
      #expect(new.category == (wrong.contains(sku) ? NightlyShop.right : old.category), "\(sku)")
    }
    // Each row that is gone is listed, with the event that set its category and the one that removed it.
    #expect(Set(report.conflicts.map(\.key)) == Set(gone.map { [.text($0)] }))
    for conflict in report.conflicts {
      #expect(conflict.reason == "a later event removed it")
      let reverted = try #require(conflict.reverted?.sequence)
      #expect(shop.nights[NightlyShop.wrongNight].contains(reverted))
      #expect(try #require(conflict.later?.sequence) > reverted)
    }
  }

  @Test("A whole revert restores the other cells that no later list changed")
  func whole() async throws {
    let shop = try await NightlyShop()
    let before = try await shop.rows()
    let (old, new) = (
      shop.states[NightlyShop.wrongNight - 1], shop.states[NightlyShop.wrongNight]
    )
    _ = try await shop.catalog.revert(.events(shop.nights[NightlyShop.wrongNight]))
    let after = try await shop.rows()
    for sku in after.keys where before[sku] == nil {
      #expect(old[sku] != nil && new[sku] == nil, "only what this night removed returns: \(sku)")
    }
    for (sku, present) in before {
      guard let was = old[sku], let written = new[sku] else {
        // A product that this night added goes if no later list changed it.
        if new[sku] == present { #expect(after[sku] == nil, "\(sku)") }
        continue
      }
      let wanted = NightlyShop.Product(
        category: present.category == written.category ? was.category : present.category,
        price: present.price == written.price ? was.price : present.price,
        stock: present.stock == written.stock ? was.stock : present.stock)
      #expect(after[sku] == wanted, "\(sku)")
    }
  }
}

/// A catalog of one table, which thirty lists were imported into.
private struct NightlyShop {
  struct Product: Hashable {
    var category: String
    var price: Int
    var stock: Int
  }

  static let wrongNight = 17
  static let (right, mistake) = ("Bath/Taps", "Lighting/Lamps")
  private static let categories = [
    "Garden/Hoses", "Garden/Spades", "Tools/Drills", "Tools/Saws", "Lighting/Bulbs", mistake, right,
    "Bath/Mirrors", "Kitchen/Pans", "Kitchen/Knives",
  ]
  private static let description = """
    { "kind": "nights", "version": 1,
      "tables": {"products": { "key": "sku",
        "columns": {"sku": "text", "category": "text", "price": "integer", "stock": "integer"} }} }
    """

  let catalog: EventCatalog<DescribedKind>
  /// The events of each night, and the products after it; of night 0 none.
  private(set) var nights: [ClosedRange<UInt64>] = [1...1]
  private(set) var states: [[String: Product]] = [[:]]
  private let folder: ScratchFolder

  init() async throws {
    folder = try ScratchFolder()
    let kind = DescribedKind(
      try KindDescription.read(Array(Self.description.utf8), file: "kind.json"))
    let directory = CatalogDirectory(folder.file("catalog"))
    _ = try TableCatalog.create(in: directory, kind, options: OpeningOptions())
    catalog = EventCatalog(
      kind, try OpenedCatalog.openExisting(directory, kind, options: OpeningOptions()))
    var random = SplitMix(seed: 42)
    var following = 1
    var now: [String: Product] = [:]
    func add() {
      now["SKU-\(following)"] = Product(
        category: random.pick(Self.categories), price: 199 + random.below(49_800),
        stock: random.below(500))
      following += 1
    }
    let count = Sample.count(500, of: 5_000)
    for night in 1...30 {
      if night == 1 {
        for _ in 0..<count { add() }
      } else {
        func some(_ count: Int) -> ArraySlice<String> {
          now.keys.sorted().shuffled(using: &random).prefix(count)
        }
        for sku in some(count * 12 / 100) { now[sku]?.stock = random.below(500) }
        for sku in some(count * 16 / 1_000) { now[sku]?.price += 1 + random.below(100) }
        for _ in 0..<3 + random.below(8) { add() }
        for sku in some(random.below(5)) { now[sku] = nil }
        if night == Self.wrongNight {
          for sku in now.keys where now[sku]?.category == Self.right {
            now[sku]?.category = Self.mistake
          }
        }
      }
      try await take(now)
    }
  }

  /// Imports the list of a night.
  private mutating func take(_ products: [String: Product]) async throws {
    let lines = products.sorted { $0.key < $1.key }.map {
      "\($0.key),\($0.value.category),\($0.value.price),\($0.value.stock)"
    }
    let text = (["sku,category,price,stock"] + lines).joined(separator: "\n") + "\n"
    var request = TableDocumentRequest()
    request.isComplete = true
    let file = try SourceFile(name: "products.csv", bytes: Array(text.utf8))
    let importer = TableImporter(catalog.kind, [ImportSource("products", file, request)])
    let report = try await importer.apply(to: catalog)
    let last = try #require(try catalog.opened.log.head()).sequence
    nights.append(last + 1 - UInt64(report.eventCount)...last)
    states.append(products)
  }

  /// The products whose category the wrong list changed.
  var wrong: [String] {
    let (old, new) = (states[Self.wrongNight - 1], states[Self.wrongNight])
    return new.keys.filter { sku in old[sku].map { $0.category != new[sku]?.category } ?? false }
  }

  func rows() async throws -> [String: Product] {
    let table = try #require(catalog.kind.schema.tables.first { $0.name == "products" })
    let rows = try catalog.opened.projection.readProved { try $0.rows(in: table) }
    return Dictionary(
      uniqueKeysWithValues: rows.compactMap { row in
        guard case .text(let sku) = row[0], case .text(let category) = row[1],
          case .integer(let price) = row[2], case .integer(let stock) = row[3]
        else { return nil }
        return (sku, Product(category: category, price: Int(price), stock: Int(stock)))
      })
  }
}
