import CatalogTestSupport
import Foundation
import Promises
import Testing

/// The event that a difference names, where several events changed columns of one row.
@Suite(
  .promise(
    "Two states are compared row by row, with the events that made them differ",
    by: "columns of one row by several events; answers of `blame`"))
struct ColumnEventTests {
  /// A price in one import, a stock in the next one, and the price of another row and back.
  private static func shop() async throws -> TestCatalog {
    let catalog = try TestCatalog()
    func run(_ words: String...) async throws {
      let outcome = await InProcess.run(words + ["--catalog", catalog.path])
      try #require(outcome.status == 0, "\(words): \(outcome)")
    }
    var first: String?
    for rows in [
      "A,10,1\nB,20,2\nC,30,3\n", "A,11,1\nB,20,2\nC,31,3\n", "A,11,5\nB,20,7\nC,30,3\n",
    ] {
      let file = try catalog.folder.write("sku,price,stock\n" + rows, to: "goods.csv")
      if first == nil {
        try await run("init", "--table", "goods=\(file)", "--key", "sku")
        first = file
      }
      try await run("import", "goods=\(file)")
    }
    return catalog
  }

  @Test(arguments: [[], ["--no-history"]])
  func aColumnHasTheEventThatBlameNames(options: [String]) async throws {
    let catalog = try await Self.shop()
    func events(_ words: [String]) async throws -> [String: Int] {
      let outcome = await InProcess.run(
        words + options + ["--format", "json", "--catalog", catalog.path])
      #expect(outcome.status == 2, "\(words): \(outcome)")
      let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
      let tables = (object as? [String: Any])?["tables"] ?? object
      var found: [String: Int] = [:]
      for table in try #require(tables as? [[String: Any]])
      where table["table"] as? String == "goods" {
        for difference in try #require(table["differences"] as? [[String: Any]]) {
          let key = try #require((difference["key"] as? [String: String])?["sku"])
          let column = try #require(difference["column"] as? String)
          found["\(key) \(column)"] =
            (difference["event"] as? [String: Any])?["sequence"] as? Int
        }
      }
      return found
    }
    func blamed(
      _ sku: String, _ column: String
    ) async throws -> (sequence: Int, operation: String) {
      let outcome = await InProcess.run([
        "blame", "goods", sku, "--column", column, "--format", "json", "--catalog", catalog.path,
      ])
      let columns = try #require(try outcome.object()["columns"] as? [[String: Any]])
      let event = try #require(columns.first?["event"] as? [String: Any])
      return (
        try #require(event["sequence"] as? Int), try #require(event["op"] as? String)
      )
    }
    let (price, stock) = (try await blamed("A", "price"), try await blamed("A", "stock"))
    #expect(price.sequence < stock.sequence)
    // The price of C changed and changed back.
    let first = try await blamed("B", "price").sequence
    #expect(
      try await events(["diff", "\(first)", "head"]) == [
        "'A' price": price.sequence, "'A' stock": stock.sequence,
        "'B' stock": try await blamed("B", "stock").sequence,
      ])
    // Without the import of the stocks, prices are as they are, but for that of C.
    let without = try await events(["what-if", stock.operation])
    #expect(without["'A' stock"] == stock.sequence && without["'A' price"] == nil, "\(without)")
    let prices = try await events(["what-if", price.operation])
    #expect(prices["'A' price"] == price.sequence && prices["'A' stock"] == nil, "\(prices)")
  }

  @Test func textHasEachColumnBelowItsOperation() async throws {
    let catalog = try await Self.shop()
    let outcome = await InProcess.run(["diff", "head~2", "head", "--catalog", catalog.path])
    let blocks = outcome.output.components(separatedBy: "\n  event ").dropFirst()
    #expect(blocks.count == 2, "\(outcome)")
    #expect(blocks.first?.contains("~ sku='A' price: ") == true, "\(outcome)")
    #expect(blocks.last?.contains("~ sku='A' stock: ") == true, "\(outcome)")
    #expect(blocks.last?.contains("price") == false, "\(outcome)")
  }

  /// A value that a person changed by hand names the event that wrote the column, not the last one of the row.
  @Test func verifyNamesTheEventOfTheColumn() async throws {
    let catalog = try await Self.shop()
    let edited = try await Program.run(
      "sqlite3", [catalog.database, "UPDATE goods SET price = 99 WHERE sku = 'A'"])
    try #require(edited.status == 0, "\(edited)")
    let found = try await Program.catalogctl([
      "verify", "--format", "json", "--catalog", catalog.path,
    ])
    #expect(found.status == 2, "\(found)")
    let findings = try #require(try found.object()["findings"] as? [[String: Any]])
    let price = try #require(findings.first { $0["column"] as? String == "price" }, "\(found)")
    let event = try #require(price["event"] as? Int)
    let blame = try await InProcess.run([
      "blame", "goods", "A", "--column", "price", "--at", "head", "--format", "json", "--catalog",
      catalog.path,
    ]).object()
    let columns = try #require(blame["columns"] as? [[String: Any]])
    let wanted = try #require(columns.first?["event"] as? [String: Any])
    #expect(event == wanted["sequence"] as? Int)
  }
}
