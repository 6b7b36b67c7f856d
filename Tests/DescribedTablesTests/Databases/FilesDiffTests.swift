import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Two databases of other programs, compared without a catalog.
@Suite(
  "Any two databases are compared, and no byte of them changes",
  .promise(
    "`diff` of any two databases finds each row that differs, in values and types, and "
      + "changes no file",
    by: "compared with Python's `sqlite3`: generated pairs with odd names, keys and encodings"))
struct FilesDiffTests {
  /// Two databases, in a folder of their own, and what `diff` says of them.
  private struct Pair {
    let folder: ScratchFolder
    let old: String
    let new: String

    init(_ oldSQL: String = "", _ newSQL: String = "") throws {
      folder = try ScratchFolder()
      (old, new) = (folder.file("old.sqlite"), folder.file("new.sqlite"))
      try execute(old, oldSQL)
      try execute(new, newSQL)
    }

    func execute(_ path: String, _ sql: String) throws {
      guard !sql.isEmpty else { return }
      let run = try Program(["sqlite3", path, sql])
      try #require(run.status == 0, "\(run.everything)")
    }

    func diff(_ words: String...) throws -> Program {
      try Program(
        [BuiltProgram.path("catalogctl"), "diff", old, new, "--catalog", folder.file("none")]
          + words
      )
    }
  }

  private static let scripts = ScratchFolder.repository + "/Tests/DescribedTablesTests/Databases/"

  @Test("Two databases of described tables need no catalog")
  func describedTablesNeedNoCatalog() throws {
    let shop = try TableShop(
      #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text", "v": "integer"}}}}"#
    )
    for (value, name) in [(1, "one.sqlite"), (2, "two.sqlite")] {
      try shop.take("t", "id,v\na,\(value)\nb,5\n")
      try #require(shop.run("materialize", "head", shop.folder.file(name)).status == 0)
    }
    let compared = try Program([
      BuiltProgram.path("catalogctl"), "diff", shop.folder.file("one.sqlite"),
      shop.folder.file("two.sqlite"), "--catalog", shop.folder.file("nowhere"),
    ])
    #expect(
      compared.status == 2 && compared.output.contains("1 changed (v 1)"),
      "\(compared.everything)")
  }

  @Test("Generated pairs, judged by a reader that knows only the documentation", arguments: 1...24)
  func comparesGeneratedPairs(seed: Int) throws {
    let pair = try Pair()
    let made = try Program([
      "python3", Self.scripts + "pairs.py", String(seed), pair.old, pair.new,
    ])
    try #require(made.status == 0, "\(made.everything)")
    let diff = try pair.diff("--format", "json", "--rows", "100000")
    try #require([0, 2].contains(diff.status), "seed \(seed): \(diff.everything)")
    let difference = try pair.folder.write(diff.output, to: "difference.json")
    let judged = try Program([
      "python3", Self.scripts + "compared.py", pair.old, pair.new, difference,
    ])
    #expect(judged.status == 0, "seed \(seed): \(judged.everything)")
    #expect((diff.output == "[\n\n]\n") == (diff.status == 0))
  }

  @Test("What only one of them has, or declares otherwise, is said")
  func saysDifferencesOfSchemas() throws {
    let pair = try Pair(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, gone TEXT, twin AS (id + 1));
      CREATE TABLE only_old (x); INSERT INTO only_old VALUES (1), (2);
      CREATE VIEW v AS SELECT 1; CREATE TABLE typed (n INTEGER);
      CREATE VIRTUAL TABLE words USING fts5(body);
      """,
      """
      CREATE TABLE a (ID INTEGER PRIMARY KEY, "new one" TEXT, twin);
      CREATE TABLE typed (n TEXT); CREATE VIEW v AS SELECT 2;
      CREATE INDEX by_n ON typed (n);
      CREATE VIRTUAL TABLE words USING fts5(body);
      """)
    let diff = try pair.diff()
    #expect(diff.status == 2)
    let new = pair.new
    let old = pair.old
    for line in [
      "differs: column a.gone: only in \(old)", "differs: column a.new one: only in \(new)",
      "differs: column a.twin: generated from other columns, but not in \(new)",
      "differs: table only_old: only in \(old), 2 rows", "differs: table typed: declared otherwise",
      "differs: view v: declared otherwise", "differs: index by_n: only in \(new)",
      "not compared: the virtual table words with",
    ] { #expect(diff.everything.contains(line), "\(line): \(diff.everything)") }
    #expect(
      diff.output == "only_old: 0 added, 2 removed, 0 changed\n    - x=1\n    - x=2\n",
      "\(diff.output)")
    let part = try pair.diff("--table", "a")
    #expect(part.everything.contains("a.gone") && !part.everything.contains("only_old"))
  }

  @Test("A table that only one of them has differs by its rows, in JSON too")
  func comparesTablesOfOne() throws {
    let pair = try Pair(
      "CREATE TABLE T (id INTEGER PRIMARY KEY, v); INSERT INTO T VALUES (1, 2); CREATE TABLE gone (a, b); INSERT INTO gone VALUES (1, 'x'), (1, 'x'); PRAGMA user_version = 3",
      "CREATE TABLE t (ID INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 2); CREATE TABLE came (id INTEGER PRIMARY KEY, b); INSERT INTO came VALUES (4, 'y')"
    )
    let diff = try pair.diff()
    #expect(diff.status == 2 && !diff.output.contains("the same"), "\(diff.everything)")
    for line in [
      "gone: 0 added, 2 removed, 0 changed\n    - a=1 b='x'\n    - a=1 b='x'\n",
      "came: 1 added, 0 removed, 0 changed\n    + id=4 b='y'\n",
    ] { #expect(diff.output.contains(line), "\(diff.output)") }
    #expect(diff.errors.contains("pragma user_version: 3 in \(pair.old), 0 in \(pair.new)"))
    #expect(!diff.errors.contains("table t: only") && !diff.errors.contains("table T: only"))
    let json = try pair.diff("--format", "json")
    #expect(json.status == 2 && json.output.contains("\"table\" : \"came\""), "\(json.everything)")
    let chosen = try pair.diff("--table", "GONE", "--summary")
    #expect(chosen.output == "gone: 0 added, 2 removed, 0 changed\n", "\(chosen.everything)")
    #expect(!chosen.errors.contains("came"), "\(chosen.errors)")
    // Names that differ in case are one table, whose declarations differ.
    let same = try pair.diff("--table", "T")
    #expect(same.output == "the rows are the same, and the schemas differ\n", "\(same.everything)")
    let keyed = try pair.diff("--table", "came", "--key", "came=b")
    #expect(
      keyed.status == 2 && keyed.output.contains("came: 1 added")
        && !keyed.errors.contains("whole"),
      "\(keyed.everything)")
    // No statement makes a table.
    let script = try pair.diff("--sql")
    #expect(script.output.contains("-- Not in this script: table came: only in"))
    #expect(script.output.contains("-- nothing is to be changed"), "\(script.output)")
    let help = try Program([BuiltProgram.path("catalogctl"), "diff", "--help"])
    #expect(help.output.contains("--key <table=column>"), "\(help.output)")
  }

  @Test("Equal rows are counted, and --key names a key")
  func tellsRowsApart() throws {
    let pair = try Pair(
      """
      CREATE TABLE t (k, v); INSERT INTO t VALUES ('a', 1), ('a', 1), ('b', 2);
      CREATE TABLE s (k, v); INSERT INTO s VALUES ('a', 1), (x'00', 2), (NULL, 3);
      """,
      """
      CREATE TABLE t (k, v); INSERT INTO t VALUES ('a', 1), ('b', 2), ('b', 2);
      CREATE TABLE s (k, v); INSERT INTO s VALUES ('a', 1), (x'00', 4), (NULL, 5);
      """)
    let whole = try pair.diff("--summary")
    #expect(whole.output.contains("t: 1 added, 1 removed, 0 changed"), "\(whole.everything)")
    #expect(whole.output.contains("s: 2 added, 2 removed, 0 changed"), "\(whole.everything)")
    #expect(whole.everything.contains("s: rows are compared whole, since it has no primary key"))
    let keyed = try pair.diff("--key", "s=k")
    #expect(keyed.output.contains("s: 0 added, 0 removed, 2 changed (v 2)"), "\(keyed.everything)")
    #expect(keyed.output.contains("~ k=x'00' v: 2 → 4"), "\(keyed.everything)")
    let twice = try pair.diff("--key", "t=k")
    #expect(twice.status == 1 && twice.output.isEmpty)
    #expect(twice.everything.contains("t[k='a']: several rows have the same key"))
    for (key, words) in [
      ("none=k", "the database has no such table"),
      ("t=nope", "one of the databases has no such column"), ("t=,", "the key has no column"),
    ] {
      let refused = try pair.diff("--key", key)
      #expect(refused.status == 1 && refused.everything.contains(words), "\(refused.everything)")
    }
  }

  @Test("A database whose program writes is compared as it was committed last, and stays as it is")
  func readsLiveDatabases() throws {
    let pair = try Pair(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 1), (2, 2)",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 1), (2, 2)")
    // The writer has a committed change in its log, and another one that it has not committed.
    let run = try Program(
      [
        "python3", "-c",
        """
        import hashlib, os, sqlite3, subprocess, sys
        program, old, new = sys.argv[1:]
        writer = sqlite3.connect(new, isolation_level=None)
        writer.executescript("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; UPDATE t SET v = 7 WHERE id = 1")
        writer.executescript("BEGIN IMMEDIATE; UPDATE t SET v = 8 WHERE id = 2")
        def files():
            folder = os.path.dirname(new)
            return sorted(
                (name, os.stat(folder + "/" + name).st_mtime_ns, hashlib.sha256(open(folder + "/" + name, "rb").read()).digest())
                for name in os.listdir(folder))
        before = files()
        diff = subprocess.run([program, "diff", old, new], capture_output=True, text=True)
        assert files() == before
        print(diff.stdout, diff.stderr, diff.returncode)
        """, BuiltProgram.path("catalogctl"), pair.old, pair.new,
      ])
    #expect(run.status == 0, "\(run.everything)")
    #expect(run.output.contains("t: 0 added, 0 removed, 1 changed (v 1)"), "\(run.everything)")
    #expect(run.output.contains("~ id=1 v: 1 → 7"), "\(run.everything)")
  }

  @Test("A file that is not a whole database is refused")
  func refusesDamage() throws {
    let pair = try Pair(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 1)",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, v);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO t SELECT i, hex(randomblob(40)) FROM n;
      """)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: pair.new))
    try bytes.prefix(20_000).write(to: URL(fileURLWithPath: pair.new))
    let cut = try pair.diff()
    #expect(cut.status == 1 && cut.everything.contains("the database is cut"), "\(cut.everything)")
    try Data("no database at all, but long enough to be one".utf8)
      .write(to: URL(fileURLWithPath: pair.new))
    let other = try pair.diff()
    #expect(other.status == 1 && other.everything.contains("is not an SQLite database"))
  }

  @Test("Names that differ in the form of their letters alone are refused")
  func refusesTwins() throws {
    for sql in [
      "CREATE TABLE t (\"\u{e9}\" TEXT, \"e\u{301}\" TEXT)",
      "CREATE TABLE \"\u{e9}\" (a); CREATE TABLE \"e\u{301}\" (a)",
    ] {
      let pair = try Pair(sql, sql)
      let diff = try pair.diff()
      #expect(diff.status == 1 && diff.output.isEmpty, "\(diff.everything)")
      #expect(diff.everything.contains("two names differ only in how their letters are composed"))
      let adopted = try Program([
        BuiltProgram.path("catalogctl"), "adopt", pair.old, "--catalog", pair.folder.file("made"),
      ])
      #expect(adopted.status == 1 && adopted.everything.contains("count as one here"))
      #expect(!pair.folder.exists("made"))
    }
  }

  @Test("The other file is named if it is no database, is empty or is a folder")
  func namesTheOtherFile() throws {
    let pair = try Pair("CREATE TABLE t (a)")
    try pair.folder.write("", to: "empty")
    try pair.folder.write("a text that is no database at all", to: "text")
    for (name, words) in [("empty", "the file is empty"), ("text", "is not an SQLite database")] {
      let file = pair.folder.file(name)
      let diff = try Program([BuiltProgram.path("catalogctl"), "diff", pair.old, file])
      #expect(diff.status == 1 && diff.everything.contains("\(file): "), "\(diff.everything)")
      #expect(diff.everything.contains(words), "\(diff.everything)")
    }
  }
}
