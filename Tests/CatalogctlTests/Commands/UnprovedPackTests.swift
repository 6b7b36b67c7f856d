import CatalogTestSupport
import DownloadTestSupport
import Foundation
import Promises
import Testing

/// A database that somebody changed by hand decides nothing: no downloaded file goes, no address is asked, no event is
/// appended, and "all" is not nothing.
@Suite(
  .promise(
    "A database that was changed by hand makes no command remove a downloaded file, ask an "
      + "address or append from it"))
struct UnprovedPackTests {
  private let server: PackServer
  private let pack: ServedPack
  private let catalog: TestCatalog

  init() async throws {
    pack = ServedPack(1, sizes: [3_000, 2_000])
    server = try PackServer([pack])
    catalog = try TestCatalog()
    let seed = try catalog.folder.write(
      ServedPack.seed([pack], at: server.address), to: "seed.json")
    try #require(await catalog.run("import", seed, "--at", TestCatalog.time).status == 0)
  }

  private func files() throws -> [String: [UInt8]] {
    try ScratchFolder.contents("\(catalog.path)/AudioAssets")
  }

  /// The index of an empty table in the place of one that leads to files.
  private static let lyingIndex = """
    PRAGMA writable_schema = 1;
    CREATE TABLE empty (a); CREATE INDEX empty_index ON empty (a);
    UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'empty_index')
      WHERE name = 'projection_idx_local_asset_pack';
    DELETE FROM sqlite_schema WHERE name LIKE '%empty%';
    """

  @Test(arguments: [
    "DELETE FROM local_asset",
    "UPDATE local_asset SET pack_id = '00000000-0000-4000-8000-000000000009'",
    "UPDATE pack_state SET state = 'not_downloaded'",
    lyingIndex,
  ])
  func noFileGoes(sql: String) async throws {
    #expect(await catalog.run("download", pack.id).status == 0)
    let before = try files()
    #expect(before.values.contains(pack.assets[0].bytes))
    let head = try await catalog.head()
    let seed = catalog.folder.file("seed.json")
    try await catalog.sqlite(sql)

    // Commands that read.
    for command in [
      ["items", "sfx"], ["packs"], ["pack", pack.id], ["search", "sound"], ["verify", "--quick"],
      ["receipt"], ["lint"], ["import", seed, "--dry-run"], ["doctor"],
    ] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      #expect([0, 2].contains(outcome.status), "\(command): \(outcome)")
      #expect(try files() == before, "\(command)")
      #expect(!outcome.output.contains("stray"), "\(command): \(outcome)")
    }
    _ = try await catalog.program("verify")
    #expect(try files() == before)
    // Commands that work on packs prove before they touch a file.
    for command in [
      ["cancel", pack.id], ["delete", pack.id], ["repair", pack.id], ["repair", "--all"],
      ["download", pack.id], ["download", "--all"],
    ] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(outcome.status == 2, "\(command): \(outcome)")
      #expect(outcome.errors.contains("catalogctl rebuild"), "\(command): \(outcome)")
      #expect(try files() == before, "\(command)")
    }
    #expect(try await catalog.head() == head)

    #expect(await catalog.run("rebuild").status == 0)
    let doctor = await catalog.run("doctor", "--hash")
    #expect(doctor.status == 0, "\(doctor)")
    #expect(try files() == before)
  }

  /// A change of tags is a writer, and manages no downloads.
  @Test func aChangeOfTagsTouchesNoFile() async throws {
    #expect(await catalog.run("download", pack.id).status == 0)
    let before = try files()
    try await catalog.sqlite("DELETE FROM local_asset")
    let item = pack.assets[0].item
    for status: Int32 in [2, 0] {
      #expect(await catalog.run("tag", "add", item, "--mood", "Fresh").status == status)
      #expect(try files() == before)
      #expect(await catalog.run("rebuild").status == 0)
      #expect(try files() == before)
    }
  }

  @Test func anAddressThatSomebodyWroteIsNotAsked() async throws {
    let other = try PackServer([pack])
    let head = try await catalog.head()
    try await catalog.sqlite(
      "UPDATE pack SET manifest_url = '\(other.address)/\(pack.manifestName)'")
    for command in [["download", pack.id], ["download", "--all"]] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.errors.contains("rows of pack"), "\(outcome)")
    }
    #expect(other.requests.isEmpty && server.requests.isEmpty)
    #expect(try await catalog.head() == head)
  }

  /// The row that is wrong is one that only the manifest's tags ask for: the download has begun by then.
  @Test func driftIsNotWrittenIntoTheLog() async throws {
    #expect(await catalog.run("tag", "add", pack.assets[0].item, "--mood", "Fresh").status == 0)
    var tagged = pack
    tagged.tags = ["moods": ["Fresh"]]
    server.publish(tagged)
    let head = try await catalog.head()
    try await catalog.sqlite("UPDATE mood SET name = 'Stale' WHERE name = 'Fresh'")
    let outcome = await catalog.run("download", pack.id)
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.errors.contains("rows of mood"), "\(outcome)")
    #expect(try await catalog.head() == head)
    #expect(await catalog.run("rebuild").status == 0)
    let again = await catalog.run("download", pack.id)
    #expect(again.status == 0, "\(again)")
  }

  @Test func allIsNotNothing() async throws {
    try await catalog.sqlite(
      "UPDATE pack_state SET state = 'downloaded', installed_version = 1")
    #expect(await catalog.run("download", "--all").status == 2)
    #expect(await catalog.run("rebuild").status == 0)
    #expect(await catalog.run("download", "--all").status == 0)
    try await catalog.sqlite("DELETE FROM pack_state")
    #expect(await catalog.run("repair", "--all").status == 2)
    #expect(await catalog.run("download", "--all").status == 2)
  }
}
