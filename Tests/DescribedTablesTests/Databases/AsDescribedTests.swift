import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Moments of the past with the tables that the log described then.
@Suite(
  "A moment is shown as it was described",
  .promise("A moment of tables is shown as the log described them then"))
struct AsDescribedTests {
  /// A schema that changes at random, and a copy of the database for each moment.
  ///
  /// An independent reader compares each copy with the state that the command makes.
  @Test(
    "Each state of a changing schema is the database of that moment", arguments: [UInt64(1), 2])
  func showsEachState(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var schema = GeneratedSchema()
    let database = try ForeignDatabase(schema.sql)
    _ = try database.adopt()
    var moments: [Int] = []
    for _ in 0..<Sample.count(7, of: 20) {
      let (sql, options) = schema.change(&random)
      try database.execute(sql)
      let taken = try Program(
        [BuiltProgram.path("catalogctl"), "import", database.path, "--allow-removal"]
          + options + ["--catalog", database.catalog])
      try #require(taken.status == 0, "seed \(seed): \(sql): \(taken.everything)")
      try moments.append(database.head())
      try FileManager.default.copyItem(
        atPath: database.path, toPath: database.folder.file("at\(moments.count)"))
    }
    let reader = ScratchFolder.repository + "/Tests/DescribedTablesTests/Databases/adopted.py"
    for (place, moment) in moments.enumerated() {
      let copy = database.folder.file("at\(place + 1)")
      let then = database.folder.file("then\(place).sqlite")
      let made = try database.run("materialize", "\(moment)", "--as-described", then)
      try #require(made.status == 0, "seed \(seed), event \(moment): \(made.everything)")
      let compared = try Program(["python3", reader, copy, then])
      #expect(compared.status == 0, "seed \(seed), event \(moment): \(compared.everything)")
    }
  }

  /// A table and a column that were dropped after event 4, and a table that has another name since.
  private func shrunken() throws -> ForeignDatabase {
    let database = try ForeignDatabase(
      """
      CREATE TABLE client (id INTEGER PRIMARY KEY, name TEXT, mail TEXT); INSERT INTO client VALUES (1, 'Ann', 'a@b.c');
      CREATE TABLE visit (day TEXT); INSERT INTO visit VALUES ('Mon'), ('Mon');
      """)
    _ = try database.adopt()
    try database.execute(
      "UPDATE client SET mail = 'new'; ALTER TABLE client RENAME TO person; INSERT INTO visit VALUES ('Tue')"
    )
    _ = try database.take("--rename", "client=person")
    try database.execute("DROP TABLE visit; ALTER TABLE person DROP COLUMN mail")
    _ = try database.take("--drop", "visit", "--drop", "person.mail")
    return database
  }

  @Test("rows, query, blame and diff show what was dropped later")
  func showsDroppedNames() throws {
    let database = try shrunken()
    func output(_ words: String...) throws -> String {
      let run = try Program(
        [BuiltProgram.path("catalogctl")] + words + [
          "--as-described", "--catalog", database.catalog,
        ])
      #expect(run.status == (words[0] == "diff" ? 2 : 0), "\(words): \(run.everything)")
      return run.output
    }
    #expect(try output("rows", "visit", "--at", "5", "--csv") == "day\nMon\nMon\n")
    #expect(try output("rows", "client", "mail=a@b.c", "--at", "5", "--csv").contains("Ann"))
    #expect(
      try output("query", "--at", "8", "SELECT name, mail FROM person").contains("Ann   new"))
    #expect(try output("blame", "person", "1", "--at", "8", "--column", "mail").contains("'new'"))
    let difference = try output("diff", "5", "8", "--table", "visit", "--table", "person")
    #expect(difference.contains("visit: 1 added"), "\(difference)")
    #expect(difference.contains("mail: 'a@b.c' → 'new'"), "\(difference)")
    // Before the first description there are its tables, without rows.
    #expect(try output("query", "--at", "1", "SELECT count(*) FROM client").contains("0"))
  }

  @Test("An unknown name that the catalog once had is answered with what became of it")
  func saysWhatBecameOfNames() throws {
    let database = try shrunken()
    let head = try database.head()
    let event = try #require(
      try database.run("log", "--format", "json").output.split(separator: "\n").last {
        $0.contains(#""kind.described""#)
      }?.firstMatch(of: /"seq": ?(\d+).*?"at": ?"([^"]+)"/))
    let (sequence, time) = (try #require(Int(event.1)), event.2)
    #expect(sequence == head)
    func shown(_ table: String) -> String {
      "was dropped by event \(sequence) (\(time)); `catalogctl query --at \(sequence - 1) --as-described "
        + "'SELECT * FROM \(table)'` shows its last rows"
    }
    let (visit, mail) = ("visit \(shown("visit"))", "person.mail \(shown("person"))")
    for (words, answer) in [
      (["query", "SELECT * FROM visit"], visit), (["rows", "visit"], visit),
      (["rows", "visit", "--at", "5"], visit), (["blame", "visit"], visit),
      (["diff", "5", "\(head)", "--table", "visit"], visit),
      (["changes", "5", "\(head)", "--table", "visit"], visit),
      (["history", "row", "visit", "x"], visit),
      (["history", "count", "SELECT count(*) FROM visit"], visit),
      (["bisect", "SELECT count(*) FROM visit"], visit),
      (["query", "SELECT p.mail FROM person AS p"], mail),
      (["query", "--at", "5", "SELECT mail FROM person"], mail),
      (["rows", "person", "mail=x"], mail), (["rows", "person", "--columns", "mail"], mail),
      (["blame", "person", "1", "--column", "mail"], mail),
      (["query", "SELECT * FROM client"], "client is person now"),
      (["rows", "Client"], "Client is person now"),
    ] {
      let run = try Program(
        [BuiltProgram.path("catalogctl")] + words + ["--catalog", database.catalog])
      #expect(run.status != 0 && run.errors.contains(answer), "\(words): \(run.everything)")
    }
    for words in [["query", "SELECT mial FROM person"], ["rows", "vist"], ["rows", "Person"]] {
      let run = try Program(
        [BuiltProgram.path("catalogctl")] + words + ["--catalog", database.catalog])
      #expect(run.status != 0 && !run.errors.contains("dropped"), "\(words): \(run.everything)")
    }
    // The command of the answer.
    let then = try database.run(
      "query", "--at", "\(sequence - 1)", "--as-described", "SELECT * FROM visit")
    #expect(then.status == 0 && then.output.contains("Tue"), "\(then.everything)")
  }

  @Test("Where no moment has other tables, the option is refused with the reason")
  func isRefused() throws {
    let database = try shrunken()
    for (words, reason) in [
      (["query", "--as-described", "SELECT 1"], "--as-described needs --at WHEN"),
      (["rows", "person", "--as-described"], "--as-described needs --at WHEN"),
      (["blame", "person", "--as-described"], "--as-described needs --at WHEN"),
      (["diff", "5", "8", "--as-described", "--sql"], "leave out --as-described"),
      (["diff", "5", "\(database.path)", "--as-described"], "two moments, not files"),
    ] {
      let run = try Program(
        [BuiltProgram.path("catalogctl")] + words + ["--catalog", database.catalog])
      #expect(run.status == 64 && run.errors.contains(reason), "\(words): \(run.everything)")
    }
    let sounds = database.folder.file("sounds")
    #expect(
      try Program([BuiltProgram.path("catalogctl"), "init", "--catalog", sounds]).status == 0)
    let run = try Program([
      BuiltProgram.path("catalogctl"), "query", "--at", "1", "--as-described", "SELECT 1",
      "--catalog", sounds,
    ])
    #expect(
      run.status == 64 && run.errors.contains("always those of the program"), "\(run.everything)")
  }

  /// The later description has an event that the earlier one does not know, and wider types.
  @Test("Later events and types are not those of the moment")
  func hasTypesOfTheMoment() throws {
    let shop = try TableShop(
      #"""
      {"kind": "shop", "version": 1, "tables": {"t": {"key": "id", "columns": {"id": "text", "n": "integer"}}},
       "events": {"t.put": {"data": {"id": "text", "n": "integer"}, "does": [{"put": "t", "row": {"id": "$id", "n": "$n"}}]}}}
      """#)
    func run(_ words: String...) throws -> String {
      let run = try shop.run(words)
      try #require(run.status == 0, "\(words): \(run.everything)")
      return run.output
    }
    _ = try run("record", "t.put", "id=a", "n=7")
    let head = try #require(try shop.head().split(separator: " ").first.map(String.init))
    let next = try shop.folder.write(
      #"""
      {"kind": "shop", "version": 2, "tables": {"u": {"was": "t", "key": "id", "columns": {"id": "text", "n": "any"}}},
       "events": {"u.said": {"data": {"id": "text", "n": "text"}, "does": [{"put": "u", "row": {"id": "$id", "n": "$n"}}]}}}
      """#, to: "next.json")
    _ = try run("kind", "change", next)
    for name in ["a", "b", "c"] { _ = try run("record", "u.said", "id=\(name)", "n=x") }
    let then = try run(
      "query", "--at", head, "--as-described", "--format", "json", "SELECT id, n, typeof(n) FROM t")
    #expect(then.contains("7") && then.contains("integer"), "\(then)")
    #expect(
      try run(
        "query", "--at", head, "--as-described", "SELECT description FROM projection_description"
      )
      .contains(#""version":1"#))
    #expect(try run("rows", "u", "--csv") == "id,n\na,x\nb,x\nc,x\n")
  }
}

/// Tables of another program whose schema changes step by step.
private struct GeneratedSchema {
  private var tables: [(name: String, columns: [String])] = [
    ("t1", ["a", "b"]), ("t2", ["a", "b", "c"]), ("t3", ["a"]),
  ]
  private var count = 3

  var sql: String {
    tables.map {
      "CREATE TABLE \($0.name) (id INTEGER PRIMARY KEY, \($0.columns.joined(separator: ", ")));"
    }.joined() + tables.map { rows(of: $0, from: 1) }.joined()
  }

  private func rows(of table: (name: String, columns: [String]), from first: Int) -> String {
    (first..<first + 3).map { id in
      "INSERT INTO \(table.name) VALUES ("
        + ([String(id)] + table.columns.map { "'\($0)\(id)'" }).joined(separator: ", ") + ");"
    }.joined()
  }

  /// The next change of the schema and some of the rows, and the options with which it is taken.
  mutating func change(_ random: inout SplitMix) -> (sql: String, options: [String]) {
    count += 1
    let (place, new) = (random.below(tables.count), "n\(count)")
    let table = tables[place]
    let column = table.columns.isEmpty ? nil : random.pick(table.columns)
    var sql = ""
    var options: [String] = []
    switch (random.below(6), column) {
    case (0, let column?):
      sql = "ALTER TABLE \(table.name) DROP COLUMN \(column);"
      tables[place].columns.removeAll { $0 == column }
      options = ["--drop", "\(table.name).\(column)"]
    case (1, let column?):
      sql = "ALTER TABLE \(table.name) RENAME COLUMN \(column) TO \(new);"
      tables[place].columns = table.columns.map { $0 == column ? new : $0 }
      options = ["--rename", "\(table.name).\(column)=\(new)"]
    case (2, _):
      sql = "ALTER TABLE \(table.name) RENAME TO \(new);"
      tables[place].name = new
      options = ["--rename", "\(table.name)=\(new)"]
    case (3, _) where tables.count > 2:
      tables.remove(at: place)
      return ("DROP TABLE \(table.name);", ["--drop", table.name])
    case (4, _):
      tables.append((new, ["a"]))
      return (
        "CREATE TABLE \(new) (id INTEGER PRIMARY KEY, a);" + rows(of: (new, ["a"]), from: 1), []
      )
    default:
      sql = "ALTER TABLE \(table.name) ADD COLUMN \(new);"
      tables[place].columns.append(new)
    }
    let changed = tables[place]
    if let last = changed.columns.last {
      sql += "UPDATE \(changed.name) SET \(last) = 'u\(count)' WHERE id % 2 = \(count % 2);"
    }
    return (sql + rows(of: changed, from: count * 10), options)
  }
}
