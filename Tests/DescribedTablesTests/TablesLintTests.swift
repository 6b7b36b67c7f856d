import CatalogTestSupport
import Foundation
import Promises
import Testing

@Suite(
  "lint of tables finds broken rules, dangling references and conflicts",
  .promise(
    "Broken rules are shown with the rows that break them by `lint`, the report and the "
      + "inspector; a rule whose SQL never ends is stopped",
    by: "dangling references and conflicts too"))
struct TablesLintTests {
  @Test func findsWhatIsWrong() throws {
    let database = try ForeignDatabase(
      """
      CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE "an order" (id INTEGER PRIMARY KEY, "by whom" INTEGER REFERENCES customer(id), total INTEGER);
      INSERT INTO customer VALUES (1, 'Ann'); INSERT INTO "an order" VALUES (1, 1, 5), (2, NULL, 6);
      """)
    _ = try database.adopt()
    let clean = try database.run("lint")
    #expect(clean.status == 0 && clean.everything.contains("0 findings"), "\(clean.everything)")
    try database.execute("INSERT INTO \"an order\" VALUES (3, 7, 1), (4, 9, -2)")
    _ = try database.take()
    let dangling = try database.run("lint")
    #expect(dangling.status == 2)
    #expect(
      dangling.output.contains(
        "dangling: an_order.by_whom: 2 rows name a row of customer that does not exist, such as 7"),
      "\(dangling.everything)")
    // The command that it names lists these rows.
    let command = try #require(
      dangling.output.split(separator: "\n").first { $0.hasPrefix("  catalogctl query ") })
    let shown = try Program([
      "sh", "-c",
      command.replacing(
        "  catalogctl", with: "\"$0\"", maxReplacements: 1) + " --catalog \"$1\"",
      BuiltProgram.path("catalogctl"), database.folder.file("catalog"),
    ])
    #expect(shown.output.contains("9") && shown.output.contains("-2"), "\(shown.everything)")
    // A rule that only reports is broken by the rows that are there.
    let kind = try database.run("kind", "show").output
    let described = try database.folder.write(
      kind.replacing(
        "\"documents\"",
        with:
          "\"rules\": {\"totals\": {\"sql\": \"SELECT id FROM an_order WHERE total < 0\", \"level\": \"report\"}}, \"documents\"",
        maxReplacements: 1), to: "kind.json")
    let change = try database.run("kind", "change", described)
    try #require(change.status == 0, "\(change.everything) \(kind)")
    let broken = try database.run("lint", "--format", "json")
    #expect(broken.status == 2)
    let findings = try #require(
      JSONSerialization.jsonObject(with: Data(broken.output.utf8)) as? [[String: Any]])
    #expect(
      findings.map { $0["problem"] as? String } == ["brokenRule", "danglingReference"],
      "\(broken.everything)")
    try database.execute("DELETE FROM \"an order\" WHERE id > 2")
    _ = try database.take("--allow-removal")
    #expect(try database.run("lint").status == 0)
  }
}
