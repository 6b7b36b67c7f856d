import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Documents that commands of the track library read and write.
@Suite(
  .promise(
    "Playlists in M3U, PLS, XSPF and CSV are read entry by entry, and an export is read "
      + "again as it was",
    by: "the commands that write them"))
struct TracksDocumentTests {
  /// A list for a file or another program has the bytes that `--m3u` writes, and its paths lead to the files; a terminal is
  /// not steered.
  @Test func aListIsWrittenAsItIs() async throws {
    let catalog = try TestCatalog()
    let folder = catalog.folder.file("music")
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false)
    for name in ["a\tb.mp3", "c\u{200F}d.mp3", "e\u{202F}f.mp3", "g\u{2028}h.mp3"] {
      try catalog.folder.write("", to: "music/\(name)")
    }
    let list = try catalog.folder.write(
      "music/a\tb.mp3\nmusic/c\u{200F}d.mp3\nmusic/e\u{202F}f.mp3\n", to: "L.m3u8")
    for words in [["init", "--kind", "track-library"], ["tracks", "import", folder, list]] {
      let outcome = try await Program.catalogctl(words + ["--catalog", catalog.path])
      try #require(outcome.status == 0, "\(outcome)")
    }
    let export = ["tracks", "export", "L", "--catalog", catalog.path]
    let file = catalog.folder.file("out.m3u8")
    let written = try await Program.catalogctl(export + ["--m3u", file])
    try #require(written.status == 0, "\(written)")
    let text = try #require(String(validating: catalog.folder.bytes("out.m3u8"), as: UTF8.self))
    #expect(try await Program.catalogctl(export).output == text)
    #expect(await InProcess.run(export).output == text)
    let paths = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(paths.count == 3)
    for path in paths { #expect(FileManager.default.fileExists(atPath: String(path)), "\(path)") }
    let shown = try await Terminal.run(Program.catalogctl, export)
    #expect(shown.output.contains("c\\u{200f}d") && shown.output.contains("a\\u{9}b"))
  }

  /// An import that empties a playlist says so, and needs `--force`.
  @Test func aPlaylistIsEmptiedByForceAlone() async throws {
    let catalog = try TestCatalog()
    func run(_ words: String...) async -> Outcome {
      await InProcess.run(words + ["--catalog", catalog.path])
    }
    let list = try catalog.folder.write("/m/one.mp3\n/m/two.mp3\n", to: "mix.m3u8")
    try #require(await run("init", "--kind", "track-library").status == 0)
    try #require(await run("tracks", "import", list).status == 0)
    try catalog.folder.write("#EXTM3U\n", to: "mix.m3u8")
    let plan = await run("tracks", "import", list, "--dry-run")
    #expect(
      plan.errors.contains(
        "the playlist \"mix\" would lose all its tracks (2); the import needs --force"), "\(plan)")
    let refused = await run("tracks", "import", list)
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains(
        "the playlist \"mix\" would lose all its 2 tracks; nothing was appended; --force imports it"
      ),
      "\(refused)")
    let forced = await run("tracks", "import", list, "--force")
    #expect(forced.status == 0)
    #expect(forced.errors.contains("the playlist \"mix\" lost all its tracks (2)"), "\(forced)")
  }
}
