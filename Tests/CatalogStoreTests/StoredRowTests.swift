import CatalogModel
import GRDB
import Projections
import Promises
import Testing

@testable import CatalogStore

/// What SQLite stores is read as it is, or refused: never converted, cut or clamped.
@Suite(
  .promise(
    "A cell of the database is read as SQLite stores it, or refused: never converted, cut "
      + "or clamped"),
  .promise(
    "Any value in any column is an error that names its place; no command traps, hangs or "
      + "blames the log"))
struct StoredRowTests {
  private static let id = "00000000-0000-4000-8000-00000000000a"

  /// Values by their SQL; each call takes some of them.
  private static let values = [
    "NULL", "0", "1", "2", "-1", "9007199254740991", "9007199254740992", "-9007199254740992",
    "9223372036854775807", "(-9223372036854775807 - 1)", "1.0", "1.5", "9e999", "'1'", "'12 MB'",
    "''", "'sfx'", "'noise'", "'mood'", "'mood=1'", "'mood='", "'\(id)'", "upper('\(id)')",
    "'2026-01-31T12:00:00.000Z'", "'2026-13-31T12:00:00.000Z'", "CAST(x'ff' AS TEXT)", "x'31'",
    "x''", "'a' || char(0) || 'b'",
  ]
  private static let texts = values.filter { value in
    value.contains("'") && !value.hasPrefix("x'") && !value.hasPrefix("CAST")
  }
  private static let integers = Array(values[1...9])
  private static let bounded = ["0", "1", "2", "-1", "9007199254740991"]
  private static let origin = StoredRow.Origin("things", ("key", 1))

  private struct Call: Sendable {
    let name: String
    let takes: [String]
    let read: @Sendable (StoredRow) throws -> Void
  }

  private enum Sort: String, CaseIterable {
    case sfx
    case music
  }

  private static let calls = [
    Call(name: "text", takes: texts) { _ = try $0.text(0) },
    Call(name: "optionalText", takes: texts + ["NULL"]) { _ = try $0.optionalText(0) },
    Call(name: "name", takes: ["'sfx'"]) { _ = try $0.name(0, as: Sort.self) },
    Call(name: "id", takes: ["'\(id)'"]) { _ = try $0.id(0) },
    Call(name: "time", takes: ["'2026-01-31T12:00:00.000Z'"]) { _ = try $0.time(0) },
    Call(name: "optionalTime", takes: ["'2026-01-31T12:00:00.000Z'", "NULL"]) {
      _ = try $0.optionalTime(0)
    },
    Call(name: "integer", takes: integers) { _ = try $0.integer(0) },
    Call(name: "number", takes: bounded) { _ = try $0.number(0) },
    Call(name: "optionalNumber", takes: bounded + ["NULL"]) { _ = try $0.optionalNumber(0) },
    Call(name: "count", takes: bounded.filter { $0 != "-1" }) { _ = try $0.count(0) },
    Call(name: "flag", takes: ["0", "1"]) { _ = try $0.flag(0) },
    Call(name: "optionalReal", takes: integers + ["1.0", "1.5", "NULL"]) {
      _ = try $0.optionalReal(0)
    },
  ]

  @Test(arguments: calls.indices)
  func aCallTakesWhatItShouldAndRefusesAllElse(place: Int) throws {
    let call = Self.calls[place]
    try DatabaseQueue().read { database in
      for value in Self.values {
        let sql = "SELECT \(value) AS odd, 'one' AS key"
        var error: StoreError?
        do {
          try database.forEachRow(of: Self.origin, sql) { try call.read($0) }
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

  @Test func aTextIsReadWhole() throws {
    let text = try DatabaseQueue().read { database in
      try database.firstRow(of: Self.origin, "SELECT 'a' || char(0) || 'b'") { try $0.text(0) }
    }
    #expect(text == "a\u{0}b")
  }

  @Test func aLongValueIsCutInTheMessage() throws {
    let error = #expect(throws: StoreError.self) {
      try DatabaseQueue().read { database in
        try database.forEachRow(
          of: Self.origin, "SELECT zeroblob(1000000) AS odd, char(27) AS key"
        ) { _ = try $0.text(0) }
      }
    }
    #expect((error?.message.count ?? .max) < 400)
    #expect(error?.message.contains("\u{1B}") == false)
  }

  @Test func aBindingThatFailsThrows() throws {
    try DatabaseQueue().read { database in
      let statement = try PreparedStatement(database, "SELECT ?")
      let error = #expect(throws: StoreError.self) {
        try statement.bind(.integer(1) as Value, at: 2)
      }
      #expect(error?.code == .database)
      try statement.bind(.integer(1) as Value, at: 1)
      #expect(try statement.step())
    }
  }
}
