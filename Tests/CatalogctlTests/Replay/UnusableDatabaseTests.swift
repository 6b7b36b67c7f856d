import CatalogTestSupport
import Foundation
import Promises
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Whatever has the database's name: commands say what it is, none waits for it, and `rebuild` sets it aside.
@Suite(
  .promise(
    "Whatever has the database's name is named, no command waits for it, and `rebuild` "
      + "sets it aside"),
  .timeLimit(.minutes(5)))
struct UnusableDatabaseTests {
  enum Kind: String, CaseIterable {
    case folder, pipe, danglingLink, linkToText, foreign, garbage, damagedHeader, damagedPages
    case folderAsLog
  }

  @Test(arguments: Kind.allCases)
  func itIsNamedAndARebuildSetsItAside(kind: Kind) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let path = catalog.database
    try await spoil(catalog, kind)
    let doctor = await catalog.run("doctor")
    #expect(doctor.status == 2, "\(doctor)")
    #expect(doctor.output.contains("catalogctl rebuild"), "\(doctor)")
    for command in [["packs", "sfx"], ["receipt"]] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      // Pages that nobody reads are found by `doctor` and `verify` alone.
      guard kind != .damagedPages else { continue }
      #expect(outcome.status == 1, "\(command): \(outcome)")
      #expect(outcome.errors.contains("`catalogctl rebuild`"), "\(command): \(outcome)")
      #expect(outcome.errors.contains(says(kind)), "\(command): \(outcome)")
    }
    #expect(await catalog.run("head").status == 0)

    let rebuilt = await catalog.run("rebuild")
    #expect(rebuilt.status == 0, "\(rebuilt)")
    let names = try FileManager.default.contentsOfDirectory(atPath: catalog.path)
    if kind != .damagedPages {
      #expect(names.contains("catalog.sqlite.unusable-1"), "\(names)")
    }
    var info = stat()
    #expect(lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG)
    let packs = await catalog.run("packs", "sfx")
    #expect(packs.status == 0, "\(packs)")
    // Only what was set aside is left to be told.
    let after = await catalog.run("doctor", "--format", "json")
    #expect(
      try after.objects().allSatisfy { $0["problem"] as? String == "keptAside" }, "\(after)")
  }

  @Test func theLogOfADatabaseGoesWithIt() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    try await spoil(catalog, .folder)
    for ending in ["-wal", "-shm"] {
      try Data("of the old one".utf8).write(to: URL(filePath: catalog.database + ending))
    }
    #expect(await catalog.run("rebuild").status == 0)
    let names = Set(try FileManager.default.contentsOfDirectory(atPath: catalog.path))
    #expect(
      names.isSuperset(of: [
        "catalog.sqlite.unusable-1", "catalog.sqlite.unusable-1-wal",
        "catalog.sqlite.unusable-1-shm",
      ]), "\(names)")
  }

  /// As a user whose folder it is, where the file is another's.
  @Test(.enabled(if: OtherUser.canBe, OtherUser.need))
  func anotherUsersFileIsSetAside() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(
      hasHistory: false, isForEverybody: true)
    let user = try await OtherUser(in: catalog.folder)
    let given = try await Program.run(
      "chown", ["-R", "\(OtherUser.id):\(OtherUser.id)", catalog.folder.path])
    try #require(given.status == 0)
    try #require(chown(catalog.database, 0, 0) == 0 && chmod(catalog.database, 0o600) == 0)
    func asNobody(_ arguments: String...) async throws -> Outcome {
      try await user.run(arguments + ["--catalog", catalog.path])
    }
    let doctor = try await asNobody("doctor")
    #expect(doctor.status == 2 && doctor.output.contains("cannot read"), "\(doctor)")
    let packs = try await asNobody("packs", "sfx")
    #expect(packs.status == 1 && packs.errors.contains("cannot read"), "\(packs)")
    let rebuilt = try await asNobody("rebuild")
    #expect(rebuilt.status == 0, "\(rebuilt)")
    #expect(try await asNobody("packs", "sfx").status == 0)
    // One that this user may read, and not write, is replaced in the same way.
    try #require(chown(catalog.database, 0, 0) == 0 && chmod(catalog.database, 0o644) == 0)
    #expect(try await asNobody("packs", "sfx").status == 0)
    let tagged = try await asNobody("tag", "add", SampleSeed.id(101), "--mood", "New")
    #expect(tagged.status == 1 && tagged.errors.contains("may not write to"), "\(tagged)")
    #expect(try await asNobody("rebuild").status == 0)
    #expect(try await asNobody("tag", "add", SampleSeed.id(101), "--mood", "New").status == 0)
  }

  // MARK: What has its name

  private func says(_ kind: Kind) -> String {
    switch kind {
    case .folder: "is a folder"
    case .pipe: "is a named pipe"
    case .danglingLink: "is a dangling link"
    case .linkToText, .garbage, .damagedHeader: "is not an SQLite database"
    case .foreign: "another program"
    case .damagedPages: ""
    case .folderAsLog: "catalog.sqlite-wal is a folder"
    }
  }

  private func spoil(_ catalog: TestCatalog, _ kind: Kind) async throws {
    let path = catalog.database
    let files = FileManager.default
    func remove() {
      for ending in ["", "-wal", "-shm"] { try? files.removeItem(atPath: path + ending) }
    }
    func overwrite(_ offset: UInt64, _ bytes: Int) throws {
      let file = try FileHandle(forUpdating: URL(filePath: path))
      try file.seek(toOffset: offset)
      try file.write(contentsOf: Data(repeating: 0xA5, count: bytes))
      try file.close()
    }
    switch kind {
    case .folder:
      remove()
      try files.createDirectory(atPath: path + "/within", withIntermediateDirectories: true)
    case .pipe:
      remove()
      try #require(mkfifo(path, 0o600) == 0)
    case .danglingLink:
      remove()
      try files.createSymbolicLink(atPath: path, withDestinationPath: "nowhere/at.all")
    case .linkToText:
      remove()
      try Data("a text, long enough to be read as a page".utf8).write(
        to: URL(filePath: catalog.folder.file("text")))
      try files.createSymbolicLink(
        atPath: path, withDestinationPath: catalog.folder.file("text"))
    case .foreign:
      remove()
      try await catalog.sqlite("CREATE TABLE places (url TEXT); INSERT INTO places VALUES ('x')")
    case .garbage: try overwrite(0, 20_000)
    case .damagedHeader: try overwrite(0, 40)
    case .damagedPages: try overwrite(8 * 4_096, 6 * 4_096)
    case .folderAsLog:
      try? files.removeItem(atPath: path + "-wal")
      try files.createDirectory(atPath: path + "-wal", withIntermediateDirectories: false)
    }
  }
}
