import CatalogTestSupport
import Foundation
import Testing

/// Errors in the middle of a script, which `sqlite3` passes over and Python does not.
extension ScriptTests {
  /// A script that adds a large row and changes a hundred small ones, and a copy of the database.
  private func largeScript() throws -> (database: ForeignDatabase, new: String, script: String) {
    let (made, new, script) = try Self.large.get()
    let database = try ForeignDatabase()
    try FileManager.default.copyItem(atPath: made.path, toPath: database.path)
    return (database, new, script)
  }

  private static let large = Result<
    (database: ForeignDatabase, new: String, script: String), any Error
  > {
    let database = try ForeignDatabase(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, v); CREATE TABLE b (id INTEGER PRIMARY KEY, v);
      CREATE TABLE c (day, page); INSERT INTO c VALUES ('Mon', '/');
      WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 100) INSERT INTO b SELECT i, i FROM r;
      """)
    let new = database.folder.file("new.sqlite")
    try FileManager.default.copyItem(atPath: database.path, toPath: new)
    try database.python(
      """
      import sqlite3, sys
      new = sqlite3.connect(sys.argv[1])
      new.executescript(\"\"\"
        INSERT INTO a VALUES (1, zeroblob(1000000)), (2, 'x'); UPDATE b SET v = v + 1 WHERE id < 50;
        DELETE FROM b WHERE id > 90; INSERT INTO c VALUES ('Tue', '/'), ('Tue', '/');\"\"\")
      """, new)
    let diff = try database.run("diff", database.path, new, "--sql")
    try #require(diff.status == 2, "\(diff.everything)")
    return (database: database, new: new, script: diff.output)
  }

  @Test("The script is SQL alone, which Python carries out as sqlite3 does")
  func runsInPython() throws {
    let (database, new, script) = try largeScript()
    let file = try database.folder.write(script, to: "large.sql")
    try database.python(
      "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read())",
      database.path, file)
    try requireSame(database.path, new)
  }

  @Test("If the disk is full in the middle, nothing is changed, though the program goes on")
  func fullDisk() throws {
    let (database, new, script) = try largeScript()
    let before = database.folder.file("before.sqlite")
    try FileManager.default.copyItem(atPath: database.path, toPath: before)
    let file = try database.folder.write(script, to: "large.sql")
    let run = try Program([
      "sh", "-c",
      "sqlite3 -cmd 'PRAGMA cache_size = 1' -cmd 'PRAGMA max_page_count = 20' \"$0\" < \"$1\"",
      database.path, file,
    ])
    #expect(run.status != 0 && run.errors.contains("full"), "\(run.everything)")
    try requireSame(database.path, before)
    #expect(try Program(["sh", "-c", "sqlite3 \"$0\" < \"$1\"", database.path, file]).status == 0)
    try requireSame(database.path, new)
  }

  /// SQLite takes a transaction back itself after some errors of the disk.
  @Test(
    "After the transaction was taken back in the middle, no statement changes anything",
    arguments: [20, 50, 90])
  func isTakenBack(percent: Int) throws {
    let (database, _, script) = try largeScript()
    let before = database.folder.file("before.sqlite")
    try FileManager.default.copyItem(atPath: database.path, toPath: before)
    var lines = script.split(separator: "\n")
    lines.insert("ROLLBACK;", at: lines.count * percent / 100)
    let file = try database.folder.write(lines.joined(separator: "\n") + "\n", to: "back.sql")
    let run = try Program(["sh", "-c", "sqlite3 \"$0\" < \"$1\"", database.path, file])
    #expect(run.status != 0, "\(run.everything)")
    try requireSame(database.path, before)
  }

  /// The writer begins before the script, and ends after a part of it.
  @Test(
    "If another program writes while the script begins, all of it is done or nothing",
    arguments: [10, 40, 90])
  func isLocked(percent: Int) throws {
    let (database, new, script) = try largeScript()
    let before = database.folder.file("before.sqlite")
    try FileManager.default.copyItem(atPath: database.path, toPath: before)
    let file = try database.folder.write(script, to: "large.sql")
    try database.python(
      """
      import sqlite3, subprocess, sys, time
      path, script, percent = sys.argv[1], open(sys.argv[2]).read().splitlines(True), int(sys.argv[3])
      writer = sqlite3.connect(path, isolation_level=None)
      writer.execute("BEGIN IMMEDIATE")
      shell = subprocess.Popen(["sqlite3", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
      part = len(script) * percent // 100
      shell.stdin.write("".join(script[:part]) + "SELECT 1 FROM here;\\n")
      shell.stdin.flush()
      while "here" not in (line := shell.stdout.readline()):
          assert line, "the program ended"
      writer.execute("ROLLBACK")
      shell.communicate("".join(script[part:]))
      """, database.path, file, "\(percent)")
    let isDone =
      try Program([
        "python3", Self.scripts + "samerows.py", database.path, new,
      ]).status == 0
    if !isDone { try requireSame(database.path, before) }
  }
}
