import CatalogModel
import CatalogStore
import CatalogTestSupport
import EventLog
import Foundation
import GRDB
import Promises
import StoreTestSupport
import Testing

@testable import CatalogEngine

/// Nothing that another program changed in the database gets into the log.
@Suite(
  .promise("Nothing that another hand changes in the database gets into the log"))
struct ProvedPlanningTests {
  private let test: ScratchShelves

  init() throws {
    test = try ScratchShelves()
  }

  private func open(
    _ drift: OpeningOptions.Drift = .refuse
  ) async throws -> EventCatalog<Shelves> {
    try await test.open { $0.drift = drift }
  }

  private static let poison = "UPDATE shelf SET name = 'z' WHERE name = 'c'"

  private func log() throws -> [String: [UInt8]] {
    try ScratchFolder.contents(test.directory.events)
  }

  /// A shelf is renamed by hand, and the next change would add its name again.
  @Test func aChangeOnChangedNamesIsRefused() async throws {
    try await test.apply()
    let before = try log()
    try test.execute(Self.poison)
    let catalog = try await open()
    let error = await #expect(throws: StoreError.self) {
      try await catalog.change(by: "test") { rows in
        try rows.row(of: Shelf.table, key: "c") == nil ? [.shelf("c", true)] : []
      }
    }
    #expect(error?.code == .drifted)
    #expect(error?.message.contains("shelf") == true)
    catalog.close()
    #expect(try log() == before)
  }

  @Test func anAppMayRebuildInstead() async throws {
    try await test.apply()
    let untouched = try ScratchShelves()
    try await untouched.apply()
    try await untouched.apply(edition: 2)
    try test.execute(Self.poison)
    let catalog = try await open(.rebuild)
    #expect(try await catalog.apply(edition: 2) == .applied)
    catalog.close()
    #expect(try await test.receipt() == untouched.receipt())
  }

  /// Nothing proves the rows of a database without digests: it is stale.
  @Test func aDatabaseWithoutDigestsIsRebuiltWhenItIsOpened() async throws {
    try await test.apply()
    try test.execute("DROP TABLE projection_digest; DROP TABLE projection_conflict; \(Self.poison)")
    let catalog = try await open()
    #expect(try await catalog.apply(edition: 2) == .applied)
    catalog.close()
    let untouched = try ScratchShelves()
    try await untouched.apply()
    try await untouched.apply(edition: 2)
    #expect(try await test.receipt() == untouched.receipt())
    #expect(try test.rows("SELECT count(*) FROM projection_digest") != ["0"])
  }

  /// An earlier release appends and applies without the digests: they are of an earlier event, and prove nothing.
  @Test func digestsThatStandBehindProveNothing() async throws {
    try await test.apply()
    let old = try test.rows(
      "SELECT quote(table_name), stretch, rows, quote(digest) FROM projection_digest")
    try await test.apply(edition: 2)
    let rows = old.map { "(" + $0.split(separator: "|").joined(separator: ", ") + ")" }
    try test.execute(
      """
      DELETE FROM projection_digest;
      INSERT INTO projection_digest VALUES \(rows.joined(separator: ", "))
      """)
    try test.execute(Self.poison)
    try await test.apply(edition: 3)
    let untouched = try ScratchShelves()
    for edition in 1...3 { try await untouched.apply(edition: edition) }
    #expect(try await test.receipt() == untouched.receipt())
  }
}
