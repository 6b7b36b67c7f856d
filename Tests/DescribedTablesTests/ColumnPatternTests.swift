import CatalogTestSupport
import Foundation
import Promises
import Testing

/// A list of products, and one with the mistakes that programs make: another unit, a shifted count, one value for all, capitals.
@Suite(
  "A summary says what the changes of a column have in common",
  .promise(
    "If nine tenths of the changes of a column have something in common, the summary, the plan "
      + "of the import and their JSON say it, and else nothing"))
struct ColumnPatternTests {
  private struct Product {
    var price: String
    var stock: Int
    var name, category, note: String
    var serial: Int
  }

  private static let count = 40

  private func text(_ products: [Product]) -> String {
    "sku,price,stock,name,category,note,serial\n"
      + products.enumerated().map { sku, row in
        "\(sku),\(row.price),\(row.stock),\(row.name),\(row.category),\(row.note),\(row.serial)\n"
      }.joined()
  }

  private let right = (0..<Self.count).map {
    Product(
      price: "\(1_299 + 17 * $0)", stock: 3 * $0, name: "lamp \(10 + $0)x", category: "Room \($0)",
      note: "a note \($0)", serial: 1_000 + $0 * $0)
  }

  /// - Parameter others: how many rows have changes of their own.
  private func wrong(_ others: Int) -> [Product] {
    right.enumerated().map { sku, old in
      var new = old
      // Squares of others have nothing in common.
      new.serial = 5_000 - 7 * sku * sku
      // The others are spread over the list.
      if sku * 7 % Self.count < others {
        new.price = "\(3_000 + sku * sku)"
        new.stock = 500 - sku * sku
        (new.name, new.category, new.note) = ("bulb \(sku)", "Other \(sku)", "none \(sku)")
      } else {
        let cents = 1_299 + 17 * sku
        new.price = "\(cents / 100).\(cents % 100 / 10)\(cents % 10)"
        new.stock -= 2
        (new.name, new.category) = (old.name.uppercased(), "Unknown")
        new.note = "a  note \(sku)"
      }
      return new
    }
  }

  private func shop() throws -> TableShop {
    let shop = try TableShop(
      """
      {"kind": "shop", "tables": {"product": {"key": "sku", "columns": {
        "sku": "integer", "price": "number", "stock": "integer", "name": "text", "category": "text",
        "note": "text", "serial": "integer"}}}}
      """)
    try #require(try shop.take("product", text(right), as: "list.csv").status == 0)
    return shop
  }

  @Test(
    "Nine tenths of the rows and more have a pattern, fewer have none", arguments: [0, 4, 5, 20])
  func findsPatterns(others: Int) throws {
    let shop = try shop()
    let planned = try shop.take("product", text(wrong(others)), as: "list.csv", "--dry-run")
    #expect(planned.status == 2, "\(planned.everything)")
    #expect(try shop.take("product", text(wrong(others)), as: "list.csv").status == 0)
    let shown = try shop.run("show", "head")
    let rows = others == 0 ? "\(Self.count) rows" : "\(Self.count - others) of \(Self.count) rows"
    let (has, first) = (others * 10 <= Self.count, others == 0 ? 0 : 1)
    let second = first == 1 ? (1..<Self.count).first { $0 * 7 % Self.count >= others } ?? 0 : 0
    let cents = 1_299 + 17 * second
    for line in [
      "price: divided by 100 in \(rows), as \(cents).0 → \(Double(cents) / 100)",
      "stock: 2 less in \(rows), as \(3 * second) → \(3 * second - 2)",
      "name: other capitals in \(rows), as 'lamp \(10 + second)x' → 'LAMP \(10 + second)X'",
      "category: different values became 'Unknown' in \(rows), as 'Room \(second)' → 'Unknown'",
      "note: other white space in \(rows), as 'a note \(second)' → 'a  note \(second)'",
    ] {
      #expect(shown.output.contains("  \(line); no earlier event") == has, "\(shown.everything)")
      #expect(planned.output.contains(line) == has, "\(planned.everything)")
    }
    #expect(!shown.output.contains("serial: multiplied") && !shown.output.contains("serial: d"))
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(try shop.run("show", "head", "--json").output.utf8))
        as? [String: Any])
    let tables = try #require(json["tables"] as? [[String: Any]])
    let columns = try #require(tables.first?["columns"] as? [[String: Any]])
    #expect(columns.count == 6)
    for column in columns {
      let pattern = column["pattern"] as? [String: Any]
      let name = column["column"] as? String
      #expect((pattern != nil) == (has && name != "serial"), "\(column)")
      guard let pattern else { continue }
      #expect(pattern["rows"] as? Int == Self.count - others)
      let known = [
        "price": "factor 0.01", "stock": "addend -2", "name": "letterCase nil",
        "category": "value 'Unknown'", "note": "space nil",
      ]
      let found = "\(pattern["kind"] ?? "nil") \(pattern["value"] ?? "nil")"
      #expect(name.flatMap { known[$0] } == found)
    }
  }

  /// Imports lists one after another, and shows what the last one did.
  private func shown(_ lists: [Product]..., in shop: TableShop) throws -> Program {
    for list in lists {
      let taken = try shop.take("product", text(list))
      try #require(taken.status == 0, "\(taken.everything)")
    }
    return try shop.run("show", "head")
  }

  /// The list with another value in one column of each row.
  private func changed(_ list: [Product], _ change: (Int, inout Product) -> Void) -> [Product] {
    var list = list
    for sku in list.indices { change(sku, &list[sku]) }
    return list
  }

  /// The quotient of two large numbers is nearly 1, whatever was added.
  @Test(
    "A number that was added to large ones is not called a factor, and numbers at random are no pattern",
    arguments: [1_760_000_720_194, 1_760_000_000, 1_000_000_000_000_000_000])
  func addsToLargeNumbers(base: Int) throws {
    let shop = try shop()
    var list = changed(right) { $1.stock = base + 1_000 * $0 }
    for (addend, words) in [
      (0, "multiplied by"), (3_600, "stock: 3600 more in 40 rows"),
      (-86_400_000, "stock: 86400000 less in 40 rows"),
      (1_234_567_891, "stock: 1234567891 more in 40 rows"),
    ] {
      list = changed(list) { $1.stock += addend }
      let run = try shown(list, in: shop)
      #expect(run.output.contains(words) == (addend != 0), "\(run.everything)")
    }
    let random = try shown(changed(list) { $1.stock += 1 + $0 * $0 % 37 }, in: shop)
    #expect(
      random.output.contains("stock 40") && !random.output.contains("multiplied")
        && !random.output.contains(" more in "), "\(random.everything)")
  }

  @Test("The capitals of letters that have two are capitals")
  func knowsOtherCapitals() throws {
    let list = changed(right) { $1.name = "Größe Café \($0)" }
    let run = try shown(list, changed(list) { $1.name = $1.name.uppercased() }, in: shop())
    #expect(run.output.contains("name: other capitals in 40 rows"), "\(run.everything)")
  }

  @Test("A pattern that begins after hundreds of other changes is found")
  func findsLatePatterns() throws {
    let list = (0..<6_000).map { sku in
      var product = right[0]
      product.stock = 10_000 + sku
      return product
    }
    let next = changed(list) { $1.stock = $0 < 500 ? 7 * $0 * $0 : 3 * $1.stock }
    let run = try shown(list, next, in: shop())
    #expect(
      run.output.contains("stock: multiplied by 3 in 5,500 of 6,000 rows, as 10500 → 31500"),
      "\(run.everything)")
  }

  @Test("A change that most rows have says it all, and two rows are no pattern")
  func leavesOutWhatIsSaid() throws {
    let list = changed(right) { $1.category = "Bath" }
    let next = changed(list) {
      $1.category = "Lamps"
      if $0 < 2 { $1.stock += 7 }
    }
    let run = try shown(list, next, in: shop())
    #expect(run.output.contains("category: 'Bath' → 'Lamps' in 40 rows"), "\(run.everything)")
    #expect(!run.output.contains("7 more"), "\(run.everything)")
  }
}
