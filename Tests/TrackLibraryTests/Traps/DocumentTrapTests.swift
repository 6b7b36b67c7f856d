import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// What real documents hold that the briefs do not expect: Spotify, iTunes, M3U and folders.
@Suite(
  .promise(
    "No entry of a document of tracks is lost without a line",
    by: "Spotify, iTunes, M3U and folders"))
struct DocumentTrapTests {
  private static let examples = ScratchFolder.repository + "/Examples/Tracks"

  /// A null id, and an artist and an album without a name.
  @Test func aLocalFileOfSpotifyHasNoId() async throws {
    let test = try await TestLibrary()
    try await test.library.imports.apply(Self.examples + "/spotify")
    #expect(
      try test.sql(
        "SELECT uri, title, artist, album, track_number FROM tracks JOIN track_source ON id = track_id "
          + "WHERE uri LIKE 'spotify:local%'")
        == ["spotify:local:::Field+Recording:61|Field Recording|||"])
  }

  @Test func episodesAndTracksThatAreGoneAreListed() async throws {
    let test = try await TestLibrary()
    let report = try await test.library.imports.apply(Self.examples + "/spotify")
    let folder = Self.examples + "/spotify"
    #expect(
      report.remarks.map(\.description) == [
        "\(folder)/page-1.json: $.items[3]: the track is null: it is not offered any more; left out",
        "\(folder)/page-2.json: $.items[0].track: this is not a track but of type episode; left out",
        "\(folder)/page-1.json: $.items[2].track: 1 of 4 tracks has neither an ISRC nor an id of Apple Music's catalog "
          + "here, and belongs to no song",
      ])
    #expect(try test.sql("SELECT count(*) FROM tracks WHERE title = 'On Ropes'") == ["0"])
  }

  /// `2011`, `2013-05-01`, `1998-11`.
  @Test func aReleaseDateMayBeAYearOnly() async throws {
    let test = try await TestLibrary()
    try await test.library.imports.apply(Self.examples + "/spotify")
    #expect(
      try test.sql("SELECT year FROM tracks WHERE year IS NOT NULL ORDER BY 1") == [
        "1998", "2011", "2013",
      ])
  }

  /// Nothing, `null`, an empty name, and no album at all.
  @Test(arguments: [
    #", "album": {}"#, #", "album": {"name": null}"#, #", "album": {"name": ""}"#, "",
  ])
  func anAlbumMayHaveNoName(_ album: String) async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      """
      {"items": [{"track": {"type": "track", "uri": "spotify:track:1", "name": "T", "duration_ms": 1000,
        "artists": [{"name": "A"}], "external_ids": {"isrc": "GBAYE0601498"}\(album)}}]}
      """, as: "page.json")
    #expect(report.remarks.isEmpty)
    #expect(try test.sql("SELECT title, artist, album FROM tracks") == ["T|A|"])
    // The track is on no album.
    #expect(try await test.library.albums.list(limit: 9).rows.isEmpty)
    #expect(try await test.library.albums.artists(limit: 9).rows.map(\.name) == ["A"])
  }

  @Test func recentlyPlayedRepeatsTracks() async throws {
    let test = try await TestLibrary()
    func item(_ id: Int, _ time: String) -> String {
      """
      {"played_at": "\(time)", "track": {"type": "track", "uri": "spotify:track:\(id)", "name": "T\(id)",
       "duration_ms": 1000, "artists": [{"name": "A"}], "external_ids": {"isrc": "XXL01000000\(id)"}}}
      """
    }
    let report = try await test.importing(
      "{\"items\": [\(item(1, "a")), \(item(2, "b")), \(item(1, "c"))]}", as: "recent.json")
    #expect(report.events["track.upserted"] == 2)
    #expect(report.events["song.upserted"] == 2)
    #expect(report.documents[0].imported.tracks == 2)
    #expect(report.remarks.map(\.message) == ["when the tracks were played is not kept (3 times)"])
  }

  @Test func aSpotifyPlaylistHasItsOrder() async throws {
    let test = try await TestLibrary()
    let track = { (id: Int) in
      #"{"track": {"type": "track", "uri": "spotify:track:\#(id)", "name": "T", "duration_ms": 1, "external_ids": {"isrc": "XXL01000000\#(id)"}}}"#
    }
    let items = [2, 1, 2].map(track).joined(separator: ",")
    try await test.importing(
      #"{"type": "playlist", "uri": "spotify:playlist:x", "name": "Mix", "description": "", "tracks": {"items": [\#(items)]}}"#,
      as: "playlist.json")
    let playlist = try #require(
      try await test.library.playlists.playlist(try await test.playlist("Mix")))
    #expect(
      playlist.tracks.map(\.uri) == ["spotify:track:2", "spotify:track:1", "spotify:track:2"])
    #expect(playlist.description == nil)
  }

  /// A playlist of more than a page is put together, in whatever order its pages are read.
  @Test(arguments: [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]])
  func aSpotifyPlaylistHasAllItsPages(_ names: [String]) async throws {
    let test = try await TestLibrary()
    let address = "https://api.spotify.com/v1/playlists/x/tracks"
    func page(_ offset: Int, _ next: Bool) -> String {
      let tracks = (offset..<offset + 2).map {
        #"{"track": {"type": "track", "uri": "spotify:track:\#($0)", "name": "T\#($0)", "duration_ms": 1, "external_ids": {"isrc": "XXL01000000\#($0)"}}}"#
      }.joined(separator: ",")
      return """
        {"href": "\(address)?offset=\(offset)&limit=2", "items": [\(tracks)], "limit": 2, "offset": \(offset),
         "total": 6, "next": \(next ? "\"\(address)?offset=\(offset + 2)&limit=2\"" : "null")}
        """
    }
    try FileManager.default.createDirectory(
      atPath: test.folder.file("pages"), withIntermediateDirectories: false)
    let documents = [
      #"{"type": "playlist", "uri": "spotify:playlist:x", "name": "Mix", "tracks": \#(page(0, true))}"#,
      page(2, true), page(4, false),
    ]
    for (name, text) in zip(names, documents) {
      try test.folder.write(text, to: "pages/\(name).json")
    }
    let report = try await test.library.imports.apply(test.folder.file("pages"))
    #expect(report.remarks.isEmpty)
    #expect(
      try await test.uris(of: try await test.playlist("Mix"))
        == (0..<6).map { "spotify:track:\($0)" })
  }

  /// The first time a track stands in a document it may say less than the second time.
  @Test(arguments: [true, false])
  func whatATrackSaysTheSecondTimeCounts(_ fullFirst: Bool) async throws {
    let test = try await TestLibrary()
    let full =
      #"{"type": "track", "uri": "spotify:track:1", "name": "T", "duration_ms": 1000, "external_ids": {"isrc": "XXL010000001"}}"#
    let simple = #"{"type": "track", "uri": "spotify:track:1", "name": "T", "duration_ms": 1000}"#
    let both = fullFirst ? [full, simple] : [simple, full]
    let report = try await test.importing(
      "{\"tracks\": [\(both.joined(separator: ","))]}", as: "some.json")
    #expect(report.remarks.isEmpty)
    let again = try await TestLibrary().importing(
      "{\"tracks\": [\(simple), \(simple)]}", as: "some.json")
    #expect(again.remarks.count == 1, "one line for all tracks")
    #expect(try test.sql("SELECT song_id FROM track_source") == ["XXL010000001"])
    #expect(try test.sql("SELECT title FROM song") == ["T"])
  }

  /// A playlist of iTunes without an id of its own is known by its name.
  @Test func aPlaylistWithoutAnIdIsKnownByItsName() async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>Tracks</key><dict><key>7</key><dict>
      <key>Track ID</key><integer>7</integer><key>Name</key><string>Field</string>
      <key>Total Time</key><integer>1000</integer><key>Persistent ID</key><string>A1</string>
      <key>Location</key><string></string></dict></dict>
      <key>Playlists</key><array><dict><key>Name</key><string>Old</string></dict></array></dict></plist>
      """, as: "iTunes.xml")
    #expect(report.outcome == .imported)
    #expect(try test.uris() == ["itunes:A1"])
    #expect(try await test.playlist("Old") == NameBasedID.collection("itunes", "name:Old"))
  }

  @Test func tracksWithoutAPlaceAreKnownByTheirPersistentId() async throws {
    let test = try await TestLibrary()
    let report = try await test.library.imports.apply(Self.examples + "/iTunes.xml")
    #expect(
      try test.sql(
        "SELECT uri, title, duration, source FROM tracks JOIN track_source ON id = track_id ORDER BY uri"
      ) == [
        "file:///G:/Music/On%20the%20Drive.mp3|On the Drive|61.0|local",
        "file:///Music/Ida%20Marlo/Salt%20and%20Rope.mp3|Salt & Rope|187.0|local",
        "itunes:0123456789ABCDE1|In the Cloud|0.0|itunes",
      ])
    let file = Self.examples + "/iTunes.xml"
    #expect(
      report.remarks.map(\.description) == [
        "\(file): Tracks/104: this is a video; left out",
        "\(file): Tracks: a track has no length (Tracks/103)",
        "\(file): Tracks: a track has no Location and is known by its Persistent ID (Tracks/103)",
        "\(file): Playlists/0: the list is one of iTunes' own (Master); left out",
        "\(file): Playlists/1/Playlist Items/2: the track 104 is not among the tracks that are used; left out",
      ])
    #expect(
      try await test.uris(of: try await test.playlist("On the Road")) == [
        "file:///G:/Music/On%20the%20Drive.mp3", "file:///Music/Ida%20Marlo/Salt%20and%20Rope.mp3",
        "file:///G:/Music/On%20the%20Drive.mp3",
      ])
    #expect(
      try test.sql("SELECT date_added FROM track_source WHERE uri LIKE '%Rope%'") == [
        "2012-01-31T12:00:00.000Z"
      ])
    #expect(try await test.library.imports.apply(file).outcome == .unchanged)
  }

  private static func library(_ tracks: String...) -> String {
    let entries = tracks.enumerated().map { number, track in
      """
      <key>\(number + 1)</key><dict><key>Track ID</key><integer>\(number + 1)</integer>
      <key>Name</key><string>T\(number + 1)</string>
      <key>Persistent ID</key><string>A\(number + 1)</string>\(track)</dict>
      """
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>Tracks</key><dict>\(entries.joined())</dict></dict></plist>
      """
  }

  private static func location(_ text: String) -> String {
    "<key>Location</key><string>\(text)</string>"
  }

  @Test func aTrackOfITunesMayHaveNoDuration() async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      Self.library(
        Self.location("file:///a.mp3"),
        Self.location("file:///b.mp3") + "<key>Total Time</key><integer>1500</integer>"),
      as: "Library.xml")
    #expect(try test.sql("SELECT title, duration FROM tracks ORDER BY 1") == ["T1|0.0", "T2|1.5"])
    #expect(report.remarks.map(\.message) == ["a track has no length (Tracks/1)"])
    // What another document knows is not forgotten.
    let list = "#EXTM3U\n#EXTINF:90,A - T1\n/a.mp3\n"
    try await test.importing(list, as: "list.m3u8")
    #expect(try test.sql("SELECT duration FROM tracks WHERE title = 'T1'") == ["90.0"])
  }

  @Test(arguments: ["<key>Has Video</key><true/>", "<key>Movie</key><true/>"])
  func videosOfITunesAreLeftOut(_ mark: String) async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      Self.library(
        Self.location("file:///a.m4v") + "<key>Total Time</key><integer>1500</integer>" + mark,
        Self.location("file:///b.mp3") + "<key>Total Time</key><integer>1500</integer>"),
      as: "Library.xml")
    #expect(try test.uris() == ["file:///b.mp3"])
    #expect(report.remarks.map(\.message) == ["this is a video; left out"])
  }

  /// `G:/`: a drive of Windows in any of its spellings, and not a scheme or a host.
  @Test(arguments: [
    "file://localhost/G:/Music/a.mp3", "file:///G:/Music/a.mp3", "file:///g:/Music/a.mp3",
    "file://G:/Music/a.mp3", "file:///G:/Music/./b/../a.mp3",
  ])
  func aDriveIsAPlace(_ location: String) async throws {
    let test = try await TestLibrary()
    try await test.importing(
      Self.library(Self.location(location) + "<key>Total Time</key><integer>1500</integer>"),
      as: "Library.xml")
    #expect(try test.uris() == ["file:///G:/Music/a.mp3"])
    try await test.importing("G:\\Music\\a.mp3\n", as: "list.m3u8")
    #expect(try test.uris() == ["file:///G:/Music/a.mp3"])
  }

  /// `file:///` and `file://localhost/` are one place: iTunes finds the track that library.json brought.
  @Test func twoSpellingsOfAPlaceAreOneTrack() async throws {
    let test = try await TestLibrary()
    try await test.library.imports.apply(Self.examples + "/library.json")
    let report = try await test.library.imports.apply(Self.examples + "/iTunes.xml")
    #expect(report.events["track.upserted"] == 3)
    #expect(
      try test.sql("SELECT track_id FROM track_source WHERE uri LIKE '%Rope%'") == [
        "5a0e7c1b-63d2-4c11-9c62-7c0b1d1f0a02"
      ])
    #expect(try test.sql("SELECT count(*) FROM tracks") == ["5"])
  }

  @Test(arguments: [
    "{}", "bplist00", "<plist><dict><key>Tracks</key></dict></plist>", "<plist><array/></plist>",
  ])
  func aPropertyListThatIsNoLibraryIsRefused(_ text: String) async throws {
    let test = try await TestLibrary()
    await #expect(throws: DocumentError.self) { try await test.importing(text, as: "Library.xml") }
  }

  // MARK: M3U

  private static let lines = ["#EXTM3U", "#EXTINF:10,Ä - Ö", "/Music/é.mp3", "/Music/b.mp3"]

  @Test(arguments: ["\n", "\r\n", "\r"])
  func listsHaveAnyLineEnding(_ ending: String) async throws {
    let test = try await TestLibrary()
    try await test.importing(Self.lines.joined(separator: ending), as: "mix.m3u8")
    #expect(try test.uris() == ["file:///Music/%C3%A9.mp3", "file:///Music/b.mp3"])
    #expect(try test.sql("SELECT artist, title FROM tracks WHERE artist <> ''") == ["Ä|Ö"])
  }

  @Test(arguments: ["utf8", "utf16le", "utf16be", "utf32le", "utf32be", "windows1252"])
  func listsHaveAnyByteOrderMark(_ encoding: String) async throws {
    let test = try await TestLibrary()
    let text = Self.lines.joined(separator: "\r\n")
    let bytes: [UInt8] =
      switch encoding {
      case "utf8": [0xEF, 0xBB, 0xBF] + Array(text.utf8)
      case "utf16le": [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      case "utf16be": [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      case "utf32le":
        [0xFF, 0xFE, 0, 0]
          + text.unicodeScalars.flatMap { [UInt8($0.value & 0xFF), UInt8($0.value >> 8), 0, 0] }
      case "utf32be":
        [0, 0, 0xFE, 0xFF]
          + text.unicodeScalars.flatMap { [0, 0, UInt8($0.value >> 8), UInt8($0.value & 0xFF)] }
      default: text.unicodeScalars.map { UInt8($0.value) }
      }
    try await test.importing(bytes, as: "mix.m3u")
    #expect(try test.uris() == ["file:///Music/%C3%A9.mp3", "file:///Music/b.mp3"])
    #expect(try test.sql("SELECT artist, title FROM tracks WHERE artist <> ''") == ["Ä|Ö"])
  }

  /// A line that is not UTF-8 is what players wrote before; what is no text at all is refused.
  @Test func linesThatAreNotUTF8AreOfWindows() async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      Array("/a.mp3\n#EXTINF:1,\u{C9}\n/é".utf8) + [0xE9, 0x0A], as: "mix.m3u8")
    #expect(try test.uris() == ["file:///%C3%83%C2%A9%C3%A9", "file:///a.mp3"])
    #expect(
      report.remarks.map(\.message) == ["line 3 is not UTF-8, and is read as Windows-1252"])
    await #expect(throws: DocumentError.self) {
      try await test.importing([0xFF, 0xFE, 0x00, 0xD8], as: "mix.m3u8")
    }
    let odd = try await test.importing(
      [0x2F, 0x61, 0x00, 0x62, 0x0A] + Array("/c.mp3".utf8), as: "odd.m3u")
    #expect(odd.remarks.count == 1 && odd.remarks[0].place.hasSuffix("line 1"))
    #expect(try await test.uris(of: try await test.playlist("odd")) == ["file:///c.mp3"])
    let empty = try await test.importing("", as: "empty.m3u")
    #expect(empty.remarks.map(\.message) == ["there are no tracks"])
    #expect(try await test.uris(of: try await test.playlist("empty")) == [])
  }

  @Test func relativePathsBeginAtTheList() async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("lists"), withIntermediateDirectories: false)
    try await test.importing(
      "../a.mp3\nsub\\b.mp3\n./c.mp3\nOverture: Act 1.mp3\n", as: "lists/mix.m3u8")
    let base = "file://\(test.folder.path)"
    #expect(
      try await test.uris(of: try await test.playlist("mix")) == [
        "\(base)/a.mp3", "\(base)/lists/sub/b.mp3", "\(base)/lists/c.mp3",
        "\(base)/lists/Overture:%20Act%201.mp3",
      ])
  }

  /// `a%20b.mp3` is `a b.mp3`, unless there is a file of that very name.
  @Test func pathsMayBePercentEncoded() async throws {
    let test = try await TestLibrary()
    try test.folder.write("", to: "real%20name.mp3")
    try await test.importing("a%20b.mp3\nreal%20name.mp3\n100% real.mp3\n", as: "mix.m3u8")
    let base = "file://\(test.folder.path)"
    #expect(
      try await test.uris(of: try await test.playlist("mix")) == [
        "\(base)/a%20b.mp3", "\(base)/real%2520name.mp3", "\(base)/100%25%20real.mp3",
      ])
  }

  /// What is encoded in an entry says nothing of the folder's own name.
  @Test func theFolderOfAListIsNotDecoded() async throws {
    let test = try await TestLibrary()
    for name in ["100% hits", "50%25"] {
      try FileManager.default.createDirectory(
        atPath: test.folder.file(name), withIntermediateDirectories: false)
      try await test.importing("a%20b.mp3\n", as: name + "/\(name.count).m3u8")
    }
    let base = "file://\(test.folder.path)"
    #expect(
      try test.uris() == ["\(base)/100%25%20hits/a%20b.mp3", "\(base)/50%2525/a%20b.mp3"])
  }

  /// `\\server\share` is a place of another machine, however it is written.
  @Test func aShareOfWindowsKeepsItsServer() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      "\\\\Server\\share\\100%.mp3\nfile://server/share/b.mp3\n\\\\server\\share\\b.mp3\n",
      as: "mix.m3u8")
    #expect(try test.uris() == ["file://server/share/100%25.mp3", "file://server/share/b.mp3"])
  }

  // MARK: Folders

  @Test func aScanPassesOverWhatSystemsKeep() async throws {
    let test = try await TestLibrary()
    let files = [
      "music/a.mp3", "music/sub/b.FLAC", "music/sub/cover.jpg", "music/._a.mp3",
      "music/.hidden/c.mp3",
      "music/#snapshot/a.mp3", "music/$Recycle.Bin/a.mp3", "music/@eaDir/a.mp3", "music/mp3",
      "music/notes.txt", "music/A - B.opus",
    ]
    for file in files {
      let folder = URL(fileURLWithPath: test.folder.file(file)).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try test.folder.write("x", to: file)
    }
    try FileManager.default.createSymbolicLink(
      atPath: test.folder.file("music/loop"), withDestinationPath: test.folder.file("music"))
    let report = try await test.library.imports.apply(test.folder.file("music"))
    #expect(report.documents[0].imported.format == "folder")
    #expect(try test.sql("SELECT title FROM tracks ORDER BY 1") == ["A - B", "a", "b"])
    #expect(try await test.library.imports.apply(test.folder.file("music")).outcome == .unchanged)
  }

  @Test func tagsOfFilesAreAHostApps() async throws {
    struct Reader: MetadataReader {
      func metadata(ofFile path: String) throws -> AudioMetadata? {
        if path.hasSuffix("bad.mp3") { throw Failed(text: "damaged") }
        if path.hasSuffix("odd.mp3") {
          return AudioMetadata(
            title: " ", duration: -1, year: -1, trackNumber: .max, isrc: " ", artwork: [])
        }
        return AudioMetadata(
          title: "Ferry", artist: "Rowers", duration: 3.5, isrc: "xx-l01-98-00007", artwork: [1, 2])
      }
    }
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("music"), withIntermediateDirectories: false)
    try test.folder.write("x", to: "music/good.mp3")
    try test.folder.write("x", to: "music/bad.mp3")
    try test.folder.write("x", to: "music/odd.mp3")
    let report = try await test.library.imports.apply(
      test.folder.file("music"), metadata: Reader())
    #expect(
      report.remarks.map(\.message).sorted()
        == [
          report.remarks.map(\.message).first { $0.contains("damaged") } ?? "",
          "the track number cannot be 9223372036854775807; left out",
          "the year cannot be -1; left out",
        ].sorted())
    #expect(
      try test.sql(
        "SELECT title, artist, duration, length(artwork_data), song_id FROM tracks "
          + "JOIN track_source ON id = track_id ORDER BY title") == [
          "Ferry|Rowers|3.5|2|XXL019800007", "bad||0.0||", "odd||0.0||",
        ])
  }

  /// What is wrong with one entry, or with one of its fields, is left out and listed; the rest is used.
  @Test(arguments: [
    (#"{"items": [{"track": {"uri": "x", "name": "a"}}, GOOD]}"#, "$.items[0].track.uri", 0),
    (#"{"items": [{"track": {"uri": 7, "name": "a"}}, GOOD]}"#, "$.items[0].track.uri", 0),
    (#"{"items": [{"track": {"type": "track", "name": "a"}}, GOOD]}"#, "$.items[0].track", 0),
    (
      #"{"items": [{"added_at": "soon", "track": {"uri": "spotify:track:1", "name": "a"}}, GOOD]}"#,
      "$.items[0].added_at", 1
    ),
    (
      #"{"items": [{"track": {"uri": "spotify:track:1", "name": 7}}, GOOD]}"#,
      "$.items[0].track.name", 1
    ),
    (
      #"{"items": [{"track": {"uri": "spotify:track:1", "name": "a\u0000b"}}, GOOD]}"#,
      "$.items[0].track.name", 1
    ),
    (
      #"{"items": [{"track": {"uri": "spotify:track:1", "name": "a", "duration_ms": "181000"}}, GOOD]}"#,
      "$.items[0].track.duration_ms", 1
    ),
    (
      #"{"items": [{"track": {"uri": "spotify:track:1", "name": "a", "duration_ms": 1e400}}, GOOD]}"#,
      "$.items[0].track.duration_ms", 1
    ),
    (
      #"{"items": [{"track": {"uri": "spotify:track:1", "name": "a", "artists": {}}}, GOOD]}"#,
      "$.items[0].track.artists", 1
    ),
    (
      #"{"items": [{"track": {"uri": "spotify:track:1", "name": "a", "external_ids": {"isrc": "x"}}}, GOOD]}"#,
      "$.items[0].track.external_ids.isrc", 1
    ),
  ])
  func oneOddEntryDoesNotRefuseTheOthers(_ text: String, _ place: String, _ used: Int) async throws
  {
    let good =
      #"{"track": {"uri": "spotify:track:9", "name": "g", "external_ids": {"isrc": "XXL010000009"}}}"#
    let test = try await TestLibrary()
    let report = try await test.importing(
      text.replacing("GOOD", with: good), as: "page.json")
    let found = report.remarks.filter { $0.message.hasSuffix("; left out") }
    #expect(found.map(\.place) == [test.folder.file("page.json") + ": " + place])
    #expect(try test.uris() == (used == 1 ? ["spotify:track:1"] : []) + ["spotify:track:9"])
  }

  @Test(arguments: [
    ("{\"what\": 1}", "$"), ("[", nil), ("nothing", nil), ("{\"items\": 7}", "$"),
    // Another service, whose songs look much like those of Apple Music.
    (#"{"data": [{"id": 3135556, "title": "T", "type": "track"}], "total": 1}"#, "$"),
  ])
  func documentsOfNoFormatAreRefused(_ text: String, _ place: String?) async throws {
    let test = try await TestLibrary()
    let error = await #expect(throws: DocumentError.self) {
      try await test.importing(text, as: "page.json")
    }
    #expect(error?.path == place)
    #expect(try test.uris().isEmpty)
  }

  /// Searches and charts of Apple Music, and what has no tracks at all.
  @Test func listsOfResultsAreReadAndNothingIsLeftOutInSilence() async throws {
    let test = try await TestLibrary()
    func song(_ id: Int) -> String {
      #"{"id": "\#(id)", "type": "songs", "attributes": {"name": "Song"}}"#
    }
    try await test.importing(
      #"{"results": {"songs": {"data": [\#(song(1))]}}}"#, as: "search.json")
    let charts = try await test.importing(
      #"{"results": {"songs": [{"data": [\#(song(2))]}, {"data": [\#(song(3))]}], "albums": [{"data": [{"id": "4", "type": "albums"}]}]}}"#,
      as: "charts.json")
    #expect(try test.uris() == (1...3).map { "apple-music:song:\($0)" })
    #expect(
      charts.remarks.map(\.message) == [
        "an album has no tracks here ($.results.albums[0].data[0]); left out"
      ])
    for empty in [#"{"items": []}"#, #"{"data": []}"#, #"{"results": {}}"#] {
      let report = try await test.importing(empty, as: "empty.json")
      #expect(report.outcome == .unchanged)
      #expect(report.remarks.map(\.message) == ["there are no tracks"])
    }
  }

  /// One batch a set: a page that is wrong refuses those before it.
  @Test func aSetIsImportedWholeOrNot() async throws {
    let test = try await TestLibrary()
    try FileManager.default.copyItem(
      atPath: Self.examples + "/spotify", toPath: test.folder.file("pages"))
    try test.folder.write("{\"items\": 7}", to: "pages/page-3.json")
    await #expect(throws: DocumentError.self) {
      try await test.library.imports.apply(
        [1, 2, 3].map { test.folder.file("pages/page-\($0).json") })
    }
    #expect(try test.uris().isEmpty)
    #expect(try test.sql("SELECT count(*) FROM projection_import") == ["0"])
  }
}
