import CatalogStore
import GRDB
import Promises
import Testing

@testable import SoundLibrary

@Suite(
  .promise(
    "A cell of the database is read as SQLite stores it, or refused: never converted, cut "
      + "or clamped",
    by: "dimensions and lists of tags"))
struct StoredTagsTests {
  private struct Call: Sendable {
    let name: String
    let takes: [String]
    let read: @Sendable (StoredRow) throws -> Void
  }

  private static let calls = [
    Call(name: "dimension", takes: ["'mood'"]) { _ = try $0.dimension(0) },
    Call(name: "tags", takes: ["'mood=1'", "''"]) { _ = try $0.tags(0) },
  ]

  /// Values by their SQL.
  private static let values = [
    "NULL", "0", "1", "-1", "1.5", "'1'", "''", "'sfx'", "'noise'", "'mood'", "'mood=1'",
    "'mood='", "CAST(x'ff' AS TEXT)", "x'31'", "x''", "'a' || char(0) || 'b'",
  ]

  @Test(arguments: calls.indices)
  func aDimensionOrAListOfTagsIsReadOrRefused(place: Int) throws {
    let call = Self.calls[place]
    try DatabaseQueue().read { database in
      for value in Self.values {
        var error: StoreError?
        do {
          try database.forEachRow(
            of: StoredRow.Origin("things", ("key", 1)), "SELECT \(value) AS odd, 'one' AS key"
          ) { try call.read($0) }
        } catch let thrown as StoreError {
          error = thrown
        }
        #expect((error == nil) == call.takes.contains(value), "\(call.name) of \(value)")
        guard let error else { continue }
        #expect(error.code == .drifted)
        #expect(error.message.hasPrefix("things[key='one'].odd is "), "\(error.message)")
      }
    }
  }
}
