import CatalogTestSupport
import Foundation
import Promises
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Seeds that cannot be read as files, and folders that are no catalogs.
@Suite(
  .promise(
    "A document is refused as a whole, with file, path, offset and value, and changes nothing",
    by: "files that cannot be read, folders that are not catalogs"))
struct BadFileTests {
  @Test(arguments: [
    ("folder", "this is a folder"), ("empty.json", "the file is empty"),
    ("missing.json", "the file does not exist"), ("pipe", "this is not a regular file"),
    ("empty.json/seed.json", "the file does not exist"),
  ])
  func aFileThatIsNoneIsRefused(name: String, says: String) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let before = try ScratchFolder.contents(catalog.path)
    try FileManager.default.createDirectory(
      atPath: catalog.folder.file("folder"), withIntermediateDirectories: true)
    try catalog.folder.write("", to: "empty.json")
    #expect(mkfifo(catalog.folder.file("pipe"), 0o666) == 0)
    for command in [["import"], ["import", "--dry-run"], ["verify", "--receipt"]] {
      let outcome = await InProcess.run(
        command + [catalog.folder.file(name), "--catalog", catalog.path])
      #expect(outcome.status == 1)
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors.contains("\(catalog.folder.file(name)): \(says)"), "\(outcome)")
      #expect(outcome.errors.contains("; "), "no advice: \(outcome.errors)")
    }
    #expect(try ScratchFolder.contents(catalog.path) == before)
  }

  @Test(.enabled(if: OtherUser.canBe, OtherUser.need))
  func aFileThatMayNotBeReadIsRefused() async throws {
    let catalog = try TestCatalog(isForEverybody: true)
    let seed = try catalog.folder.write(SampleSeed.text(), to: "seed.json")
    chmod(seed, 0o600)
    chmod(catalog.folder.path, 0o777)
    let outcome = try await OtherUser(in: catalog.folder).run(
      ["import", seed, "--catalog", catalog.path])
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains("\(seed): this user may not read the file; check its permissions"),
      "\(outcome)")
    #expect(!catalog.folder.exists("catalog"))
  }

  static let reading = [
    ["head"], ["log"], ["event", "1"], ["items", "music"], ["facets", "music"], ["rebuild"],
    ["rebuild", "--out", "/nowhere/out.sqlite"], ["receipt"], ["check"], ["seal"], ["verify"],
  ]

  @Test(arguments: reading)
  func aFolderWithoutACatalogSaysHowToImport(command: [String]) async throws {
    let catalog = try TestCatalog()
    try FileManager.default.createDirectory(
      atPath: catalog.path, withIntermediateDirectories: true)
    for path in [catalog.path, catalog.folder.file("missing")] {
      let outcome = await InProcess.run(command + ["--catalog", path])
      #expect(outcome.status == 1)
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors.contains("there is no catalog in \(path)"), "\(outcome)")
      #expect(outcome.errors.contains("import a seed first"), "\(outcome)")
    }
    #expect(try ScratchFolder.contents(catalog.path).isEmpty, "something was made")
    #expect(!catalog.folder.exists("missing"))
  }

  /// Commands of another kind say how a catalog of that kind is created.
  @Test(arguments: [
    (["tracks", "list"], "track-library"), (["tracks", "playlist", "list"], "track-library"),
    (["shows", "search", "x"], "concert-archive"),
  ])
  func aFolderWithoutACatalogNamesTheKind(command: [String], kind: String) async throws {
    let catalog = try TestCatalog()
    try FileManager.default.createDirectory(
      atPath: catalog.path, withIntermediateDirectories: true)
    let outcome = await InProcess.run(command + ["--catalog", catalog.path])
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains("create one with `catalogctl init --kind \(kind)`"), "\(outcome)")
    #expect(!outcome.errors.contains("seed"))
  }

  /// An import makes the catalog of its kind, but not if the document is refused.
  @Test(arguments: [["tracks", "import"], ["shows", "import"]])
  func anImportMakesTheCatalog(command: [String]) async throws {
    let catalog = try TestCatalog()
    let isTracks = command[0] == "tracks"
    let document =
      isTracks
      ? try catalog.folder.write(
        """
        {"tracks": [{"id": "5a0e7c1b-63d2-4c11-9c62-7c0b1d1f0a01", "title": "Lantern Waltz",
          "artist": "Ida Marlo", "duration": 214.5, "fileURL": "file:///Music/Waltz.mp3"}], "collections": []}
        """, to: "library.json")
      : ScratchFolder.repository + "/Examples/Concerts/data-v1.0.0"
    let planned = await InProcess.run(
      command + [document, "--dry-run", "--format", "json", "--catalog", catalog.path])
    #expect(planned.status == 2, "\(planned)")
    #expect(try planned.object()["sequence"] == nil)
    try FileManager.default.createDirectory(
      atPath: catalog.folder.file("bad"), withIntermediateDirectories: true)
    let bad = try catalog.folder.write("{", to: isTracks ? "bad.json" : "bad/manifest.json")
    let refused = await InProcess.run(
      command + [isTracks ? bad : catalog.folder.file("bad"), "--catalog", catalog.path])
    #expect(refused.status == 1, "\(refused)")
    #expect(!catalog.folder.exists("catalog"))
    let imported = await InProcess.run(command + [document, "--catalog", catalog.path])
    #expect(imported.status == 0, "\(imported)")
    #expect(try await catalog.program("verify").status == 0)
  }

  @Test(arguments: reading + [["import"], ["import", "--dry-run"]])
  func aCatalogThatIsAFileIsNamed(command: [String]) async throws {
    let folder = try ScratchFolder()
    let file = try folder.write("text", to: "file")
    let seed = try folder.write(SampleSeed.text(), to: "seed.json")
    let outcome = await InProcess.run(
      command + (command[0] == "import" ? [seed] : []) + ["--catalog", file])
    #expect(outcome.status == 1)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains(file))
    #expect(outcome.errors.contains("--catalog"), "no advice: \(outcome.errors)")
    #expect(try folder.bytes("file") == Array("text".utf8))
  }
}
