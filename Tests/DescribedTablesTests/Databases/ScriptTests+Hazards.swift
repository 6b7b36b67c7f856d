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
}
