import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// Saved answers and backups as people have them: reports to other programs that do this.
@Suite(
  .promise(
    "No entry of a document of tracks is lost without a line",
    by: "saved answers and backups, from reports to other programs"))
struct ForeignAnswerTests {
  /// Valid answers without tracks are left out with a line, and the set is imported.
  @Test(arguments: [
    (#"{"artists": {"items": [{"name": "x", "type": "artist"}], "total": 1}}"#, "1 artists"),
    (#"{"artists": [{"name": "x"}, {"name": "y"}]}"#, "2 artists"),
    (#"{"devices": [{"id": "1", "name": "Kitchen"}]}"#, "1 devices"),
    (#"{"categories": {"items": [{"id": "toplists", "name": "Top"}]}}"#, "1 categories"),
    (#"{"audio_features": [{"danceability": 0.7, "id": "1"}]}"#, "1 audio features"),
    (#"{"genres": ["ambient"]}"#, "1 genres"),
    (#"{"meta": {}, "track": {"tempo": 98}, "bars": [], "beats": [], "segments": []}"#, "analysis"),
    (
      #"{"playlists": {"items": [{"type": "playlist", "uri": "spotify:playlist:1", "name": "P", "tracks": {"href": "h", "total": 4}}]}}"#,
      "has no tracks here"
    ),
    (
      #"{"message": "Editor's picks", "playlists": {"items": [{"type": "playlist", "uri": "spotify:playlist:1", "name": "P"}]}}"#,
      "has no tracks here"
    ),
    (
      #"{"danceability": 0.7, "type": "audio_features", "uri": "spotify:track:1"}"#,
      "audio_features"
    ),
    (
      #"[{"endTime": "2024-03-01 08:00", "artistName": "A", "trackName": "T", "msPlayed": 1}]"#,
      "1 play "
    ),
  ])
  func anAnswerWithoutTracksIsLeftOut(_ text: String, _ words: String) async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("pages"), withIntermediateDirectories: false)
    try test.folder.write("[\(ForeignText.song(1))]", to: "pages/a.json")
    try test.folder.write(text, to: "pages/b.json")
    let report = try await test.library.imports.apply(test.folder.file("pages"))
    #expect(try test.uris() == ["spotify:track:1"])
    #expect(
      report.remarks.count == 1 && report.remarks[0].message.contains(words), "\(report.remarks)")
    #expect(report.remarks[0].place.contains("pages/b.json"))
  }

  /// Two recordings of one track, of which one plays in this country: the playlist names the other.
  @Test func aTrackThatIsLinkedIsOne() async throws {
    let test = try await TestLibrary()
    try await test.importing("[\(ForeignText.song(1))]", as: "all.json")
    let linked = ForeignText.song(
      2, #", "linked_from": {"type": "track", "uri": "spotify:track:1"}"#)
    try await test.importing("[\(linked)]", as: "here.json")
    #expect(try test.uris() == ["spotify:track:1"])
  }

  /// A byte order mark, UTF-16, half of an emoji, a time before times were kept, and a zone without a colon.
  @Test func oddValuesOfAnswersAreRead() async throws {
    let test = try await TestLibrary()
    let text = "[\(ForeignText.song(1))]"
    for (name, bytes) in [
      ("utf8", [0xEF, 0xBB, 0xBF] + Array(text.utf8)),
      ("utf16", [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
    ] as [(String, [UInt8])] {
      let other = try await TestLibrary()
      try await other.importing(bytes, as: "\(name).json")
      #expect(try other.uris() == ["spotify:track:1"], "\(name)")
    }
    try await test.importing(
      #"""
      {"items": [{"added_at": "1970-01-01T00:00:00Z", "track": \#(ForeignText.song(1))},
       {"added_at": "2024-03-01T08:00:00.000+0000", "track": \#(ForeignText.song(2))},
       {"added_at": "2024-03-01", "track": {"uri": "spotify:track:3", "name": "cut \ud83d",
        "external_ids": {"isrc": ""}, "popularity": 1e400}}]}
      """#, as: "page.json")
    #expect(
      try test.sql(
        "SELECT title, date_added < '2000' FROM tracks JOIN track_source ON id = track_id ORDER BY uri"
      )
        == ["T1|0", "T2|0", "cut \u{FFFD}|0"])
    #expect(
      try test.sql("SELECT date_added FROM track_source WHERE uri > 'spotify:track:1' ORDER BY uri")
        == ["2024-03-01T08:00:00.000Z", "2024-03-01T00:00:00.000Z"])
  }

  /// Files of programs that back up an account, and those that Spotify sends its owner.
  @Test func playlistsOfOtherProgramsAreRead() async throws {
    let track = { (number: Int) in #"{"track": \#(ForeignText.song(number))}"# }
    let documents = [
      #"[{"name": "Liked", "tracks": [\#(track(1))]}, {"name": "Ferry", "uri": "spotify:playlist:1", "tracks": [\#(track(2)), \#(track(1))]}]"#,
      #"{"playlists": [{"name": "Ferry", "type": "playlist", "uri": "spotify:playlist:1", "tracks": [\#(track(2)), \#(track(1))]}], "albums": []}"#,
      #"{"type": "playlist", "uri": "spotify:playlist:1", "name": "Ferry", "tracks": [\#(ForeignText.song(2)), \#(ForeignText.song(1))]}"#,
      #"{"playlists": [{"name": "Ferry", "items": [{"track": {"trackName": "T2", "artistName": "A", "albumName": "L", "trackUri": "spotify:track:2"}, "episode": null, "addedDate": "2024-03-01"}, {"track": {"trackName": "T1", "trackUri": "spotify:track:1"}}]}]}"#,
    ]
    for text in documents {
      let test = try await TestLibrary()
      let report = try await test.importing(text, as: "backup.json")
      #expect(
        report.remarks.allSatisfy { $0.message.contains("belong") }, "\(report.remarks)")
      #expect(
        try await test.uris(of: try await test.playlist("Ferry"))
          == ["spotify:track:2", "spotify:track:1"])
    }
    let test = try await TestLibrary()
    try await test.importing(
      #"{"tracks": [{"artist": "A", "album": "L", "track": "T", "uri": "spotify:track:1"}], "albums": [], "shows": []}"#,
      as: "YourLibrary.json")
    #expect(try test.sql("SELECT title, artist, album FROM tracks") == ["T|A|L"])
  }

  /// Several answers, and several formats, in one folder: those that are refused keep no other out.
  @Test func aFolderHasDocumentsOfSeveralFormats() async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("saved"), withIntermediateDirectories: false)
    try test.folder.write("[\(ForeignText.song(1))]", to: "saved/a.json")
    try test.folder.write(ForeignText.apple("15", #""name": "S""#), to: "saved/b.json")
    try test.folder.write(LibraryText.small, to: "saved/c.json")
    let report = try await test.library.imports.apply(test.folder.file("saved"))
    #expect(report.documents.map(\.imported.format) == ["spotify", "apple-music", "library.json"])
    #expect(try test.uris().count == 5)
    try test.folder.write("[", to: "saved/d.json")
    try test.folder.write(#"{"what": 1}"#, to: "saved/e.json")
    let again = try await test.library.imports.apply(test.folder.file("saved"))
    #expect(again.outcome == .unchanged)
    let remarks = again.remarks.map(\.description)
    #expect(remarks.contains { $0.contains("saved/d.json: ") })
    #expect(remarks.contains { $0.contains(".json (1, such as e.json)") })
    let both = ["d", "e"].map { test.folder.file("saved/\($0).json") }
    let error = await #expect(throws: DocumentError.self) {
      try await test.library.imports.apply(both)
    }
    #expect(error?.description.contains("saved/d.json") == true)
    #expect(error?.description.contains("saved/e.json") == true)
  }

  /// The answer names the song of the catalog that a song of a library is, if it was asked for.
  @Test func aSongOfALibraryIsKnownByTheCatalog() async throws {
    let test = try await TestLibrary()
    let linked = ForeignText.apple(
      "1500000001", #""name": "One", "isrc": "QZX000400001", "trackNumber": 3"#)
    func song(_ id: String, _ more: String, _ relations: String = "") -> String {
      #"{"id": "\#(id)", "type": "library-songs", "attributes": {"name": "S"\#(more)}\#(relations)}"#
    }
    let songs = [
      song("i.a", "", #", "relationships": {"catalog": \#(linked)}"#),
      song("i.b", #", "playParams": {"catalogId": "1500000002"}"#),
      song("i.c", #", "playParams": {"catalogId": null}"#), song("a.1500000001", ""),
      song("i.d", "").replacing(#""name": "S""#, with: #""artistName": "A""#),
    ]
    try await test.importing(#"{"data": [\#(songs.joined(separator: ","))]}"#, as: "songs.json")
    #expect(
      try test.sql(
        "SELECT uri, song_id, title, track_number FROM track_source JOIN tracks ON id = track_id ORDER BY uri"
      )
        == [
          "apple-music:library:a.1500000001||S|", "apple-music:library:i.a|QZX000400001|S|3",
          "apple-music:library:i.b|1500000002|S|", "apple-music:library:i.c||S|",
          "apple-music:library:i.d||apple-music:library:i.d|",
        ])
  }

  @Test func whatIsCountedIsCountedOnce() async throws {
    let test = try await TestLibrary()
    let list = ForeignText.list(#"{"items": [\#(ForeignText.song(1))]}"#)
    let report = try await test.importing(#"{"items": [\#(list), \#(list)]}"#, as: "lists.json")
    #expect(report.documents.map(\.imported.collections) == [1])
    let apple =
      #"{"id": "p.1", "type": "playlists", "attributes": {}, "relationships": {"tracks": {"data": []}}}"#
    let second = try await test.importing(#"{"data": [\#(apple), \#(apple)]}"#, as: "a.json")
    #expect(second.documents.map(\.imported.collections) == [1])
    #expect(
      try await test.playlist("apple-music:playlist:p.1")
        == NameBasedID.collection("apple-music", "p.1"))
  }
}
