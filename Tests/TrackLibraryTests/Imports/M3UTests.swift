import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

@testable import TrackLibrary

@Suite(
  .promise(
    "Playlists in M3U, PLS, XSPF and CSV are read entry by entry, and an export is read "
      + "again as it was"))
struct M3UTests {
  @Test func anExtendedListIsRead() async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      """
      #EXTM3U
      #PLAYLIST:Late Evening
      #EXTINF:215,A Pianist - Nocturne
      Nights/nocturne.mp3
      #EXTINF:-1 tvg-id="a,b" tvg-name="x",Some Station
      http://Radio.example.com:80/stream
      # a comment
      /Music/field.flac
      """, as: "evening.m3u8")
    #expect(report.outcome == .imported)
    let playlist = try await test.library.playlists.playlist(
      try await test.playlist("Late Evening"))
    let tracks = try #require(playlist).tracks
    #expect(
      tracks.map { "\($0.title)|\($0.artist)|\($0.duration)|\($0.source)" } == [
        "Nocturne|A Pianist|215.0|local", "Some Station||0.0|web", "field||0.0|local",
      ])
    #expect(
      tracks.map(\.uri) == [
        "file://\(test.folder.path)/Nights/nocturne.mp3", "http://radio.example.com/stream",
        "file:///Music/field.flac",
      ])
    let again = try await test.importing("x.mp3\n", as: "evening.m3u8")
    #expect(again.outcome == .imported, "a list without a name is another one")
    #expect(
      try await test.library.playlists.list(limit: 9).rows.map(\.name) == [
        "evening", "Late Evening",
      ])
  }

  /// A list says less of a track than what is known: that stays.
  @Test func aListDoesNotOverwriteWhatIsKnown() async throws {
    let test = try await TestLibrary()
    try await test.importing(LibraryText.small, as: "library.json")
    let report = try await test.importing(
      "#EXTINF:5,Somebody - Something\n/Music/nocturne.mp3\n/Music/nocturne.mp3\n", as: "mix.m3u")
    #expect(
      report.events == [
        "library.imported": 1, "collection.upserted": 1, "collection.tracks.set": 1,
      ])
    #expect(
      try await test.library.playlists.playlist(try await test.playlist("mix"))?.tracks.map(\.title)
        == ["Nocturne", "Nocturne"])
  }

  /// A stream is no list of tracks.
  @Test func aStreamIsRefused() async throws {
    let test = try await TestLibrary()
    let error = await #expect(throws: DocumentError.self) {
      try await test.importing("a.mp3\n#EXT-X-VERSION:3\n", as: "mix.m3u8")
    }
    #expect(error?.path == "line 2")
    #expect(try test.uris().isEmpty)
  }

  @Test(arguments: ["http://", "#X-TRACK-LIBRARY-ID:7", "file://", "/a\0b.mp3"])
  func aLineThatMeansNothingIsLeftOut(_ line: String) async throws {
    let test = try await TestLibrary()
    let report = try await test.importing("/a.mp3\n\(line)\n/b.mp3", as: "mix.m3u8")
    #expect(report.remarks.map(\.place) == [test.folder.file("mix.m3u8") + ": line 2"])
    #expect(try test.uris() == ["file:///a.mp3", "file:///b.mp3"])
  }

  /// A length that is none is unknown; lines of other players are listed.
  @Test func whatOtherPlayersWriteIsListed() async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      """
      #EXTM3U
      # a comment: of a person
      #EXTINF:3:45,A - B
      #EXTGRP:Rock
      /a.mp3
      #EXTINF:,C
      #EXTGRP:Rock
      #EXTVLCOPT:network-caching=1000
      /b.mp3
      """, as: "mix.m3u8")
    #expect(
      try test.sql("SELECT title, artist, duration FROM tracks ORDER BY title")
        == ["B|A|0.0", "C||0.0"])
    #expect(
      report.remarks.map(\.message) == [
        "\"3:45\" is not a length in seconds; it is unknown",
        "\"\" is not a length in seconds; it is unknown",
        "line 2 is a comment; not kept",
        "not kept: #EXTGRP (2), #EXTVLCOPT (1)",
      ])
  }

  /// Names may end in white space, and come back with it. Lists of other programs are trimmed.
  @Test func whiteSpaceAtTheEndsOfNamesComesBack() async throws {
    let (test, other) = (try await TestLibrary(), try await TestLibrary())
    try await test.importing(
      LibraryText.library(
        [
          LibraryText.track(1, " spaced ", "M!NT ", " Album ", file: "/1.mp3"),
          LibraryText.track(2, "- dash", " X  ", file: "/2.mp3"),
          LibraryText.track(3, "- dash", "", file: "/3.mp3"),
          LibraryText.track(4, "end -", "", file: "/4.mp3"),
        ], [LibraryText.collection(9, "Mix", [1, 2, 3, 4])]), as: "library.json")
    let text = try #require(try await test.library.playlists.playlist(.number(9))).m3u8()
    try await other.importing(text, as: "mix.m3u8")
    let columns = "SELECT title, artist, album FROM tracks ORDER BY file_url"
    #expect(try other.sql(columns) == test.sql(columns))
    #expect(try #require(try await other.library.playlists.playlist(.number(9))).m3u8() == text)
    // As an earlier release wrote it.
    let list = "#EXTM3U\n#EXTART:Moby \n#EXTINF:1,Moby  - other\n/5.mp3\n"
    try await other.importing(list, as: "old.m3u8")
    #expect(
      try other.sql("SELECT title, artist FROM tracks WHERE file_url LIKE '%5.mp3'") == [
        "other|Moby"
      ])
  }

  /// A playlist with one track twice survives save, M3U and load, in this library and in another one.
  @Test func anExportComesBackEqual() async throws {
    let test = try await TestLibrary()
    let odd = [
      "/Music/100%25.mp3", "/Music/a%20b.mp3", "/Music/# 1.mp3", "/Music/ends ",
      "/Music/line\\nfeed.mp3",
      "/Music/Überall - Da.mp3", "file://server/share/x.mp3", "G:\\\\Music\\\\x.mp3",
      "spotify:local:::No%20One:61", "https://example.com/a?b=c%20d", "file:///%FF.mp3",
    ]
    let tracks = odd.enumerated().map {
      LibraryText.track($0 + 1, "T - \($0)", "A - \($0)", "", file: $1)
    }
    try await test.importing(
      LibraryText.library(
        tracks, [LibraryText.collection(50, "Odd – ends", Array(1...odd.count) + [1, 1, 2])]),
      as: "library.json")
    let playlist = try #require(try await test.library.playlists.playlist(.number(50)))
    #expect(playlist.tracks.count == odd.count + 3)
    let text = try playlist.m3u8()
    let report = try await test.importing(text, as: "odd.m3u8")
    #expect(report.outcome == .unchanged)

    let other = try await TestLibrary()
    try await other.importing(text, as: "odd.m3u8")
    let copy = try #require(try await other.library.playlists.playlist(.number(50)))
    #expect(copy.name == playlist.name)
    func line(_ track: TrackLine) -> String {
      "\(track.uri)|\(track.title)|\(track.artist)|\(track.album)|\(track.duration)|\(track.source)"
    }
    #expect(copy.tracks.map(line) == playlist.tracks.map(line))
    #expect(try copy.m3u8() == text)
  }

  /// One track many times is described once; each entry is one of the playlist.
  @Test func oneTrackManyTimesIsDescribedOnce() async throws {
    let test = try await TestLibrary()
    let entry = "#EXTINF:61,A Farmer - Field\n/Music/field.mp3\n"
    let other = "#EXTINF:62,A Farmer - Field\n/Music/field.mp3\n"
    let text = "#EXTM3U\n" + String(repeating: entry, count: 2_000) + other + entry
    let document = try TrackDocumentReader.read(try test.folder.write(text, to: "many.m3u8"))
    #expect(document.tracks.count == 3)
    #expect(document.playlists[0].uris.count == 2_002)
    try await test.library.imports.apply(test.folder.file("many.m3u8"))
    #expect(
      try test.sql("SELECT count(*), count(DISTINCT track_id) FROM collection_tracks") == ["2002|1"]
    )
  }

  /// Texts have the limit of all documents: a longer line is left out, and listed.
  @Test(arguments: ["#EXTALB:", "#EXTINF:1,", "/Music/", "#PLAYLIST:", "http://a/", "#"])
  func aLineThatIsTooLongIsLeftOut(_ start: String) async throws {
    let test = try await TestLibrary()
    let text = start + String(repeating: "a", count: 65_537 - start.utf8.count)
    let file = try test.folder.write("#EXTM3U\r\n/a.mp3\r\n\(text)\r\n/b.mp3", to: "long.m3u8")
    let report = try await test.library.imports.apply(file)
    #expect(report.remarks.map(\.place) == ["\(file): line 3"])
    #expect(report.remarks[0].message.contains("65537 bytes"))
    #expect(try test.uris() == ["file:///a.mp3", "file:///b.mp3"])
  }

  @Test func aListThatIsTooLongIsRefused() async throws {
    let test = try await TestLibrary()
    let document = try TrackDocumentReader.read(
      try test.folder.write("a.mp3\nb.mp3\nc.mp3", to: "three.m3u8"))
    try TrackDocumentReader.requireEntries(document, file: "three.m3u8", limit: 3)
    let error = #expect(throws: DocumentError.self) {
      try TrackDocumentReader.requireEntries(document, file: "three.m3u8", limit: 2)
    }
    #expect(error?.file == "three.m3u8" && error?.message.hasPrefix("has 3 entries") == true)
  }
}
