import CatalogTestSupport
import Foundation
import Testing

/// Schemas of other programs that change.
@Suite("A schema that changes is followed") struct SchemaChangeTests {
  @Test("New columns and tables are taken, and types become wider")
  func takesAdditions() throws {
    let database = try ForeignDatabase(AdoptTests.shop)
    _ = try database.adopt()
    try database.execute(
      """
      ALTER TABLE customer ADD COLUMN stars INTEGER DEFAULT 3;
      ALTER TABLE visit ADD COLUMN "by whom" TEXT;
      CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT); INSERT INTO note VALUES (1, 'new');
      UPDATE line SET what = x'00ff' WHERE place = 1; INSERT INTO visit VALUES ('11:00', '/', 'Ann');
      """)
    let taken = try database.take()
    for line in [
      "column customer.stars", "column visit.by_whom", "table note", "line.what is a value",
    ] {
      #expect(taken.everything.contains(line), "\(line): \(taken.everything)")
    }
    #expect(try database.take().everything.contains("nothing new"))
    try database.execute("DELETE FROM visit WHERE rowid = 1")
    _ = try database.take()
    #expect(try database.run("verify").status == 0)
  }

  @Test("What is gone stops with what to type; what is renamed keeps its history")
  func stopsForLosses() throws {
    let database = try ForeignDatabase(AdoptTests.shop)
    _ = try database.adopt()
    let head = try database.head()
    try database.execute(
      """
      ALTER TABLE customer RENAME COLUMN name TO "full name"; DROP TABLE visit;
      ALTER TABLE line RENAME TO position;
      """)
    let refused = try database.run("import", database.path)
    #expect(refused.status == 1, "\(refused.everything)")
    for line in [
      "--drop customer.name", "--rename customer.name=", "--drop visit", "--rename line=",
    ] {
      #expect(refused.everything.contains(line), "\(line): \(refused.everything)")
    }
    #expect(try database.head() == head)
    let taken = try database.take(
      "--rename", "customer.name=full name", "--rename", "line=position", "--drop", "visit")
    #expect(taken.everything.contains("nothing new"), "\(taken.everything)")
    let blame = try database.run("blame", "customer", "1", "--column", "full_name").output
    #expect(blame.contains("'Ann'") && blame.contains("import:app"), "\(blame)")
    #expect(try database.take().everything.contains("nothing new"))
    #expect(try database.run("verify").status == 0)
  }

  @Test("The description and the rows are one batch, and the second reader finds the same")
  func isOneBatch() throws {
    let database = try ForeignDatabase(AdoptTests.shop)
    _ = try database.adopt()
    let head = try database.head()
    try database.execute(
      "ALTER TABLE customer ADD COLUMN stars INTEGER DEFAULT 3; ALTER TABLE visit ADD COLUMN who TEXT"
    )
    let planned = try database.run("import", database.path, "--dry-run")
    #expect(
      planned.status == 2 && planned.everything.contains("new: column customer.stars"), "\(planned)"
    )
    #expect(try database.head() == head)
    _ = try database.take()
    let log = try database.run("log", "--format", "json").output.split(separator: "\n")
    let new = log.suffix(from: head).map { line in
      (
        type: line.firstMatch(of: /"type": ?"([^"]+)"/)?.1,
        operation: line.firstMatch(of: /"op": ?"([^"]+)"/)?.1
      )
    }
    #expect(new.prefix(2).map(\.type) == ["kind.described", "source.read"], "\(new)")
    #expect(Set(new.map(\.operation)).count == 1, "\(new)")
    #expect(try SecondReader.complaint(of: database.catalog) == nil)
  }

  /// The guard speaks after the schema was looked at.
  @Test("An import that is refused leaves the description as it was")
  func isRefusedWhole() throws {
    let rows = (1...40).map { "(\($0), 'a')" }.joined(separator: ", ")
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES \(rows)")
    _ = try database.adopt()
    let head = try database.head()
    let before = try Program(["sha256sum", database.catalog + "/catalog.sqlite"]).output
    try database.execute("ALTER TABLE t ADD COLUMN b TEXT; DELETE FROM t WHERE id > 20")
    let refused = try database.run("import", database.path)
    #expect(
      refused.status == 1 && refused.everything.contains("20 of 40 rows of t would go"),
      "\(refused)")
    #expect(try database.head() == head)
    #expect(
      try Program(["sha256sum", database.catalog + "/catalog.sqlite"]).output == before)
    let taken = try database.take("--allow-removal")
    #expect(taken.everything.contains("new: column t.b"), "\(taken)")
    #expect(try database.run("verify").status == 0)
  }

  @Test("A choice about nothing is refused", arguments: ["--drop", "--rename"])
  func refusesChoices(_ option: String) throws {
    let database = try ForeignDatabase(AdoptTests.shop)
    _ = try database.adopt()
    let head = try database.head()
    try database.execute("INSERT INTO visit VALUES ('11:00', '/')")
    let name = option == "--drop" ? "customer.nmae" : "customer.nmae=full"
    let refused = try database.run("import", database.path, option, name)
    #expect(refused.status == 1 && refused.everything.contains("customer.nmae"), "\(refused)")
    #expect(try database.head() == head)
  }

  @Test("A table that another one refers to gets another name, and goes")
  func followsReferences() throws {
    let database = try ForeignDatabase(
      """
      CREATE TABLE maker (id INTEGER PRIMARY KEY, title TEXT); INSERT INTO maker VALUES (1, 'Ferrum');
      CREATE TABLE tool (id INTEGER PRIMARY KEY, maker INTEGER REFERENCES maker (id)); INSERT INTO tool VALUES (1, 1);
      """)
    _ = try database.adopt()
    #expect(try database.run("kind", "show").everything.contains(#""refers": "maker""#))
    try database.execute("ALTER TABLE maker RENAME TO vendor")
    _ = try database.take("--rename", "maker=vendor")
    #expect(try database.run("kind", "show").everything.contains(#""refers": "vendor""#))
    try database.execute(
      "CREATE TABLE next (id INTEGER PRIMARY KEY, maker INTEGER); INSERT INTO next SELECT * FROM tool; DROP TABLE tool; ALTER TABLE next RENAME TO tool; DROP TABLE vendor"
    )
    _ = try database.take("--drop", "vendor")
    #expect(try !database.run("kind", "show").everything.contains("refers"))
    #expect(try database.run("verify").status == 0)
    #expect(try SecondReader.complaint(of: database.catalog) == nil)
  }
}
