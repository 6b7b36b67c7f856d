import CatalogTestSupport
import Foundation
import Promises
import Testing

/// A dry run of any kind changes no byte and no time of a file in the catalog's folder, whatever the database is like.
@Suite(
  .promise(
    "A dry run of an import changes no byte and no time of a file, and refuses what the "
      + "import refuses",
    by: "each kind, whatever the database is like"))
struct DryRunTests {
  enum Database: String, CaseIterable {
    case current, missing, late, ofAnEarlierRelease
  }

  enum Kind: String, CaseIterable {
    case sound, concerts, tracks

    /// The documents that are imported first, and those that a dry run is asked about.
    var documents: (first: [String], second: [String]) {
      let examples = ScratchFolder.repository + "/Examples/"
      return switch self {
      case .sound: (["import"], ["import"])
      case .concerts:
        (
          ["shows", "import", examples + "Concerts/data-v1.0.0"],
          ["shows", "import", examples + "Concerts/data-v1.1.0"]
        )
      case .tracks:
        (
          ["tracks", "import", examples + "Tracks/library.json"],
          ["tracks", "import", examples + "Tracks/spotify"]
        )
      }
    }
  }

  @Test(arguments: Kind.allCases, Database.allCases)
  func nothingIsWritten(_ kind: Kind, _ database: Database) async throws {
    let catalog = try TestCatalog()
    var (first, second) = kind.documents
    switch kind {
    case .sound:
      first.append(try catalog.folder.write(SampleSeed.text(revision: 1), to: "1.json"))
      second.append(try catalog.folder.write(SampleSeed.text(revision: 3), to: "3.json"))
    case .concerts: try await expect(catalog, ["init", "--kind", "concert-archive"])
    case .tracks: try await expect(catalog, ["init", "--kind", "track-library"])
    }
    let early = try ScratchFolder()
    if kind == .sound {
      try await expect(catalog, first)
      first[1] = try catalog.folder.write(SampleSeed.text(revision: 2), to: "2.json")
    }
    try FileManager.default.copyItem(
      atPath: catalog.database, toPath: early.file("catalog.sqlite"))
    try await expect(catalog, first)
    // What a real import appends, found on a copy.
    let copy = try catalog.copy()
    let real = await InProcess.run(second + ["--catalog", copy.path, "--format", "json"])
    try #require(real.status == 0, "\(real)")
    let events = try await count(copy) - count(catalog)
    #expect(events > 0)

    switch database {
    case .current: break
    case .missing: try FileManager.default.removeItem(atPath: catalog.database)
    case .late:
      try FileManager.default.removeItem(atPath: catalog.database)
      try FileManager.default.copyItem(
        atPath: early.file("catalog.sqlite"), toPath: catalog.database)
    case .ofAnEarlierRelease:
      try await catalog.sqlite(
        "UPDATE projection_checkpoint SET fingerprint = '\(String(repeating: "0", count: 64))'")
    }
    try? FileManager.default.removeItem(atPath: catalog.database + "-proved")

    let before = try FolderState(catalog.path)
    let outcome = try await Program.catalogctl(
      second + ["--dry-run", "--catalog", catalog.path])
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.output.contains("would append \(events) events"), "\(outcome)")
    let json = try await Program.catalogctl(
      second + ["--dry-run", "--catalog", catalog.path, "--format", "json"])
    let changes = try Self.changes(json)
    #expect(try changes == Self.changes(real) && !changes.isEmpty, "\(json)")
    #expect(try FolderState(catalog.path) == before)
  }

  /// The rows that an import changed or would change, by table and column, in words.
  private static func changes(_ outcome: Outcome) throws -> [String] {
    let object = try outcome.object()
    let document = (object["documents"] as? [[String: Any]])?.first
    let tables = (object["tables"] ?? document?["tables"]) as? [[String: Any]] ?? []
    return tables.flatMap { table in
      let counts = ["table", "added", "removed", "changed"].map { "\(table[$0] ?? "-")" }
      let columns = table["columns"] as? [[String: Any]] ?? []
      return [counts.joined(separator: " ")]
        + columns.map { "\($0["column"] ?? "-") \($0["rows"] ?? "-") \($0["before"] ?? "-")" }
    }
  }

  private func expect(_ catalog: TestCatalog, _ arguments: [String]) async throws {
    let outcome = await InProcess.run(arguments + ["--catalog", catalog.path])
    try #require(outcome.status == 0, "\(outcome)")
  }

  private func count(_ catalog: TestCatalog) async throws -> Int {
    try await catalog.head().sequence
  }
}

/// Names, bytes and times of everything in a folder.
private struct FolderState: Equatable {
  private struct Entry: Equatable {
    let inode: UInt64
    let written: [Int]
    let changed: [Int]
    let bytes: Data?
  }

  private var entries: [String: Entry] = [:]

  init(_ folder: String) throws {
    for name in [""] + (try FileManager.default.subpathsOfDirectory(atPath: folder)) {
      let path = folder + "/" + name
      var info = stat()
      guard lstat(path, &info) == 0 else { continue }
      entries[name] = Entry(
        inode: UInt64(info.st_ino), written: [info.st_mtim.tv_sec, info.st_mtim.tv_nsec],
        changed: [info.st_ctim.tv_sec, info.st_ctim.tv_nsec],
        bytes: FileManager.default.contents(atPath: path))
    }
  }
}
