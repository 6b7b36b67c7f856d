import CatalogTestSupport
import Foundation
import Promises
import Testing

@Suite(
  "A rule whose SQL never ends is stopped",
  .promise(
    "Broken rules are shown with the rows that break them by `lint`, the report and the "
      + "inspector; a rule whose SQL never ends is stopped"))
struct RuleTimeTests {
  private static func kind(_ level: String) -> String {
    """
    {"kind": "shop", "tables": {"goods": {"key": "sku", "columns": {"sku": "text", "price": "number"}}},
     "rules": {
       "endless": {"level": "\(level)", "seconds": 1, "sql":
         "WITH RECURSIVE n(i) AS (SELECT count(*) FROM goods UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0"},
       "cheap": {"level": "report", "sql": "SELECT sku FROM goods WHERE price > 9"}}}
    """
  }

  private static let sentence =
    "the rule \"endless\" took longer than 1 second and was stopped; \"seconds\" beside its SQL gives it more"

  @Test("rules, lint, report and an import say so, and check the other rules")
  func reports() throws {
    let shop = try TableShop(Self.kind("report"))
    let taken = try shop.take("goods", "sku,price\na,1\nb,10\n")
    #expect(taken.status == 0, "\(taken.everything)")
    #expect(taken.errors.contains("the rule \"endless\" was not checked: "), "\(taken.everything)")
    let broken = "cheap: 1 row, the first is sku='b'"
    #expect(taken.errors.contains("the rule is broken: \(broken)"), "\(taken.everything)")
    for words in [["rules"], ["rules", "--since", "1"], ["lint"]] {
      let run = try shop.run(words)
      #expect(run.status == 2, "\(run.everything)")
      #expect(
        run.output.contains("not checked") && run.output.contains(Self.sentence), "\(run.output)")
      #expect(run.output.contains(broken), "\(run.everything)")
    }
    let rules = try shop.run("rules", "--format", "json")
    let json = try JSONSerialization.jsonObject(with: Data(rules.output.utf8)) as? [String: Any]
    let found = try #require(json?["rules"] as? [[String: Any]])
    #expect(found[0]["holds"] as? Bool == false && found[0]["unknown"] as? String == Self.sentence)
    #expect(found[1]["rows"] as? Int == 1 && found[1]["unknown"] == nil)
    let page = shop.folder.file("report.html")
    let report = try shop.run("report", page)
    #expect(report.status == 0, "\(report.everything)")
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("took longer than 1 second"))
    #expect(try shop.run("verify").status == 0)
  }

  @Test("The past is searched as long as each of its states can be checked in time")
  func searches() throws {
    // It ends as long as there is no row.
    let kind = Self.kind("report").replacing(
      "SELECT i + 1 FROM n)", with: "SELECT i + 1 FROM n WHERE i > 0)")
    let shop = try TableShop(kind)
    _ = try shop.take("goods", "sku,price\na,1\nb,10\n")
    let run = try shop.run("rules", "--since", "2", "--format", "json")
    #expect(run.status == 2, "\(run.everything)")
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let found = try #require(json?["rules"] as? [[String: Any]])
    #expect(found[0]["holds"] as? Bool == false && found[0]["unknown"] as? String == Self.sentence)
    #expect(found[1]["rows"] as? Int == 1)
    let since = try #require(found[1]["since"] as? Int)
    #expect(try shop.head().hasPrefix("\(since) "))
  }

  @Test("A change that cannot be checked is refused, and so is its dry run")
  func refuses() throws {
    let shop = try TableShop(Self.kind("refuse"))
    let head = try shop.head()
    for options in [["--dry-run"], []] {
      let file = try shop.folder.write("sku,price\na,1\n", to: "list.csv")
      let refused = try shop.run(["import", "goods=\(file)"] + options)
      #expect(
        refused.status == 1 && refused.errors.contains(Self.sentence), "\(refused.everything)")
    }
    #expect(try shop.head() == head)
  }

  @Test("The time is a whole number of seconds, at most a day")
  func checksSeconds() throws {
    let folder = try ScratchFolder()
    for (seconds, fault) in [("0", "is too small"), ("86401", "is more than a day"), ("\"1\"", "")]
    {
      let text = Self.kind("report").replacing("\"seconds\": 1", with: "\"seconds\": \(seconds)")
      let checked = try Program([
        BuiltProgram.path("catalogctl"), "kind", "check", folder.write(text, to: "kind.json"),
      ])
      #expect(
        checked.status == 1
          && checked.errors.contains("$.rules.endless.seconds: \(seconds) \(fault)"),
        "\(checked.everything)")
    }
    let shop = try TableShop(Self.kind("report"))
    #expect(try shop.run("kind", "show").output.contains("\"seconds\": 1"))
  }
}
