import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Commands as people type them who know other programs: each is refused, or answered with nothing, and says what was meant.
@Suite(
  .promise("A command that is nearly right says what to write"))
struct MistypedCommandTests {
  @Test("Each says what to write, and changes nothing")
  func saysWhatToWrite() throws {
    let shop = try TableShop(
      #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text", "price": "integer", "category": "text"}}}}"#
    )
    try shop.take("t", "id,price,category\na,1,Tools\nb,2,Bath\n")
    let noise = shop.folder.file("noise.csv")
    try Data((0..<3_000).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 200) }).write(
      to: URL(filePath: noise))
    let workbook = try shop.folder.write("PK\u{3}\u{4}\u{14}", to: "book.xlsx")
    let head = try shop.head()
    for (words, status, text) in [
      (["rows", "t", "--sort", "price", "desc"], 64, "--sort -price sorts downwards"),
      (["rows", "t", "--sort", "price ASC"], 64, "--sort price sorts upwards"),
      (
        ["rows", "t", "category=tools"], 0, "no row has category \"tools\"; did you mean \"Tools\"?"
      ),
      (["rows", "t", "--limit", "-1"], 64, "--limit takes"),
      (["diff", "1-3"], 64, "a range of events is written 1..3"),
      (["diff", "3...1"], 64, "3...1 goes back; write 1..3"),
      (["query", "SELECT 1", "--at", "3..1"], 64, "is not a moment"),
      (["diff", "2026-02-30"], 64, "2026-02-30 is not a day"),
      (["log", "--since", "2026-13"], 64, "2026-13 is not a day or a month"),
      (["log", "--newest", "3"], 64, "Did you mean '--limit 3'?"),
      (["log", "--limit", "-1"], 64, "--limit takes 1 or more, not -1"),
      (["diff", "1", "3", "--rows", "0"], 64, "--summary lists no row"),
      (["query", "SELECT", "count", "FROM", "t"], 64, "Write the statement in quotes"),
      (["query", "SELECT * FROM tt"], 1, "did you mean t?"),
      (["query", "SELECT categry FROM t"], 1, "did you mean category?"),
      (["blame", "t", "zz", "Category"], 64, "its column with --column category"),
      (["export", "t=\(shop.folder.file("t.xlsx"))"], 64, "no document of the format xlsx"),
      (["import", "t", "=", "list.csv"], 64, "Write NAME=FILE without spaces"),
      (["import", "=list.csv"], 64, "'=list.csv' is invalid for '<table=file>'"),
      (["rows", "t", "--csv", "--format", "json"], 64, "exclude each other"),
      (["changes", "0..3"], 64, "the first event is 1: write 1..3"),
      (["tables", "--limit", "2"], 64, "Unknown option '--limit'"),
      (["log", "--table", "t"], 64, "Unknown option '--table'"),
      (["import", "t=\(noise)"], 1, "this is not a text"),
      (["import", "t=\(workbook)"], 1, "this is a ZIP archive, as an Excel workbook is one"),
      (["import"], 64, "\nUsage: catalogctl import TABLE=FILE"),
      (["event", "1..3"], 64, "\"1..3\" is not a moment"),
      (["show", "head~3"], 1, "the log has 3 batches, too few for head~3"),
      (["show", "head~9"], 1, "the log has 3 batches, too few for head~9"),
      (["log", "--since", "4", "--until", "1"], 64, "--since is after --until"),
      (["log", "--since", "2026-02", "--until", "2026-01"], 64, "--since is after --until"),
      (["log", "--since", "head~1", "--until", "head~1"], 0, "0 events"),
      (["log", "2001-01-01"], 0, "0 events"),
      (["log", "1", "3"], 64, "A range of events is written FIRST..LAST"),
      (["log", "2099-01-01"], 0, "0 events"),
      (["log", "head~9"], 1, "the log has 3 batches, too few for head~9"),
      (["log", "2", "--after", "1"], 64, "name the events as FIRST..LAST"),
      (["log", "3..1"], 64, "3..1 goes back; write 1..3"),
      (["log", "99"], 1, "there is no event 99; the log holds events 1 to"),
      (
        ["init", "--table", "u=\(shop.folder.file("list.csv"))", "--key", "u=a", "--key", "u=b"],
        64,
        "--key u=a,b"
      ),
      (["rows", "t", "--at", "2026-02-29T00:00Z"], 64, "2026-02-29 is not a day"),
      (["import", "t=\(noise)", "--at", "2026-02-30"], 64, "2026-02-30 is not a day"),
      (
        ["diff", "\(shop.catalog)", "1"], 1,
        "a folder, not a database file; its database is \(shop.catalog)/catalog.sqlite"
      ),
      (["rows", "t", "category=~T"], 64, "=~ is not a sign; category~T finds"),
      (["init", "--kind", "tracks"], 64, "did you mean \"track-library\"?"),
      (["init", "--kind", "track-libary"], 64, "did you mean \"track-library\"?"),
    ] as [([String], Int32, String)] {
      let run = try shop.run(words)
      #expect(run.status == status && run.errors.contains(text), "\(words): \(run.everything)")
    }
    for words in [
      ["diff", "3..1"], ["changes", "3..1"], ["diff", "2026-02-30"], ["log", "--since", "2026-13"],
      ["query", "SELECT 1", "--at", "tuesday"], ["what-if", "3-1"], ["show", "2026-02-30"],
    ] {
      let run = try shop.run(words)
      #expect(run.errors.contains("head~3") && run.errors.contains("yesterday"), "\(run.errors)")
    }
    #expect(try shop.head() == head && !shop.folder.exists("t.xlsx"))
  }

  @Test("A value may begin with a sign, or be typed with letters that are composed otherwise")
  func findsValuesAsTheyAre() throws {
    let shop = try TableShop(
      #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text", "path": "text"}}}}"#
    )
    try shop.take("t", "id,path\n\u{e9},~/docs\nb,\(String(repeating: "x", count: 3_000))\n")
    #expect(try shop.rows("t", "id=e\u{301}") == ["\u{e9},~/docs"])
    #expect(try shop.rows("t", "path=~/docs") == ["\u{e9},~/docs"])
    let near = try shop.run("rows", "t", "path=~/dosc")
    #expect(
      near.status == 64 && near.errors.contains("path~/dosc finds the text anywhere"),
      "\(near.everything)")
  }

  @Test("Another place than was meant is named, with the right one")
  func namesThePlace() throws {
    let kind = #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text"}}}}"#
    let (shop, other) = (try TableShop(kind), try TableShop(kind))
    let events = "\(shop.catalog)/events"
    let receipt = try other.folder.write(other.run("receipt").output, to: "receipt.json")
    let id = try #require(other.run("head", "--json").output.firstMatch(of: /"logId":"([^"]+)"/))
    func program(_ words: String...) throws -> Program {
      try Program([BuiltProgram.path("catalogctl")] + words)
    }
    let address = "postgresql://127.0.0.1:1/none#shop"
    for (run, status, text) in [
      (try program("check", "--events", shop.catalog), 1, "\(events) has one"),
      (try program("diverge", events, other.catalog), 1, "name the folder in which it is"),
      (try program("diverge", address, other.catalog), 1, "copy '\(address)' FOLDER"),
      (try shop.run("check", "--contains", receipt), 3, "is of log \(id.output.1)"),
    ] as [(Program, Int32, String)] {
      #expect(run.status == status && run.errors.contains(text), "\(run.everything)")
    }
    let empty = try ScratchFolder()
    let file = try empty.write("\n", to: "log.url")
    let head = try program("head", "--catalog", empty.path)
    #expect(head.status == 1 && head.errors.contains("\(file): the address"), "\(head.everything)")
  }

  @Test("Options of a catalog of tables, in a folder without a catalog, are not unknown")
  func namesTheFolder() throws {
    let folder = try ScratchFolder()
    let list = try folder.write("id\na\n", to: "list.csv")
    for words in [["--reason", "z"], ["--complete"]] {
      let run = try Program(
        [BuiltProgram.path("catalogctl"), "import", "t=\(list)", "--catalog", folder.file("none")]
          + words)
      #expect(
        run.status == 1 && run.errors.contains("there is no catalog in \(folder.file("none"))"),
        "\(words): \(run.everything)")
    }
    let wrong = try Program([
      BuiltProgram.path("catalogctl"), "import", "--reasn", "z", "t=\(list)", "--catalog",
      folder.file("none"),
    ])
    #expect(wrong.status == 64 && wrong.errors.contains("--reasn"), "\(wrong.everything)")
  }

  @Test("A catalog that is refused describes no tables")
  func describesNothing() throws {
    let shop = try TableShop(
      #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text"}}}}"#)
    let list = try shop.folder.write("id\na\n", to: "list.csv")
    let again = try shop.run("init", "--table", "t=\(list)", "--key", "id")
    #expect(again.status == 1 && again.output.isEmpty, "\(again.everything)")
  }
}
