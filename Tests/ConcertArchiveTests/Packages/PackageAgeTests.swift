import CatalogTestSupport
import ConcertArchive
import Foundation
import Promises
import Testing

/// A package that is older than the archive's is refused; what a package takes away is named.
@Suite(
  .promise(
    "A package of concerts is imported once, an update keeps what a person added, and an "
      + "older package is refused"))
struct PackageAgeTests {
  private static func package(_ version: String, _ build: String?) -> GeneratedPackage {
    GeneratedPackage(
      version: version, buildTimestamp: build,
      shows: [
        .init(id: "a", date: "1970-01-01"), .init(id: "b", date: "1970-01-02"),
        .init(id: "c", date: "1970-01-03"),
      ])
  }

  /// The archive's version and build, those of the package, and whether it is older.
  @Test(
    arguments: [
      ("1.1.0", nil, "1.0.0", nil, true), ("1.0.0", nil, "1.1.0", nil, false),
      ("1.10.0", nil, "1.9.0", nil, true), ("1.9.0", nil, "1.10.0", nil, false),
      ("99999999999999999999998", nil, "1.2.3.4", nil, true),
      ("v2.0.2", nil, "2.0.1", nil, true), ("2.0", nil, "2.0.0", nil, false),
      ("2.0.0", nil, "2.0.0-beta.2", nil, true), ("2.0.0-beta.2", nil, "2.0.0", nil, false),
      ("2.0.0-beta.10", nil, "2.0.0-beta.9", nil, true),
      ("2.0.0-beta", nil, "2.0.0-1", nil, true), ("2026-02-01", nil, "2026-01-15", nil, true),
      // The version decides, even if the build is later.
      ("2.0.0", "2026-01-01", "1.0.0", "2026-02-01", true),
      ("1.0.0", "2026-02-01", "2.0.0", "2026-01-01", false),
      // The build decides between equal versions, and if a version is not made of numbers.
      ("1.0.0", "2026-03-02T09:00:00", "1.0.0", "2026-03-02T08:59:59", true),
      ("1.0.0", "2026-03-02T09:00:00", "1.0.0", "2026-03-02T09:00:00Z", false),
      ("1.0.0", "2026-03-02T09:00:00Z", "1.0.0", "2026-03-02T10:30:00+02:00", true),
      ("nightly", "2026-03-02", "spring", "2026-03-01", true),
      ("nightly", "2026-03-02", "1.0.0", "2026-03-03", false),
      // Neither tells.
      ("nightly", nil, "spring", "2026-03-01", false), ("1.0.0", "later", "1.0.0", "soon", false),
      ("99999999999999999999.0", nil, "1.0.0", nil, true),
    ] as [(String, String?, String, String?, Bool)])
  func anOlderPackageIsRefused(
    _ version: String, _ build: String?, _ offered: String, _ offeredBuild: String?, _ isOlder: Bool
  ) async throws {
    let test = try await TestArchive.containing(Self.package(version, build))
    let path = try test.written(Self.package(offered, offeredBuild))
    let plan = try await test.archive.packages.plan(path)
    #expect((plan.older != nil) == isOlder)
    let rows = try test.sql("SELECT data_version FROM data_version")
    if isOlder {
      let error = await #expect(throws: OlderPackage.self) {
        try await test.archive.packages.apply(path)
      }
      let text = try #require(error).description
      #expect(text.contains(version) && text.contains(offered), "\(text)")
      #expect(try test.sql("SELECT data_version FROM data_version") == rows)
      #expect(
        try await test.archive.packages.apply(path, allowsOlder: true).outcome == .imported)
    } else {
      try await test.archive.packages.apply(path)
    }
    #expect(try test.sql("SELECT data_version FROM data_version") == [offered])
    // The same package again is not older.
    #expect(try await test.archive.packages.apply(path).outcome == .unchanged)
  }

  /// Checked against SQL: memberships before and after, collection by collection.
  @Test func whatCollectionsLoseIsNamed() async throws {
    var random = SeededGenerator("lost memberships")
    func some(_ ids: [String]) -> [String] { ids.filter { _ in random.below(3) > 0 } }
    let ids = (0..<12).map { "show-\($0)" }
    var package = GeneratedPackage(
      shows: ids.enumerated().map { .init(id: $1, date: "1970-01-\(10 + $0)") })
    for number in 0..<9 { package.collections["collection-\(number)"] = some(ids) }
    let test = try await TestArchive.containing(package)
    package.version = "1.0.1"
    for number in 0..<9 {
      switch random.below(3) {
      case 0: package.collections["collection-\(number)"] = nil
      case 1: package.collections["collection-\(number)"] = some(ids)
      default: break
      }
    }
    let memberships =
      "SELECT collection_id || ' ' || show_id FROM projection_collection_show ORDER BY 1"
    let before = try test.sql(memberships)
    let names = try test.sql("SELECT id FROM collections ORDER BY id")
    let path = try test.written(package)
    let plan = try await test.archive.packages.plan(path)
    let report = try await test.archive.packages.apply(path)
    #expect(plan.lostCollections == report.lostCollections)
    let left = Set(try test.sql(memberships))
    let leftNames = Set(try test.sql("SELECT id FROM collections"))
    let lost = before.filter { !left.contains($0) }
    #expect(report.memberships == before.count && report.collections == names.count)
    #expect(report.lostMemberships == lost.count)
    let wanted = names.filter { name in
      !leftNames.contains(name) || lost.contains { $0.hasPrefix(name + " ") }
    }
    #expect(report.lostCollections.map(\.id) == wanted)
    for collection in report.lostCollections {
      #expect(collection.isRemoved == !leftNames.contains(collection.id))
      #expect(collection.lostShows == lost.count { $0.hasPrefix(collection.id + " ") })
      #expect(collection.shows == before.count { $0.hasPrefix(collection.id + " ") })
      #expect(collection.name == "Name of \(collection.id)")
    }
  }
}
