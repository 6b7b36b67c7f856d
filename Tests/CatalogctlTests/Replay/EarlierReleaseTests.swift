import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import CatalogStore

/// Catalogs as earlier releases wrote them: log, database and receipt, kept in Resources/EarlierReleases, a folder each.
@Suite(
  .promise(
    "Catalogs and receipts of earlier releases are what they were",
    by: "a log, a database and a receipt that a release wrote"))
struct EarlierReleaseTests {
  private static let folder =
    "\(Program.package)/Tests/CatalogctlTests/Resources/EarlierReleases"

  private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    .filter { $0 != "README.md" }

  /// The catalog of one of them, with the database that the release left or without any.
  private func catalog(_ name: String, withDatabase: Bool) async throws -> TestCatalog {
    let catalog = try TestCatalog()
    let source = "\(Self.folder)/\(name)"
    try FileManager.default.createDirectory(
      atPath: catalog.path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: "\(source)/events", toPath: catalog.events)
    if withDatabase {
      let unpacked = try await Program.run(
        "zstd", ["-q", "-d", "\(source)/catalog.sqlite.zst", "-o", catalog.database])
      try #require(unpacked.status == 0, "\(unpacked)")
    }
    return catalog
  }

  @Test(arguments: names, [true, false])
  func itsRowsAreWhatTheyWere(name: String, withDatabase: Bool) async throws {
    let catalog = try await catalog(name, withDatabase: withDatabase)
    let earlier = try receipt(
      String(contentsOfFile: "\(Self.folder)/\(name)/receipt.json", encoding: .utf8))
    if !withDatabase { #expect(await catalog.run("rebuild").status == 0) }
    let verified = try await catalog.program("verify")
    #expect(verified.status == 0, "\(verified)")
    let now = await catalog.run("receipt")
    #expect(try tables(of: receipt(now.output), since: earlier) == earlier.tables, "\(now)")
    for command in [["packs"], ["items", "sfx"], ["facets", "sfx"], ["lint", "--brief"]] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(outcome.status == 0, "\(command): \(outcome)")
    }
    #expect(await catalog.run("rebuild").status == 0)
    #expect(await catalog.run("receipt").output == now.output)
  }

  private func receipt(_ json: String) throws -> RecordedReceipt {
    try RecordedReceipt(json: Data(json.utf8))
  }

  /// The tables without those that later releases added, which have no rows in these catalogs.
  private func tables(
    of now: RecordedReceipt, since earlier: RecordedReceipt
  ) -> [RecordedReceipt.Table] {
    #expect(now.log == earlier.log)
    let known = Set(earlier.tables.map(\.table))
    let added = now.tables.filter { !known.contains($0.table) }
    #expect(added.map(\.table) == ["projection_reverted"])
    #expect(added.allSatisfy { $0.rows == 0 })
    return now.tables.filter { known.contains($0.table) }
  }

  @Test func thereIsOneAtLeast() {
    #expect(!Self.names.isEmpty)
  }
}
