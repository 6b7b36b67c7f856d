import CatalogTestSupport
import Foundation
import Testing

/// Databases that have more than the rows of a script: other columns, triggers, unique values.
extension ScriptTests {
  /// A database in a folder, and the rows that a statement reads from it.
  func made(_ sql: String, _ name: String, in folder: ScratchFolder) throws -> String {
    let path = folder.file(name)
    let run = try Program(["sqlite3", path, sql])
    try #require(run.status == 0, "\(run.everything)")
    return path
  }

  func rows(_ sql: String, of path: String) throws -> [String] {
    try Program(["sqlite3", path, sql]).output.split(separator: "\n").map(String.init)
  }

  func difference(_ old: String, _ new: String, _ words: String...) throws -> Program {
    try Program([BuiltProgram.path("catalogctl"), "diff", old, new, "--sql"] + words)
  }

  @Test("A changed row without a key keeps the values that the catalog does not have")
  func keepsUnknownValues() throws {
    let database = try ForeignDatabase(
      """
      CREATE TABLE notes (day TEXT, body TEXT, photo BLOB);
      INSERT INTO notes VALUES ('Mon', 'a', x'01'), ('Mon', 'a', x'02'), ('Tue', 'b', x'03');
      """)
    let adopted = try database.run("adopt", database.path, "--without", "notes.photo")
    try #require(adopted.status == 0, "\(adopted.everything)")
    func imported() throws -> String {
      let head = try database.head()
      let run = try database.run("import", database.path, "--allow-removal")
      try #require(run.status == 0, "\(run.everything)")
      return "\(head + 1)..\(try database.head())"
    }
    let all = "SELECT day, body, hex(photo) FROM notes ORDER BY photo"
    // An edit.
    try database.execute("UPDATE notes SET body = 'c' WHERE body = 'b'")
    let script = try database.run("revert", try imported(), "--sql")
    try #require(script.status == 0, "\(script.everything)")
    #expect(script.output.contains("which keeps its values of photo."), "\(script.output)")
    let (copy, run) = try run(script.output, on: database.path, in: database.folder)
    #expect(run.status == 0, "\(run.everything)")
    #expect(try rows(all, of: copy) == ["Mon|a|01", "Mon|a|02", "Tue|b|03"])
    // One of two rows that differ in the photo alone.
    try database.execute("INSERT INTO notes VALUES ('Tue', 'c', x'04')")
    let refused = try database.run("revert", try imported(), "--sql")
    #expect(refused.status == 1 && refused.output.isEmpty, "\(refused.everything)")
    #expect(refused.everything.contains("their values of photo are not known here"))
    // A row that is gone comes back with a default.
    try database.execute("DELETE FROM notes WHERE day = 'Mon'")
    let removal = try database.run("revert", try imported(), "--sql")
    #expect(
      removal.output.contains("notes: an added row has the default values of photo."),
      "\(removal.everything)")
  }

  @Test("Columns of the older database alone are kept, or no script is written")
  func keepsColumnsOfTheOlderDatabase() throws {
    let folder = try ScratchFolder()
    let old = try made(
      """
      CREATE TABLE t (a, b, legacy); INSERT INTO t VALUES (1, 'x', 'one'), (2, 'y', 'two');
      CREATE TABLE k (id INTEGER PRIMARY KEY, legacy DEFAULT 'none'); INSERT INTO k VALUES (1, 'i');
      CREATE TABLE twins (a, legacy); INSERT INTO twins VALUES (1, 'p'), (1, 'q');
      """, "old.sqlite", in: folder)
    let new = try made(
      """
      CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'X'), (2, 'Y');
      CREATE TABLE k (id INTEGER PRIMARY KEY); INSERT INTO k VALUES (1), (2);
      CREATE TABLE twins (a); INSERT INTO twins VALUES (1);
      """, "new.sqlite", in: folder)
    let script = try difference(old, new, "--table", "t", "--table", "k")
    #expect(script.output.contains("k: an added row has the default values of legacy."))
    let (copy, run) = try run(script.output, on: old, in: folder)
    #expect(run.status == 0, "\(run.everything)")
    #expect(try rows("SELECT * FROM t ORDER BY a", of: copy) == ["1|X|one", "2|Y|two"])
    #expect(try rows("SELECT * FROM k ORDER BY id", of: copy) == ["1|i", "2|none"])
    // Which of two equal rows goes is not known, so that none goes.
    let twins = try difference(old, new, "--table", "twins")
    let (same, failed) = try self.run(twins.output, on: old, in: folder)
    #expect(failed.status == 1 && failed.everything.contains("matched 2 rows, not 1"))
    #expect(try rows("SELECT * FROM twins ORDER BY legacy", of: same) == ["1|p", "1|q"])
    // No removed row is more like an added one than the others are.
    let other = try made(
      "CREATE TABLE t (a, b); INSERT INTO t VALUES (3, 'X'), (4, 'Y');", "other.sqlite", in: folder)
    let refused = try difference(old, other)
    #expect(refused.status == 1 && refused.output.isEmpty, "\(refused.everything)")
    #expect(refused.everything.contains("the rows of t have no key, and their values of legacy"))
  }

  @Test("Rows exchange unique values, and take each other's in a row")
  func uniqueValuesMove() throws {
    let folder = try ScratchFolder()
    let table =
      "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT UNIQUE, a INT, b INT, note, UNIQUE (a, b));"
    func state(_ name: String, _ rows: String) throws -> String {
      try made(table + "INSERT INTO t VALUES \(rows);", name, in: folder)
    }
    let old = try state(
      "old.sqlite",
      "(1, 'a', 1, 1, 'x'), (2, 'b', 1, 2, 'x'), (3, 'c', 1, 3, 'x'), (4, 'd', 1, 4, 'x'), (5, NULL, 1, 5, 'x'), (6, 'f', 1, 6, 'x'), (7, 'g', 9, 9, 'x')"
    )
    // 1 and 2 exchange u, 3 to 5 take each other's pairs in a circle, 6 takes the u that 7 had, and 7 the one of a row that comes.
    let new = try state(
      "new.sqlite",
      "(1, 'b', 1, 1, 'y'), (2, 'a', 1, 2, 'x'), (3, 'c', 1, 4, 'x'), (4, 'd', 1, 5, 'x'), (5, NULL, 1, 3, 'z'), (6, 'g', 1, 6, 'x'), (7, NULL, 9, 9, 'x'), (8, 'f', 8, 8, 'n')"
    )
    for (from, to) in [(old, new), (new, old)] {
      let (copy, run) = try run(try difference(from, to).output, on: from, in: folder)
      #expect(run.status == 0 && run.everything.isEmpty, "\(run.everything)")
      try requireSame(copy, to)
    }
    // The description of a catalog knows single unique columns.
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT UNIQUE); INSERT INTO t VALUES (1, 'a'), (2, 'b');"
    )
    _ = try database.adopt()
    let head = try database.head()
    try database.execute(
      "UPDATE t SET u = 'c' WHERE id = 1; UPDATE t SET u = 'a' WHERE id = 2; UPDATE t SET u = 'b' WHERE id = 1"
    )
    _ = try database.take()
    let script = try database.run("revert", "\(head + 1)..\(try database.head())", "--sql")
    let (copy, run) = try run(script.output, on: database.path, in: database.folder)
    #expect(run.status == 0, "\(script.everything) \(run.everything)")
    #expect(try rows("SELECT * FROM t ORDER BY id", of: copy) == ["1|a", "2|b"])
  }

  @Test(
    "Triggers that change further rows stop the script, which says how to run it without them",
    arguments: [
      "CREATE TRIGGER touch AFTER UPDATE ON t BEGIN UPDATE t SET at = 'now' WHERE id = new.id; END;",
      "CREATE TRIGGER note AFTER UPDATE ON t BEGIN INSERT INTO log VALUES (new.id); END;",
    ])
  func triggers(_ trigger: String) throws {
    let folder = try ScratchFolder()
    let tables = "CREATE TABLE t (id INTEGER PRIMARY KEY, v, at); CREATE TABLE log (id);"
    let old = try made(
      tables + "INSERT INTO t VALUES (1, 'a', 'then');" + trigger, "old.sqlite", in: folder)
    let new = try made(
      tables + "INSERT INTO t VALUES (1, 'b', 'then');" + trigger, "new.sqlite", in: folder)
    let script = try difference(old, new)
    let (copy, stopped) = try run(script.output, on: old, in: folder)
    #expect(stopped.status == 1)
    #expect(stopped.output.contains("triggers changed 1 rows besides"), "\(stopped.everything)")
    try requireSame(copy, old)
    let without = try Program([
      "sqlite3", copy, ".dbconfig enable_trigger off", ".read \(folder.file("script.sql"))",
    ])
    #expect(without.status == 0, "\(without.everything)")
    try requireSame(copy, new)
  }

  @Test("Letters beyond ASCII tell names apart, as they do in SQLite")
  func lettersOfNames() throws {
    let folder = try ScratchFolder()
    let old = try made(
      "CREATE TABLE \"Ä\" (id INTEGER PRIMARY KEY, v); CREATE TABLE \"ä\" (id INTEGER PRIMARY KEY, v); INSERT INTO \"Ä\" VALUES (1, 'gone'); INSERT INTO \"ä\" VALUES (1, 'a');",
      "old.sqlite", in: folder)
    let new = try made(
      "CREATE TABLE \"ä\" (id INTEGER PRIMARY KEY, V); INSERT INTO \"ä\" VALUES (1, 'b');",
      "new.sqlite", in: folder)
    let diff = try Program([BuiltProgram.path("catalogctl"), "diff", old, new])
    #expect(diff.everything.contains("table Ä: only in \(old), 1 row"), "\(diff.everything)")
    #expect(diff.output.contains("ä: 0 added, 0 removed, 1 changed"), "\(diff.everything)")
  }

  @Test("Tables of very many columns, with and without a key")
  func wideTables() throws {
    let folder = try ScratchFolder()
    let columns = (1...990).map { "c\($0)" }
    func state(_ name: String, _ last: Int) throws -> String {
      let values = columns.indices.map { $0 == 989 ? last : $0 }.map(String.init)
      let list = columns.joined(separator: ", ")
      return try made(
        "CREATE TABLE t (\(list)); INSERT INTO t VALUES (\(values.joined(separator: ", ")));"
          + "CREATE TABLE k (id INTEGER PRIMARY KEY, \(list)); INSERT INTO k VALUES (\(last), \(values.joined(separator: ", ")));",
        name, in: folder)
    }
    let (old, new) = (try state("old.sqlite", 1), try state("new.sqlite", 2))
    let (copy, run) = try run(try difference(old, new).output, on: old, in: folder)
    #expect(run.status == 0, "\(run.everything.prefix(1_000))")
    try requireSame(copy, new)
    let wider = try made(
      "CREATE TABLE wide (\((1...1_001).map { "c\($0)" }.joined(separator: ", ")));", "wide.sqlite",
      in: folder)
    let refused = try difference(wider, wider)
    #expect(refused.status == 1 && refused.errors.contains("up to 1000 columns"))
  }

  @Test(
    "A column that stores another value stops the script, which says which",
    arguments: [
      ("q varchar(10)", "'5'", "q INTEGER", "5", "t.q stores the integer 5 as '5'"),
      ("q INTEGER", "5", "q varchar(10)", "'5'", "t.q stores the text '5' as 5"),
      ("q NUMERIC", "5", "q", "' 5.0 '", "t.q stores the text ' 5.0 ' as 5"),
      ("q REAL", "5.5", "q", "5", "t.q stores the integer 5 as 5.0"),
      ("q INTEGER", "1", "q REAL", "7.0", "t.q stores the real 7.0 as 7"),
    ])
  func affinities(
    _ old: String, _ before: String, _ new: String, _ after: String, _ message: String
  ) throws {
    let folder = try ScratchFolder()
    func state(_ column: String, _ value: String, _ name: String) throws -> String {
      try made(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, \(column)); INSERT INTO t VALUES (1, \(value));",
        name, in: folder)
    }
    let one = try state(old, before, "old.sqlite")
    let script = try difference(one, try state(new, after, "new.sqlite"))
    let (copy, run) = try run(script.output, on: one, in: folder)
    #expect(run.status == 1 && run.output.contains(message), "\(run.everything)")
    try requireSame(copy, one)
  }

  @Test("A column that came with the import is not set back, which the heading says")
  func laterColumns() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'b');")
    _ = try database.adopt()
    let head = try database.head()
    try database.execute(
      "ALTER TABLE t RENAME COLUMN v TO w; ALTER TABLE t ADD COLUMN n INTEGER NOT NULL DEFAULT 0; UPDATE t SET w = 'x' WHERE id = 1"
    )
    let taken = try database.run("import", database.path, "--rename", "t.v=w")
    try #require(taken.status == 0, "\(taken.everything)")
    for words in [
      ["revert", "\(head + 1)..\(try database.head())", "--sql"],
      ["diff", "live", "\(head)", "--sql"],
    ] {
      let script = try Program(
        [BuiltProgram.path("catalogctl")] + words + ["--catalog", database.catalog])
      #expect(
        script.output.contains("-- t: n was added later; the script leaves it as it is."),
        "\(script.everything)")
      let (copy, run) = try run(script.output, on: database.path, in: database.folder)
      #expect(run.status == 0, "\(script.everything) \(run.everything)")
      #expect(try rows("SELECT * FROM t", of: copy) == ["1|a|0", "2|b|0"])
    }
  }

  @Test("Each text of digits is tried, and a row that no statement names is not replaced")
  func eachValue() throws {
    let folder = try ScratchFolder()
    let old = try made(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, q NUMERIC); INSERT INTO t VALUES (1, 'a'), (2, 'b');",
      "old.sqlite", in: folder)
    let new = try made(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, q); INSERT INTO t VALUES (1, '2024-01-01'), (2, '007');",
      "new.sqlite", in: folder)
    let (copy, run) = try run(try difference(old, new).output, on: old, in: folder)
    #expect(run.status == 1 && run.output.contains("t.q stores the text '007' as 7"))
    try requireSame(copy, old)
    let table = "CREATE TABLE r (id INTEGER PRIMARY KEY, u UNIQUE ON CONFLICT REPLACE);"
    let one = try made(table + "INSERT INTO r VALUES (1, 'a');", "one.sqlite", in: folder)
    let other = try made(table + "INSERT INTO r VALUES (1, 'b');", "other.sqlite", in: folder)
    let script = try difference(one, other)
    _ = try Program(["sqlite3", one, "INSERT INTO r VALUES (2, 'b')"])
    let (same, refused) = try self.run(script.output, on: one, in: folder)
    #expect(refused.status == 1, "\(refused.everything)")
    try requireSame(same, one)
  }

  @Test("A column that makes no change alone is set, and no value of it is expected")
  func staleColumns() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE f (id INTEGER PRIMARY KEY, mtime INTEGER, s TEXT, u TEXT UNIQUE); INSERT INTO f VALUES (1, 10, 'a', 'x'), (2, 10, 'b', 'y'), (3, 10, 'c', 'z');"
    )
    _ = try database.adopt()
    let kind = try database.folder.write(
      database.run("kind", "show").output.replacing(
        "\"mtime\": \"integer?\"",
        with: "\"mtime\": {\"type\": \"integer?\", \"ignore\": \"alone\"}"),
      to: "kind.json")
    #expect(try database.run("kind", "change", kind).status == 0)
    let head = try database.head()
    try database.execute(
      "UPDATE f SET s = 'd', mtime = 20 WHERE id = 2; INSERT INTO f VALUES (4, 20, 'e', 'w')")
    let taken = try database.run("import", database.path)
    #expect(taken.status == 0, "\(taken.everything)")
    // The program touches all rows.
    try database.execute("UPDATE f SET mtime = 99")
    #expect(try database.run("import", database.path).output.contains("nothing new"))
    let script = try database.run("diff", "live", "\(head)", "--sql").output
    let (copy, run) = try run(script, on: database.path, in: database.folder)
    #expect(run.status == 0, "\(script) \(run.everything)")
    #expect(try rows("SELECT id, s FROM f", of: copy) == ["1|a", "2|b", "3|c"])
    // A row that is added again would have an old value.
    try database.execute(
      "UPDATE f SET u = 'v' WHERE id = 1; UPDATE f SET u = 'x' WHERE id = 2; UPDATE f SET u = 'y' WHERE id = 1"
    )
    let exchange = try database.run("import", database.path)
    #expect(exchange.status == 0, "\(exchange.everything)")
    let refused = try database.run("diff", "live", "\(head)", "--sql")
    #expect(refused.status == 1 && refused.output.isEmpty, "\(refused.everything)")
    #expect(refused.errors.contains("f: rows exchange their values of u"), "\(refused.errors)")
  }

  @Test("Names that were dropped or changed between two states have a line")
  func movedNames() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, w TEXT); INSERT INTO t VALUES (1, 'a', 'b'); CREATE TABLE o (id INTEGER PRIMARY KEY); CREATE TABLE p (id INTEGER PRIMARY KEY);"
    )
    _ = try database.adopt()
    let head = try database.head()
    try database.execute(
      "ALTER TABLE t RENAME COLUMN v TO x; ALTER TABLE t DROP COLUMN w; DROP TABLE o; ALTER TABLE p RENAME TO q; INSERT INTO t VALUES (2, 'c')"
    )
    let taken = try database.run(
      "import", database.path, "--rename", "t.v=x", "--drop", "t.w", "--drop", "o", "--rename",
      "p=q")
    #expect(taken.status == 0, "\(taken.everything)")
    let lines = ["t.v is t.x now", "t.w is dropped", "o is dropped", "p is q now"]
    for words in [
      ["\(head)", "live"], ["live", "\(head)"], ["\(head)", "\(try database.head())"],
    ] {
      let diff = try database.run("diff", words[0], words[1])
      let script = try database.run("diff", words[0], words[1], "--sql")
      for line in lines {
        #expect(diff.errors.contains("between them: \(line);"), "\(line): \(diff.errors)")
        #expect(script.output.contains("-- Not in this script: \(line)\n"), "\(script.output)")
      }
    }
    let undo = try database.run("revert", "\(head + 1)..\(try database.head())", "--sql").output
    for line in lines { #expect(undo.contains("-- Not in this script: \(line)\n"), "\(undo)") }
    let after = try database.run("diff", "\(try database.head())", "live")
    #expect(!after.errors.contains("between them"), "\(after.errors)")
  }

  @Test(
    "Unique indexes of any form let the script pass",
    arguments: [
      "CREATE UNIQUE INDEX i ON t (u) WHERE kind = 1",
      "CREATE UNIQUE INDEX i ON t (u COLLATE NOCASE)",
      "CREATE UNIQUE INDEX i ON t (lower(u))",
      "CREATE UNIQUE INDEX i ON t (kind, u) WHERE u IS NOT NULL",
      "ALTER TABLE t ADD COLUMN g AS (u || '!') VIRTUAL; CREATE UNIQUE INDEX i ON t (g)",
    ])
  func uniqueIndexes(_ index: String) throws {
    let folder = try ScratchFolder()
    func state(_ name: String, _ rows: String) throws -> String {
      try made(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT, kind INTEGER, note TEXT); \(index); INSERT INTO t (id, u, kind, note) VALUES \(rows);",
        name, in: folder)
    }
    // 1 to 3 take each other's values in a row, 4 and 5 exchange theirs, of which one differs in case.
    let old = try state(
      "old.sqlite",
      "(1, 'a', 1, 'x'), (2, 'b', 1, 'x'), (3, 'c', 1, 'x'), (4, 'D', 1, 'x'), (5, 'e', 1, 'x')")
    let new = try state(
      "new.sqlite",
      "(1, 'b', 1, 'y'), (2, 'c', 1, 'x'), (3, 'f', 1, 'x'), (4, 'E', 1, 'x'), (5, 'd', 1, 'x')")
    for (from, to) in [(old, new), (new, old)] {
      let script = try difference(from, to)
      let (copy, run) = try run(script.output, on: from, in: folder)
      #expect(run.status == 0 && run.everything.isEmpty, "\(script.everything) \(run.everything)")
      try requireSame(copy, to)
    }
    // A catalog does not know such indexes, and orders its statements as if each column could have one.
    let database = try ForeignDatabase()
    try FileManager.default.copyItem(atPath: old, toPath: database.path)
    let adopted = try database.run("adopt", database.path)
    #expect(adopted.status == 0, "\(adopted.everything)")
    let head = try database.head()
    try Data(contentsOf: URL(fileURLWithPath: new)).write(to: URL(fileURLWithPath: database.path))
    let taken = try database.run("import", database.path, "--older")
    #expect(taken.status == 0, "\(taken.everything)")
    let undo = try database.run("revert", "\(head + 1)..\(try database.head())", "--sql")
    let (copy, run) = try run(undo.output, on: new, in: folder)
    #expect(run.status == 0, "\(undo.everything) \(run.everything)")
    try requireSame(copy, old)
  }

  @Test("A script that would have to add rows again without all of their values is refused")
  func refusesUnknownValues() throws {
    let folder = try ScratchFolder()
    let index = "CREATE UNIQUE INDEX by_lower ON t (lower(u));"
    let old = try made(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT UNIQUE, legacy); INSERT INTO t VALUES (1, 'a', 'p'), (2, 'b', 'q');",
      "old.sqlite", in: folder)
    let new = try made(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT UNIQUE); INSERT INTO t VALUES (1, 'b'), (2, 'a');",
      "new.sqlite", in: folder)
    let refused = try difference(old, new)
    #expect(refused.status == 1 && refused.output.isEmpty, "\(refused.everything)")
    #expect(refused.errors.contains("t: rows exchange their values of u"), "\(refused.errors)")
    _ = try Program(["sqlite3", old, index])
    let hidden = try difference(old, new)
    #expect(hidden.status == 1 && hidden.errors.contains("the unique index by_lower"))
  }
}
