import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `--sql` of `diff` and `revert`: statements for the database of another program.
@Suite(
  "Statements bring a change back into the other program's database, or change nothing",
  .promise(
    "Statements for another program's database restore the state there, or change nothing",
    by: "in the program `sqlite3`: unique values that move, triggers, 990 columns"))
struct ScriptTests {
  static let scripts = ScratchFolder.repository + "/Tests/DescribedTablesTests/Databases/"

  /// Runs a script with the program `sqlite3` against a copy of a database.
  func run(
    _ script: String, on path: String, in folder: ScratchFolder
  ) throws -> (copy: String, run: Program) {
    let copy = folder.file("copy.sqlite")
    // The copy has the write-ahead log's changes too.
    let copied = try Program([
      "python3", "-c",
      """
      import os, sqlite3, sys
      source, target = sqlite3.connect(sys.argv[1]), sys.argv[2]
      for ending in ("", "-wal", "-shm", "-journal"):
          if os.path.exists(target + ending): os.remove(target + ending)
      source.backup(sqlite3.connect(target))
      """, path, copy,
    ])
    try #require(copied.status == 0, "\(copied.everything)")
    let file = try folder.write(script, to: "script.sql")
    return (copy, try Program(["sh", "-c", "sqlite3 \"$0\" < \"$1\"", copy, file]))
  }

  func requireSame(_ one: String, _ other: String, _ words: String = "") throws {
    let compared = try Program(["python3", Self.scripts + "samerows.py", one, other])
    try #require(compared.status == 0, "\(words): \(compared.everything)")
  }

  @Test(
    "The difference of generated pairs makes one of the other",
    arguments: (1...40).filter { ![1, 3].contains($0 % 8) })
  func makesGeneratedPairs(seed: Int) throws {
    let folder = try ScratchFolder()
    let (old, new) = (folder.file("old.sqlite"), folder.file("new.sqlite"))
    let made = try Program(["python3", Self.scripts + "pairs.py", String(seed), old, new])
    try #require(made.status == 0, "\(made.everything)")
    let diff = try Program([
      BuiltProgram.path("catalogctl"), "diff", old, new, "--sql", "--catalog", folder.file("none"),
    ])
    try #require([0, 2].contains(diff.status), "seed \(seed): \(diff.everything)")
    let (copy, run) = try run(diff.output, on: old, in: folder)
    #expect(run.status == 0, "seed \(seed): \(run.everything)")
    try requireSame(copy, new, "seed \(seed)")
  }

  private static let shop = """
    CREATE TABLE stock (sku TEXT PRIMARY KEY, "shelf no" TEXT COLLATE NOCASE, pieces, twice AS (pieces * 2));
    CREATE TABLE "select" (a REAL, b INTEGER NOT NULL, c BLOB, PRIMARY KEY (b, a)) WITHOUT ROWID;
    CREATE TABLE visit (day TEXT, page TEXT);
    CREATE TABLE mail (id INTEGER PRIMARY KEY, address TEXT UNIQUE);
    INSERT INTO stock VALUES ('RAKE', 'A', 11), ('HOE', 'b', 17.3), ('X', 'it''s' || char(13, 10) || 'so', x'00ff');
    INSERT INTO stock VALUES ('BIG', NULL, 9007199254740993), ('LOW', 'c', 1e-300);
    INSERT INTO "select" VALUES (0.1, 1, NULL), (0.2, -9223372036854775808, x'');
    INSERT INTO visit VALUES ('Mon', '/'), ('Mon', '/'), ('Mon', '/'), ('Tue', NULL);
    INSERT INTO mail VALUES (1, 'a@x'), (2, 'b@x'), (3, NULL);
    """

  /// A batch of changes of each table, by the adopted database's program.
  private static let changes = """
    UPDATE stock SET pieces = 12, "shelf no" = 'a' WHERE sku = 'RAKE';
    UPDATE stock SET pieces = 17.4 WHERE sku = 'HOE'; DELETE FROM stock WHERE sku IN ('X', 'BIG', 'LOW');
    INSERT INTO stock VALUES ('NEW', 'z', -1); UPDATE "select" SET c = x'01' WHERE b = 1;
    DELETE FROM "select" WHERE a = 0.2; INSERT INTO "select" VALUES (1.0 / 3, 7, 'text');
    DELETE FROM visit WHERE rowid IN (1, 4); INSERT INTO visit VALUES ('Wed', 'w'), ('Wed', 'w');
    DELETE FROM mail WHERE id = 1; UPDATE mail SET address = 'a@x' WHERE id = 2;
    """

  /// An adopted database with a batch of changes that was imported, and a copy of the state before.
  private static func changedShop() throws -> (
    database: ForeignDatabase, before: String, batch: String
  ) {
    let database = try ForeignDatabase(shop)
    _ = try database.adopt()
    let before = database.folder.file("before.sqlite")
    try FileManager.default.copyItem(atPath: database.path, toPath: before)
    let head = try database.head()
    try database.execute(changes)
    _ = try database.take("--allow-removal")
    return (database, before, "\(head + 1)..\(try database.head())")
  }

  /// Such a database, and the statements that take the batch back.
  private static let undone = Result<(database: ForeignDatabase, script: String), any Error> {
    let (database, _, batch) = try changedShop()
    let script = try database.run("revert", batch, "--sql")
    try #require(script.status == 0, "\(script.everything)")
    return (database: database, script: script.output)
  }

  @Test("What revert would do to the catalog, its statements do to the database")
  func revertsInTheDatabase() throws {
    let (database, before, batch) = try Self.changedShop()
    let head = try database.head()
    let script = try database.run("revert", batch, "--sql")
    try #require(script.status == 0, "\(script.everything)")
    #expect(try database.head() == head)
    #expect(!script.output.contains("twice"))
    let (copy, run) = try run(script.output, on: database.path, in: database.folder)
    #expect(run.status == 0 && run.everything.isEmpty, "\(run.everything)")
    try requireSame(copy, before)
    // A second time no row is as expected.
    let file = try database.folder.write(script.output, to: "again.sql")
    let again = try Program(["sh", "-c", "sqlite3 \"$0\" < \"$1\"", copy, file])
    #expect(again.status == 1, "\(again.everything)")
    try requireSame(copy, before)
  }

  @Test(
    "If a row was changed meanwhile, nothing is changed, and the statement is named",
    arguments: [
      "UPDATE stock SET pieces = 13 WHERE sku = 'RAKE'",
      // Equal to the column, and not to the catalog.
      "UPDATE stock SET \"shelf no\" = 'A' WHERE sku = 'RAKE'",
      "DELETE FROM stock WHERE sku = 'HOE'",
      "UPDATE stock SET \"shelf no\" = 'y' WHERE sku = 'NEW'",
      "INSERT INTO stock VALUES ('X', 'other', 5)",
      "DELETE FROM visit WHERE day = 'Wed' AND rowid = 5",
      "INSERT INTO visit VALUES ('Wed', 'w')", "UPDATE \"select\" SET c = x'0100' WHERE b = 1",
      "INSERT INTO mail VALUES (9, 'b@x')",
    ])
  func changesNothing(meanwhile: String) throws {
    let (changed, script) = try Self.undone.get()
    let database = try ForeignDatabase()
    try FileManager.default.copyItem(atPath: changed.path, toPath: database.path)
    try database.execute(meanwhile)
    let (copy, run) = try run(script, on: database.path, in: database.folder)
    #expect(run.status == 1, "\(run.everything)")
    #expect(
      run.everything.contains("matched") || run.everything.contains("UNIQUE"), "\(run.everything)")
    try requireSame(copy, database.path, meanwhile)
    // A program that stops at the first error changes nothing either.
    let file = try database.folder.write(script, to: "careful.sql")
    for words in [
      ["sqlite3", "-bail", copy, ".read \(file)"],
      [
        "python3", "-c",
        "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read())",
        copy, file,
      ],
    ] {
      let careful = try Program(words)
      #expect(careful.status != 0 && !careful.errors.isEmpty, "\(careful.everything)")
      try requireSame(copy, database.path, meanwhile)
    }
  }

  @Test("Generated histories go back step by step", arguments: [1, 2, 3] as [UInt64])
  func revertsHistories(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let database = try ForeignDatabase(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT, r REAL, b BLOB, n);
      CREATE TABLE b (k TEXT NOT NULL, n INTEGER NOT NULL, v TEXT, PRIMARY KEY (n, k));
      CREATE TABLE c (x TEXT, y);
      """)
    func value() -> String {
      [
        "NULL", "''", "'ä'", "'it''s'", "17.3", "0.1 + 0.2", "char(13, 10, 92) || 'n'",
        "9007199254740993", "x'00'",
      ][random.below(9)]
    }
    func statement() -> String {
      let number = random.below(12)
      switch random.below(5) {
      case 0, 1:
        return
          "INSERT OR REPLACE INTO a VALUES (\(number), 't\(number)', \(number) / 7.0, x'0\(number % 9)', \(value()))"
      case 2: return "DELETE FROM a WHERE id = \(number)"
      case 3:
        return "INSERT OR REPLACE INTO b VALUES ('k\(number % 3)', \(number % 4), 'v\(number)')"
      default:
        return number % 2 == 0
          ? "INSERT INTO c VALUES ('x', \(value()))"
          : "DELETE FROM c WHERE rowid IN (SELECT rowid FROM c LIMIT 1)"
      }
    }
    for _ in 0..<20 { try database.execute(statement()) }
    _ = try database.adopt()
    for _ in 0..<4 {
      let before = database.folder.file("before.sqlite")
      try? FileManager.default.removeItem(atPath: before)
      try FileManager.default.copyItem(atPath: database.path, toPath: before)
      let head = try database.head()
      try database.execute(
        (0..<(2 + random.below(8))).map { _ in statement() }.joined(separator: ";\n"))
      _ = try database.take("--allow-removal")
      let last = try database.head()
      guard last > head else { continue }
      let script = try database.run("revert", "\(head + 1)..\(last)", "--sql")
      try #require(script.status == 0, "seed \(seed): \(script.everything)")
      let (copy, run) = try run(script.output, on: database.path, in: database.folder)
      #expect(run.status == 0, "seed \(seed): \(run.everything)")
      // A column of the type any can be new in the description; the rows are those of before.
      try requireSame(copy, before, "seed \(seed)")
    }
  }

  @Test("Rows that are from no database are refused, and so is another form of output")
  func refusesOtherRows() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (a TEXT PRIMARY KEY); INSERT INTO t VALUES ('x')")
    let csv = try database.folder.write("sku,price\nA,1\n", to: "price.csv")
    let program = BuiltProgram.path("catalogctl")
    let made = try database.run("init", "--table", "price=\(csv)", "--key", "sku")
    try #require(made.status == 0, "\(made.everything)")
    #expect(try database.run("import", "price=\(csv)").status == 0)
    let head = try database.head()
    let refused = try database.run("revert", "\(head - 1)..\(head)", "--sql")
    #expect(refused.status == 1 && refused.output.isEmpty, "\(refused.everything)")
    #expect(refused.everything.contains("the rows of price are not from the database"))
    #expect(try database.head() == head)
    for words in [["--format", "json"], ["--summary"]] {
      let usage = try Program([program, "diff", database.path, database.path, "--sql"] + words)
      #expect(usage.status == 64, "\(usage.everything)")
    }
  }
}
