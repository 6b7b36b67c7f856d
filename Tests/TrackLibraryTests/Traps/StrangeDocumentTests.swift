import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// What documents hold that are damaged, incomplete or made by somebody who means no good. Nothing is dropped without a
/// line, and errors say what is wrong and where.
@Suite(
  .promise(
    "No entry of a document of tracks is lost without a line",
    by: "documents that are damaged, incomplete or hostile"))
struct StrangeDocumentTests {
  private static func plist(_ track: String, _ more: String = "") -> String {
    """
    <?xml version="1.0"?>
    <plist version="1.0"><dict><key>Tracks</key><dict><key>1</key><dict>
    <key>Name</key><string>A</string><key>Location</key><string>file:///a.mp3</string>\(track)
    </dict></dict>\(more)</dict></plist>
    """
  }

  private static func saved(_ id: String) -> String {
    #"{"track": {"uri": "spotify:track:\#(id)", "name": "T", "external_ids": {"isrc": "USS1Z9900001"}}}"#
  }

  // MARK: iTunes

  @Test(arguments: [
    ("<?xml version=\"1.0\"?>\n<plist>\n<dict>\n<key>a</key>\n<bad>\n</plist>", "line 5")
  ])
  func aDamagedPropertyListIsRefusedWithItsLine(_ text: String, _ line: String) async throws {
    let test = try await TestLibrary()
    let error = await #expect(throws: DocumentError.self) {
      try await test.importing(text, as: "Library.xml")
    }
    #expect(error?.message.contains(line) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("operation") == false)
    #expect(error?.message.contains("…") == false, "whole words")
  }

  @Test func entitiesAreNotExpanded() async throws {
    let test = try await TestLibrary()
    let text = #"<!DOCTYPE l [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>"# + Self.plist("&b;")
    await #expect(throws: DocumentError.self) { try await test.importing(text, as: "Library.xml") }
  }

  /// A text that is no date is left out, and the end of the years that a time can have is not the date that was written.
  @Test(arguments: ["99999-01-01T00:00:00Z", "yesterday", "", "2019-13-40T00:00:00"])
  func aDateThatIsNoneIsLeftOut(_ date: String) async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      Self.plist(
        "<key>Date Added</key><date>\(date)</date><key>Total Time</key><integer>1</integer>"),
      as: "Library.xml")
    #expect(
      report.remarks.map(\.place) == [test.folder.file("Library.xml") + ": Tracks/1/Date Added"])
    #expect(try test.sql("SELECT title FROM tracks") == ["A"])
  }

  /// A date without a zone is of UTC, as all dates of the format are; a number that is none is one that is left out.
  @Test func oddValuesOfAPropertyListAreTheirOwnFault() async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      Self.plist(
        "<key>Date Added</key><date>2019-02-03T04:05:06</date><key>Year</key><integer>18446744073709551616</integer>"
          + "<key>Total Time</key><integer>four</integer>"), as: "Library.xml")
    #expect(
      report.remarks.map(\.description)
        == [
          "Tracks/1/Year: the value is not a whole number from 0 on; left out",
          "Tracks/1/Total Time: the value is not a whole number from 0 on; left out",
          "Tracks: a track has no length (Tracks/1)",
        ].map { test.folder.file("Library.xml") + ": " + $0 })
    #expect(try test.sql("SELECT date_added FROM track_source") == ["2019-02-03T04:05:06.000Z"])
  }

  @Test func whatITunesSaysAndNobodyKeepsIsListed() async throws {
    let test = try await TestLibrary()
    let list = """
      <key>Playlists</key><array><dict><key>Name</key><string>New</string>
      <key>Playlist Persistent ID</key><string>S</string><key>Smart Info</key><data>AA==</data>
      </dict></array>
      """
    let report = try await test.importing(
      Self.plist(
        "<key>Play Count</key><integer>3</integer><key>Total Time</key><real>5</real>", list),
      as: "Library.xml")
    #expect(
      report.remarks.map(\.message) == [
        "not kept: Play Count (1)", "the list is smart: its tracks are kept, and its rule is not",
      ])
  }

  @Test func twoTracksInOnePlaceAreListed() async throws {
    let test = try await TestLibrary()
    let second = """
      </dict><key>2</key><dict><key>Name</key><string>B</string><key>Total Time</key><integer>1</integer>
      <key>Location</key><string>file://localhost/a.mp3</string>
      """
    let report = try await test.importing(
      Self.plist("<key>Total Time</key><integer>1</integer>" + second), as: "Library.xml")
    #expect(
      report.remarks.map(\.message) == [
        "file:///a.mp3 is the place of a track before it; both are one"
      ])
    #expect(try test.sql("SELECT title FROM tracks") == ["A"])
  }

  // MARK: Answers

  @Test(arguments: [
    (
      #"{"error": {"status": 401, "message": "The access token expired"}}"#,
      "401 The access token expired"
    ),
    (#"{"errors": [{"status": "404", "title": "Not Found"}]}"#, "404 Not Found"),
  ])
  func theErrorOfAServerIsNotAnAnswer(_ text: String, _ words: String) async throws {
    let test = try await TestLibrary()
    let error = await #expect(throws: DocumentError.self) {
      try await test.importing(text, as: "page.json")
    }
    #expect(error?.message == "the server answered with an error: \(words)")
  }

  /// Whatever answer of Spotify holds a track: the track comes in, and each entry that is none is listed.
  @Test(arguments: [
    (#"{"items": [{"added_at": "2020-01-01T00:00:00Z", "album": ALBUM}]}"#, 0),
    (#"{"items": [{"type": "album", "album": ALBUM}]}"#, 0),
    (#"{"is_playing": true, "item": TRACK}"#, 0),
    (#"{"is_playing": false, "item": null}"#, -1),
    (#"{"currently_playing": TRACK, "queue": [TRACK, null]}"#, 1),
    (#"{"albums": [ALBUM]}"#, 0),
    (#"{"albums": {"items": [ALBUM], "total": 1, "offset": 0}}"#, 0),
    (#"[TRACK, null]"#, 1), (#"[null, TRACK]"#, 1),
    (#"[{"added_at": "2020-01-01T00:00:00Z", "track": TRACK}]"#, 0),
    (#"[{"type": "artist", "uri": "spotify:artist:1", "name": "A"}, TRACK]"#, 1),
    (#"{"items": [LIST, TRACK]}"#, 0), (#"{"items": [null, LIST]}"#, 1),
    (#"{"items": [TRACK, LIST]}"#, 0),
    (#"{"items": [{"added_at": "2020-01-01T00:00:00Z"}, TRACK]}"#, 1),
    (
      #"{"items": [{"added_at": "2020-01-01T00:00:00Z", "show": {"type": "show", "uri": "spotify:show:1"}}, TRACK]}"#,
      1
    ),
    (
      #"{"type": "track", "uri": "spotify:track:1", "name": "T", "external_ids": {"isrc": "XXL010000001"}}"#,
      0
    ),
    (
      #"{"type": "Track", "uri": "spotify:track:1", "name": "T", "duration_ms": null, "external_ids": {"isrc": "XXL010000001"}}"#,
      0
    ),
    (
      #"{"items": [{"type": "track", "uri": "spotify:track:1", "name": "T", "external_ids": {"isrc": "XXL010000001"}, "album": {"name": "A", "release_date": {"year": 2000}}}]}"#,
      1
    ),
  ])
  func aTrackIsFoundInAnyAnswer(_ text: String, _ remarks: Int) async throws {
    let track =
      #"{"type": "track", "uri": "spotify:track:1", "name": "T", "duration_ms": 1000, "external_ids": {"isrc": "XXL010000001"}}"#
    let text = text.replacing(
      "ALBUM",
      with:
        #"{"type": "album", "uri": "spotify:album:1", "name": "A", "tracks": {"items": [TRACK]}}"#
    )
    .replacing(
      "LIST",
      with:
        #"{"type": "playlist", "uri": "spotify:playlist:1", "name": "P", "tracks": {"items": [TRACK]}}"#
    )
    .replacing("TRACK", with: track)
    let test = try await TestLibrary()
    let report = try await test.importing(text, as: "some.json")
    #expect(try test.uris() == (remarks < 0 ? [] : ["spotify:track:1"]))
    #expect(report.remarks.count == abs(remarks), "\(report.remarks)")
    if text.contains("playlist") {
      #expect(try await test.uris(of: try await test.playlist("P")) == ["spotify:track:1"])
    }
  }

  /// The earliest time at which a track was added counts, whichever document is read first.
  @Test(arguments: [true, false])
  func theEarliestTimeCounts(_ savedFirst: Bool) async throws {
    let track =
      #"{"type": "track", "uri": "spotify:track:1", "name": "T", "duration_ms": 1000, "external_ids": {"isrc": "XXL010000001"}}"#
    let saved = #"{"items": [{"added_at": "2011-01-01T00:00:00Z", "track": \#(track)}]}"#
    let found = #"{"tracks": {"items": [\#(track)]}}"#
    let test = try await TestLibrary()
    for text in savedFirst ? [saved, found] : [found, saved] {
      try await test.importing(text, as: "some.json")
    }
    #expect(try test.sql("SELECT date_added FROM track_source") == ["2011-01-01T00:00:00.000Z"])
    #expect(try await test.importing(found, as: "some.json").outcome == .unchanged)
  }

  @Test func newerAnswersOfSpotifyCallATrackAnItem() async throws {
    let test = try await TestLibrary()
    let text = Self.saved("1").replacing("\"track\":", with: "\"item\":")
    try await test.importing(#"{"items": [\#(text)]}"#, as: "page.json")
    #expect(try test.uris() == ["spotify:track:1"])
  }

  @Test func aPageThatIsMissingIsListed() async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("pages"), withIntermediateDirectories: false)
    func page(_ offset: Int, _ next: String) -> String {
      #"""
      {"offset": \#(offset), "limit": 1, "total": 4, "href": "https://x/y?offset=\#(offset)&limit=1",
       "next": \#(next), "items": [\#(Self.saved("\(offset)"))]}
      """#
    }
    // In no order: the last one first.
    try test.folder.write(page(2, "\"https://x/y?offset=3&limit=1\""), to: "pages/a.json")
    try test.folder.write(page(0, "\"https://x/y?offset=1&limit=1\""), to: "pages/b.json")
    let path = test.folder.file("pages")
    let report = try await test.library.imports.apply(path)
    #expect(
      report.remarks.map(\.description) == [
        "\(path)/a.json: $: the entries 2 to 2 of the list are on a page that is not here",
        "\(path)/a.json: $: the entries 4 to 4 of the list are on a page that is not here",
      ])
    try test.folder.write(page(1, "\"https://x/y?offset=2&limit=1\""), to: "pages/c.json")
    try test.folder.write(page(3, "null"), to: "pages/d.json")
    #expect(try await test.library.imports.apply(path).remarks.isEmpty)
  }

  @Test func aListOfAppleThatGoesOnIsListed() async throws {
    let test = try await TestLibrary()
    let song = #"{"id": "1", "type": "songs", "attributes": {"name": "S"}}"#
    let report = try await test.importing(
      #"{"next": "/v1/me/library/songs?offset=26", "data": [\#(song)], "errors": [{"title": "Gone"}]}"#,
      as: "page.json")
    #expect(
      report.remarks.map(\.message) == [
        "the server answered with an error besides: Gone",
        "the entries 1 to 25 of the list are on a page that is not here",
        "the list continues after this page; the rest is missing",
      ])
  }

  @Test func whatASearchFoundBesidesTracksIsListed() async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      #"{"artists": {"items": [{"name": "x"}]}, "tracks": {"items": [\#(Self.saved("1"))]}}"#,
      as: "search.json")
    #expect(report.remarks.map(\.message) == ["1 artists that a search found; left out"])
  }

  // MARK: M3U and folders

  @Test func linesThatNameNoTrackAreListed() async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      "#EXTINF:1,Lost\n#EXTINF:2,A - B\n/a.mp3\n#EXTINF:3,End\n", as: "mix.m3u8")
    let file = test.folder.file("mix.m3u8")
    #expect(
      report.remarks.map(\.description)
        == [1, 4].map {
          "\(file): line \($0): no path or URI follows this #EXTINF; left out"
        })
  }

  @Test func aScanListsWhatItLeavesOut() async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("music"), withIntermediateDirectories: false)
    let path = test.folder.file("music")
    #expect(
      try await test.library.imports.apply(path).remarks.map(\.message) == ["there are no tracks"])
    for name in ["a.mp3", "cover.jpg", "notes.txt"] {
      try test.folder.write("x", to: "music/\(name)")
    }
    try FileManager.default.createSymbolicLink(
      atPath: path + "/link.mp3", withDestinationPath: path + "/a.mp3")
    for name in ["b.ape", "sub.APE", "none"] { try test.folder.write("x", to: "music/\(name)") }
    let report = try await test.library.imports.apply(path)
    #expect(try test.sql("SELECT title FROM tracks") == ["a"])
    #expect(
      report.remarks.map(\.message) == [
        "a link is not followed; left out",
        "2 files are sound in other formats; left out: .ape (2, such as b.ape)",
        "3 files are not audio files; left out: without an ending (1, such as none), .jpg (1, such as cover.jpg), "
          + ".txt (1, such as notes.txt)",
      ])
  }

  /// Titles that look like something else come back, also in a library that has none of them.
  @Test func anExportOfStrangeTitlesComesBack() async throws {
    let test = try await TestLibrary()
    let titles = [
      ("", "An Artist"), ("Some - Thing", ""), ("#EXTM3U", "A - B"), ("a, b", "c,d"),
      ("\u{202E}abc\u{2066}", "x"), ("-", "-"), ("A - ", "B"), ("1 - 2", "1"),
    ]
    try await test.importing(
      LibraryText.library(
        titles.enumerated().map {
          LibraryText.track($0 + 1, $1.0, $1.1, "", file: "/\($0).mp3")
        }, [LibraryText.collection(20, "#EXTM3U, odd", Array(1...titles.count) + [1])]),
      as: "library.json")
    let playlist = try #require(try await test.library.playlists.playlist(.number(20)))
    let other = try await TestLibrary()
    try await other.importing(try playlist.m3u8(), as: "odd.m3u8")
    let back = try #require(try await other.library.playlists.playlist(.number(20)))
    #expect(back.name == playlist.name)
    #expect(back.tracks.map(\.uri) == playlist.tracks.map(\.uri))
    for (track, line) in zip(back.tracks, playlist.tracks) {
      #expect(
        [track.title, track.artist] == [line.title.isEmpty ? track.title : line.title, line.artist]
          || line.title != line.title.trimmingCharacters(in: .whitespaces))
    }
  }

  /// The events are durable: what remains to be done is said.
  @Test func aLibraryThatCannotBeRenamedIsImported() async throws {
    let test = try await TestLibrary()
    // A path that is so long that the other name has no room: Linux takes 4,095 bytes.
    var folder = test.folder.path
    let length = 4_090 - "/library.json".utf8.count
    while folder.utf8.count < length {
      folder +=
        "/" + String(repeating: "a", count: min(200, max(1, length - folder.utf8.count - 1)))
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let file = folder + "/library.json"
    try Data(LibraryText.small.utf8).write(to: URL(fileURLWithPath: file))
    let error = await #expect(throws: DocumentError.self) {
      try await test.library.imports.migrate([file])
    }
    #expect(error?.message.hasPrefix("it is imported, and cannot be renamed to") == true)
    #expect(try test.uris().count == 3)
  }
}
