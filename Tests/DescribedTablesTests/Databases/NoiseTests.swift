import CatalogTestSupport
import Promises
import Testing

/// Changes that say nothing, and rows that are the same ones under new numbers.
@Suite(
  "Captures name what is only noise",
  .promise("Captures name the tables and columns that change without meaning"))
struct NoiseTests {
  private static let stock = """
    CREATE TABLE stock (id INTEGER PRIMARY KEY, sku TEXT, n INTEGER, synced TEXT, seen INTEGER, due TEXT);
    WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 40)
      INSERT INTO stock SELECT i, 'S' || i, i % 7, '2026-11-01 10:00:00', 1760000000 + i, NULL FROM r;
    """

  @Test("A column with a later time in most rows is named with what to write, and is quiet then")
  func namesTimes() throws {
    let database = try ForeignDatabase(Self.stock)
    _ = try database.adopt()
    for (change, columns) in [
      (
        "UPDATE stock SET synced = '2026-11-02 10:00:00'; UPDATE stock SET n = 9 WHERE id < 5",
        "synced"
      ),
      ("UPDATE stock SET seen = seen + 60", "seen"),
      ("UPDATE stock SET synced = '2026-11-03T10:00:00Z', seen = seen + 60", "synced, seen"),
    ] {
      try database.execute(change)
      let output = try database.take().output
      #expect(output.contains("nothing but \(columns) is new in "), "\(change): \(output)")
      for column in columns.split(separator: ", ") {
        let type = column == "seen" ? "integer?" : "text?"
        #expect(
          output.contains("\"\(column)\": {\"type\": \"\(type)\", \"ignore\": \"alone\"}"),
          "\(change): \(output)")
      }
    }
    let kind = try database.run("kind", "show").output
      .replacing("\"synced\": \"text?\"", with: #""synced": {"type": "text?", "ignore": "alone"}"#)
    #expect(
      try database.run("kind", "change", database.folder.write(kind, to: "kind.json")).status == 0)
    let head = try database.head()
    try database.execute("UPDATE stock SET synced = '2026-11-04 10:00:00'")
    let quiet = try database.run("capture", database.path)
    #expect(!quiet.output.contains("nothing but"), "\(quiet.everything)")
    #expect(try database.head() == head)
    // The quiet column says nothing about the other one.
    try database.execute("UPDATE stock SET synced = '2026-11-05 10:00:00', seen = seen + 60")
    let other = try database.run("capture", database.path).output
    #expect(other.contains("nothing but seen is new in 40 of 40 changed rows"), "\(other)")
  }

  @Test(
    "Other changes are not noise",
    arguments: [
      "UPDATE stock SET n = n + 1", "UPDATE stock SET due = '2026-12-01'",
      "UPDATE stock SET synced = '2026-10-01 10:00:00'", "UPDATE stock SET sku = 'new' || id",
      "UPDATE stock SET synced = '2026-11-02 10:00:00', n = n + 1",
      "UPDATE stock SET synced = '2026-11-02 10:00:00' WHERE id < 10",
      "UPDATE stock SET synced = '2026-11-02 10:00:00'; UPDATE stock SET n = n + 1 WHERE id < 30",
    ])
  func isNotNoise(_ change: String) throws {
    let database = try ForeignDatabase(Self.stock)
    _ = try database.adopt()
    try database.execute(change)
    let output = try database.take().output
    #expect(output.contains(" changed (") && !output.contains("nothing but"), "\(output)")
  }

  private static let orders = """
    CREATE TABLE line (id INTEGER PRIMARY KEY AUTOINCREMENT, "order" TEXT, place INTEGER, what TEXT, note TEXT);
    WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 40)
      INSERT INTO line ("order", place, what) SELECT 'O' || (i / 4), i % 4, 'w' || (i % 3) FROM r;
    """

  /// A program that writes all rows again.
  private static func again(_ columns: String) -> String {
    """
    CREATE TEMP TABLE kept AS SELECT * FROM line; DELETE FROM line;
    INSERT INTO line ("order", place, what) SELECT \(columns) FROM kept;
    """
  }

  @Test(
    "Rows under new numbers are told by other columns, and a catalog with that key has one history of each"
  )
  func findsTheKey() throws {
    let database = try ForeignDatabase(Self.orders)
    _ = try database.adopt()
    try database.execute(Self.again(#""order", place, CASE place WHEN 1 THEN 'new' ELSE what END"#))
    let output = try database.take().output
    #expect(output.contains("most keys of line were replaced by others"), "\(output)")
    #expect(
      output.contains(
        "by order and place most rows are the same ones: `catalogctl adopt \(database.path) --key line=order,place` "
      ),
      "\(output)")
    let catalog = database.folder.file("other")
    let adopted = try Program([
      BuiltProgram.path("catalogctl"), "adopt", database.path, "--key", "line=order,place",
      "--without", "line.id", "--catalog", catalog,
    ])
    #expect(adopted.status == 0, "\(adopted.everything)")
    try database.execute(Self.again(#""order", place, CASE place WHEN 2 THEN 'x' ELSE what END"#))
    let taken = try Program([
      BuiltProgram.path("catalogctl"), "capture", database.path, "--catalog", catalog,
    ])
    #expect(taken.output.contains("40 rows: 10 changed (what 10)"), "\(taken.everything)")
  }

  @Test("One column is better than two, and no key is named that would not hold")
  func namesNoOtherKey() throws {
    let unique = try ForeignDatabase(Self.orders + "UPDATE line SET what = 'code' || id;")
    _ = try unique.adopt()
    try unique.execute(Self.again(#""order", place, what"#))
    let output = try unique.take().output
    #expect(output.contains("by what most rows are the same ones"), "\(output)")
    // Other orders, and rows that are equal but for their numbers.
    for columns in [#"'P' || "order", place, what"#, #"'O1', place, 'w'"#] {
      let database = try ForeignDatabase(Self.orders)
      _ = try database.adopt()
      try database.execute(Self.again(columns))
      let other = try database.take().output
      #expect(other.contains("most keys of line were replaced"), "\(columns): \(other)")
      #expect(!other.contains("the same ones"), "\(columns): \(other)")
    }
  }

  @Test(
    "A table whose rows are all others each time is named with what leaves it out, and is quiet then"
  )
  func namesTables() throws {
    let database = try ForeignDatabase(
      Self.stock
        + """
        CREATE TABLE cache (id INTEGER PRIMARY KEY AUTOINCREMENT, answer TEXT, item INTEGER REFERENCES stock (id));
        INSERT INTO cache (answer, item) SELECT sku || 'a', id FROM stock;
        """)
    _ = try database.adopt()
    let again =
      "DELETE FROM cache; INSERT INTO cache (answer) SELECT hex(randomblob(8)) FROM stock;"
    try database.execute(again)
    let output = try database.take().output
    let advice = "`catalogctl capture \(database.path) --drop cache` leaves it out"
    #expect(output.contains(advice), "\(output)")
    // Also of a database that has not changed since.
    let dropped = try database.run("capture", database.path, "--drop", "CACHE")
    #expect(
      dropped.status == 0 && dropped.output.contains("cache is dropped"),
      "\(dropped.everything)")
    #expect(try database.run("kind", "show").output.contains("\"ignore\": \"cache\""))
    let head = try database.head()
    try database.execute(again + "DELETE FROM cache WHERE id % 2 = 0")
    let quiet = try database.run("capture", database.path)
    #expect(quiet.status == 0, "\(quiet.everything)")
    #expect(try database.head() == head)
    let unknown = try database.run("capture", database.path, "--drop", "cache")
    #expect(
      unknown.status == 1
        && unknown.errors.contains(
          "cache: the catalog takes no such table or column of the database"),
      "\(unknown.everything)")
    // A column, but not one of a key.
    try database.execute("UPDATE stock SET n = n + 1")
    let column = try database.run("capture", database.path, "--drop", "stock.n")
    #expect(column.output.contains("stock.n is dropped"), "\(column.everything)")
    try database.execute("UPDATE stock SET n = n + 1")
    let after = try database.head()
    #expect(try database.run("capture", database.path).status == 0)
    #expect(try database.head() == after)
    let key = try database.run("capture", database.path, "--drop", "stock.id")
    #expect(
      key.status == 1 && key.errors.contains("a key stays"), "\(key.everything)")
    #expect(try database.head() == after)
    #expect(try database.run("verify").status == 0)
  }
}
