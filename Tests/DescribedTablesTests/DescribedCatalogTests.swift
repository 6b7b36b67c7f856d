import CatalogEngine
import CatalogTestSupport
import DescribedTables
import Foundation
import Projections
import Promises
import Testing

/// An app imports documents into tables that a description names, beside the program.
@Suite(
  .promise("An app makes, opens and fills described tables as the program does"))
struct DescribedCatalogTests {
  private struct Product: Equatable {
    var sku: String
    var price: Int64

    static let table = TypedTable(
      "product", key: ["sku"], Field("sku", \Self.sku), Field("price", \.price), make: Self.init)
  }

  private static let kind = """
    {"kind": "shop", "tables": {"product": {"key": "sku", "columns": {"sku": "text", "price": "integer"}}}}
    """

  private func list(_ prices: [Int64]) -> String {
    "sku,price\n" + prices.enumerated().map { "S\($0),\($1)\n" }.joined()
  }

  @Test func documentsAreImportedAsTheProgramDoes() async throws {
    let folder = try ScratchFolder()
    let directory = CatalogDirectory(folder.file("app"))
    let description = try KindDescription.read(Array(Self.kind.utf8), file: "kind.json")
    let made = try await DescribedCatalog.create(description, in: directory)
    made.close()
    await #expect(throws: CatalogError.self) {
      try await DescribedCatalog.create(description, in: directory)
    }
    let shop = try await DescribedCatalog.open(directory)
    defer { shop.close() }
    #expect(shop.description == description)
    let twin = try TableShop(Self.kind)

    let prices: [[Int64]] = [[1, 2, 3, 4], [1, 7, 3, 4], [1, 7, 3]]
    for (number, prices) in prices.enumerated() {
      let text = list(prices)
      let path = try folder.write(text, to: "\(number).csv")
      let planned = try await shop.imports.plan(["product": path], isComplete: true)
      let head = try await shop.catalog.head()
      #expect(planned.outcome == .planned && planned.sequence == head?.sequence)
      let report = try await shop.imports.apply(
        ["product": URL(filePath: path)], isComplete: true)
      #expect(report.outcome == .imported && report.documents[0].tables[0].rows == prices.count)
      #expect(report.summary == planned.summary)
      try twin.take("product", text, as: "\(number).csv", "--complete")
      let rows = try await shop.catalog.rows(of: Product.table)
      #expect(rows == prices.enumerated().map { Product(sku: "S\($0)", price: $1) })
      #expect(rows.map { "\($0.sku),\($0.price)" } == (try twin.rows("product")))
      let again = try await shop.imports.apply(["product": path], isComplete: true)
      #expect(again.outcome == .unchanged && again.documents[0].isKnown)
    }
    // The program sees the same tables.
    let listed = try Program(
      BuiltProgram.path("catalogctl"), "rows", "product", "--csv", "--catalog", directory.path)
    #expect(
      listed.output.split(separator: "\n").dropFirst().map(String.init)
        == (try twin.rows("product")))
  }

  @Test func whatIsRefusedChangesNothing() async throws {
    let folder = try ScratchFolder()
    let directory = CatalogDirectory(folder.file("app"))
    let missing = await #expect(throws: CatalogError.self) {
      try await DescribedCatalog.open(directory)
    }
    #expect(missing?.code == .noCatalog)
    let description = try KindDescription.read(Array(Self.kind.utf8), file: "kind.json")
    let shop = try await DescribedCatalog.create(description, in: directory)
    defer { shop.close() }
    let whole = try folder.write(list(Array(0..<200)), to: "whole.csv")
    try await shop.imports.apply(["product": whole])
    let head = try await shop.catalog.head()
    let few = try folder.write(list([0, 1]), to: "few.csv")
    let refusal = await #expect(throws: RemovalRefusal.self) {
      try await shop.imports.apply(["product": few], isComplete: true)
    }
    #expect(refusal?.tables.map(\.removed) == [198] && refusal?.tables.map(\.present) == [200])
    let wrong = try folder.write("sku,price\nS1,dear\n", to: "wrong.csv")
    for document in [wrong, folder.file("none.csv")] {
      await #expect(throws: DocumentError.self) {
        try await shop.imports.apply(["product": document])
      }
    }
    #expect(try await shop.catalog.head() == head)
    try await shop.imports.apply(["product": few], isComplete: true, allowsRemoval: true)
    #expect(try await shop.catalog.rows(of: Product.table).count == 2)

    let other = CatalogDirectory(folder.file("sounds"))
    let sounds = try Program(
      BuiltProgram.path("catalogctl"), "init", "--kind", "sound-library", "--catalog", other.path)
    #expect(sounds.status == 0)
    let error = await #expect(throws: CatalogError.self) {
      try await DescribedCatalog.open(other)
    }
    #expect(error?.code == .wrongKind)
  }
}
