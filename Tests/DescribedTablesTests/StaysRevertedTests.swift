import CatalogTestSupport
import Foundation
import Testing

@Suite("A document whose import was reverted stays reverted when it is imported again")
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
    #expect(reverted.status == 0, "\(reverted.everything)")
    let head = try database.head()
    func rows() throws -> String { try database.run("rows", "t", "--columns", "v", "--csv").output }
    #expect(try rows() == "v\na\nb\nc\n")
    for words in [[], ["--dry-run"]] {
      let again = try Program(
        [BuiltProgram.path("catalogctl"), "import", database.path, "--catalog", database.catalog]
          + words)
      #expect(again.everything.contains("reverted"), "\(again.everything)")
      let differing = changesSchema ? 4 : 3
      #expect(again.everything.contains("\(differing) rows"), "\(again.everything)")
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
