import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `query` and `bisect` with statements that take too much time, too much memory, or have rows without end.
@Suite(
  .promise(
    "`query` prints rows without end in constant memory; what is too large or too long is "
      + "an error and not a signal",
    by: "under `ulimit -v` too"))
struct StatementLimitTests {
  private static let endless = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) "

  private func shell(_ words: String, _ sql: String, _ catalog: TestCatalog) async throws -> Outcome
  {
    try await Program.shell(
      "\(words.replacing("catalogctl", with: "'\(Program.catalogctl)'"))",
      ["SQL": sql, "C": catalog.path])
  }

  @Test(arguments: ["", "--at 5", "--format json", "--format json --at 5"])
  func rowsWithoutEndAreStreamed(options: String) async throws {
    let catalog = try await SharedCatalogs.sample.value
    let outcome = try await shell(
      "catalogctl query \(options) --catalog \"$C\" --timeout 60 \"$SQL\" | head -40000 | tail -1",
      Self.endless + "SELECT x FROM r", catalog)
    #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(outcome)")
    #expect(!outcome.errors.contains("--timeout"), "\(outcome)")
  }

  @Test func aLongAnswerHasAllRows() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let sql = Self.endless + "SELECT x, 'a' || x AS \"name\" FROM r LIMIT 2500"
    let json = try await catalog.run("query", sql, "--format", "json").object()
    let rows = try #require(json["rows"] as? [[Any]])
    #expect(rows.map { $0[0] as? Int } == (1...2_500).map { $0 })
    #expect(rows.map { $0[1] as? String } == (1...2_500).map { "a\($0)" })
    let text = await catalog.run("query", sql)
    #expect(text.lines.count == 2_501 && text.errors == "2,500 rows\n")
    for (line, name) in [(0, "x     name"), (1, "1     a1"), (2_500, "2500  a2500")] {
      #expect(text.lines[line] == name)
    }
  }

  /// As `JSONEncoder` writes the whole document.
  @Test func jsonIsWrittenAsBefore() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let empty = await catalog.run("query", "SELECT 1 AS a WHERE 0", "--format", "json")
    #expect(empty.output == "{\n  \"columns\" : [\n    \"a\"\n  ],\n  \"rows\" : [\n\n  ]\n}\n")
    let rows = await catalog.run(
      "query", "--at", "1", "SELECT 1 AS a, 'x/y' || char(10) AS b UNION ALL SELECT NULL, x'00'",
      "--format", "json")
    #expect(
      rows.output == """
        {
          "columns" : [
            "a",
            "b"
          ],
          "rows" : [
            [
              1,
              "x/y\\n"
            ],
            [
              null,
              "x'00'"
            ]
          ],
          "sequence" : 1
        }

        """)
  }

  @Test(arguments: [
    ["query"], ["query", "--at", "5"], ["bisect", "--good", "1"],
  ])
  func valuesThatAreTooLongAreRefused(command: [String]) async throws {
    let catalog = try await SharedCatalogs.sample.value
    for sql in [
      "SELECT zeroblob(1000000000)", "SELECT randomblob(3000000000)", "SELECT zeroblob(100000000)",
      "SELECT group_concat(hex(zeroblob(10000000))) FROM library_item",
    ] {
      let outcome = await InProcess.run(
        command + [sql, "--timeout", "600", "--catalog", catalog.path])
      #expect(outcome.status == 1, "\(sql): \(outcome)")
      #expect(outcome.errors.contains("more than 67108864 bytes"), "\(sql): \(outcome)")
    }
    let wide = await InProcess.run(
      ["query", "SELECT zeroblob(40000000), zeroblob(40000000)", "--catalog", catalog.path])
    #expect(wide.status == 1 && wide.errors.contains("more than 67108864 bytes"), "\(wide)")
  }

  /// The system gives the process less memory than its limits would allow.
  @Test(arguments: [
    "SELECT randomblob(900000000)", "SELECT zeroblob(60000000)", "SELECT hex(randomblob(20000000))",
    "SELECT group_concat(title || hex(zeroblob(1000000))) FROM library_item",
    "WITH RECURSIVE r(x) AS (SELECT zeroblob(2000000) UNION ALL SELECT x FROM r LIMIT 60) SELECT count(*) FROM (SELECT x FROM r ORDER BY x)",
  ])
  func memoryThatTheSystemRefusesIsAnError(sql: String) async throws {
    let catalog = try await SharedCatalogs.sample.value
    for options in ["query", "query --at 5", "bisect --good 1"] {
      let outcome = try await shell(
        "ulimit -v 400000; catalogctl \(options) \"$SQL\" --catalog \"$C\"", sql, catalog)
      #expect([0, 1].contains(outcome.status), "\(options): \(outcome)")
      #expect(
        outcome.status == 0 || outcome.errors.contains("bytes")
          || outcome.errors.contains("both ends"), "\(outcome)")
    }
  }

  @Test(arguments: [["query"], ["query", "--at", "5"], ["bisect", "--good", "1"]])
  func theTimeIsThatOfTheWholeCommand(command: [String]) async throws {
    let catalog = try await SharedCatalogs.sample.value
    for sql in ["SELECT count(*) FROM r", "SELECT x FROM r WHERE x < 0"] {
      let outcome = await InProcess.run(
        command + [Self.endless + sql, "--timeout", "0.2", "--catalog", catalog.path])
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.errors.contains("longer than --timeout and was stopped"), "\(outcome)")
    }
  }

  /// One call of a function that SQLite does not interrupt.
  @Test func aCallThatCannotBeStoppedEndsTheProcess() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let outcome = try await catalog.program(
      // Long enough for a busy machine to begin the call.
      "query", "--timeout", "2", "SELECT instr(zeroblob(60000000), zeroblob(30000000) || x'01')")
    #expect(outcome.status == 1 && outcome.errors.contains("was ended"), "\(outcome)")
  }
}
