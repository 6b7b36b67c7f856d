import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// What real libraries hold that the briefs do not expect: playlists, ISRCs and ids.
@Suite(
  .promise(
    "Each spelling of a place or an id of a track is one track or song",
    by: "playlists, ISRCs and ids of real libraries"))
struct IdentityTrapTests {
  private static let examples = ScratchFolder.repository + "/Examples/Tracks"

  /// A key of collection and track refuses such a playlist; 13 of 257 real ones are such.
  @Test func aPlaylistHasATrackTwice() async throws {
    let test = try await TestLibrary()
    try await test.importing(LibraryText.small, as: "library.json")
    #expect(
      try test.sql(
        "SELECT position, title FROM collection_tracks JOIN tracks ON id = track_id ORDER BY 1")
        == ["0|Nocturne", "1|Field", "2|Nocturne"])
    let playlist = EntityID.number(10)
    // Removal is by position: the other one stays.
    try await test.library.playlists.remove(at: 0, from: playlist)
    #expect(
      try await test.uris(of: playlist) == [
        "file:///Music/field.mp3", "file:///Music/nocturne.mp3",
      ])
  }

  /// 4,736 of 31,883 recorded states only reorder.
  @Test func aStateThatOnlyReordersIsAChange() async throws {
    let test = try await TestLibrary()
    try await test.importing(LibraryText.small, as: "library.json")
    let report = try await test.library.playlists.move(from: 0, to: 1, in: EntityID.number(10))
    #expect(report.events == 1)
    let places = try test.sql("SELECT track_id FROM collection_tracks ORDER BY position")
    #expect(places == [3, 1, 1].map { EntityID.number($0).description })
    let same = try await test.library.playlists.move(from: 1, to: 2, in: EntityID.number(10))
    #expect(same.outcome == .unchanged)
  }

  /// The same ISRC under two Spotify ids, once in lower case and with dashes.
  @Test func aSongHasSeveralTracks() async throws {
    let test = try await TestLibrary()
    let report = try await test.library.imports.apply(Self.examples + "/spotify")
    #expect(report.documents[0].imported.tracks == 4)
    #expect(report.documents[0].imported.identified == 3)
    #expect(
      try test.sql("SELECT song_id, count(*) FROM track_source GROUP BY 1 ORDER BY 1") == [
        "|1", "XXL011100001|2", "XXL019800007|1",
      ])
    let again = try await test.library.imports.apply(Self.examples + "/spotify")
    #expect(again.outcome == .unchanged)
  }

  private func page(_ tracks: (id: String, isrc: String?)...) -> String {
    let items = tracks.map { id, isrc in
      """
      {"track": {"type": "track", "uri": "spotify:track:\(id)", "name": "T\(id)", "duration_ms": 1000,
       "artists": [{"name": "A"}], "external_ids": {\(isrc.map { "\"isrc\": \"\($0)\"" } ?? "")}}}
      """
    }
    return "{\"items\": [\(items.joined(separator: ", "))]}"
  }

  @Test func anISRCInLowerCaseIsTheSameSong() async throws {
    let test = try await TestLibrary()
    try await test.importing(page(("1", "gbaye0601498")), as: "one.json")
    let report = try await test.importing(page(("2", "GBAYE0601498")), as: "two.json")
    #expect(report.events["song.upserted"] == 0)
    #expect(
      try test.sql("SELECT song_id, count(*) FROM track_source GROUP BY 1") == ["GBAYE0601498|2"])
  }

  /// U+2011, the hyphen at which no line breaks, and all other dashes.
  @Test(arguments: ["\u{2011}", "-", "\u{2010}", "\u{2012}", "\u{2013}", "\u{2014}", "\u{2212}"])
  func aDashIsNoPartOfAnISRC(_ dash: String) async throws {
    let test = try await TestLibrary()
    let spelled = ["GB", "AYE", "06", "01498"].joined(separator: dash)
    let report = try await test.importing(
      page(("1", spelled), ("2", "GBAYE0601498")), as: "page.json")
    #expect(report.remarks.isEmpty)
    #expect(
      try test.sql("SELECT song_id, count(*) FROM track_source GROUP BY 1") == ["GBAYE0601498|2"])
  }

  @Test func aTrackWithoutAnISRCBelongsToNoSong() async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(page(("1", nil), ("2", "GBAYE0601498")), as: "page.json")
    #expect(
      try test.sql("SELECT uri, song_id FROM track_source ORDER BY 1") == [
        "spotify:track:1|", "spotify:track:2|GBAYE0601498",
      ])
    #expect(report.documents[0].imported.identified == 1)
    #expect(report.remarks.count == 1)
  }

  /// An id of a personal library is not the same for two persons: it is listed, and none is invented.
  @Test func aLibraryIdIsNoSong() async throws {
    let test = try await TestLibrary()
    let report = try await test.library.imports.apply(Self.examples + "/apple")
    #expect(
      try test.sql("SELECT uri, song_id FROM track_source ORDER BY uri") == [
        "apple-music:library:i.a1B2c3D4e5F6|", "apple-music:library:i.b1B2c3D4e5F6|1500000003",
        "apple-music:song:1500000001|XXL019800007", "apple-music:song:1500000002|1500000002",
      ])
    #expect(report.documents[0].imported.identified == 3)
    #expect(
      report.remarks.map(\.description) == [
        "\(Self.examples)/apple/songs.json: $.data[2]: 1 of 4 tracks has neither an ISRC nor an id of Apple Music's "
          + "catalog here, and belongs to no song"
      ])
  }

  /// The ISRC is learnt later: tags and tracks move, and the old id stays a name of the song.
  @Test func anISRCIsLearntLater() async throws {
    let test = try await TestLibrary()
    func page(_ isrc: String) -> String {
      """
      {"data": [{"id": "1500000007", "type": "songs", "attributes": {"name": "Ferry"\(isrc)}}]}
      """
    }
    try await test.importing(page(""), as: "songs.json")
    try await test.library.tags.set(["Favorites"], of: "1500000007")
    try await test.library.tags.add("calm")
    try await test.library.tags.set(["calm"], of: "1500000007", from: "analysis")
    let report = try await test.importing(page(#", "isrc": "XX-L01-98-00007""#), as: "songs.json")
    #expect(report.events["song.identified"] == 1)
    #expect(report.events["song.upserted"] == 0)
    #expect(try test.sql("SELECT id, title FROM song") == ["XXL019800007|Ferry"])
    #expect(try test.sql("SELECT alias, song_id FROM song_alias") == ["1500000007|XXL019800007"])
    #expect(try test.sql("SELECT song_id FROM track_source") == ["XXL019800007"])
    for name in ["1500000007", "xxl019800007"] {
      #expect(try await test.library.tags.tags(of: name).map(\.name) == ["Favorites", "calm"])
      #expect(try await test.library.tags.tags(of: name, from: "analysis").map(\.name) == ["calm"])
    }
    // Without the ISRC again: what is known stays.
    #expect(try await test.importing(page(""), as: "songs.json").outcome == .unchanged)
  }

  /// An import that names a song which a person removed adds it again, by whatever name, and once.
  @Test(arguments: [
    // The id of Apple Music that the song has; a name of it; its ISRC; a name that is new.
    (#""id": "1500000007""#, "", "", "1500000007"),
    (#""id": "1500000007""#, #", "isrc": "XXL019800007""#, "", "XXL019800007"),
    (
      #""id": "1500000007""#, #", "isrc": "XXL019800007""#, #", "isrc": "XXL019800007""#,
      "XXL019800007"
    ),
  ])
  func aRemovedSongComesBack(
    _ id: String, _ before: String, _ after: String, _ song: String
  ) async throws {
    let test = try await TestLibrary()
    func page(_ isrc: String) -> String {
      """
      {"data": [{\(id), "type": "songs", "attributes": {"name": "Ferry"\(isrc)}}]}
      """
    }
    try await test.importing(page(""), as: "songs.json")
    if !before.isEmpty { try await test.importing(page(before), as: "songs.json") }
    // By its other name as well; a second time changes nothing.
    #expect(try await test.library.songs.remove("1500000007").events == 1)
    #expect(try await test.library.songs.remove("1500000007").outcome == .unchanged)
    #expect(try await test.library.songs.remove(song).outcome == .unchanged)
    #expect(try test.sql("SELECT id, sync_status FROM song") == ["\(song)|2"])
    let report = try await test.importing(page(after), as: "songs.json")
    #expect(report.events["song.upserted"] == 1)
    #expect(report.events["song.identified"] == 0)
    #expect(try test.sql("SELECT id, sync_status FROM song") == ["\(song)|1"])
    #expect(try test.sql("SELECT song_id FROM track_source") == [song])
    #expect(try await test.importing(page(after), as: "songs.json").outcome == .unchanged)
  }

  /// Another name of a song stands for the song; an ISRC is not given up for an id of Apple Music.
  @Test func aNameOfASongIsIdentifiedAsTheSong() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      #"{"data": [{"id": "1500000007", "type": "songs", "attributes": {"name": "Ferry", "isrc": "XXL019800007"}}]}"#,
      as: "songs.json")
    let songs = test.library.songs
    try await test.library.tags.set(["Favorites"], of: "XXL019800007")
    try await songs.identify("1500000007", as: "XXL019800008")
    #expect(try test.sql("SELECT id FROM song") == ["XXL019800008"])
    #expect(try test.sql("SELECT song_id FROM track_source") == ["XXL019800008"])
    #expect(try test.sql("SELECT song_id FROM song_tag") == ["XXL019800008"])
    #expect(
      try test.sql("SELECT * FROM song_alias ORDER BY 1") == [
        "1500000007|XXL019800008", "XXL019800007|XXL019800008",
      ])
    #expect(try await songs.identify("XXL019800007", as: "1500000007").outcome == .unchanged)
    #expect(try await songs.identify("XXL019800008", as: "XXL019800008").outcome == .unchanged)
    let error = await #expect(throws: SongError.self) {
      try await songs.identify("XXL019800008", as: "1500000009")
    }
    #expect(error?.code == .idRefused)
  }

  /// What a server acknowledges may be gone by now: the rest is synced.
  @Test func anAcknowledgementOfASongThatIsGoneChangesNothing() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      #"{"data": [{"id": "1500000007", "type": "songs", "attributes": {"name": "Ferry"}}, {"id": "1500000008", "type": "songs", "attributes": {"name": "Boat"}}]}"#,
      as: "songs.json")
    let songs = test.library.songs
    let pending = try await songs.pending()
    #expect(pending.songs.count == 2)
    let names = ["1500000007", "404", "1500000008", "1500000007"]
    #expect(try await songs.synced(names, through: pending.through).events == 2)
    #expect(try await songs.synced(names, through: pending.through).outcome == .unchanged)
    #expect(try await songs.pending().songs.isEmpty)
  }

  /// One ISRC under two Apple ids, each of which had tags.
  @Test func twoAppleIdsAreOneSong() async throws {
    let test = try await TestLibrary()
    func page(_ isrc: String) -> String {
      let songs = ["31", "32"].map {
        #"{"id": "\#($0)", "type": "songs", "attributes": {"name": "Song \#($0)"\#(isrc)}}"#
      }
      return "{\"data\": [\(songs.joined(separator: ", "))]}"
    }
    try await test.importing(page(""), as: "songs.json")
    try await test.library.tags.add("one")
    try await test.library.tags.add("two")
    try await test.library.tags.set(["one"], of: "31")
    try await test.library.tags.set(["two"], of: "32")
    try await test.importing(page(#", "isrc": "XXL010000001""#), as: "songs.json")
    #expect(try test.sql("SELECT id FROM song") == ["XXL010000001"])
    #expect(
      try test.sql("SELECT alias, song_id FROM song_alias ORDER BY 1") == [
        "31|XXL010000001", "32|XXL010000001",
      ])
    #expect(try await test.library.tags.tags(of: "31").map(\.name) == ["one", "two"])
    #expect(
      try test.sql("SELECT count(*) FROM track_source WHERE song_id = 'XXL010000001'") == ["2"])
  }

  /// `UUID(uuidString:) ?? UUID()` makes another track at each import.
  @Test func anIdThatIsNotAUUIDIsRefused() async throws {
    let test = try await TestLibrary()
    let text = LibraryText.small.replacing(EntityID.number(2).description, with: "2")
    let error = await #expect(throws: DocumentError.self) {
      try await test.importing(text, as: "library.json")
    }
    #expect(error?.path == "$.tracks[1].id")
    #expect(error?.message == "is not a UUID")
    #expect(try test.uris().isEmpty)
  }
}
