import CatalogModel
import CatalogStore
import CatalogTestSupport
import Foundation
import GRDB
import Projections
import Promises
import Testing

@Suite(
  .promise(
    "A receipt names each difference of two databases, and its content part leaves out "
      + "times and the log"))
struct ReceiptTests {
  private let folder: ScratchFolder
  private let database: ProjectionDatabase

  init() throws {
    folder = try ScratchFolder()
    database = try ProjectionDatabase(
      path: folder.file("catalog.sqlite"), migrations: .shelf)
    try database.createTables()
    var changes = ShelfChanges(seed: 5)
    let batches = try changes.batches(120)
    try database.update { _, store in
      for change in batches.joined() { try change.apply(to: store) }
      return ProjectionAdvance(
        Checkpoint.made(at: 9))
    }
  }

  private func recorded(_ part: Receipt.Part = .whole) throws -> RecordedReceipt {
    try RecordedReceipt(json: Data(database.receipt().json(part).utf8))
  }

  private func execute(_ sql: String) throws {
    try database.pool.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  @Test func aReceiptReadBackHasNoDifferences() throws {
    #expect(try recorded().differences(from: database.receipt()).isEmpty)
    #expect(try recorded(.content).differences(from: database.receipt()).isEmpty)
  }

  @Test(arguments: [
    ("UPDATE book SET title = title || '!' WHERE id = (SELECT min(id) FROM book)", "content: book"),
    ("DELETE FROM book_genre WHERE book_id = (SELECT max(book_id) FROM book_genre)", "book_genre"),
    ("UPDATE book SET updated_at = '2000-01-01T00:00:00.000Z'", "times: book"),
    ("UPDATE projection_checkpoint SET sequence = 10", "log: recorded at event 9"),
    (
      "UPDATE projection_checkpoint SET log_id = '11111111-2222-3333-4444-555555555555'",
      "log: the receipt is of log"
    ),
    ("UPDATE projection_checkpoint SET fingerprint = 'other'", "projector:"),
    ("DROP INDEX book_genre_genre", "schema:"),
    // A number that is another storage class is another value.
    ("UPDATE book SET subtitle = '' WHERE subtitle IS NULL", "content: book"),
  ])
  func saysWhatDiffers(sql: String, expected: String) throws {
    let before = try recorded()
    try execute(sql)
    let differences = try before.differences(from: database.receipt())
    #expect(differences.count == 1)
    #expect(differences.first?.contains(expected) == true, "\(differences)")
  }

  @Test func contentAloneKnowsNoTimesAndNoLog() throws {
    let before = try recorded()
    try execute("UPDATE book SET created_at = '2000-01-01T00:00:00.000Z'")
    try execute(
      """
      UPDATE projection_checkpoint
      SET log_id = '11111111-2222-3333-4444-555555555555', sequence = 77
      """)
    #expect(try before.differences(from: database.receipt(), contentOnly: true).isEmpty)
    #expect(try !before.differences(from: database.receipt()).isEmpty)
  }

  @Test(arguments: ["", "{}", "[]", #"{"format":2}"#])
  func whatIsNoReceiptIsRefused(json: String) {
    #expect(throws: StoreError.self) { try RecordedReceipt(json: Data(json.utf8)) }
  }

  @Test func comparisonNamesEveryKindOfDifference() throws {
    let other = folder.file("expected.sqlite")
    let copy = try DatabaseQueue(path: other)
    try database.pool.backup(to: copy)
    let ids = try database.pool.read {
      try Int.fetchAll($0, sql: "SELECT id FROM genre ORDER BY id LIMIT 2")
    }
    try execute("UPDATE genre SET name = 'changed' WHERE id = \(ids[0])")
    try execute("DELETE FROM genre WHERE id = \(ids[1])")
    try execute("INSERT INTO genre(id, name) VALUES (9999, 'added')")
    var found: [RowDifference] = []
    try database.pool.read { live in
      try copy.read { expected in
        try RowComparison.compare(
          ShelfTables.genre, live: live, expected: expected
        ) { found.append($0) }
      }
    }
    #expect(found.map(\.place) == ["genre[id=\(ids[0])]", "genre[id=\(ids[1])]", "genre[id=9999]"])
    #expect(found.map(\.kind).dropFirst() == [.missing, .unexpected])
    guard case .changed(let column, let now, _) = found.first?.kind else {
      Issue.record("the first is no changed column")
      return
    }
    #expect(column == "name")
    #expect(now == .text("changed"))
  }
}
