import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Traps of real databases, made with SQL: every cell is taken with its type, or the whole database is refused.
@Suite(
  "Traps of databases of other programs",
  .promise(
    "A database of another program is adopted cell by cell with types, and no byte of its "
      + "folder changes",
    by: "traps of real databases"))
struct DatabaseTrapTests {
  struct Trap: CustomTestStringConvertible, Sendable {
    let name: String
    /// The statements of each version.
    let versions: [String]
    /// Words that the last import prints.
    var says = ""
    var testDescription: String { name }
  }

  static let traps: [Trap] = [
    Trap(
      name: "no key, and rows that are equal",
      versions: [
        "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (1, 'x'), (2, 'y');",
        "DELETE FROM t WHERE rowid = 1; UPDATE t SET b = 'z' WHERE a = 2;",
      ], says: "1 added, 2 removed"),
    Trap(
      name: "a row id that is given again",
      versions: [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'b');",
        "DELETE FROM t WHERE id = 2; INSERT INTO t (v) VALUES ('other');",
      ], says: "1 changed (v 1)"),
    Trap(
      name: "INT PRIMARY KEY with NULL and a text",
      versions: [
        "CREATE TABLE t (id INT PRIMARY KEY, v TEXT); INSERT INTO t VALUES (NULL, 'a'), (NULL, 'b'), ('x', 'c'), (1, 'd');",
        "UPDATE t SET v = 'e' WHERE id = 1;",
      ]),
    Trap(
      name: "NULL in a key of several columns",
      versions: [
        "CREATE TABLE t (a TEXT, b TEXT, v INTEGER, PRIMARY KEY (a, b)); INSERT INTO t VALUES ('x', NULL, 1), ('x', NULL, 2);",
        "UPDATE t SET v = 3 WHERE v = 2;",
      ]),
    Trap(
      name: "bytes as key",
      versions: [
        "CREATE TABLE t (id BLOB PRIMARY KEY, v TEXT); INSERT INTO t VALUES (x'', 'empty'), (x'00ff', 'a'), (x'00', 'b');",
        "UPDATE t SET v = 'c' WHERE id = x'00';",
      ]),
    Trap(
      name: "values of several types, and a change of the type alone",
      versions: [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 1), (2, '1'), (3, 1.0), (4, x'31'), (5, NULL), (6, -9223372036854775808), (7, CAST(x'65cc81' AS TEXT)), (8, x'65cc81');",
        "UPDATE t SET v = '1' WHERE id = 1; UPDATE t SET v = 1 WHERE id = 3; UPDATE t SET v = x'65cc81' WHERE id = 7;",
      ], says: "3 changed (v 3)"),
    Trap(
      name: "affinities",
      versions: [
        "CREATE TABLE t (i INTEGER, n NUMERIC, x TEXT, r REAL, d DECIMAL(10, 2)); INSERT INTO t VALUES ('007', '1e3', 007, 5, 3.0), ('abc', 'y', 1.50, 'z', 3.5);",
        "INSERT INTO t VALUES (1.0, 1.0, 1.0, 1.0, 1.0);",
      ], says: "1 added"),
    Trap(
      name: "STRICT with ANY",
      versions: [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v ANY) STRICT; INSERT INTO t VALUES (1, '007'), (2, 7), (3, x'07');",
        "UPDATE t SET v = '7' WHERE id = 1;",
      ], says: "1 changed"),
    Trap(
      name: "UTF-16 and pages of 512 bytes",
      versions: [
        "PRAGMA encoding = 'UTF-16le'; PRAGMA page_size = 512; CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT); INSERT INTO t VALUES ('ä', '林'), ('b', NULL);",
        "UPDATE t SET v = '🐉' WHERE k = 'b';",
      ], says: "1 changed"),
    Trap(
      name: "names",
      versions: [
        """
        CREATE TABLE "order details" ("select" INTEGER PRIMARY KEY, "größe ""x"" y" TEXT, "_from" TEXT, "oid" TEXT);
        CREATE TABLE projection_source (id INTEGER PRIMARY KEY, "rowid" TEXT);
        CREATE TABLE "nc.gpkg" ("a b" TEXT, "a-b" TEXT, "A_b" TEXT);
        CREATE TABLE "group" ("order" TEXT PRIMARY KEY);
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('v1');
        INSERT INTO "order details" VALUES (1, 'L', 'here', 'o'); INSERT INTO projection_source VALUES (1, 'r');
        INSERT INTO "nc.gpkg" VALUES ('1', '2', '3'); INSERT INTO "group" VALUES ('g');
        """,
        "UPDATE \"order details\" SET \"_from\" = 'there'; UPDATE projection_source SET \"rowid\" = 's';",
      ]),
    Trap(
      name: "a program that begins to use GRDB",
      versions: [
        "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1);",
        "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('v1');",
      ], says: "1 added"),
    Trap(
      name: "whole numbers beyond 2^53, NFC beside NFD, long bytes",
      versions: [
        "CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER, b BLOB); INSERT INTO t VALUES (CAST(x'c3a9' AS TEXT), 9007199254740993, zeroblob(1000000)), (CAST(x'65cc81' AS TEXT), 9223372036854775807, x'00');",
        "UPDATE t SET n = n - 1;",
      ], says: "2 changed (n 2)"),
    Trap(
      name: "tables called as the parts of a virtual table are",
      versions: [
        """
        CREATE VIRTUAL TABLE docs USING fts5(body); CREATE VIRTUAL TABLE docs_old USING fts4(body); CREATE VIRTUAL TABLE area USING rtree(id, a, b);
        CREATE TABLE docs_parent (id INTEGER PRIMARY KEY, v); CREATE TABLE docs_stat (id INTEGER PRIMARY KEY, v); CREATE TABLE area_data (v);
        INSERT INTO docs VALUES ('a'); INSERT INTO docs_old VALUES ('b'); INSERT INTO area VALUES (1, 2, 3);
        INSERT INTO docs_parent VALUES (1, 'a'); INSERT INTO docs_stat VALUES (1, 'a'), (2, 'b'); INSERT INTO area_data VALUES (1);
        """,
        "UPDATE docs_stat SET v = 'c' WHERE id = 1; INSERT INTO docs_parent VALUES (2, 'b');",
      ], says: "1 changed (v 1)"),
    Trap(
      name: "references that lead nowhere",
      versions: [
        "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p(id)); INSERT INTO p VALUES (1), (2); INSERT INTO c VALUES (1, 1), (2, 99);",
        "DELETE FROM p WHERE id = 1;",
      ], says: "1 removed"),
    Trap(
      name:
        "NULL in a column that says NOT NULL by its index alone, unique values that are exchanged",
      versions: [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, place INTEGER UNIQUE); INSERT INTO t VALUES (1, 10), (2, 20), (3, NULL), (4, NULL);",
        "UPDATE t SET place = 0 WHERE id = 1; UPDATE t SET place = 10 WHERE id = 2; UPDATE t SET place = 20 WHERE id = 1;",
      ], says: "2 changed (place 2)"),
    Trap(
      name: "a file that was made anew, its row ids too",
      versions: [
        "CREATE TABLE t (a TEXT, b TEXT); INSERT INTO t VALUES ('1', 'x'), ('2', 'y'), ('3', 'z'); DELETE FROM t WHERE a = '1';",
        "VACUUM;",
      ], says: "nothing new"),
  ]

  @Test("Each cell is taken with its type", arguments: traps)
  func takes(trap: Trap) throws {
    let database = try ForeignDatabase(trap.versions[0])
    _ = try database.adopt()
    for version in trap.versions.dropFirst() {
      try database.execute(version)
      let taken = try database.take()
      #expect(trap.says.isEmpty || taken.everything.contains(trap.says), "\(taken.everything)")
      let head = try database.head()
      #expect(try database.take().everything.contains("nothing new"))
      #expect(try database.head() == head)
    }
    #expect(try database.run("verify").status == 0)
    let reducer = ScratchFolder.repository + "/Tools/table-reducer.py"
    let second = try Program([
      "python3", reducer, database.catalog + "/events", database.catalog + "/catalog.sqlite",
    ])
    #expect(second.status == 0, "\(second.everything)")
  }

  @Test("A table that SQLite calls a part of a virtual table because of its name is taken")
  func takesTablesNamedAsShadows() throws {
    let database = try ForeignDatabase(
      """
      CREATE VIRTUAL TABLE docs USING fts5(body, content=''); CREATE VIRTUAL TABLE mail USING fts3(content);
      CREATE TABLE docs_content (id INTEGER PRIMARY KEY, title TEXT, page INTEGER); CREATE TABLE mail_stat (id INTEGER PRIMARY KEY, n);
      INSERT INTO docs_content VALUES (1, 'a', 2); INSERT INTO mail_stat VALUES (7, 8);
      """)
    let adopted = try database.run("adopt", database.path)
    #expect(adopted.status == 0, "\(adopted.everything)")
    for line in [
      "docs_content: 1 row, key id", "mail_stat: 1 row, key id",
      "the virtual table docs with docs_data, docs_idx, docs_docsize, docs_config\n",
      "the virtual table mail with mail_content, mail_segments, mail_segdir; its texts are in no other table",
    ] { #expect(adopted.output.contains(line), "\(line): \(adopted.output)") }
    let rows = try database.run("rows", "docs_content", "--csv").output
    #expect(rows == "id,title,page\n1,a,2\n")
  }

  @Test(
    "Real numbers of any size are taken, and come back", arguments: [1, 2, 3] as [UInt64])
  func takesRealNumbers(seed: UInt64) throws {
    let database = try ForeignDatabase()
    let script = ScratchFolder.repository + "/Tests/DescribedTablesTests/Databases/reals.py"
    let before = database.folder.file("before.sqlite")
    func numbers(_ words: String...) throws -> Program {
      try Program(["python3", script] + words)
    }
    #expect(try numbers("make", "\(seed)", database.path).status == 0)
    _ = try database.adopt()
    let head = try database.head()
    try FileManager.default.copyItem(atPath: database.path, toPath: before)
    #expect(try numbers("change", "\(seed)", database.path).status == 0)
    let taken = try database.take().everything
    #expect(taken.contains(": 3,000 rows: 500 changed"), "\(taken)")
    try database.execute("VACUUM")
    let again = try database.take().everything
    #expect(again.contains("nothing new"), "\(again)")
    #expect(try database.run("verify").status == 0)
    let reducer = ScratchFolder.repository + "/Tools/table-reducer.py"
    let second = try Program([
      "python3", reducer, database.catalog + "/events", database.catalog + "/catalog.sqlite",
    ])
    #expect(second.status == 0, "\(second.everything)")
    for moment in ["\(head)", "\(try database.head())"] {
      let query = try database.run(
        "query", "SELECT id, typeof(d), d, typeof(a), a FROM m ORDER BY id", "--at", moment,
        "--format", "json")
      let file = try database.folder.write(query.output, to: "rows.json")
      let state = moment == "\(head)" ? before : database.path
      let compared = try numbers("compare", file, state)
      #expect(compared.status == 0, "\(query.errors) \(compared.everything)")
    }
    let undo = try database.run("diff", "live", "\(head)", "--sql").output
    let file = try database.folder.write(undo, to: "undo.sql")
    let run = try Program(["sh", "-c", "sqlite3 \"$0\" < \"$1\"", database.path, file])
    #expect(run.status == 0, "\(run.everything)")
    let same = try Program([
      "python3", ScratchFolder.repository + "/Tests/DescribedTablesTests/Databases/samerows.py",
      database.path, before,
    ])
    #expect(same.status == 0, "\(same.everything)")
  }

  @Test("A whole number that a column for numbers would round is refused")
  func refusesRounding() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v REAL); INSERT INTO t VALUES (1, 1.5);")
    _ = try database.adopt()
    let head = try database.head()
    try database.execute(
      "DROP TABLE t; CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 9007199254740993);"
    )
    let refused = try database.run("import", database.path)
    #expect(
      refused.status == 1 && refused.everything.contains("t[id=1].v: is a whole number"),
      "\(refused.everything)")
    #expect(try database.head() == head)
  }

  @Test("An adoption that fails while it appends leaves no catalog", arguments: [true, false])
  func leavesNothing(exists: Bool) throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, hex(zeroblob(3000000)));"
    )
    if exists {
      try FileManager.default.createDirectory(
        atPath: database.catalog, withIntermediateDirectories: true)
      _ = try database.folder.write("mine", to: "catalog/note.txt")
    }
    // The log may have no file as large as the rows.
    let run = try Program([
      "sh", "-c", "trap '' XFSZ; ulimit -f 600; exec \"$0\" adopt \"$1\" --catalog \"$2\"",
      BuiltProgram.path("catalogctl"), database.path, database.catalog,
    ])
    #expect(run.status == 1, "\(run.everything)")
    let left = try? FileManager.default.contentsOfDirectory(atPath: database.catalog)
    #expect(left == (exists ? ["note.txt"] : nil), "\(run.everything)")
    _ = try database.adopt()
  }

  @Test("Rows that refer to no row are counted when a database is adopted")
  func countsDanglingReferences() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p(id), q INTEGER REFERENCES p); INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 1, 1), (2, 98, NULL), (3, 99, 7);"
    )
    let adopted = try database.adopt()
    for line in ["c.p: 2 rows refer to no row of p", "c.q: 1 row refers to no row of p"] {
      #expect(adopted.errors.contains(line), "\(adopted.everything)")
    }
  }

  @Test("Damage of another program's database names no log")
  func saysNothingOfALog() throws {
    let rows = (1...3_000).map { "(\($0), 'row \($0)')" }.joined(separator: ", ")
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES \(rows)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: database.path))
    // The pages of the schema and of the first rows.
    for start in [100, 4_096, 8_192] {
      var damaged = bytes
      for place in start..<start + 60 { damaged[place] = 0xFF }
      try damaged.write(to: URL(fileURLWithPath: database.path))
      for command in ["adopt", "diff"] {
        let words = command == "adopt" ? [] : [database.path]
        let run = try Program(
          [BuiltProgram.path("catalogctl"), command, database.path] + words
            + ["--catalog", database.catalog])
        #expect(run.status == 1 && !run.errors.contains("rebuild"), "\(run.everything)")
      }
    }
  }

  @Test("A collation and a function that only the other program has")
  func takesForeignOrders() throws {
    let database = try ForeignDatabase()
    try database.python(
      """
      import sqlite3, sys
      database = sqlite3.connect(sys.argv[1], isolation_level=None)
      database.create_collation("unicase", lambda a, b: (a.lower() > b.lower()) - (a.lower() < b.lower()))
      database.create_function("title_sort", 1, lambda text: text.lower(), deterministic=True)
      database.executescript('''
        CREATE TABLE tags (tag TEXT PRIMARY KEY COLLATE unicase, usn INTEGER) WITHOUT ROWID;
        CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT CHECK (title_sort(title) <> ''));
        CREATE INDEX sorted ON books (title_sort(title));
        INSERT INTO tags VALUES ('b', 1), ('A', 2), ('c', 3); INSERT INTO books VALUES (1, 'One');
      ''')
      """, database.path)
    let adopted = try database.adopt()
    #expect(adopted.everything.contains("tags: 3 rows, key tag"), "\(adopted.everything)")
  }

  @Test(
    "A value that no catalog can have is refused with its place",
    arguments: [
      ("CAST(x'6100' AS TEXT)", "U+0000"), ("CAST(x'ff' AS TEXT)", "not UTF-8"),
      ("9e999", "finite"), ("-9e999", "finite"),
    ])
  func refusesValues(sql: String, message: String) throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v, w); INSERT INTO t VALUES (1, \(sql), 'a');")
    let refused = try database.run("adopt", database.path)
    #expect(refused.status == 1 && refused.everything.contains(message), "\(refused.everything)")
    #expect(refused.everything.contains("--without t.v"), "\(refused.everything)")
    #expect(!FileManager.default.fileExists(atPath: database.catalog))
    _ = try database.adopt("--without", "t.v")
    try database.execute("UPDATE t SET w = \(sql) WHERE id = 1")
    let head = try database.head()
    let later = try database.run("import", database.path)
    #expect(later.status == 1 && later.everything.contains("t[id=1].w"), "\(later.everything)")
    #expect(try database.head() == head)
  }

  @Test("Each fault of a column is said by itself, with the key of its first row")
  func refusesUnlikeFaults() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (7, CAST(x'ff' AS TEXT)), (8, 9e999), (9, CAST(x'fe' AS TEXT));"
        + "CREATE TABLE u (v); INSERT INTO u VALUES (1), (9e999);")
    let refused = try database.run("adopt", database.path).everything
    for words in [
      "t[id=7].v: is a text that is not UTF-8 (2 rows)", "t[id=8].v: is inf", "u[row 2].v: is inf",
    ] { #expect(refused.contains(words), "\(refused)") }
  }

  @Test(
    "A value that no line of the log can have is refused before there is a catalog",
    arguments: ["zeroblob(50000000)", "replace(hex(zeroblob(6000000)), '0', char(1))"])
  func refusesLongValues(sql: String) throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, \(sql));")
    let refused = try database.run("adopt", database.path)
    #expect(
      refused.status == 1 && refused.everything.contains("t[id=1].v: has more bytes than a line")
        && refused.everything.contains("--without t.v"), "\(refused.everything)")
    #expect(!FileManager.default.fileExists(atPath: database.catalog))
    _ = try database.adopt("--without", "t.v")
  }

  @Test("A row of values that fit, but not together, is refused, and nothing is appended")
  func refusesLongRows() throws {
    let insert = "INSERT INTO t VALUES (2, zeroblob(30000000), zeroblob(20000000))"
    let columns = "CREATE TABLE t (id INTEGER PRIMARY KEY, v, w);"
    let first = try ForeignDatabase(columns + insert)
    let unborn = try first.run("adopt", first.path)
    #expect(
      unborn.status == 1 && unborn.everything.contains("t[id=2].v: the row has more bytes"),
      "\(unborn.everything)")
    #expect(!FileManager.default.fileExists(atPath: first.catalog))

    let database = try ForeignDatabase(
      columns + "INSERT INTO t VALUES (1, zeroblob(30000000), 'b')")
    _ = try database.adopt()
    let head = try database.head()
    try database.execute(insert)
    let refused = try database.run("import", database.path)
    #expect(
      refused.status == 1 && refused.everything.contains("t[id=2].v: the row has more bytes"),
      "\(refused.everything)")
    #expect(try database.head() == head)
    // The event of a change has no value of the columns that stay.
    try database.execute("DELETE FROM t WHERE id = 2; UPDATE t SET w = zeroblob(20000000)")
    #expect(try database.take().everything.contains("1 changed (w 1)"))
  }

  @Test("The row of a fault is the one that has it, whatever indexes there are")
  func namesTheRowOfAFault() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id TEXT PRIMARY KEY, v, w) WITHOUT ROWID; CREATE INDEX i ON t (w); INSERT INTO t VALUES ('a', 9e999, 'z'), ('b', 2, 'y'), ('c', 3, 'x');"
    )
    let refused = try database.run("adopt", database.path).everything
    #expect(refused.contains("t[id='a'].v: is inf"), "\(refused)")
  }

  @Test(
    "A catalog of other tables keeps its database, byte for byte", arguments: ["adopt", "init"])
  func leavesOtherCatalogs(command: String) throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1);")
    _ = try database.adopt()
    let live = URL(fileURLWithPath: database.catalog + "/catalog.sqlite")
    let before = try Data(contentsOf: live)
    let other = try ForeignDatabase(
      "CREATE TABLE o (k TEXT PRIMARY KEY, q REAL); INSERT INTO o VALUES ('a', 1);")
    let list = try database.folder.write("k,q\na,1\n", to: "list.csv")
    let refused =
      command == "adopt"
      ? try database.run("adopt", other.path)
      : try database.run("init", "--table", "list=\(list)", "--key", "k")
    #expect(
      refused.status == 1 && refused.everything.contains("already holds a catalog"),
      "\(refused.everything)")
    #expect(try Data(contentsOf: live) == before)
  }

  @Test(
    "A file with = in its name is imported by that name, and another file is not taken without a line"
  )
  func takesFilesByTheirNames() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'a');",
      name: "a=b.sqlite")
    _ = try database.adopt()
    try database.execute("UPDATE t SET v = 'b'")
    let taken = try database.take().everything
    #expect(taken.contains("1 changed (v 1)") && !taken.contains("is taken as"), "\(taken)")
    try FileManager.default.copyItem(atPath: database.path, toPath: database.home + "/other.sqlite")
    try database.python(
      """
      import sqlite3, sys
      sqlite3.connect(sys.argv[1], isolation_level=None).execute("UPDATE t SET v = 'c'")
      """, database.home + "/other.sqlite")
    // A part of the name is a table, and the rest is no file.
    try FileManager.default.moveItem(atPath: database.path, toPath: database.home + "/t=b.sqlite")
    let kept = try database.run("capture", database.home + "/t=b.sqlite").everything
    #expect(kept.contains("nothing new"), "\(kept)")
    try FileManager.default.moveItem(atPath: database.home + "/t=b.sqlite", toPath: database.path)
    let other = try database.run("import", database.home + "/other.sqlite").everything
    #expect(
      other.contains("other.sqlite is taken as the database that \(database.path) was before"),
      "\(other)")
  }

  @Test("A zero with a minus becomes a zero, and the program says so")
  func takesNegativeZeros() throws {
    let database = try ForeignDatabase()
    try database.python(
      """
      import sqlite3, sys
      database = sqlite3.connect(sys.argv[1], isolation_level=None)
      database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
      database.executemany("INSERT INTO t VALUES (?, ?)", [(1, -0.0), (2, "x")])
      """, database.path)
    #expect(try database.adopt().everything.contains("1 zero with a minus becomes 0"))
    #expect(try database.take().everything.contains("nothing new"))
  }

  @Test("An older copy, and a table that lost its rows, are refused unless they are meant")
  func refusesOlderCopies() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);"
        + (1...30).map { "INSERT INTO t VALUES (\($0), 'a');" }.joined())
    let old = try Data(contentsOf: URL(fileURLWithPath: database.path))
    _ = try database.adopt()
    try database.execute("UPDATE t SET v = 'b' WHERE id = 1")
    _ = try database.take()
    let head = try database.head()
    try old.write(to: URL(fileURLWithPath: database.path))
    let refused = try database.run("import", database.path)
    #expect(
      refused.status == 1 && refused.everything.contains("--older takes it"),
      "\(refused.everything)")
    #expect(try database.head() == head)
    #expect(try database.take("--older").everything.contains("1 changed (v 1)"))
    try database.execute("DELETE FROM t")
    let empty = try database.run("import", database.path)
    #expect(empty.status == 1 && empty.everything.contains("30 of 30 rows of t would go"))
    #expect(try database.take("--allow-removal").everything.contains("30 removed"))
  }
}
