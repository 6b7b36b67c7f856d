import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Schemas of other programs that change.
@Suite(
  "A schema that changes is followed",
  .promise(
    "A schema of another program is followed: additions at once, losses and renames only "
      + "as the person says"))
struct SchemaChangeTests {
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

  @Test(
    "A refusal has the whole option to type, with the new name that has the old one's values or columns"
  )
  func suggestsRenames() throws {
    let database = try ForeignDatabase(
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY, "a mail" TEXT, phone TEXT, size INTEGER);
      CREATE TABLE visit (day TEXT, page TEXT); INSERT INTO visit VALUES ('Mon', '/');
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
        INSERT INTO person SELECT i, 'a' || i, i % 3, NULL FROM n;
      """)
    _ = try database.adopt()
    try database.execute(
      """
      ALTER TABLE person RENAME COLUMN "a mail" TO "e mail"; ALTER TABLE person DROP COLUMN size;
      ALTER TABLE person ADD COLUMN other TEXT; UPDATE person SET other = phone, "e mail" = 'new' WHERE id = 7;
      ALTER TABLE person DROP COLUMN phone; ALTER TABLE visit RENAME TO "page view"
      """)
    let refused = try database.run("import", database.path)
    #expect(refused.status == 1, "\(refused.everything)")
    for part in [
      // One row of forty has another value now.
      "e mail has its values; --rename 'person.a mail'='e mail' takes it",
      // Nothing has the values of these two: the other new name is offered.
      "if it has another name now: --rename person.phone=other\n",
      "if it has another name now: --rename person.size=other\n",
      "page view has its columns; --rename visit='page view' takes it",
    ] { #expect(refused.errors.contains(part), "\(part): \(refused.errors)") }
    try database.execute(
      "ALTER TABLE person DROP COLUMN \"e mail\"; ALTER TABLE person DROP COLUMN other")
    let lost = try database.run("import", database.path).errors
    #expect(!lost.contains("--rename person") && lost.contains("--drop person.phone"), "\(lost)")
  }

  @Test("A renamed key, and a value that all rows have, suggest no rename")
  func suggestsNothing() throws {
    let database = try ForeignDatabase(
      """
      CREATE TABLE pair (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO pair VALUES (1, 'a');
      CREATE TABLE flag (id INTEGER PRIMARY KEY, active INTEGER);
      INSERT INTO flag VALUES (1, 1), (2, 1), (3, 1);
      """)
    _ = try database.adopt()
    try database.execute(
      """
      ALTER TABLE pair RENAME COLUMN id TO pid; ALTER TABLE pair RENAME COLUMN v TO w;
      ALTER TABLE flag DROP COLUMN active; ALTER TABLE flag ADD COLUMN checked INTEGER DEFAULT 1
      """)
    let refused = try database.run("import", database.path)
    #expect(refused.status == 1, "\(refused.everything)")
    for part in ["pair.id: ", "pair.v: ", "flag.active: "] {
      #expect(refused.errors.contains(part), "\(part): \(refused.errors)")
    }
    #expect(!refused.errors.contains("has its values"), "\(refused.errors)")
  }

  @Test("A choice names a table or a column as the catalog does, or as the database did")
  func acceptsBothNames() throws {
    for (column, table) in [
      ("a_b.the_v=new v", "a_b"), ("a b.the v=new v", "a b"),
    ] {
      let database = try ForeignDatabase(
        """
        CREATE TABLE "a b" (id INTEGER PRIMARY KEY, "the v" TEXT); INSERT INTO "a b" VALUES (1, 'x');
        CREATE TABLE other (id INTEGER PRIMARY KEY);
        """)
      _ = try database.adopt()
      try database.execute("ALTER TABLE \"a b\" RENAME COLUMN \"the v\" TO \"new v\"")
      let taken = try database.take("--rename", column)
      #expect(taken.output.contains("a_b.the_v is a_b.new_v now"), "\(taken.everything)")
      try database.execute("DROP TABLE \"a b\"")
      let dropped = try database.take("--drop", table)
      #expect(dropped.output.contains("a_b is dropped"), "\(dropped.everything)")
    }
  }

  @Test("A choice is spelled as in SQL: in quotes, and in capital or small letters")
  func acceptsSpellings() throws {
    for (column, other) in [
      ("order line.UNIT PRICE=cost", "Visit.PAGE=path[1]"),
      (#""Order Line"."Unit Price"="Cost""#, "[visit].`page`=path[1]"),
      ("order_line.unit_price=COST", "visit.page=PATH[1]"),
    ] {
      let database = try ForeignDatabase(
        """
        CREATE TABLE "Order Line" (Id INTEGER PRIMARY KEY, "Unit Price"); INSERT INTO "Order Line" VALUES (1, 2.5);
        CREATE TABLE visit (day, page); INSERT INTO visit VALUES ('Mon', '/');
        """)
      _ = try database.adopt()
      try database.execute(
        "ALTER TABLE \"Order Line\" RENAME COLUMN \"Unit Price\" TO Cost; ALTER TABLE visit RENAME COLUMN page TO \"path[1]\""
      )
      let taken = try database.run(
        "import", database.path, "--rename", column, "--rename", other)
      #expect(taken.status == 0, "\(column): \(taken.everything)")
      #expect(
        taken.output.contains("Order_Line.Unit_Price is Order_Line.Cost now"),
        "\(column): \(taken.everything)")
      #expect(taken.output.contains("visit.page is visit.path_1 now"), "\(taken.everything)")
      try database.requireSame()
      try database.execute("DROP TABLE \"Order Line\"")
      let dropped = try database.take("--drop", "\"order line\"")
      #expect(dropped.output.contains("Order_Line is dropped"), "\(dropped.everything)")
    }
  }

  @Test("A key is named as the database or the catalog names it")
  func acceptsKeysOfTheCatalog() throws {
    for key in ["Order Line=Line No", "Order_Line=Line_No"] {
      let database = try ForeignDatabase(
        """
        CREATE TABLE "Order Line" ("Line No" INTEGER, price); INSERT INTO "Order Line" VALUES (7, 2.5);
        """)
      let adopted = try database.run("adopt", database.path, "--key", key)
      #expect(adopted.status == 0, "\(adopted.everything)")
      #expect(adopted.output.contains("1 row, key Line_No"), "\(adopted.everything)")
    }
  }

  @Test("A table with too many columns is refused with its name and the file's")
  func refusesWideTables() throws {
    let columns = (1...1_200).map { "c\($0)" }.joined(separator: ", ")
    let database = try ForeignDatabase("CREATE TABLE wide (\(columns)); CREATE TABLE t (a)")
    let refused = try database.run("adopt", database.path)
    #expect(refused.status == 1, "\(refused.everything)")
    #expect(
      refused.errors.contains(
        "app.sqlite: wide: the table has 1200 columns, and a table of a catalog at most 1000; "),
      "\(refused.everything)")
    #expect(!FileManager.default.fileExists(atPath: database.catalog))
    #expect(try database.run("adopt", database.path, "--without", "wide").status == 0)
  }

  @Test("show says what a description changed, and no command blames another program")
  func showsDescriptions() throws {
    let database = try ForeignDatabase(AdoptTests.shop)
    _ = try database.adopt()
    let first = try database.run("show", "2")
    #expect(!first.output.contains("new:"), "\(first.everything)")
    try database.execute(
      "ALTER TABLE customer RENAME COLUMN name TO title; ALTER TABLE customer ADD COLUMN stars INTEGER; DROP TABLE visit"
    )
    let taken = try database.take("--rename", "customer.name=title", "--drop", "visit")
    let lines = [
      "customer.name is customer.title now", "visit is dropped", "new: column customer.stars",
    ]
    let shown = try database.run("show", "\(database.head())")
    let json = try database.run("show", "\(database.head())", "--format", "json")
    for line in lines {
      #expect(shown.output.contains("\n\(line)\n"), "\(line): \(shown.everything)")
      #expect(json.output.contains("\"\(line)\""), "\(line): \(json.everything)")
    }
    let rule = #""rules": {"no one": {"sql": "SELECT 1 WHERE 0"}}, "documents""#
    let kind = try database.folder.write(
      database.run("kind", "show").output.replacing(
        "\"documents\"", with: rule, maxReplacements: 1), to: "kind.json")
    let changed = try database.run("kind", "change", kind)
    #expect(changed.status == 0 && changed.output.contains("new: rule no one"), "\(changed)")
    let again = try database.run("show", "\(database.head())")
    #expect(again.output.contains("\nnew: rule no one\n"), "\(again)")
    for run in [taken, shown, changed, again] {
      #expect(!run.errors.contains("projector"), "\(run)")
      #expect(!run.errors.contains("another version"), "\(run)")
    }
    #expect(again.errors.contains("it has the tables of an earlier description"), "\(again)")
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

  @Test("A table without a key loses a column, and equal rows are counted from then on")
  func losesAColumnOfAWholeRow() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE visit (day, page); INSERT INTO visit VALUES ('Mon', '/'), ('Mon', '/cart'), ('Tue', '/'), ('Tue', '/')"
    )
    _ = try database.adopt()
    try database.execute("ALTER TABLE visit DROP COLUMN page")
    let refused = try database.run("import", database.path)
    #expect(refused.status == 1 && refused.errors.contains("--drop visit.page"), "\(refused)")
    _ = try database.take("--drop", "visit.page")
    #expect(try database.take().everything.contains("nothing new"))
    for change in [
      "DELETE FROM visit WHERE rowid = 2", "INSERT INTO visit VALUES ('Mon'), ('Tue'), ('Wed')",
      "DELETE FROM visit WHERE rowid < 4",
    ] {
      try database.execute(change)
      _ = try database.take("--allow-removal")
    }
    #expect(try database.run("verify").status == 0)
    #expect(try SecondReader.complaint(of: database.catalog) == nil)
    let then = try database.run("rows", "visit", "--at", "4", "--csv").output
    #expect(then == "day\nMon\nMon\nTue\nTue\n", "\(then)")
  }

  @Test("A key that changes is refused with the way that there is")
  func refusesOtherKeys() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE o (id INTEGER PRIMARY KEY, v TEXT); CREATE TABLE t (code PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'a')"
    )
    _ = try database.adopt()
    try database.execute("INSERT INTO t VALUES ('X1', 'b')")
    let typed = try database.run("import", database.path)
    #expect(typed.status == 1 && typed.errors.contains("adopt makes another catalog"), "\(typed)")
    try database.execute(
      "DELETE FROM t WHERE v = 'b'; DROP TABLE o; CREATE TABLE o (k TEXT PRIMARY KEY, v TEXT)")
    let dropped = try database.run("import", database.path, "--drop", "o.id")
    #expect(
      dropped.status == 1 && dropped.errors.contains("a key stays")
        && dropped.errors.contains("adopt the database into a new catalog"), "\(dropped)")
  }

  @Test("What was left out stays so under a new name of its table")
  func leavesOutUnderANewName() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, photo BLOB); INSERT INTO users VALUES (1, 'Ann', x'00')"
    )
    let adopt = [BuiltProgram.path("catalogctl"), "adopt", database.path]
    let adopted = try Program(adopt + ["--catalog", database.catalog, "--without", "users.photo"])
    try #require(adopted.status == 0, "\(adopted)")
    try database.execute(
      "ALTER TABLE users RENAME TO people; ALTER TABLE people RENAME COLUMN photo TO picture")
    for options in [
      ["--rename", "users=people", "--rename", "users.photo=people.picture"], [],
    ] {
      let taken = try Program(
        [BuiltProgram.path("catalogctl"), "import", database.path, "--catalog", database.catalog]
          + options)
      #expect(taken.status == 0, "\(taken)")
    }
    let kind = try database.run("kind", "show").output
    #expect(kind.contains(#""people.picture""#) && !kind.contains("photo"), "\(kind)")
    #expect(try database.run("rows", "people", "--csv").output == "id,name\n1,Ann\n")
  }

  @Test("A column that is searched leaves the search when it has more than texts")
  func leavesTheSearch() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, w TEXT); INSERT INTO t VALUES (1, 'slim lamp', 'brass')"
    )
    _ = try database.adopt()
    let kind = try database.run("kind", "show").output
      .replacing("\"key\": \"id\"", with: "\"key\": \"id\", \"search\": [\"v\", \"w\"]")
    let searched = try database.folder.write(kind, to: "searched.json")
    #expect(try database.run("kind", "change", searched).status == 0)
    #expect(try database.run("rows", "t", "--search", "lamp").output.contains("slim"))
    try database.execute("INSERT INTO t VALUES (2, x'00', 'tap')")
    let taken = try database.take()
    #expect(taken.output.contains("search in t: w"), "\(taken)")
    #expect(try database.run("rows", "t", "--search", "tap", "--csv").output.contains("2,"))
    #expect(try database.run("verify").status == 0)
  }

  @Test("A new spelling of a name is the same name, as in SQLite")
  func spelling() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, 'a')")
    _ = try database.adopt()
    let head = try database.head()
    try database.execute(
      "ALTER TABLE t RENAME COLUMN name TO Name; ALTER TABLE t RENAME TO other; ALTER TABLE other RENAME TO T"
    )
    let same = try database.run("import", database.path)
    #expect(same.status == 0 && !same.everything.contains("_2"), "\(same.everything)")
    try database.execute("UPDATE T SET Name = 'b'")
    let taken = try database.run("import", database.path)
    #expect(taken.output.contains("1 changed (name 1)"), "\(taken.everything)")
    #expect(try database.run("rows", "t", "--csv").output == "id,name\n1,b\n")
    #expect(try database.head() > head)
  }

  @Test("JSON in the schema: checks, generated columns, indexes")
  func jsonInSchemas() throws {
    let database = try ForeignDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, m TEXT CHECK (json_valid(m)), k AS (m ->> '$.k'));
      CREATE INDEX i ON t (json_extract(m, '$.k')); INSERT INTO t (id, m) VALUES (1, '{"k": 1}');
      """)
    _ = try database.adopt()
    try database.execute("UPDATE t SET m = '{\"k\": 2}'")
    #expect(try database.take().output.contains("1 changed (m 1)"))
  }

  @Test("The description beside the catalog follows the schema, unless a person changed it")
  func descriptionFile() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'a')")
    _ = try database.adopt()
    let path = database.catalog + "/kind.json"
    func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
    for (place, command) in ["import", "capture"].enumerated() {
      try database.execute("ALTER TABLE t ADD COLUMN c\(place) INTEGER DEFAULT 1")
      let taken = try database.run(command, database.path)
      #expect(taken.status == 0, "\(taken.everything)")
      #expect(try text().contains("\"c\(place)\""))
      // It is the description of the log.
      let change = try database.run("kind", "change", path, "--dry-run")
      #expect(change.status == 0 && change.everything.contains("already"), "\(change.everything)")
    }
    let edited = try text().replacing("\"integer?\"", with: "\"number?\"")
    try edited.write(toFile: path, atomically: true, encoding: .utf8)
    try database.execute("ALTER TABLE t ADD COLUMN last INTEGER")
    #expect(try database.run("import", database.path).status == 0)
    #expect(try text() == edited)
  }

  @Test("What is left out stays so under a new spelling")
  func spellingOfLeftOut() throws {
    let database = try ForeignDatabase(
      """
      CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, photo TEXT); CREATE TABLE secrets (k TEXT);
      INSERT INTO users VALUES (1, 'Ann', 'p'); INSERT INTO secrets VALUES ('s');
      """)
    let adopted = try database.run(
      "adopt", database.path, "--without", "users.photo", "--without", "secrets")
    try #require(adopted.status == 0, "\(adopted.everything)")
    try database.execute(
      """
      ALTER TABLE users RENAME COLUMN photo TO Photo; ALTER TABLE users RENAME TO u; ALTER TABLE u RENAME TO Users;
      DROP TABLE secrets; CREATE TABLE Secrets (k TEXT); INSERT INTO Secrets VALUES ('t');
      UPDATE Users SET name = 'Bob';
      """)
    let taken = try database.run("import", database.path)
    #expect(taken.status == 0 && taken.output.contains("1 changed (name 1)"), "\(taken.everything)")
    #expect(!taken.everything.contains("new:"), "\(taken.everything)")
    #expect(try database.run("log", "--format", "json").output.contains("Photo") == false)
  }

  @Test("What comes back under a dropped name is something new, and does not hide the past")
  func droppedNames() throws {
    let database = try ForeignDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); CREATE TABLE orders (id INTEGER PRIMARY KEY);
      INSERT INTO t VALUES (1, 'why'); INSERT INTO orders VALUES (1);
      """)
    _ = try database.adopt()
    try database.execute("ALTER TABLE t DROP COLUMN v; DROP TABLE orders")
    let dropped = try database.run(
      "import", database.path, "--drop", "t.v", "--drop", "orders")
    #expect(dropped.status == 0, "\(dropped.everything)")
    try database.execute(
      "ALTER TABLE t ADD COLUMN v TEXT DEFAULT 'new'; CREATE TABLE orders (id INTEGER PRIMARY KEY)")
    let again = try database.take()
    #expect(again.output.contains("new: column t.v_2"), "\(again.everything)")
    #expect(again.output.contains("table orders_2"), "\(again.everything)")
    // The name alone is an error at a moment that had other values under it.
    for sql in ["SELECT v FROM t", "SELECT count(*) FROM orders"] {
      let past = try database.run("query", sql, "--at", "4")
      #expect(past.status == 1 && past.errors.contains("no such"), "\(past.everything)")
    }
    #expect(try database.run("rows", "t", "--csv").output == "id,v_2\n1,new\n")
    // A person's description cannot use it either.
    let kind = try database.run("kind", "show").output
    for (old, new) in [
      ("\"v_2\": \"text?\"", "\"v_2\": \"text?\", \"v\": \"text?\""),
      (
        "\"tables\": {",
        "\"tables\": { \"orders\": {\"key\": \"id\", \"columns\": {\"id\": \"integer\"}},"
      ),
    ] {
      let file = try database.folder.write(kind.replacing(old, with: new), to: "kind.json")
      let refused = try database.run("kind", "change", file)
      #expect(
        refused.status == 1 && refused.errors.contains("was dropped before"),
        "\(refused.everything)")
    }
    #expect(try database.run("verify").status == 0)
  }

  @Test("A name is not used again after a rename, so that it is an error in the past, and not NULL")
  func formerNames() throws {
    let database = try ForeignDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, w TEXT); CREATE TABLE orders (id INTEGER PRIMARY KEY);
      INSERT INTO t VALUES (1, 'why', 'x'); INSERT INTO orders VALUES (1), (2);
      """)
    _ = try database.adopt()
    let head = try database.head()
    try database.execute(
      """
      ALTER TABLE t RENAME COLUMN v TO title; ALTER TABLE t ADD COLUMN v TEXT DEFAULT 'new';
      ALTER TABLE orders RENAME TO sales; CREATE TABLE orders (id INTEGER PRIMARY KEY, n);
      INSERT INTO orders VALUES (7, 8);
      """)
    let both = try database.take("--rename", "t.v=title", "--rename", "orders=sales").output
    #expect(both.contains("new: column t.v_2") && both.contains("table orders_2"), "\(both)")
    try database.execute("ALTER TABLE t RENAME COLUMN w TO x; ALTER TABLE sales RENAME TO sold")
    _ = try database.take("--rename", "t.w=x", "--rename", "sales=sold")
    try database.execute(
      "ALTER TABLE t ADD COLUMN w TEXT DEFAULT 'new'; CREATE TABLE sales (id INTEGER PRIMARY KEY); INSERT INTO sales VALUES (9)"
    )
    let again = try database.take().output
    #expect(again.contains("new: column t.w_2") && again.contains("table sales_2"), "\(again)")
    for sql in ["SELECT w FROM t", "SELECT count(*) FROM sales"] {
      let past = try database.run("query", sql, "--at", "\(head)")
      #expect(past.status == 1 && past.errors.contains("no such"), "\(past.everything)")
    }
    let past = try database.run("rows", "t", "--at", "\(head)", "--csv").output
    #expect(past == "id,title,x,v_2,w_2\n1,why,x,,\n", "\(past)")
    // A person's description cannot use it either.
    let kind = try database.run("kind", "show").output
    let file = try database.folder.write(
      kind.replacing("\"w_2\": \"text?\"", with: "\"w_2\": \"text?\", \"w\": \"text?\""),
      to: "kind.json")
    let refused = try database.run("kind", "change", file)
    #expect(
      refused.status == 1 && refused.errors.contains("t.w was the name of x before"),
      "\(refused.everything)")
    // What gets its own name again has it.
    try database.execute(
      "ALTER TABLE t DROP COLUMN w; ALTER TABLE t RENAME COLUMN x TO w; DROP TABLE sales; ALTER TABLE sold RENAME TO sales"
    )
    let back = try database.run(
      "import", database.path, "--rename", "t.x=w", "--drop", "t.w", "--rename", "sold=sales",
      "--drop", "sales")
    #expect(back.status == 0, "\(back.everything)")
    #expect(try database.run("verify").status == 0)
    #expect(try SecondReader.complaint(of: database.catalog) == nil)
  }

  @Test("What an import leaves out has a line when it appears, and no second one")
  func saysWhatIsNewlyLeftOut() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'a'); CREATE VIEW old AS SELECT 1;"
    )
    let adopted = try database.adopt().output
    #expect(adopted.contains("the view: old"), "\(adopted)")
    try database.execute(
      """
      CREATE VIEW seen AS SELECT * FROM t; CREATE TRIGGER noted AFTER INSERT ON t BEGIN SELECT 1; END;
      CREATE VIRTUAL TABLE words USING fts5(body); ALTER TABLE t ADD COLUMN twice AS (id * 2);
      CREATE TABLE visit (day, page);
      """)
    let lines = [
      "left out: the view seen", "left out: the trigger noted", "left out: the virtual table words",
      "left out: the generated column t.twice", "new: table visit, key the whole row",
    ]
    let first = try database.run("capture", database.path).output
    for line in lines { #expect(first.contains("\(line)\n"), "\(line): \(first)") }
    #expect(!first.contains("view old"), "\(first)")
    for sql in ["SELECT 1", "UPDATE t SET v = 'b'"] {
      try database.execute(sql)
      let next = try database.take().output
      #expect(!next.contains("left out"), "\(next)")
    }
    // What comes again is said again.
    try database.execute("DROP VIEW seen")
    #expect(try database.take().output.contains("no longer in the database: the view seen\n"))
    try database.execute("CREATE VIEW seen AS SELECT 2")
    let again = try database.take().output
    #expect(again.contains("left out: the view seen\n"), "\(again)")
    let shown = try database.run("show", "\(database.head())").output
    #expect(shown.contains("left out: the view seen\n"), "\(shown)")
    #expect(try database.run("verify").status == 0)
    #expect(try SecondReader.complaint(of: database.catalog) == nil)
  }

  @Test("A column that is unique in the database is not said to be no longer unique")
  func saysUniquenessRightly() throws {
    let database = try ForeignDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, u NUMERIC UNIQUE, w TEXT UNIQUE, x TEXT UNIQUE);
      INSERT INTO t VALUES (1, 5, 'a', 'p'), (2, 6, 'b', 'q');
      """)
    _ = try database.adopt()
    try database.execute("UPDATE t SET u = NULL")
    let empty = try database.take().output
    #expect(!empty.contains("unique"), "\(empty)")
    #expect(
      try database.run("kind", "show").output.contains(
        "\"u\": {\"type\": \"integer?\", \"unique\": true}"))
    try database.execute(
      """
      CREATE TABLE next (id INTEGER UNIQUE, u NUMERIC UNIQUE, w TEXT NOT NULL PRIMARY KEY, x TEXT);
      INSERT INTO next SELECT * FROM t; DROP TABLE t; ALTER TABLE next RENAME TO t;
      """)
    let moved = try database.take().output
    #expect(moved.contains("t.x is no longer unique\n"), "\(moved)")
    #expect(!moved.contains("t.w is") && !moved.contains("t.u is"), "\(moved)")
    try database.execute("UPDATE t SET u = 'text' WHERE id = 1")
    let mixed = try database.take().output
    #expect(mixed.contains("t.u is not checked to be unique any more\n"), "\(mixed)")
  }

  @Test("A number and its text are one key if all keys of the column are texts now")
  func widensKeys() throws {
    let database = try ForeignDatabase(
      """
      CREATE TABLE p (id INT PRIMARY KEY, v TEXT); INSERT INTO p VALUES (1, 'a'), (-20, 'b'), (3, 'c');
      CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p (id)); INSERT INTO c VALUES (1, 3);
      """)
    _ = try database.adopt()
    let head = try database.head()
    try database.execute("UPDATE p SET v = 'd' WHERE id = 3")
    _ = try database.take()
    try database.execute(
      """
      CREATE TABLE next (id TEXT PRIMARY KEY, v TEXT); INSERT INTO next SELECT CAST(id AS TEXT), v FROM p;
      DROP TABLE p; ALTER TABLE next RENAME TO p;
      """)
    let widened = try database.take().output
    #expect(widened.contains("p.id is a text instead of a whole number\n"), "\(widened)")
    #expect(!widened.contains("added") && !widened.contains("removed"), "\(widened)")
    try database.execute("INSERT INTO p VALUES ('X1', 'e'); UPDATE p SET v = 'f' WHERE id = '-20'")
    #expect(try database.take().output.contains("p: 4 rows: 1 added, 1 changed (v 1)"))
    #expect(
      try database.run("rows", "p", "--at", "\(head)", "--csv").output == "id,v\n-20,b\n1,a\n3,c\n")
    #expect(try database.run("blame", "p", "3", "--column", "v").output.contains("v = 'd'"))
    #expect(try database.run("verify").status == 0)
    #expect(try SecondReader.complaint(of: database.catalog) == nil)
  }

  @Test("A key that holds no longer is refused with the one that would")
  func namesAnotherKey() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INT PRIMARY KEY, code TEXT NOT NULL UNIQUE, v); INSERT INTO t VALUES (1, 'a', 5), (2, 'b', 6)"
    )
    _ = try database.adopt()
    try database.execute("INSERT INTO t VALUES ('X', 'c', 7)")
    let typed = try database.run("import", database.path)
    #expect(typed.status == 1 && typed.errors.contains("with --key t=code"), "\(typed)")
    try database.execute(
      "CREATE TABLE next (id INT, code TEXT NOT NULL UNIQUE, v); INSERT INTO next VALUES (1, 'a', 5), (1, 'b', 6); DROP TABLE t; ALTER TABLE next RENAME TO t"
    )
    let twice = try database.run("import", database.path)
    #expect(
      twice.status == 1 && twice.errors.contains("have the same key")
        && twice.errors.contains("with --key t=code"), "\(twice)")
  }

  @Test("The advice for a value that cannot be taken is what to type")
  func advisesToIgnore() throws {
    let database = try ForeignDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v, w TEXT); INSERT INTO t VALUES (1, 'a', 'b')")
    _ = try database.adopt()
    try database.execute("UPDATE t SET v = 9e999, w = 'c'")
    let refused = try database.run("import", database.path)
    #expect(
      refused.errors.contains("\"ignore\": \"t.v\", with --drop t.v if the catalog has it"),
      "\(refused)")
    let kind = try database.folder.write(
      database.run("kind", "show").output
        .replacing("\"v\": \"text?\", ", with: "")
        .replacing("\"complete\": true", with: "\"complete\": true, \"ignore\": \"t.v\""),
      to: "kind.json")
    let changed = try database.run("kind", "change", kind, "--drop", "t.v")
    #expect(changed.status == 0, "\(changed)")
    #expect(try database.take().output.contains("1 changed (w 1)"))
  }
}
