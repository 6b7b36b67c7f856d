import CatalogControl
import CatalogEngine
import CatalogPages
import CatalogTestSupport
import Foundation
import Promises
import Testing

/// The rules of a description on pages.
@Suite(
  "The report and the inspector show the rules, and the rows that break them",
  .promise(
    "Broken rules are shown with the rows that break them by `lint`, the report and the "
      + "inspector; a rule whose SQL never ends is stopped"))
struct RulesPartTests {
  private static let description = """
    {"kind": "shop",
     "tables": {"product": {"key": "sku", "columns": {"sku": "text", "price": "number"}}},
     "events": {"product.added": {"data": {"sku": "text", "price": "number"},
       "does": [{"put": "product", "row": {"sku": "$sku", "price": "$price"}}]}},
     "rules": {"a price is <below> 100": {"sql": "SELECT sku, price FROM product WHERE price >= 100", "level": "report"},
       "no price below 0": {"sql": "SELECT sku FROM product WHERE price < 0"},
       "cannot be checked with a price of 1": {"sql": "SELECT sku FROM product WHERE abs(CAST(price AS INTEGER) - 9223372036854775807 - 2) = 0", "level": "report"}}}
    """

  private struct Shop {
    let folder: ScratchFolder
    var catalog: String { folder.file("shop") }

    init() throws {
      folder = try ScratchFolder()
      let kind = try folder.write(RulesPartTests.description, to: "kind.json")
      try run("init", "--describe", kind)
      try run("record", "product.added", "sku=a", "price=7")
    }

    func run(_ words: String...) throws {
      let run = try Program([BuiltProgram.path("catalogctl")] + words + ["--catalog", catalog])
      try #require(run.status == 0, "\(run.everything)")
    }

    /// The part of a new report, and of the page Truth at a moment, about rules.
    func pages(_ query: String? = nil) async throws -> (report: Substring, truth: Substring) {
      let file = folder.file("\(UUID().uuidString).html")
      try run("report", file)
      let report = try String(contentsOfFile: file, encoding: .utf8)
      let answer = await CatalogInspector(
        CatalogControl.program, CatalogDirectory(catalog), patience: .seconds(120)
      ).answer(path: "/truth", query: query)
      #expect(answer.status == 200, "\(answer.body)")
      let rules = try #require(answer.body.firstRange(of: "<h3>Today's rules, at event"))
      let part = try #require(report.firstRange(of: "<section id=\"rules\""))
      return (report[part.lowerBound...], answer.body[rules.lowerBound...])
    }
  }

  @Test func showsWhichRowsBreakARule() async throws {
    let shop = try Shop()
    let (report, truth) = try await shop.pages()
    for page in [report, truth] {
      #expect(page.contains("All rules hold."))
      #expect(page.contains("a price is &lt;below&gt; 100") && page.contains("no price below 0"))
    }
    try shop.run("record", "product.added", "sku=dear", "price=250")
    let broken = try await shop.pages()
    for page in [broken.report, broken.truth] {
      #expect(page.contains("1 rule broken.") && page.contains("broken by 1 row"))
      #expect(page.contains(">dear</td>") && page.contains(">250.0</td>"))
    }
    #expect(broken.truth.contains(" rules"), "the command that lists them")
    // The page shows a moment, and then the rule held.
    let then = try await shop.pages("at=3").truth
    #expect(then.contains("All rules hold."))
  }

  @Test func aRuleThatCannotBeCheckedIsNamed() async throws {
    let shop = try Shop()
    try shop.run("record", "product.added", "sku=one", "price=1")
    let pages = try await shop.pages()
    for page in [pages.report, pages.truth] {
      #expect(page.contains("1 rule not checked.") && page.contains("integer overflow"))
    }
  }
}
