import CatalogTestSupport
import Foundation
import Promises
import Testing

@Suite(
  "Commands of catalogs that describe themselves",
  .promise(
    "Commands of tables check the rules of the past, find events of former types, and "
      + "overwrite no description"))
struct DescribedCommandTests {
  private static let kind = """
    {"kind": "shop", "tables": {"t": {"key": "sku", "columns": {"sku": "text", "price": "number"}}},
     "events": {"t.put": {"data": {"sku": "text", "price": "number"},
       "does": [{"put": "t", "row": {"sku": "$sku", "price": "$price"}}]}},
     "rules": {"cheap": {"sql": "SELECT sku FROM t WHERE price > 5;", "level": "report"},
       "dear": {"sql": "SELECT sku FROM t WHERE sku = ';' OR price < 1 -- free", "level": "report"},
       "named": {"sql": "SELECT sku /* ; */ FROM t WHERE sku = ''; -- no ; name\\n /* ; */", "level": "report"}}}
    """

  @Test("rules --since takes rules that end in a semicolon or a comment")
  func checksThePast() throws {
    let shop = try TableShop(Self.kind)
    for (sku, price) in [("a", "2"), ("b", "9"), ("c", "0.5"), ("", "2")] {
      #expect(try shop.run("record", "t.put", "sku=\(sku)", "price=\(price)").status == 0)
    }
    let found = try shop.run("rules", "--since", "1")
    #expect(found.status == 2, "\(found.everything)")
    for line in [
      "cheap: 1 row, the first is sku='b' since event 4",
      "dear: 1 row, the first is sku='c' since event 5",
      "named: 1 row, the first is sku='' since event 6",
    ] { #expect(found.output.contains(line), "\(found.everything)") }
    // A rule that holds now was broken all the same.
    #expect(try shop.run("record", "t.put", "sku=b", "price=1").status == 0)
    let mended = try shop.run("rules", "--since", "1")
    #expect(
      mended.status == 2
        && mended.output.contains("sku='b' after event 4; it holds since event 7"),
      "\(mended.everything)")
    #expect(try shop.run("rules").output.contains("holds   cheap"))
    // And one that was broken again is broken since the first time.
    #expect(try shop.run("record", "t.put", "sku=b", "price=8").status == 0)
    let again = try shop.run("rules", "--since", "1")
    #expect(
      again.output.contains(
        "sku='b' since event 4; it held meanwhile, and is broken again since event 8"),
      "\(again.everything)")
    #expect(again.output.contains("sku='c' since event 5\n"), "\(again.everything)")
    // The first state may be broken itself, and be the only one.
    #expect(try shop.run("record", "t.put", "sku=b", "price=3").status == 0)
    let begun = try shop.run("rules", "--since", "5")
    #expect(
      begun.output.contains("sku='b' after event 5; it holds since event 9"), "\(begun.everything)")
    let newest = try shop.run("rules", "--since", "head")
    #expect(
      newest.status == 2 && newest.output.contains("holds   cheap")
        && newest.output.contains("sku='c' since event 9"), "\(newest.everything)")
  }

  /// Lists that a person imported late have the times of their days.
  @Test("A day is the batches of its times, wherever they are in the log")
  func namesDays() throws {
    let shop = try TableShop(Self.kind)
    for (sku, time) in [
      ("a", "2026-10-05T08:00Z"), ("b", "2026-10-07T08:00Z"), ("c", "2026-10-05T09:00Z"),
      ("d", "2026-10-08T08:00Z"), ("e", "2026-10-08T09:00Z"), ("f", "2026-10-06T08:00Z"),
    ] {
      let taken = try shop.take(
        "t", "sku,price\n\(sku),2\n", as: "\(sku).csv", "--part", "--at", time)
      try #require(taken.status == 0, "\(taken.everything)")
    }
    for (day, count, rows) in [
      ("2026-10-07", 1, "t: 1 added"), ("2026-10-08", 2, "t: 2 added"),
      ("2026-10-06", 1, "t: 1 added"),
    ] {
      let shown = try shop.run("show", day)
      #expect(shown.status == 0 && shown.output.contains(rows), "\(shown.everything)")
      #expect(shown.output.contains("\(count) operations") == (count > 1), "\(shown.everything)")
    }
    for command in [["show"], ["revert", "--dry-run"], ["what-if"]] {
      let mixed = try shop.run(command + ["2026-10-05"])
      #expect(
        mixed.status == 1
          && mixed.errors.contains("2026-10-05 have others between them: name 3..4 or 7..8"),
        "\(mixed.everything)")
    }
    for (day, count) in [("2026-10-05", 4), ("2026-10-08", 4), ("2026-10-09", 0), ("2026-10", 12)] {
      let listed = try shop.run("log", day)
      #expect(
        listed.status == 0 && listed.output.split(separator: "\n").count == count,
        "\(day): \(listed.everything)")
    }
  }

  @Test("A log that lacks a segment is called damaged, also without a database that says its kind")
  func namesADamagedLog() throws {
    let shop = try TableShop(Self.kind)
    for sku in ["a", "b", "c"] {
      #expect(try shop.run("record", "t.put", "sku=\(sku)", "price=2").status == 0)
      #expect(try shop.run("seal").status == 0)
    }
    let events = "\(shop.catalog)/events"
    let segments = try FileManager.default.contentsOfDirectory(atPath: events).sorted()
    try #require(segments.count == 3)
    try FileManager.default.removeItem(atPath: "\(events)/\(segments[1])")
    let verify = try shop.run("verify")
    #expect(
      verify.status == 3 && verify.errors.contains("replay failed: the log is damaged"),
      "\(verify.everything)")
    for ending in ["", "-wal", "-shm", "-proved"] {
      try? FileManager.default.removeItem(atPath: "\(shop.catalog)/catalog.sqlite\(ending)")
    }
    for words in [
      ["rows", "t"], ["tables"], ["lint"], ["rules"], ["export", "t", "-"], ["verify"],
    ] {
      let run = try shop.run(words)
      #expect(
        run.status == 3 && run.errors.contains("the log is damaged"), "\(words): \(run.everything)")
    }
  }

  @Test("Nothing is left out with the description of the tables")
  func asksNothingWithoutTables() throws {
    let shop = try TableShop(Self.kind)
    #expect(try shop.run("record", "t.put", "sku=a", "price=2").status == 0)
    let without = try shop.run("what-if", "2")
    #expect(
      without.status == 1 && without.errors.contains("event 2 describes the tables"),
      "\(without.everything)")
  }

  @Test("Without an operation a later event still changes the rows that the operation did not add")
  func leavesOutRowsAndNotEvents() throws {
    let shop = try TableShop(
      #"{"kind": "shop", "tables": {"p": {"key": "sku", "columns": {"sku": "text", "name": "text", "stock": "integer"}}}}"#
    )
    let header = "sku,name,stock\n"
    let lists = [
      "A,a,1\nB,b,1\nD,d,1\n", "A,a,2\nB,b,1\nC,c,1\nD,d,1\nE,e,1\n",
      "A,a,2\nB,b,9\nC,c,9\nD,d,9\nE,e,9\n",
    ]
    for (night, list) in lists.enumerated() {
      try shop.take("p", header + list, as: "\(night).csv", "--complete")
    }
    let later = try #require(shop.head().split(separator: " ").first)
    let without = try shop.run("what-if", "head~1")
    let lines = without.output.split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    #expect(without.status == 2, "\(without.everything)")
    #expect(lines.contains { $0.hasPrefix("~ sku='A'") && $0.contains("stock: 2 → 1") })
    #expect(["- sku='C'", "- sku='E'"].allSatisfy { row in lines.contains { $0.hasPrefix(row) } })
    #expect(!lines.contains { $0.contains("'B'") || $0.contains("'D'") }, "\(without.output)")
    #expect(
      lines.suffix(3) == [
        "1 later event would contradict the catalog:",
        "event \(later) (rows.put): sku=C: p.name is NULL, but must not be",
        "event \(later) (rows.put): sku=E: p.name is NULL, but must not be",
      ], "\(without.output)")
  }

  @Test("A file that lost its rows empties no table, and marks of a merge are no rows")
  func takesNoCutFile() throws {
    let shop = try TableShop(
      #"{"kind": "shop", "tables": {"t": {"key": "sku", "columns": {"sku": "text"}}}}"#)
    try shop.take("t", "sku\na\nb\n")
    let head = try shop.head()
    let cut = try shop.take("t", "sku\n", as: "cut.csv", "--complete")
    #expect(
      cut.status == 1 && cut.errors.contains("2 of 2 rows of t would go; --allow-removal takes it"),
      "\(cut.everything)")
    for text in [
      "sku\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n", "<<<<<<< HEAD\nsku\n=======\n",
      "sku\na\n>>>>>>> main\n",
    ] {
      let merged = try shop.take("t", text, as: "merged.csv")
      #expect(
        merged.status == 1 && merged.errors.contains("a conflict that git could not merge"),
        "\(merged.everything)")
    }
    #expect(try shop.head() == head)
    let quoted = try shop.take("t", "sku\n\"<<<<<<< HEAD\"\n<<<<<<<\n", as: "quoted.csv")
    #expect(quoted.status == 0, "\(quoted.everything)")
    #expect(
      try shop.take("t", "sku\n", as: "none.csv", "--complete", "--allow-removal").status == 0)
    #expect(try shop.rows("t").isEmpty)
  }

  @Test("Rows that were changed by hand are not shown as the catalog's")
  func showsNoDrift() throws {
    let shop = try TableShop(Self.kind)
    #expect(try shop.run("record", "t.put", "sku=a", "price=2").status == 0)
    #expect(
      try Program("sqlite3", "\(shop.catalog)/catalog.sqlite", "UPDATE t SET price = 4242").status
        == 0)
    for words in [["rows", "t"], ["export", "t", "-"], ["lint"], ["rules"], ["tables"]] {
      let run = try shop.run(words)
      #expect(
        run.status == 2 && run.output.isEmpty && run.errors.contains("changed by hand"),
        "\(words): \(run.everything)")
    }
  }

  @Test("init leaves a description that is in the folder already")
  func keepsADescription() throws {
    let shop = try TableShop(Self.kind)
    let folder = shop.folder.file("other")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let own = try shop.folder.write(Self.kind, to: "other/kind.json")
    let list = try shop.folder.write("sku,price\na,1\n", to: "list.csv")
    let refused = try Program([
      BuiltProgram.path("catalogctl"), "init", "--table", "t=\(list)", "--key", "sku", "--catalog",
      folder,
    ])
    #expect(refused.status == 1 && refused.errors.contains("kind.json exists already"))
    #expect(try String(contentsOfFile: own, encoding: .utf8) == Self.kind)
    #expect(try ScratchFolder.contents(folder).keys.sorted() == ["kind.json"])
  }

  @Test("log finds events whose type only an earlier description has")
  func findsFormerEvents() throws {
    let shop = try TableShop(Self.kind)
    #expect(try shop.run("record", "t.put", "sku=a", "price=2").status == 0)
    let other = try shop.folder.write(
      Self.kind.replacing("t.put", with: "t.sold"), to: "other.json")
    #expect(try shop.run("kind", "change", other).status == 0)
    let found = try shop.run("log", "--type", "t.put")
    #expect(found.status == 0 && found.output.contains("t.put"), "\(found.everything)")
    let unknown = try shop.run("log", "--type", "t.gone")
    #expect(unknown.status == 64 && unknown.errors.contains("t.sold, t.put"), "\(unknown.errors)")
  }

  @Test("record - goes on with a description that another process takes meanwhile")
  func recordsOn() throws {
    let shop = try TableShop(Self.kind)
    let other = try shop.folder.write(
      Self.kind.replacing("\"rules\"", with: "\"documents\": {\"list\": {}}, \"rules\"")
        .replacing(
          "\"events\": {",
          with: """
            "events": {"t.gone": {"data": {"sku": "text"}, "does": [{"remove": "t", "key": ["$sku"]}]},
            """), to: "other.json")
    // Each line waits for the answer to the one before.
    let run = try Program(
      [
        "sh", "-c",
        """
        : > out; mkfifo in; "$0" record - --catalog "$1" < in > out 2> err & exec 3> in
        wait_for() { i=0; while [ "$(wc -l < out)" -lt $1 ] && [ $i -lt 6000 ]; do sleep 0.1; i=$((i + 1)); done; }
        echo '{"event": "t.put", "data": {"sku": "a", "price": 2}}' >&3; wait_for 1
        "$0" kind change "$2" --catalog "$1" > /dev/null
        echo '{"event": "t.put", "data": {"sku": "b", "price": 2}}' >&3; wait_for 2
        echo '{"event": "t.gone", "data": {"sku": "a"}}' >&3; wait_for 3
        echo '{"event": "t.other"}' >&3; wait_for 4
        exec 3>&-; wait $!; echo $? >> out; cat out err
        """, BuiltProgram.path("catalogctl"), shop.catalog, other,
      ], in: shop.folder.path)
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 5, "\(run.everything)")
    #expect(
      lines.prefix(3).allSatisfy { $0.contains("\"outcome\":\"applied\"") }, "\(run.everything)")
    #expect(lines.dropFirst(3).first?.contains("\"line\":4,\"outcome\":\"refused\"") == true)
    #expect(lines.last == "2")
    #expect(try shop.rows("t") == ["b,2.0"])
  }
}
