import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Synchronization
import Testing
import TrackLibrary

/// Several documents in one import.
@Suite(
  .promise(
    "Documents of one import say the same in whatever order they are named, and the same "
      + "set again appends nothing"))
struct DocumentSetTests {
  private static let documents = [
    "library.json": LibraryText.small,
    "late.m3u8": """
    #EXTM3U
    #PLAYLIST:Late
    #EXTINF:1,Somebody - Something else
    /Music/field.mp3
    #EXTINF:200,A Band - Only here
    /Music/only.mp3
    spotify:track:4uLU6hMCjMI75M1A2tKUQC
    """,
    "page.json": """
    {"items": [{"added_at": "2024-01-01T00:00:00Z", "track": {"type": "track",
      "uri": "spotify:track:4uLU6hMCjMI75M1A2tKUQC", "name": "Given Up", "duration_ms": 213000,
      "artists": [{"name": "A Singer"}], "album": {"name": "Ups"},
      "external_ids": {"isrc": "GBARL9300135"}}}]}
    """,
    "iTunes.xml": """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict><key>Tracks</key><dict><key>7</key><dict>
    <key>Track ID</key><integer>7</integer><key>Name</key><string>Field</string>
    <key>Genre</key><string>Folk</string><key>Total Time</key><integer>103500</integer>
    <key>Persistent ID</key><string>A1</string>
    <key>Location</key><string>file://localhost/Music/field.mp3</string></dict></dict></dict></plist>
    """,
  ]

  /// Times follow the number of changes, which differs.
  private static let rows = """
    SELECT id, title, artist, album, duration, file_url, genre FROM tracks ORDER BY id;
    SELECT track_id, source, uri, song_id FROM track_source ORDER BY 1;
    SELECT id, name FROM collections ORDER BY 1;
    SELECT collection_id, position, track_id FROM collection_tracks ORDER BY 1, 2;
    SELECT id, title, artist FROM song ORDER BY 1; SELECT * FROM song_alias ORDER BY 1;
    """

  private func paths(in test: TestLibrary) throws -> [String: String] {
    var paths: [String: String] = [:]
    for (name, text) in Self.documents { paths[name] = try test.folder.write(text, to: name) }
    return paths
  }

  @Test func documentsAreNamedByFileURLsToo() async throws {
    let (one, other) = (try await TestLibrary(), try await TestLibrary())
    let paths = try paths(in: one).values.sorted()
    let report = try await one.library.imports.apply(paths)
    let urls = paths.map { URL(filePath: $0) }
    let same = try await other.library.imports.apply(urls)
    #expect(same.documents.map(\.path) == report.documents.map(\.path))
    #expect(same.events == report.events && same.eventCount > 0)
    #expect(try await other.library.imports.plan(urls[0]).outcome == .unchanged)
  }

  /// However the documents are named, the library says the same as after an import of one behind the other.
  @Test(arguments: UInt64(1)...4)
  func theOrderOfNamesDoesNotCount(_ seed: UInt64) async throws {
    let (one, set) = (try await TestLibrary(), try await TestLibrary())
    let some = try paths(in: one)
    for name in ["library.json", "iTunes.xml", "page.json", "late.m3u8"] {
      try await one.library.imports.apply(try #require(some[name]))
    }
    var random = SplitMix(seed: seed)
    var names = try paths(in: set).values.sorted()
    for place in names.indices { names.swapAt(place, random.below(names.count)) }
    let report = try await set.library.imports.apply(names)
    #expect(report.outcome == .imported)
    #expect(report.documents.map(\.path) == names)
    #expect(try set.sql(Self.rows) == one.sql(Self.rows))
    #expect(try set.sql("SELECT count(*) FROM projection_import") == ["4"])
    // A track that a list names keeps the name, the id and the genre that other documents give it.
    let late = try #require(
      try await set.library.playlists.playlist(try await set.playlist("Late")))
    #expect(late.tracks.map(\.title) == ["Field", "Only here", "Given Up"])
    #expect(late.tracks[0].id == .number(3))
    #expect(try await set.library.tracks.track(.number(3))?.genre == "Folk")
  }

  /// Each document says when it is read.
  @Test func everyDocumentReportsItsProgress() async throws {
    let test = try await TestLibrary()
    let names = try paths(in: test).values.sorted()
    let calls = Mutex<[String]>([])
    _ = try await test.library.imports.plan(names) { done, total in
      calls.withLock { $0.append("\(done) of \(total)") }
    }
    #expect(calls.withLock { $0 } == Array(repeating: "1 of 1", count: names.count))
  }

  /// A dry run of each importer says what the import then does, and changes nothing.
  @Test(arguments: ["library.json", "iTunes.xml", "spotify", "apple", "morning.m3u8", "music"])
  func everyImporterHasADryRun(_ name: String) async throws {
    let test = try await TestLibrary()
    var path = test.folder.file(name)
    if name == "music" {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      for file in ["a.mp3", "b.flac", "cover.jpg"] {
        try test.folder.write("x", to: "music/\(file)")
      }
    } else {
      let example = ScratchFolder.repository + "/Examples/Tracks/" + name
      try FileManager.default.copyItem(atPath: example, toPath: path)
      // One page alone is a document too.
      if name == "spotify" { path += "/page-1.json" }
    }
    let (log, rows) = (try test.log(), try test.rows())
    let plan = try await test.library.imports.plan(path)
    #expect(plan.outcome == .planned && plan.sequence == nil)
    #expect(try test.log() == log && test.rows() == rows)
    #expect(test.folder.exists(name))
    let report = try await test.library.imports.apply(path)
    #expect(report.outcome == .imported)
    #expect(report.events == plan.events && report.remarks == plan.remarks)
    #expect(report.documents.map(\.imported) == plan.documents.map(\.imported))
    #expect(try test.log() != log)
  }

  @Test func theSameSetAgainAppendsNothing() async throws {
    let test = try await TestLibrary()
    let names = try paths(in: test).values.sorted()
    let plan = try await test.library.imports.plan(names)
    #expect(plan.outcome == .planned)
    let first = try await test.library.imports.apply(names)
    #expect(first.events == plan.events)
    #expect(first.events["library.imported"] == 4)
    // One upsert a track, however many documents describe it.
    #expect(first.events["track.upserted"] == 5)
    let log = try test.log()
    #expect(try await test.library.imports.apply(names).outcome == .unchanged)
    #expect(try test.log() == log)
  }

  /// All documents of a set are one batch: one of them that is wrong keeps all of them out.
  @Test func oneWrongDocumentRefusesAll() async throws {
    let test = try await TestLibrary()
    let names = try paths(in: test).values.sorted()
    let wrong = try test.folder.write("{\"tracks\": 1, \"collections\": 2}", to: "wrong.json")
    let log = try test.log()
    let error = await #expect(throws: DocumentError.self) {
      try await test.library.imports.apply(names + [wrong])
    }
    #expect(error?.file == wrong)
    #expect(try test.log() == log)
    #expect(test.folder.exists("library.json"))
    #expect(!test.folder.exists("library.json.backup"))
  }

  /// The name of a file is a title only until somebody knows a better one: in one set, and later.
  @Test(arguments: [true, false])
  func aBetterTitleReplacesTheNameOfAFile(_ isOneSet: Bool) async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("music"), withIntermediateDirectories: false)
    try test.folder.write("", to: "music/01 field.mp3")
    let list = try test.folder.write(
      "#EXTM3U\n#EXTINF:61,A Farmer - Field\nmusic/01 field.mp3\n", to: "mix.m3u8")
    let paths = [list, test.folder.file("music")]
    if isOneSet {
      try await test.library.imports.apply(paths)
    } else {
      for path in paths.reversed() { try await test.library.imports.apply(path) }
    }
    #expect(try test.sql("SELECT title, artist, duration FROM tracks") == ["Field|A Farmer|61.0"])
    #expect(try await test.library.imports.apply(paths).outcome == .unchanged)
  }

  /// What is renamed is the file, also where its folder is named.
  @Test func aFolderWithALibraryStaysWhereItIs() async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("music"), withIntermediateDirectories: false)
    _ = try test.folder.write(LibraryText.small, to: "music/library.json")
    let report = try await test.library.imports.migrate([test.folder.file("music/")])
    #expect(report.documents[0].imported.format == "library.json")
    #expect(report.documents[0].backup.map { $0.hasSuffix("music/library.json.backup") } == true)
    #expect(!test.folder.exists("music/library.json"))
    #expect(test.folder.exists("music/library.json.backup"))
  }

  @Test func aDocumentNamedTwiceIsRefused() async throws {
    let test = try await TestLibrary()
    let file = try test.folder.write(LibraryText.small, to: "library.json")
    let error = await #expect(throws: DocumentError.self) {
      try await test.library.imports.apply([file, test.folder.file("./library.json")])
    }
    #expect(error?.code == .duplicateValue)
    #expect(test.folder.exists("library.json"))
  }

  /// A song that one document knows by its Apple Music id and a later one by its ISRC is one song.
  @Test func whatALaterDocumentIdentifiesIsOneSong() async throws {
    let test = try await TestLibrary()
    func page(_ more: String) -> String {
      """
      {"data": [{"id": "1488408568", "type": "songs", "attributes": {"name": "Given Up",
        "artistName": "A Singer", "durationInMillis": 1000\(more)}}]}
      """
    }
    let first = try test.folder.write(page(""), to: "a.json")
    let second = try test.folder.write(page(#", "isrc": "GB-ARL-93-00135""#), to: "b.json")
    try await test.library.imports.apply([first, second])
    #expect(try test.sql("SELECT id FROM song") == ["GBARL9300135"])
    #expect(try test.sql("SELECT * FROM song_alias") == ["1488408568|GBARL9300135"])
    #expect(try test.sql("SELECT song_id FROM track_source") == ["GBARL9300135"])
    #expect(try await test.library.imports.apply([second, first]).outcome == .unchanged)
  }
}
