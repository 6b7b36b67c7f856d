import CatalogTestSupport
import Foundation
import Promises
import Testing

@Suite(
  "A document whose import was reverted stays reverted when it is imported again",
  .promise(
    "A document whose import was reverted stays reverted until it is taken with "
      + "`--take-reverted`",
    by: "documents of tables"))
struct StaysRevertedTests {
  @Test("A database, also with a schema that changed", arguments: [false, true])
  func databases(_ changesSchema: Bool) throws {
    let database = try ForeignDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); CREATE TABLE u (id INTEGER PRIMARY KEY, w);
      INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'); INSERT INTO u VALUES (1, 'z');
      """)
    _ = try database.adopt()
    let before = try database.head()
    try database.execute(
      (changesSchema ? "ALTER TABLE t ADD COLUMN n INTEGER NOT NULL DEFAULT 0;" : "")
        + "UPDATE t SET v = 'WRONG' WHERE id < 3; UPDATE u SET w = 'y'")
    _ = try database.take()
    let reverted = try database.run("revert", "\(before + 1)..\(try database.head())")
    // What the operation changed in the description stays.
    #expect(reverted.status == (changesSchema ? 2 : 0), "\(reverted.everything)")
    let head = try database.head()
    func rows() throws -> String { try database.run("rows", "t", "--columns", "v", "--csv").output }
    #expect(try rows() == "v\na\nb\nc\n")
    for words in [[], ["--dry-run"]] {
      let again = try Program(
        [BuiltProgram.path("catalogctl"), "import", database.path, "--catalog", database.catalog]
          + words)
      #expect(again.everything.contains("reverted"), "\(again.everything)")
      // Three rows have no value in the new column yet.
      #expect(
        again.everything.contains("\(changesSchema ? 6 : 3) values of this document differ"),
        "\(again.everything)")
      #expect(try database.head() == head)
    }
    #expect(try rows() == "v\na\nb\nc\n")
    // Another state of the database is another document.
    try database.execute("UPDATE t SET v = 'b' WHERE id = 2")
    let corrected = try database.run("import", database.path)
    #expect(corrected.status == 0, "\(corrected.everything)")
    #expect(try rows() == "v\nWRONG\nb\nc\n")
    #expect(try database.run("verify").status == 0)
  }

  @Test("A conflict names the columns that a later event changed, and no others")
  func namesChangedColumns() throws {
    let folder = try ScratchFolder()
    let catalog = folder.file("catalog")
    func run(_ words: String...) throws -> Program {
      try Program([BuiltProgram.path("catalogctl")] + words + ["--catalog", catalog])
    }
    func head() throws -> Int {
      try #require(Int(try run("head").output.prefix { $0 != " " }))
    }
    let files = try ["a,1,x", "a,2,y", "a,3,y"].enumerated().map { place, row in
      try folder.write("id,price,name\n\(row)\n", to: "\(place).csv")
    }
    try #require(run("init", "--table", "t=\(files[0])", "--key", "id").status == 0)
    #expect(try run("import", "t=\(files[0])").status == 0)
    let first = try head() + 1
    let second = try run("import", "t=\(files[1])")
    #expect(second.output.contains("price: 1 → 2 in 1 row"), "\(second.everything)")
    let range = try "\(first)..\(head())"
    #expect(try run("import", "t=\(files[2])").status == 0)
    let part = try run("revert", range, "--column", "price", "--dry-run")
    #expect(
      part.status == 2 && part.output.contains("t id='a' (y) price: a later"), "\(part.everything)")
    let whole = try run("revert", range)
    #expect(
      whole.status == 2 && whole.output.contains("t id='a' (y) price: a later"),
      "\(whole.everything)")
    for outcome in [part, whole] {
      #expect(!outcome.output.contains("price, name"), "\(outcome.everything)")
    }
    #expect(try run("rows", "t", "--csv").output == "id,price,name\na,3,x\n")
  }

  @Test("A row that goes with one that is gone is not said to go with one that stays")
  func namesRowsThatAreGone() throws {
    let folder = try ScratchFolder()
    let catalog = folder.file("catalog")
    func run(_ words: String...) throws -> Program {
      try Program([BuiltProgram.path("catalogctl")] + words + ["--catalog", catalog])
    }
    func take(_ table: String, _ text: String) throws -> String {
      let start = try head() + 1
      let file = try folder.write(text, to: "\(table).csv")
      let taken = try run("import", "\(table)=\(file)", "--complete", "--allow-removal")
      try #require(taken.status == 0, "\(taken.everything)")
      return try "\(start)..\(head())"
    }
    func head() throws -> Int {
      try #require(Int(try run("head").output.prefix { $0 != " " }))
    }
    let kind = try folder.write(
      #"""
      {"kind": "shop", "tables": {
        "buyers": {"key": "id", "columns": {"id": "text"}},
        "orders": {"key": "id", "columns": {"id": "text", "buyer": {"type": "text", "refers": "buyers"}}},
        "tags": {"key": ["ord", "tag"], "columns": {
          "ord": {"type": "text", "refers": "orders", "gone": "remove"}, "tag": "text"}}}}
      """#, to: "kind.json")
    try #require(run("init", "--describe", kind).status == 0)
    _ = try take("buyers", "id\nb1\nb2\n")
    _ = try take("orders", "id,buyer\no1,b1\no2,b2\n")
    _ = try take("tags", "ord,tag\no1,new\no2,old\n")
    let removal = try take("orders", "id,buyer\no2,b2\n")
    _ = try take("buyers", "id\nb2\n")
    let reverted = try run("revert", removal)
    #expect(reverted.status == 2, "\(reverted.everything)")
    #expect(reverted.output.contains("buyers id='b1', which is gone"), "\(reverted.everything)")
    #expect(
      reverted.output.contains("orders id='o1', which does not return"), "\(reverted.everything)")
    #expect(!reverted.output.contains("which stays"), "\(reverted.everything)")
  }

  @Test("A description stays, and is said to")
  func keepsDescriptions() throws {
    let folder = try ScratchFolder()
    let catalog = folder.file("catalog")
    func run(_ words: String...) throws -> Program {
      try Program([BuiltProgram.path("catalogctl")] + words + ["--catalog", catalog])
    }
    let file = try folder.write("id,v,w\na,1,x\n", to: "t.csv")
    try #require(run("init", "--table", "t=\(file)", "--key", "id").status == 0)
    #expect(try run("import", "t=\(file)").status == 0)
    let kind = try folder.write(
      #"{"kind": "catalog", "tables": {"t": {"key": "id", "columns": {"id": "text", "v": "integer"}}}}"#,
      to: "kind.json")
    let changed = try run("kind", "change", kind, "--drop", "t.w")
    try #require(changed.status == 0, "\(changed.everything)")
    let head = try run("head").output.prefix { $0 != " " }
    for words in [[], ["--dry-run"], ["--dry-run", "--events"], ["--format", "json"]] {
      let reverted = try Program(
        [BuiltProgram.path("catalogctl"), "revert", String(head), "--catalog", catalog] + words)
      #expect(reverted.status == 2, "\(reverted.everything)")
      #expect(
        reverted.errors.contains("the description of the tables stays: "), "\(reverted.everything)")
      #expect(reverted.errors.contains("t.w"), "\(reverted.everything)")
    }
    #expect(try run("head").output.prefix { $0 != " " } == head)
  }

  @Test("A file, which --take-reverted takes")
  func files() throws {
    let folder = try ScratchFolder()
    let catalog = folder.file("catalog")
    func run(_ words: String...) throws -> Program {
      try Program([BuiltProgram.path("catalogctl")] + words + ["--catalog", catalog])
    }
    let first = try folder.write("id,v\na,1\nb,2\n", to: "first.csv")
    let second = try folder.write("id,v\na,9\nb,2\nc,3\n", to: "second.csv")
    try #require(run("init", "--table", "t=\(first)", "--key", "id").status == 0)
    for file in [first, second] {
      #expect(try run("import", "t=\(file)", "--complete").status == 0)
    }
    let reverted = try run("revert", "5..7")
    #expect(reverted.status == 0, "\(reverted.everything)")
    let again = try run("import", "t=\(second)", "--complete")
    #expect(again.everything.contains("reverted"), "\(again.everything)")
    #expect(try run("rows", "t", "--csv").output == "id,v\na,1\nb,2\n")
    let taken = try run("import", "t=\(second)", "--complete", "--take-reverted")
    #expect(taken.output.contains("1 added, 1 changed"), "\(taken.everything)")
    #expect(try run("rows", "t", "--csv").output == "id,v\na,9\nb,2\nc,3\n")
    #expect(try run("verify").status == 0)
  }
}

@Suite(
  "A revert of tables goes by cells",
  .promise(
    "A revert restores the cells that only the operation wrote, and no other",
    by: "tables, rows, files and unique values"))
struct TableRevertTests {
  private let folder: ScratchFolder
  private let catalog: String

  init() throws {
    folder = try ScratchFolder()
    catalog = folder.file("catalog")
    let kind = """
      {"kind": "revert-tests", "version": 1, "tables": {"p": {"key": "k",
      "columns": {"k": "text", "a": "text?", "b": "integer?", "u": {"type": "text?", "unique": true}}},
      "c": {"key": "n", "columns": {"n": "integer", "k": {"type": "text?", "refers": "p", "gone": "remove"}}}},
      "documents": {"p": {"csv": {"empty": "null"}, "rows": {"p": {}}}}}
      """
    let made = try run("init", "--describe", folder.write(kind, to: "kind.json"))
    try #require(made.status == 0, "\(made.everything)")
  }

  private func run(_ words: String...) throws -> Program {
    try Program([BuiltProgram.path("catalogctl")] + words + ["--catalog", catalog])
  }

  /// Imports the whole table.
  private func take(_ rows: String...) throws { try take(rows) }

  private func take(_ rows: [String]) throws {
    let file = try folder.write("k,a,b,u\n" + rows.joined(separator: "\n") + "\n", to: "p.csv")
    let run = try run("import", "p=\(file)", "--complete", "--allow-removal")
    try #require(run.status == 0, "\(run.everything)")
  }

  private func head() throws -> Int {
    try #require(try run("head").output.split(separator: " ").first.flatMap { Int($0) })
  }

  private func rows() throws -> [String] {
    try run("rows", "p", "--csv").output.split(separator: "\n").dropFirst().map(String.init)
  }

  @Test("A unique value that another row has now stays, and no other cell of the row does")
  func uniqueCell() throws {
    try take("1,x,1,u1", "2,x,1,")
    try take("1,WRONG,1,", "2,x,1,")
    try take("1,WRONG,1,", "2,x,1,u1")
    let dry = try run("revert", "5..6", "--dry-run", "--events")
    #expect(dry.status == 2 && dry.output.contains("rows.restored"), "\(dry.everything)")
    let reverted = try run("revert", "5..6")
    #expect(reverted.status == 2 && reverted.output.contains("another row has its u"))
    // It names what removed the value, and what gave it to the other row.
    let causes = reverted.output.split(separator: "\n").filter { $0.contains("    event ") }
    #expect(causes.count == 2 && causes.last?.contains("event 8,") == true, "\(reverted.output)")
    #expect(try rows() == ["1,x,1,", "2,x,1,u1"], "\(reverted.everything)")
    #expect(try run("verify").status == 0)
  }

  @Test("A row that stays for another one names the event that needs it")
  func neededBy() throws {
    try take("1,x,1,")
    try take("1,x,1,", "2,y,1,")
    let children = try folder.write("n,k\n7,2\n", to: "c.csv")
    try #require(run("import", "c=\(children)", "--complete").status == 0)
    let reverted = try run("revert", "5..6")
    #expect(reverted.status == 2 && reverted.output.contains("c n=7 refers to it"))
    let causes = reverted.output.split(separator: "\n").filter { $0.contains("    event ") }
    #expect(
      causes.count == 2 && causes.first?.contains("event 6,") == true
        && causes.last?.contains("event 8,") == true, "\(reverted.output)")
  }

  @Test("A row that a later event removed is not said to be changed")
  func removedLater() throws {
    try take("1,x,1,", "2,x,1,")
    try take("1,x,1,", "2,y,1,")
    try take("1,x,1,")
    let reverted = try run("revert", "5..6")
    #expect(reverted.status == 2, "\(reverted.everything)")
    #expect(reverted.output.contains("p k='2': a later event removed it"), "\(reverted.output)")
    #expect(reverted.output.contains("event 8,"), "\(reverted.output)")
  }

  @Test("Rows that want each other's unique values stay one after the other")
  func uniqueChain() throws {
    try take("1,x,1,2", "2,x,1,3", "3,x,1,4")
    try take("1,y,1,1", "2,y,1,2", "3,y,1,3")
    try take("1,y,1,1", "2,y,1,2", "3,y,1,3", "9,z,1,4")
    let reverted = try run("revert", "5..6")
    #expect(reverted.status == 2, "\(reverted.everything)")
    #expect(try rows() == ["1,x,1,1", "2,x,1,2", "3,x,1,3", "9,z,1,4"], "\(reverted.everything)")
    // The new row is the reason for all of them.
    let causes = reverted.output.split(separator: "\n").filter { $0.hasPrefix("    event 8,") }
    #expect(causes.count == 3, "\(reverted.output)")
    #expect(try run("verify").status == 0)
  }

  @Test("Five thousand rows in a row keep the values that the next ones want")
  func longUniqueChain() throws {
    let count = 5_000
    func list(_ values: (Int) -> Int) -> [String] {
      (1...count).map { "\(10_000 + $0),x,1,\(values($0))" }
    }
    try take(list { $0 })
    let before = try head()
    let moved = list { $0 - 1 }
    try take(moved)
    let after = try head()
    try take(moved + ["99999,z,1,\(count)"])
    let reverted = try run("revert", "\(before + 1)..\(after)", "--rows", "1")
    #expect(reverted.status == 2, "\(reverted.everything)")
    #expect(try rows() == moved + ["99999,z,1,\(count)"])
  }

  @Test("Rows that exchanged unique values return, however many they are")
  func exchangedUniqueValues() throws {
    func list(_ turn: Int) -> [String] {
      (0..<1_200).map { "\(10_000 + $0),x,1,\(($0 + turn) % 1_200)" }
    }
    try take(list(0))
    let before = try head()
    try take(list(1))
    let reverted = try run("revert", "\(before + 1)..\(head())", "--rows", "1")
    #expect(reverted.status == 0, "\(reverted.everything)")
    #expect(try rows() == list(0))
    #expect(try run("verify").status == 0)
  }

  @Test("Of a row that came back only the values that go are counted")
  func overwritten() throws {
    try take("1,x,1,", "2,x,1,")
    try take("2,x,1,")
    try take("1,new,1,", "2,x,1,")
    let dry = try run("revert", "5..6", "--force", "--dry-run")
    #expect(dry.output.contains("p a: 1 later value, such as 'new' → 'x'"), "\(dry.everything)")
    #expect(!dry.output.contains("p k:") && !dry.output.contains("p b:"), "\(dry.everything)")
  }

  @Test("A row that went with another one returns to the row that has its key now")
  func rowsOfARowThatIsThereAgain() throws {
    try take("1,x,1,", "2,x,1,")
    let children = try folder.write("n,k\n7,1\n8,2\n", to: "c.csv")
    try #require(run("import", "c=\(children)", "--complete").status == 0)
    let before = try head()
    try take("2,x,1,")
    let range = try "\(before + 1)..\(head())"
    #expect(try run("rows", "c", "--csv").output == "n,k\n8,2\n")
    try take("1,new,1,", "2,x,1,")
    let reverted = try run("revert", range)
    #expect(reverted.status == 2, "\(reverted.everything)")
    #expect(try run("rows", "c", "--csv").output == "n,k\n7,1\n8,2\n", "\(reverted.everything)")
    #expect(try rows() == ["1,new,1,", "2,x,1,"])
    #expect(try run("verify").status == 0)
  }

  @Test("What the program notes of reverts does not stay for anybody to see")
  func revertedAgain() throws {
    try take("1,x,1,", "2,x,1,")
    for _ in 0..<2 {
      for (words, count) in [("3..4", 0), ("5..6", 2)] {
        let reverted = try run("revert", words)
        #expect(reverted.status == 0, "\(words): \(reverted.everything)")
        #expect(try rows().count == count)
      }
    }
  }

  @Test("A condition that SQLite cannot read is named, and so are tables that people see")
  func refusals() throws {
    try take("1,x,1,")
    let condition = try run("revert", "3..4", "--table", "p", "--where", "nonsense = 1")
    #expect(condition.errors.contains("no such column: nonsense"), "\(condition.everything)")
    #expect(!condition.errors.contains("verify"), "\(condition.everything)")
    let table = try run("revert", "3..4", "--table", "nope")
    #expect(
      table.errors.contains("known are p") && !table.errors.contains("projection_"),
      "\(table.everything)")
  }
}
