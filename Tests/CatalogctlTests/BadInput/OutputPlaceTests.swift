import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Commands that create a file refuse the places that a catalog uses, before they create anything.
@Suite(
  .promise(
    "No option that names a new file or folder puts one in a place that a catalog uses, "
      + "through links either"))
struct OutputPlaceTests {
  private static let commands = [
    ["materialize", "1"], ["report", "--out"], ["rebuild", "--out"],
    ["rebuild", "--keep-old"], ["salvage"],
  ]

  private static let names = [
    "events/report.html", "events/00000000000000000099.jsonl.zst", "events/new/file", "events",
    "catalog.sqlite-wal", "catalog.sqlite-shm", "catalog.sqlite-journal", "catalog.sqlite-proved",
    "catalog.sqlite-new", "catalog.sqlite.unusable-1", ".catalog.sqlite.rebuild-7",
    "Catalog.SQLite-wal", "./events/../events//x",
  ]

  private func expectRefused(
    _ path: String, by catalog: TestCatalog, _ commands: [[String]] = commands
  ) async throws {
    for command in commands {
      let before = try ScratchFolder.contents(catalog.folder.path)
      let outcome = await InProcess.run(command + [path, "--catalog", catalog.path])
      #expect(
        outcome.status == 1 && outcome.errors.contains("\(path) is refused"),
        "\(command) \(path): \(outcome)")
      #expect(
        try ScratchFolder.contents(catalog.folder.path) == before, "\(command) \(path) made a file")
    }
  }

  @Test(arguments: names)
  func aPlaceOfTheCatalogIsRefused(name: String) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    try await expectRefused("\(catalog.path)/\(name)", by: catalog)
  }

  @Test func aPlaceOfTheCatalogIsRefusedThroughLinks() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let folder = catalog.folder
    func link(_ name: String, to path: String) throws {
      try FileManager.default.createSymbolicLink(
        atPath: folder.file(name), withDestinationPath: path)
    }
    try link("same", to: catalog.path)
    try link("log", to: catalog.events)
    for name in ["same/events/x", "same/catalog.sqlite-wal", "log/x", "log/y/z", "log"] {
      try await expectRefused(folder.file(name), by: catalog)
    }
  }

  /// The parts of a catalog may be links themselves: what is beside their targets is in use.
  @Test func aPlaceThatTheCatalogLinksToIsRefused() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let files = FileManager.default
    try files.createDirectory(
      atPath: catalog.folder.file("elsewhere"), withIntermediateDirectories: false)
    let rows = catalog.folder.file("elsewhere/rows.sqlite")
    try files.moveItem(atPath: catalog.database, toPath: rows)
    try files.createSymbolicLink(atPath: catalog.database, withDestinationPath: rows)
    let moved = catalog.folder.file("elsewhere/log")
    try files.moveItem(atPath: catalog.events, toPath: moved)
    try files.createSymbolicLink(atPath: catalog.events, withDestinationPath: moved)
    let commands = Self.commands.filter { !$0.contains("--keep-old") }
    for name in ["elsewhere/rows.sqlite-wal", "elsewhere/log/x"] {
      try await expectRefused(catalog.folder.file(name), by: catalog, commands)
    }
  }

  @Test func anotherCatalogsPlacesAreRefused() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let other = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let before = try ScratchFolder.contents(other.path)
    for name in ["events/x", "catalog.sqlite-wal"] {
      try await expectRefused("\(other.path)/\(name)", by: catalog)
    }
    // A folder of events alone, read in the place of a catalog.
    let outcome = await InProcess.run(
      ["materialize", "1", other.events + "/x", "--events", other.events])
    #expect(outcome.status == 1 && outcome.errors.contains("is refused"), "\(outcome)")
    #expect(try ScratchFolder.contents(other.path) == before)
  }

  @Test func anotherNameInTheCatalogsFolderIsFree() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    for (command, name) in [
      (["report", "--out"], "report.html"), (["rebuild", "--out"], "catalog2.sqlite"),
      (["materialize", "1"], "events.sqlite"), (["salvage"], "rescued"),
    ] {
      let outcome = await InProcess.run(
        command + ["\(catalog.path)/\(name)", "--catalog", catalog.path])
      #expect(outcome.status == 0, "\(outcome)")
    }
    #expect(await catalog.run("doctor").status == 0)
  }

  @Test func aPlaylistIsNotWrittenIntoTheCatalog() async throws {
    let catalog = try TestCatalog()
    for command in [
      ["init", "--kind", "track-library"], ["tracks", "playlist", "create", "Evening"],
    ] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      try #require(outcome.status == 0, "\(outcome)")
    }
    let export = [["tracks", "export", "Evening", "--m3u"]]
    for name in ["events/x.m3u8", "catalog.sqlite-wal", "catalog.sqlite-journal"] {
      try await expectRefused("\(catalog.path)/\(name)", by: catalog, export)
    }
    let path = catalog.folder.file("evening.m3u8")
    let written = await InProcess.run(export[0] + [path, "--catalog", catalog.path])
    #expect(written.status == 0, "\(written)")
    let again = await InProcess.run(export[0] + [path, "--catalog", catalog.path])
    #expect(again.status == 1 && again.errors.contains("already exists"), "\(again)")
  }

  @Test func aCacheIsNotPutIntoALog() async throws {
    let catalog = try TestCatalog()
    for command in [
      ["init", "--kind", "concert-archive"],
      ["shows", "import", Program.package + "/Examples/Concerts/data-v1.0.0"],
    ] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      try #require(outcome.status == 0, "\(outcome)")
    }
    let recordings = await catalog.run(
      "shows", "recordings", "1977-05-08-lantern-hall-millbrook-ny-usa", "--format", "json")
    let found = try #require(
      recordings.output.firstMatch(of: /"identifier" : "([^"]+)"/)?.output.1, "\(recordings)")
    try await expectRefused(
      catalog.events + "/cache", by: catalog, [["shows", "tracks", String(found), "--cache"]])
  }
}
