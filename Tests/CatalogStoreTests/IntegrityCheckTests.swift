import CatalogStore
import GRDB
import Projections
import Promises
import Testing

/// What SQLite's check finds counts, and what versions 3.40.0 to 3.41.0 find by mistake does not.
@Suite(
  .promise(
    "What SQLite's integrity check finds counts, but for what its versions 3.40.0 to "
      + "3.41.0 find by mistake"))
struct IntegrityCheckTests {
  /// A table without row ids whose key does not follow the order of its columns.
  private func places(_ rows: Int, _ queue: DatabaseQueue) throws {
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE places (
            list TEXT NOT NULL, item TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY(list, position)
          ) WITHOUT ROWID;
          CREATE INDEX places_item ON places(item)
          """)
      for row in 0..<rows {
        try database.execute(
          sql: "INSERT INTO places VALUES ('a', ?, ?)", arguments: ["item \(row)", row])
      }
    }
  }

  /// Changes what the schema says of things whose content stays.
  private func redescribe(_ old: String, _ new: String, _ queue: DatabaseQueue) throws {
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA writable_schema = ON;
          UPDATE sqlite_master SET sql = replace(sql, '\(old)', '\(new)');
          PRAGMA writable_schema = RESET
          """)
    }
  }

  @Test(arguments: [0, 1, 300])
  func aNullThatNoRowHasIsNoProblem(rows: Int) throws {
    let queue = try DatabaseQueue()
    try places(rows, queue)
    #expect(try queue.read { try IntegrityCheck.problems(in: $0, atMost: 20) } == [])
  }

  @Test func aNullThatARowHasIsOne() throws {
    let queue = try DatabaseQueue()
    try places(300, queue)
    try queue.write { database in
      try database.execute(
        sql:
          "CREATE TABLE texts (number INTEGER PRIMARY KEY, text TEXT NULL); INSERT INTO texts VALUES (1, NULL)"
      )
    }
    try redescribe("text TEXT NULL", "text TEXT NOT NULL", queue)
    #expect(
      try queue.read { try IntegrityCheck.problems(in: $0, atMost: 20) }
        == ["NULL value in texts.text"])
  }

  /// Behind 300 findings that do not count there is one that does.
  @Test func anIndexThatLacksARowIsFound() throws {
    let queue = try DatabaseQueue()
    try places(300, queue)
    try queue.write { database in
      try database.execute(
        sql:
          "DROP INDEX places_item; CREATE INDEX places_item ON places(item) WHERE position <> 299")
    }
    try redescribe(" WHERE position <> 299", "", queue)
    let problems = try queue.read { try IntegrityCheck.problems(in: $0, atMost: 20) }
    #expect(problems.contains { $0.contains("places_item") }, "\(problems)")
    #expect(!problems.contains { $0.hasPrefix("NULL value") }, "\(problems)")
  }
}
