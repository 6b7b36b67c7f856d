import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `capture`: once, at intervals, and while another program writes.
@Suite(
  "A database is captured again and again, each time in a state that was committed",
  .promise(
    "Each state that `capture` records beside a program that writes is one that was committed",
    by: "another process, 1,000 transactions that keep a sum"))
struct CaptureTests {
  private static let scripts = ScratchFolder.repository + "/Tests/DescribedTablesTests/Databases/"

  @Test(
    "Each state that a batch has keeps what transactions keep",
    arguments: [("wal", "SIGTERM"), ("delete", "SIGINT")])
  func keepsInvariants(mode: String, ending: String) throws {
    let folder = try ScratchFolder()
    let run = try Program([
      "python3", Self.scripts + "capturing.py", BuiltProgram.path("catalogctl"), folder.path, mode,
      "1000", ending,
    ])
    #expect(run.status == 0, "\(run.everything)")
  }

  @Test("A single capture is an import with a cause")
  func capturesOnce() throws {
    let database = try ForeignDatabase(AdoptTests.shop)
    _ = try database.adopt()
    let head = try database.head()
    let nothing = try database.run("capture", database.path)
    #expect(nothing.status == 0 && nothing.everything.contains("nothing new"))
    #expect(try database.head() == head)
    try database.execute("UPDATE customer SET name = 'Bert' WHERE id = 2")
    let taken = try database.run(
      "capture", database.path, "--reason", "he said so", "--by", "front desk")
    #expect(taken.status == 0 && taken.output.contains("1 changed (name 1)"), "\(taken.everything)")
    try database.requireSame()
    let log = try database.run("log", "--format", "json").output
    #expect(log.contains("front desk") && log.contains("he said so"), "\(log)")
    #expect(try database.run("verify").status == 0)
    let reducer = try Program([
      "python3", ScratchFolder.repository + "/Tools/table-reducer.py", database.catalog + "/events",
      database.catalog + "/catalog.sqlite",
    ])
    #expect(reducer.status == 0, "\(reducer.everything)")
  }

  @Test("What is refused ends a single capture with status 1, and nothing is appended")
  func refuses() throws {
    let database = try ForeignDatabase(AdoptTests.shop)
    _ = try database.adopt()
    let head = try database.head()
    try database.execute("ALTER TABLE customer RENAME COLUMN mail TO email")
    let gone = try database.run("capture", database.path)
    #expect(gone.status == 1 && gone.everything.contains("--rename customer.mail=email "))
    let text = try database.folder.write("not a database, but a text", to: "text")
    for file in [text, database.folder.file("nothing"), database.folder.path] {
      for words in [[], ["--watch"], ["--every", "1h"]] {
        let refused = try Program(
          [BuiltProgram.path("catalogctl"), "capture", file, "--catalog", database.catalog] + words)
        #expect(refused.status == 1 && refused.output.isEmpty, "\(refused.everything)")
      }
    }
    for words in [
      ["--watch", "--every", "1s"], ["--every", "soon"], ["--every", "0s"], ["--by", ""],
      ["--reason", String(repeating: "x", count: 4_097)],
    ] {
      let usage = try Program(
        [BuiltProgram.path("catalogctl"), "capture", database.path, "--catalog", database.catalog]
          + words)
      #expect(usage.status == 64, "\(words): \(usage.everything)")
    }
    #expect(try database.head() == head)
    let renamed = try database.run(
      "capture", database.path, "--rename", "customer.mail=email", "--reason", "one word")
    #expect(renamed.status == 0, "\(renamed.everything)")
    try database.requireSame()
  }

  /// The functions of the programs that watch a `capture`.
  private static let beginning = """
    import os, signal, sqlite3, subprocess, sys, time
    program, folder = sys.argv[1:]
    path, catalog = folder + "/app.sqlite", folder + "/catalog"
    def execute(sql):
        database = sqlite3.connect(path, isolation_level=None, timeout=30)
        database.executescript(sql)
        database.close()
    def until(test):
        end = time.monotonic() + 120
        while not test():
            assert capture.poll() is None, capture.returncode
            assert time.monotonic() < end, open(folder + "/err").read()
            time.sleep(0.05)

    """

  /// Runs a script in Python after `beginning`.
  private func succeeds(_ script: String) throws {
    let folder = try ScratchFolder()
    let run = try Program([
      "python3", "-c", Self.beginning + script, BuiltProgram.path("catalogctl"), folder.path,
    ])
    #expect(run.status == 0, "\(run.everything)")
  }

  @Test(
    "A state that is refused is reported once, the next one is taken, and the end status says what is missing"
  )
  func goesOnAfterRefusals() throws {
    try succeeds(
      """
      def errors(): return open(folder + "/err").read().splitlines()
      def lines(): return open(folder + "/out").read().splitlines()
      # Each look at a state that has changed makes a copy there and removes it.
      copies = folder + "/copies"
      os.mkdir(copies)
      def looked_after(change):
          until(lambda: not os.listdir(copies))
          before = os.stat(copies).st_mtime_ns
          execute(change)
          until(lambda: os.stat(copies).st_mtime_ns != before)
          until(lambda: not os.listdir(copies))
      execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO t SELECT i, i FROM n")
      subprocess.run([program, "adopt", path, "--catalog", catalog], check=True, capture_output=True)
      capture = subprocess.Popen(
          [program, "capture", path, "--watch", "--format", "json", "--catalog", catalog],
          stdout=open(folder + "/out", "w"), stderr=open(folder + "/err", "w"),
          env={**os.environ, "TMPDIR": copies})
      execute("DELETE FROM t WHERE id > 50")
      until(lambda: len(errors()) == 1)
      assert "--allow-removal takes it" in errors()[0], errors()
      # The same fault of another state is not another line: the next line is that of another fault.
      looked_after("UPDATE t SET v = 0 WHERE id = 1")
      execute("ALTER TABLE t RENAME COLUMN v TO w")
      until(lambda: len(errors()) == 2)
      assert "t.v: the database has no such column" in errors()[1], errors()
      assert not lines()
      execute("ALTER TABLE t RENAME COLUMN w TO v; WITH RECURSIVE n(i) AS (SELECT 51 UNION ALL SELECT i + 1 FROM n WHERE i < 101) INSERT INTO t SELECT i, i FROM n")
      until(lambda: len(lines()) == 1)
      assert '"added":1' in lines()[0], lines()
      execute("DELETE FROM t")
      until(lambda: len(errors()) == 3)
      capture.send_signal(signal.SIGTERM)
      assert capture.wait(60) == 1
      """)
  }

  @Test("Each line about what was taken begins with its time, and an import has no times")
  func linesHaveTimes() throws {
    try succeeds(
      """
      import re
      execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 1)")
      subprocess.run([program, "adopt", path, "--catalog", catalog], check=True, capture_output=True)
      execute("ALTER TABLE t ADD COLUMN w; INSERT INTO t VALUES (2, 2, 2)")
      capture = subprocess.Popen(
          [program, "capture", path, "--every", "1h", "--catalog", catalog],
          stdout=open(folder + "/out", "w"), stderr=open(folder + "/err", "w"))
      until(lambda: "head" in open(folder + "/out").read())
      capture.send_signal(signal.SIGTERM)
      assert capture.wait(60) == 0, open(folder + "/err").read()
      lines = open(folder + "/out").read().splitlines()
      time = r"20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z "
      assert len(lines) == 3 and all(re.match(time, line) for line in lines), lines
      assert "new: column t.w" in lines[0] and "1 added" in lines[1], lines
      execute("INSERT INTO t VALUES (3, 3, 3)")
      single = subprocess.run([program, "import", path, "--catalog", catalog], capture_output=True, text=True)
      assert single.stdout.startswith(path + ": 3 rows: 1 added"), single.stdout
      """)
  }

  @Test("A new name is named once for all states, and what another command took is in the catalog")
  func followsRenames() throws {
    try succeeds(
      """
      def lines(name, count): until(lambda: len(open(folder + name).read().splitlines()) >= count)
      execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 1)")
      subprocess.run([program, "adopt", path, "--catalog", catalog], check=True, capture_output=True)
      capture = subprocess.Popen(
          [program, "capture", path, "--watch", "--rename", "t.v=w", "--format", "json", "--catalog", catalog],
          stdout=open(folder + "/out", "w"), stderr=open(folder + "/err", "w"))
      execute("INSERT INTO t VALUES (2, 2)")
      lines("/out", 1)
      execute("ALTER TABLE t RENAME COLUMN v TO w; INSERT INTO t VALUES (3, 3)")
      lines("/out", 2)
      execute("INSERT INTO t VALUES (4, 4)")
      lines("/out", 3)
      execute("ALTER TABLE t RENAME COLUMN w TO x")
      lines("/err", 1)
      beside = subprocess.run([program, "capture", path, "--rename", "t.w=x", "--catalog", catalog], capture_output=True)
      assert beside.returncode == 0, beside.stderr
      capture.send_signal(signal.SIGTERM)
      assert capture.wait(60) == 0, open(folder + "/err").read()
      # What was written between the last look and the end is taken, too.
      capture = subprocess.Popen(
          [program, "capture", path, "--every", "1h", "--format", "json", "--catalog", catalog],
          stdout=open(folder + "/out", "w"), stderr=open(folder + "/err", "w"))
      execute("INSERT INTO t VALUES (5, 5)")
      lines("/out", 1)
      execute("INSERT INTO t VALUES (6, 6)")
      capture.send_signal(signal.SIGINT)
      assert capture.wait(60) == 0, open(folder + "/err").read()
      rows = subprocess.run([program, "rows", "t", "--csv", "--catalog", catalog], capture_output=True, text=True).stdout
      assert rows.splitlines()[-1] == "6,6", rows
      """)
  }
}
