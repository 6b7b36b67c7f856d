import CatalogEngine
import CatalogModel
import CatalogTestSupport
import DescribedTables
import Foundation
import Projections
import Promises
import Testing

/// A database has the places of the events that describe the kind, so that a log is not searched from its beginning. Whatever is wrong with
/// the database, the kind is the one that a search finds.
@Suite(
  "The kind of a log is the same, whatever its database says of it",
  .promise(
    "The rows of a described kind are what a second reader finds in its log, whatever its "
      + "database says",
    by: "a database that is behind, changed, or of another log"))
struct RememberedDescriptionTests {
  private let folder: ScratchFolder
  private var directory: CatalogDirectory { CatalogDirectory(folder.path) }
  private var database: String { folder.path + "/catalog.sqlite" }

  init() throws {
    folder = try ScratchFolder()
    try Self.create(in: folder)
  }

  private static func create(in folder: ScratchFolder) throws {
    let kind = DescribedKind(try Stock.description())
    _ = try TableCatalog.create(
      in: CatalogDirectory(folder.path), kind, options: OpeningOptions())
  }

  /// Takes another description, with one more column.
  private func describe(_ name: String) throws {
    let kind = try #require(try kind(besides: nil) as? DescribedKind)
    var description = kind.description
    description.tables[0].columns.append(
      DescribedColumn(name, .integer, optional: true))
    let change = try DescriptionChange(from: kind.description, to: description, dropping: [])
    _ = try TableCatalog.describe(change, in: directory, kind, options: OpeningOptions())
  }

  private func kind(besides database: String?) throws -> (any CatalogKind)? {
    try KnownKinds([], descriptions: DescribedKinds()).knownKind(
      of: directory.store(), besides: database)
  }

  private func expectSame(columns: Int) throws {
    let known = try #require(try kind(besides: database) as? DescribedKind)
    let found = try #require(try kind(besides: nil) as? DescribedKind)
    #expect(known.fingerprint == found.fingerprint)
    #expect(known.description == found.description)
    #expect(known.description.tables[0].columns.count == columns)
  }

  private func change(_ sql: String) throws {
    _ = try SQLiteShell.rows(of: database, sql)
  }

  private var columns: Int {
    get throws { try Stock.description().tables[0].columns.count }
  }

  @Test("A database at the log's head")
  func isAtHead() throws {
    try expectSame(columns: columns)
    try describe("one")
    try describe("two")
    try expectSame(columns: columns + 2)
  }

  @Test("A database that lacks later descriptions")
  func isBehind() throws {
    try describe("one")
    let older = try Data(contentsOf: URL(fileURLWithPath: database))
    try describe("two")
    try older.write(to: URL(fileURLWithPath: database))
    try expectSame(columns: columns + 2)
  }

  @Test(
    "A database whose descriptions were changed by hand",
    arguments: [
      "DELETE FROM projection_description WHERE sequence = 3", "DELETE FROM projection_description",
      "UPDATE projection_description SET sequence = 1 WHERE sequence = 3",
      "UPDATE projection_description SET sequence = 99 WHERE sequence = 3",
      "DROP TABLE projection_description", "DELETE FROM projection_checkpoint",
      "UPDATE projection_checkpoint SET chain = '\(String(repeating: "0", count: 64))'",
      "UPDATE projection_checkpoint SET sequence = 2",
    ])
  func isChanged(sql: String) throws {
    try describe("one")
    try change(sql)
    try expectSame(columns: columns + 1)
  }

  @Test("A database of another log, and a file that is not a database")
  func isAnother() throws {
    try describe("one")
    let other = try ScratchFolder()
    try Self.create(in: other)
    try FileManager.default.removeItem(atPath: database)
    try FileManager.default.copyItem(
      atPath: other.path + "/catalog.sqlite", toPath: database)
    try expectSame(columns: columns + 1)
    try Data("no database".utf8).write(to: URL(fileURLWithPath: database))
    try expectSame(columns: columns + 1)
  }
}
