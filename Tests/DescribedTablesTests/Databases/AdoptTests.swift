import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Databases of other programs, and what changed in them.
@Suite(
  "A database of another program is adopted and taken again",
  .promise(
    "A database of another program is adopted cell by cell with types, and no byte of its "
      + "folder changes",
    by: "compared with Python's `sqlite3`"))
struct AdoptTests {
  static let shop = """
    CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, mail TEXT UNIQUE);
    CREATE TABLE "order" ("order no" TEXT PRIMARY KEY, customer INTEGER REFERENCES customer(id),
      total REAL, "größe" BLOB);
    CREATE TABLE line ("order" TEXT, place INTEGER, what TEXT, PRIMARY KEY ("order", place)) WITHOUT ROWID;
    CREATE TABLE visit (at TEXT, page TEXT);
    INSERT INTO customer VALUES (1, 'Ann', 'ann@example.com'), (2, 'Bob', NULL);
    INSERT INTO "order" VALUES ('A-1', 1, 12.5, x'00ff'), ('A-2', 2, 3.0, NULL);
    INSERT INTO line VALUES ('A-1', 1, 'Spade'), ('A-1', 2, 'Rake');
    INSERT INTO visit VALUES ('10:00', '/'), ('10:00', '/'), ('10:01', '/cart');
    """

  @Test("Tables without anything new share a line")
  func namesUnchangedTablesOnce() throws {
    let tables = ["one", "two", "three", "four", "five", "six"]
    let database = try ForeignDatabase(
      tables.map { "CREATE TABLE \($0) (id INTEGER PRIMARY KEY, v); " }.joined())
    _ = try database.adopt()
    try database.execute("INSERT INTO two VALUES (1, 1)")
    let one = try database.take().output.split(separator: "\n").dropLast()
    #expect(
      one.map { $0.dropFirst(database.path.count) }
        == [": two: 1 row: 1 added", ": one, three, four and 2 more tables: nothing new"])
    try database.execute(
      tables.dropFirst(3).map { "INSERT INTO \($0) VALUES (1, 1); " }.joined()
        + "DELETE FROM two; INSERT INTO one VALUES (1, 1)")
    let most = try database.take().output
    #expect(most.contains(": three: 0 rows: nothing new\n"), "\(most)")
    #expect(most.contains(": two: 0 rows: 1 removed"), "\(most)")
  }

  @Test("Names, keys, references and equal rows")
  func adopts() throws {
    let database = try ForeignDatabase(Self.shop)
    let adopted = try database.adopt()
    #expect(
      adopted.everything.contains("visit: 3 rows, key the whole row"), "\(adopted.everything)")
    let kind = try database.run("kind", "show").output
    for part in [
      "\"refers\": \"customer\"", "\"unique\": true", "\"order_no\": \"order no\"",
      "\"grosse\": \"größe\"", "\"key\": \"whole row\"", "\"key\": [\"order\", \"place\"]",
    ] {
      #expect(
        kind.contains(part) || kind.contains(part.replacing("ß", with: "ss")), "\(part): \(kind)")
    }
    let again = try database.take()
    #expect(again.everything.contains("nothing new"), "\(again.everything)")
    let head = try database.head()
    try database.execute(
      """
      UPDATE customer SET mail = 'bob@example.com' WHERE id = 2;
      DELETE FROM visit WHERE rowid = 1;
      INSERT INTO line VALUES ('A-2', 1, 'Hoe');
      DELETE FROM line WHERE what = 'Rake';
      """)
    let taken = try database.take()
    #expect(taken.everything.contains("1 changed (mail 1)"), "\(taken.everything)")
    #expect(try database.head() > head)
    #expect(try database.run("verify").status == 0)
    #expect(try database.run("blame", "customer", "2").everything.contains("import:app"))
  }

  @Test(
    "A row without a key is known by its rowid if a person wants it",
    arguments: [["--row-ids"], ["--key", "visit=rowid", "--key", "log=_rowid_"]])
  func rowIDs(_ words: [String]) throws {
    let database = try ForeignDatabase(
      """
      CREATE TABLE visit (at TEXT, page TEXT); CREATE TABLE log (rowid TEXT, n);
      CREATE TABLE keyed (id INTEGER PRIMARY KEY, v) ;
      INSERT INTO visit VALUES ('10:00', '/'), ('10:00', '/'), ('10:01', '/cart');
      INSERT INTO log VALUES ('x', 1); INSERT INTO keyed VALUES (1, 'a');
      """)
    let adopted = try Program(
      [
        BuiltProgram.path("catalogctl"), "adopt", database.path, "--catalog",
        database.folder.file("catalog"),
      ] + words)
    try #require(adopted.status == 0, "\(adopted.everything)")
    #expect(
      adopted.output.contains("visit: 3 rows, key rowid_column")
        && adopted.output.contains("log: 1 row, key rowid_column")
        && adopted.output.contains("keyed: 1 row, key id"), "\(adopted.everything)")
    #expect(try database.take().everything.contains("nothing new"))
    let before = database.folder.file("before.sqlite")
    try FileManager.default.copyItem(atPath: database.path, toPath: before)
    try database.execute(
      "UPDATE visit SET page = '/shop' WHERE rowid = 2; DELETE FROM visit WHERE rowid = 3; UPDATE log SET n = 2"
    )
    let head = try database.head()
    let taken = try database.take("--allow-removal")
    #expect(taken.output.contains("visit: 2 rows: 1 removed, 1 changed (page 1)"))
    let blamed = try database.run("blame", "visit", "2", "--column", "page")
    #expect(blamed.output.contains("page = '/shop'"), "\(blamed.everything)")
    // A new column is taken beside the number, which stays the key.
    try database.execute("ALTER TABLE visit ADD COLUMN seconds INTEGER")
    #expect(try database.take().output.contains("new: column visit.seconds"))
    let script = try database.run("revert", "\(head + 1)..\(head + 4)", "--sql")
    let file = try database.folder.write(script.output, to: "undo.sql")
    let run = try Program(["sh", "-c", "sqlite3 \"$0\" < \"$1\"", database.path, file])
    #expect(run.status == 0, "\(script.everything) \(run.everything)")
    let all = "SELECT rowid, at, page FROM visit UNION ALL SELECT _rowid_, * FROM log"
    #expect(try SQLiteShell.rows(of: database.path, all) == SQLiteShell.rows(of: before, all))
    #expect(try database.run("verify").status == 0)
  }

  @Test("Generated histories of tables", arguments: [1, 2, 3, 4] as [UInt64])
  func takesHistories(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let database = try ForeignDatabase(
      """
      PRAGMA journal_mode = \(seed % 2 == 0 ? "wal" : "delete");
      CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT, r REAL, b BLOB);
      CREATE TABLE b (k TEXT NOT NULL, n INTEGER NOT NULL, v TEXT, u INTEGER UNIQUE, PRIMARY KEY (n, k));
      CREATE TABLE c (x TEXT, y INTEGER);
      """)
    func text() -> String {
      ["NULL", "''", "'ä'", "'a\u{308}'", "'it''s'", "'\u{1F600}'"][random.below(6)]
    }
    func statement() -> String {
      let number = random.below(12)
      switch random.below(7) {
      case 0, 1:
        return
          "INSERT OR REPLACE INTO a VALUES (\(number), \(text()), \(number).5, x'\(number % 2 == 0 ? "" : "00ff")')"
      case 2: return "DELETE FROM a WHERE id = \(number)"
      case 3:
        return
          "INSERT OR REPLACE INTO b VALUES ('k\(random.below(3))', \(number % 4), \(text()), \(random.below(20)))"
      case 4: return "UPDATE OR IGNORE b SET u = \(random.below(20)) WHERE n = \(number % 4)"
      case 5: return "INSERT INTO c VALUES (\(text()), \(number % 3))"
      default: return "DELETE FROM c WHERE rowid IN (SELECT rowid FROM c LIMIT 1)"
      }
    }
    for _ in 0..<20 { try database.execute(statement()) }
    _ = try database.adopt()
    for _ in 0..<6 {
      var statements = (0..<(1 + random.below(8))).map { _ in statement() }
      if random.below(3) == 0 { statements.append("VACUUM") }
      try database.execute(statements.joined(separator: ";\n"))
      _ = try database.take("--allow-removal")
    }
    #expect(try database.run("verify").status == 0, "seed \(seed)")
  }

  @Test("Everything that is left out has a line")
  func saysWhatIsLeftOut() throws {
    let database = try ForeignDatabase(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT, size INTEGER AS (length(body)));
      CREATE VIRTUAL TABLE note_fts USING fts5(body, content=note, content_rowid=id);
      CREATE VIRTUAL TABLE note_own USING fts5(body);
      CREATE VIEW long_note AS SELECT * FROM note WHERE size > 100;
      CREATE TRIGGER note_added AFTER INSERT ON note BEGIN SELECT 1; END;
      CREATE TABLE cache (k TEXT PRIMARY KEY, v TEXT);
      INSERT INTO note (body) VALUES ('one'); INSERT INTO note_own VALUES ('only here');
      """)
    let adopted = try database.adopt("--without", "cache")
    for line in [
      "note.size: it is generated", "the view: long_note", "the trigger: note_added",
      "the virtual table note_fts with note_fts_data",
      "the virtual table note_own with note_own_data, note_own_idx, note_own_content, note_own_docsize, note_own_config; its texts are in no other table",
      "cache, as was asked", "the table of SQLite: sqlite_sequence",
    ] { #expect(adopted.everything.contains(line), "\(line): \(adopted.everything)") }
    for (sql, words) in [
      ("SELECT * FROM Long_Note", "Long_Note is a view of the adopted database"),
      ("SELECT * FROM note_fts", "note_fts is a virtual table of the adopted database"),
      ("SELECT size FROM note", "size is a generated column of the adopted database"),
      ("SELECT sizes FROM note", "no such column: sizes\n"),
    ] {
      let query = try database.run("query", sql)
      #expect(query.status == 1 && query.errors.contains(words), "\(query.everything)")
    }
    try database.execute("INSERT INTO cache VALUES ('a', 'b')")
    #expect(try database.take().everything.contains("nothing new"))
  }

  @Test("A stated key is taken, and one that is there twice is refused")
  func takesStatedKeys() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE session (token TEXT, name TEXT); INSERT INTO session VALUES ('a', 'x'), ('b', 'x');"
    )
    for options in [[], ["--dry-run"]] {
      let refused = try Program(
        [
          BuiltProgram.path("catalogctl"), "adopt", database.path, "--key", "session=name",
          "--catalog", database.catalog,
        ] + options)
      #expect(
        refused.status == 1 && refused.everything.contains("rows 1 and 2"), "\(refused.everything)")
    }
    let planned = try database.run("adopt", database.path, "--key", "session=token", "--dry-run")
    #expect(
      planned.status == 2 && planned.output.contains("nothing was created"), "\(planned.everything)"
    )
    #expect(!FileManager.default.fileExists(atPath: database.catalog))
    let adopted = try database.adopt("--key", "session=token")
    #expect(
      adopted.output.components(separatedBy: "created")[0]
        == planned.output.components(separatedBy: "nothing was created")[0])
    let again = try database.run("adopt", database.path, "--dry-run")
    #expect(again.status == 1 && again.errors.contains("already holds a catalog"))
    let inLog = try Program(
      BuiltProgram.path("catalogctl"), "adopt", database.path, "--key", "session=token",
      "--dry-run",
      "--catalog", database.catalog + "/events")
    #expect(
      inLog.status == 1 && inLog.errors.contains("the folder of an event log"),
      "\(inLog.everything)")
    try FileManager.default.removeItem(atPath: database.catalog + "/events")
    let lost = try database.run("adopt", database.path, "--key", "session=token", "--dry-run")
    #expect(lost.status == 3 && lost.errors.contains("there is no event log"), "\(lost.everything)")
    #expect(adopted.everything.contains("key token"), "\(adopted.everything)")
    let unknown = try database.run(
      "adopt", database.path, "--key", "sesion=token", "--without", "x")
    #expect(unknown.everything.contains("did you mean \"session\"?"), "\(unknown.everything)")
  }

  // MARK: The folder of the other program

  @Test("Rows that are only in the write-ahead log are taken, and no file of the folder changes")
  func leavesTheFolder() throws {
    let database = try ForeignDatabase()
    // The process ends without closing, so that the log stays.
    try database.python(
      """
      import os, sqlite3, sys
      database = sqlite3.connect(sys.argv[1], isolation_level=None)
      database.execute("PRAGMA journal_mode = wal")
      database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)")
      database.execute("INSERT INTO t VALUES (1, 'in the file')")
      database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      database.execute("INSERT INTO t VALUES (2, 'in the log')")
      os._exit(0)
      """, database.path)
    try FileManager.default.removeItem(atPath: database.path + "-shm")
    chmod(database.home, 0o555)
    defer { chmod(database.home, 0o755) }
    let before = try database.files()
    #expect(before.contains { $0.hasPrefix("app.sqlite-wal") }, "\(before)")
    let adopted = try database.adopt()
    #expect(adopted.everything.contains("t: 2 rows"), "\(adopted.everything)")
    #expect(try database.take().everything.contains("nothing new"))
    #expect(try database.files() == before)
  }

  @Test("A journal that has to be rolled back is rolled back in the copy")
  func rollsBackTheCopy() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'before');")
    // A cache of one page writes rows of a transaction that is not committed into the file.
    try database.python(
      """
      import os, sqlite3, sys
      database = sqlite3.connect(sys.argv[1], isolation_level=None)
      database.execute("PRAGMA cache_size = 1")
      database.execute("BEGIN")
      for number in range(2, 3000):
          database.execute("INSERT INTO t VALUES (?, 'torn')", (number,))
      os._exit(0)
      """, database.path)
    let before = try database.files()
    #expect(before.contains { $0.hasPrefix("app.sqlite-journal") }, "\(before)")
    let adopted = try database.adopt()
    #expect(adopted.everything.contains("t: 1 row,"), "\(adopted.everything)")
    #expect(try database.files() == before)
  }

  @Test("A file that is empty, cut, damaged, of another format or encrypted is refused whole")
  func refusesOtherFiles() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);"
        + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
        + "INSERT INTO t SELECT i, 'row ' || i FROM n;")
    let whole = try Data(contentsOf: URL(fileURLWithPath: database.path))
    var damaged = whole
    for place in 4096..<6000 { damaged[place] ^= 0x5A }
    let encrypted = Data((0..<whole.count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 7) })
    let cases: [(String, Data, String)] = [
      ("empty", Data(), "the file is empty"),
      ("cut", whole.prefix(whole.count / 2), "the database is cut"),
      ("short", whole.prefix(60), "SQLite cannot read the database"),
      ("damaged", damaged, "SQLite cannot read the database"),
      ("encrypted", encrypted, "it is not an SQLite database"),
      ("text", Data("sku,name\n1,a\n".utf8), "it is not an SQLite database"),
    ]
    for (name, bytes, message) in cases {
      let path = database.home + "/\(name).sqlite"
      try bytes.write(to: URL(fileURLWithPath: path))
      let run = try database.run("adopt", path)
      #expect(run.status == 1 && run.everything.contains(message), "\(name): \(run.everything)")
      #expect(!FileManager.default.fileExists(atPath: database.catalog), "\(name)")
    }
    // The same is refused later, and the catalog stays as it is.
    _ = try database.adopt()
    let head = try database.head()
    for (name, bytes, _) in cases {
      try bytes.write(to: URL(fileURLWithPath: database.path))
      let run = try database.run("import", "app=\(database.path)")
      #expect(run.status == 1, "\(name): \(run.everything)")
      #expect(try database.head() == head, "\(name)")
    }
  }

  @Test("A database without a table is refused")
  func refusesNoTable() throws {
    let database = try ForeignDatabase("CREATE TABLE t (a); DROP TABLE t;")
    let run = try database.run("adopt", database.path)
    #expect(
      run.status == 1 && run.everything.contains("has no table to adopt"), "\(run.everything)")
  }

  @Test(
    "A table that has the name of another's versions is asked for by it, at any moment",
    arguments: [
      ["price_history", "price"], ["price", "price_history"], ["price", "PRICE_History"],
    ])
  func hasTablesNamedAsVersions(names: [String]) throws {
    let tables = names.map { "CREATE TABLE \($0) (id INTEGER PRIMARY KEY, v INT);" }.joined()
    let database = try ForeignDatabase(tables)
    let own = names.first { $0.lowercased() == "price_history" } ?? ""
    try database.execute(
      "INSERT INTO price VALUES (7, 1); INSERT INTO \(own) VALUES (1, 100), (2, 200)")
    _ = try database.adopt()
    let head = try database.head()
    try database.execute("UPDATE price SET v = 2; INSERT INTO \(own) VALUES (3, 300)")
    _ = try database.take()
    let past = try database.run("query", "--at", "\(head)", "SELECT id, v FROM \(own) ORDER BY id")
    #expect(past.output == "id  v\n1   100\n2   200\n", "\(past)")
    let difference = try database.run("diff", "\(head)", "live")
    #expect(
      difference.status == 2 && difference.output.contains("\(own): 1 added"), "\(difference)")
    let views = database.folder.file("views.sql")
    #expect(try database.run("history", "views", views).status == 0)
    #expect(try database.run("history", "views", views).status == 0, "earlier views are replaced")
    let asked = try Program([
      "sqlite3", "-readonly", "-cmd", ".read \(views)", database.catalog + "/history.sqlite",
      "UPDATE moment SET sequence = \(head); SELECT id, v FROM \(own) ORDER BY id",
    ])
    #expect(asked.output == "1|100\n2|200\n", "\(asked)")
  }

  @Test("Views are written over no other file")
  func keepsOtherFiles() throws {
    let database = try ForeignDatabase(Self.shop)
    _ = try database.adopt()
    let files = try database.files()
    for file in [database.path, database.catalog + "/catalog.sqlite"] {
      let refused = try database.run("history", "views", file)
      #expect(refused.status == 1 && refused.errors.contains("name a"), "\(refused)")
    }
    #expect(try database.files() == files)
    #expect(try database.run("verify").status == 0)
  }

  @Test("A search of the past begins with the rows that were adopted")
  func bisects() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, price); INSERT INTO t VALUES (5, 4.5)")
    _ = try database.adopt()
    try database.execute("UPDATE t SET price = 5.5")
    _ = try database.take()
    let found = try database.run("bisect", "SELECT price FROM t WHERE id = 5")
    #expect(found.output.contains("4.5 → 5.5"), "\(found.everything)")
    // Without a catalog the answer is the command that makes one.
    let none = try Program([
      BuiltProgram.path("catalogctl"), "import", database.path, "--catalog",
      database.folder.file("none"),
    ])
    #expect(none.status == 1 && none.errors.contains("catalogctl adopt` makes one of a database"))
  }
}
