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

  /// Each format by one document, whose playlist has a name of its own if the format has names.
  private static let documents = [
    (
      "small.json",
      #"{"tracks":[{"id":"5a0e7c1b-63d2-4c11-9c62-7c0b1d1f0a01","title":"One","artist":"A","duration":1,"fileURL":"file:///m/one.mp3"}],"collections":[{"id":"5a0e7c1b-63d2-4c11-9c62-7c0b1d1f0b01","name":"Mix","trackIDs":["5a0e7c1b-63d2-4c11-9c62-7c0b1d1f0a01"]}]}"#
    ),
    ("mix.m3u8", "#EXTM3U\n#PLAYLIST:Mix\n#EXTINF:1,A - One\n/m/one.mp3\n/m/two.mp3\n"),
    ("mix.pls", "[playlist]\nFile1=/m/one.mp3\nTitle1=One\nNumberOfEntries=1\nVersion=2\n"),
    (
      "mix.xspf",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <playlist version="1" xmlns="http://xspf.org/ns/0/"><title>Mix</title><trackList>
      <track><location>file:///m/one.mp3</location><title>One</title></track></trackList></playlist>
      """
    ),
    ("mix.csv", "Location,Title\nfile:///m/one.mp3,One\n"),
    (
      "iTunes.xml",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>Tracks</key><dict><key>7</key><dict>
      <key>Track ID</key><integer>7</integer><key>Name</key><string>One</string>
      <key>Location</key><string>file://localhost/m/one.mp3</string></dict></dict></dict></plist>
      """
    ),
    (
      "spotify.json",
      """
      {"items": [{"track": {"type": "track", "uri": "spotify:track:4uLU6hMCjMI75M1A2tKUQC",
        "name": "One", "duration_ms": 213000, "artists": [{"name": "A"}], "album": {"name": "B"}}}]}
      """
    ),
  ]

  @Test(arguments: documents)
  func aDocumentIsTheSameCompressedAndFromStandardInput(
    name: String, text: String
  ) async throws {
    let folder = try ScratchFolder()
    let file = try folder.write(text, to: name)
    for words in [["gzip", "-k", file], ["zstd", "-q", file]] {
      try #require(try await Program.run(words[0], Array(words.dropFirst())).status == 0)
    }
    let tracks = "SELECT title, artist, file_url FROM tracks ORDER BY file_url, title;"
    let lists = """
      SELECT name FROM collections ORDER BY 1;
      SELECT name, position, title FROM collection_tracks JOIN tracks ON tracks.id = track_id
      JOIN collections ON collections.id = collection_id ORDER BY 1, 2;
      """
    func rows(_ place: String, _ sql: String) async throws -> String {
      let path = folder.file(UUID().uuidString)
      try #require(
        await InProcess.run(["init", "--kind", "track-library", "--catalog", path]).status == 0)
      let done = try await Program.run(
        Program.catalogctl, ["tracks", "import", place, "--catalog", path], input: text)
      #expect(done.status == 0, "\(place): \(done)")
      return try await Program.run("sqlite3", ["\(path)/catalog.sqlite", sql]).output
    }
    let plain = try await rows(file, tracks + lists)
    #expect(plain.contains("One"))
    #expect(try await rows(file + ".gz", tracks + lists) == plain)
    #expect(try await rows(file + ".zst", tracks + lists) == plain)
    #expect(try await rows("-", tracks) == rows(file, tracks))
  }

  @Test func standardInputSaysItsFormatInTheFirstLine() async throws {
    let catalog = try TestCatalog()
    try #require(await catalog.run("init", "--kind", "track-library").status == 0)
    for (text, words) in [
      ("/m/one.mp3\n", "standard input: its first line does not say its format; save it"),
      ("", "standard input: the document is empty"),
      ("<html><body>No</body></html>", "standard input: its first line does not say its format"),
    ] {
      let outcome = try await Program.run(
        Program.catalogctl, ["tracks", "import", "-", "--catalog", catalog.path], input: text)
      #expect(outcome.status == 1 && outcome.errors.contains(words), "\(outcome)")
    }
    let twice = await catalog.run("tracks", "import", "-", "-")
    #expect(twice.status == 1 && twice.errors.contains("-: it is named twice"), "\(twice)")
  }

  /// Capital letters do not count, unless two playlists differ in nothing else.
  @Test func aPlaylistIsNamedInCapitalsOrNot() async throws {
    let catalog = try TestCatalog()
    func run(_ words: String...) async -> Outcome {
      await InProcess.run(words + ["--catalog", catalog.path])
    }
    try #require(await run("init", "--kind", "track-library").status == 0)
    let first = await run("tracks", "playlist", "create", "Überfahrt")
    #expect(first.status == 0 && first.errors.isEmpty, "\(first)")
    let shown = await run("tracks", "playlist", "show", "überfahrt")
    #expect(shown.status == 0 && shown.output.contains("Überfahrt"), "\(shown)")
    let second = await run("tracks", "playlist", "create", "überfahrt")
    #expect(
      second.status == 0 && second.errors.contains("in other capitals"), "\(second)")
    for name in ["Überfahrt", "überfahrt"] {
      let exact = await run("tracks", "playlist", "show", name)
      #expect(exact.status == 0 && exact.output.contains("  \(name)\n"), "\(exact)")
    }
    let several = await run("tracks", "playlist", "show", "ÜBERFAHRT")
    #expect(several.status == 1 && several.errors.contains("2 playlists are called"), "\(several)")
  }

  /// Tracks are named by their titles, or by the beginnings of their ids.
  @Test func aTrackIsNamedByItsTitle() async throws {
    let catalog = try TestCatalog()
    func run(_ words: String...) async -> Outcome {
      await InProcess.run(words + ["--catalog", catalog.path])
    }
    let library = ScratchFolder.repository + "/Examples/Tracks/library.json"
    try #require(await run("init", "--kind", "track-library").status == 0)
    try #require(await run("tracks", "import", library).status == 0)
    let id = "5a0e7c1b-63d2-4c11-9c62-7c0b1d1f0a02"
    #expect(await run("tracks", "play", "salt", "and", "rope").output == "played \(id)\n")
    #expect(await run("tracks", "play", "Salt and Rope").output == "played \(id)\n")
    // A search finds it so, too.
    let plain = await run("tracks", "play", "uberfahrt")
    let written = await run("tracks", "play", "Überfahrt")
    #expect(plain.status == 0 && plain.output == written.output, "\(plain)")
    #expect(
      await run("tracks", "playlist", "add", "Evening", "salt and rope", id, "Überfahrt").status
        == 0)
    let several = await run("tracks", "play", "5a0e7c1b")
    #expect(several.status == 64 && several.errors.contains("(Lantern Waltz, "), "\(several)")
    #expect(await run("tracks", "remove", "5a0e7c1b-63d2-4c11-9c62-7c0b1d1f0a03").status == 0)
    #expect(await run("tracks", "remove", "Salt and Rope").output == "removed \(id)\n")
    let none = await run("tracks", "remove", "Salt and Rope")
    #expect(none.status == 64 && none.errors.contains("no row of tracks is called"), "\(none)")
    let two = await run("tracks", "remove", "Überfahrt", "Lantern Waltz")
    #expect(two.status == 64 && two.errors.contains("the words are one name"), "\(two)")
    // Twelve letters could be an ISRC.
    let song = await run("tracks", "tag", "set", "Lantern Walz", "calm")
    #expect(song.status == 1 && song.errors.contains("there is no song Lantern Walz"), "\(song)")
  }

  /// A folder in which nothing was found, and whose manifest says what it is.
  @Test(arguments: [["track-library", "tracks", "import"], ["sound-library", "import"]])
  func aPackageOfConcertsIsNamed(words: [String]) async throws {
    let catalog = try TestCatalog()
    #expect(await catalog.run("init", "--kind", words[0]).status == 0)
    let folder = ScratchFolder.repository + "/Examples/Concerts/data-v1.0.0"
    let taken = await InProcess.run(words.dropFirst() + [folder, "--catalog", catalog.path])
    #expect(
      taken.status == 1 && taken.errors.contains("this is the manifest of a package of concerts")
        && taken.errors.contains("shows import FOLDER"), "\(taken)")
  }

  /// A table without addresses in a folder is no document of tracks, and keeps nothing else out.
  @Test func anUnrelatedTableOfAFolderIsLeftOut() async throws {
    let catalog = try TestCatalog()
    let folder = catalog.folder.file("docs")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("date,amount\n2026-01-01,3\n".utf8).write(to: URL(filePath: folder + "/money.csv"))
    let list = try catalog.folder.write("/m/one.mp3\n", to: "mix.m3u8")
    let made = await InProcess.run(
      ["init", "--kind", "track-library", "--catalog", catalog.path])
    try #require(made.status == 0)
    let taken = await InProcess.run(
      ["tracks", "import", folder, list, "--catalog", catalog.path])
    #expect(taken.status == 0 && taken.errors.contains("money.csv"), "\(taken)")
    let alone = await InProcess.run(
      ["tracks", "import", folder + "/money.csv", "--catalog", catalog.path])
    #expect(
      alone.status == 1 && alone.errors.contains("a table without a column of addresses"),
      "\(alone)")
    // A page that a browser saved is not called a table.
    let page = try catalog.folder.write("<!DOCTYPE html><html></html>\n", to: "page.csv")
    let refused = await InProcess.run(["tracks", "import", page, "--catalog", catalog.path])
    #expect(refused.status == 1 && refused.errors.contains("web page"), "\(refused)")
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
        "\(list): the playlist \"mix\" would lose all its tracks (2); the import needs --force\n"),
      "\(plan)")
    let refused = await run("tracks", "import", list)
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains(
        "\(list): the playlist \"mix\" would lose all its 2 tracks, the first is file:///m/one.mp3; nothing was appended; "
          + "--force imports it"),
      "\(refused)")
    try FileManager.default.createDirectory(
      atPath: catalog.folder.file("other"), withIntermediateDirectories: true)
    let other = try catalog.folder.write("/m/three.mp3\n", to: "other/mix.m3u8")
    let another = await run("tracks", "import", other)
    #expect(
      another.status == 1 && another.errors.contains("\(other): the playlist \"mix\" would lose"))
    #expect(another.errors.contains("import both files at once, or rename one"), "\(another)")
    let json = await run("tracks", "import", other, "--dry-run", "--format", "json")
    let lost = try #require(
      (try json.object()["lostPlaylists"] as? [[String: Any]])?.first)
    #expect(lost["document"] as? String == other)
    #expect(lost["firstTrack"] as? String == "file:///m/one.mp3")
    let forced = await run("tracks", "import", list, "--force")
    #expect(forced.status == 0)
    #expect(forced.errors.contains("the playlist \"mix\" lost all its tracks (2)"), "\(forced)")
  }
}
