import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// Fields that a document says, says to be empty, and does not say.
@Suite(
  .promise(
    "What could not be read, or is missing from a document, is not removed from the library",
    by: "fields that are empty, and fields that are missing"))
struct EmptyFieldTests {
  /// The fields of a track's row after a full document and then one that says less.
  private static let fields =
    "SELECT artist, album, album_artist, duration, artwork_url, genre, year, track_number FROM tracks"

  @Test(arguments: [
    (#""artists": []"#, "||B|3.0|p||1999|4", 0), (#""artists": null"#, "A|L|B|3.0|p||1999|4", 1),
    (#""duration_ms": 0"#, "A|L|B|0.0|p||1999|4", 2),
    (#""duration_ms": null"#, "A|L|B|3.0|p||1999|4", 3),
    (#""track_number": 0"#, "A|L|B|3.0|p||1999|", 4),
    (#""album": {"name": ""}"#, "A||B|3.0|p||1999|4", 5),
    (#""album": {"name": null}"#, "A|L|B|3.0|p||1999|4", 6),
    (#""album": {}"#, "A|L|B|3.0|p||1999|4", 7),
    (#""album": {"artists": []}"#, "A|L||3.0|p||1999|4", 8),
    (#""album": {"images": []}"#, "A|L|B|3.0|||1999|4", 9),
    (#""album": {"release_date": "0000"}"#, "A|L|B|3.0|p|||4", 10),
    (#""album": {"release_date": ""}"#, "A|L|B|3.0|p|||4", 11),
    (#""album": {"release_date": null}"#, "A|L|B|3.0|p||1999|4", 12),
    (#""name": null"#, "A|L|B|3.0|p||1999|4", 13), (#""name": """#, "A|L|B|3.0|p||1999|4", 14),
  ])
  func whatSpotifySaysIsEmptyIsEmpty(_ field: String, _ row: String, _ number: Int) async throws {
    let full = ForeignText.song(
      1,
      #"""
      , "artists": [{"name": "A"}], "duration_ms": 3000, "track_number": 4, "album": {"name": "L",
       "artists": [{"name": "B"}], "images": [{"url": "p"}], "release_date": "1999"}
      """#)
    let test = try await TestLibrary()
    try await test.importing("[\(full)]", as: "full.json")
    let less =
      field.contains("name\": ") && !field.contains("album")
      ? #"{"type": "track", "uri": "spotify:track:1", \#(field)}"#
      : ForeignText.song(1, ", " + field)
    try await test.importing("[\(less)]", as: "less.json")
    // An album without artists is not a track without artists.
    let expected = number == 0 ? "|L|B|3.0|p||1999|4" : row
    #expect(try test.sql(Self.fields) == [expected])
    #expect(try test.sql("SELECT title FROM tracks") == ["T1"])
  }

  @Test(arguments: [
    (#""artistName": """#, "|L||3.0|p|G|1999|4"), (#""artistName": null"#, "A|L||3.0|p|G|1999|4"),
    (#""albumName": """#, "A|||3.0|p|G|1999|4"), (#""durationInMillis": 0"#, "A|L||0.0|p|G|1999|4"),
    (#""genreNames": []"#, "A|L||3.0|p||1999|4"), (#""genreNames": null"#, "A|L||3.0|p|G|1999|4"),
    (#""trackNumber": 0"#, "A|L||3.0|p|G|1999|"), (#""releaseDate": """#, "A|L||3.0|p|G||4"),
    (#""artwork": {"url": ""}"#, "A|L||3.0||G|1999|4"),
    (#""artwork": null"#, "A|L||3.0|p|G|1999|4"),
  ])
  func whatAppleMusicSaysIsEmptyIsEmpty(_ field: String, _ row: String) async throws {
    let test = try await TestLibrary()
    try await test.importing(
      ForeignText.apple(
        "15",
        #"""
        "name": "T", "artistName": "A", "albumName": "L", "durationInMillis": 3000, "artwork": {"url": "p"},
        "genreNames": ["G"], "releaseDate": "1999-01-01", "trackNumber": 4
        """#), as: "full.json")
    #expect(try test.sql(Self.fields) == ["A|L||3.0|p|G|1999|4"])
    try await test.importing(ForeignText.apple("15", #""name": "T", \#(field)"#), as: "less.json")
    #expect(try test.sql(Self.fields) == [row])
  }

  @Test(arguments: [
    ("Artist", "|L|B|3.0||G|1999|4"), ("Album", "A||B|3.0||G|1999|4"),
    ("Album Artist", "A|L||3.0||G|1999|4"), ("Genre", "A|L|B|3.0|||1999|4"),
    ("Name", "A|L|B|3.0||G|1999|4"), ("Location", "A|L|B|3.0||G|1999|4"),
  ])
  func whatITunesSaysIsEmptyIsEmpty(_ key: String, _ row: String) async throws {
    let place = ForeignText.item("Persistent ID", "P1")
    let test = try await TestLibrary()
    try await test.importing(
      ForeignText.plist([
        place + ForeignText.item("Name", "T") + ForeignText.item("Artist", "A")
          + ForeignText.item("Album", "L")
          + ForeignText.item("Album Artist", "B") + ForeignText.item("Genre", "G")
          + "<key>Year</key><integer>1999</integer><key>Track Number</key><integer>4</integer>"
          + "<key>Total Time</key><integer>3000</integer>"
      ]), as: "full.xml")
    try await test.importing(ForeignText.plist([place + ForeignText.item(key, "")]), as: "less.xml")
    #expect(try test.sql(Self.fields) == [row])
    #expect(try test.sql("SELECT title FROM tracks") == ["T"])
  }

  /// A list of files says less than any other document, also of what is empty.
  @Test func anM3UTakesNothingAway() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      "#EXTART:A\n#EXTALB:L\n#EXTGENRE:G\n#EXTINF:3,A - T\n/a.mp3\n", as: "full.m3u8")
    let before = try test.sql(Self.fields)
    try await test.importing(
      "#EXTART:\n#EXTALB:\n#EXTGENRE:\n#EXTINF:0,\n/a.mp3\n", as: "less.m3u8")
    #expect(try test.sql(Self.fields) == before)
  }

  @Test func aDescriptionThatIsEmptiedIsGone() async throws {
    func list(_ text: String) -> String {
      #"{"type": "playlist", "uri": "spotify:playlist:x", "name": "Mix", "description": \#(text), "images": [], "tracks": {"items": []}}"#
    }
    func apple(_ text: String) -> String {
      #"{"data": [{"id": "p.1", "type": "playlists", "attributes": {"name": "Mix", "description": {"standard": \#(text)}}, "relationships": {"tracks": {"data": []}}}]}"#
    }
    for document in [list, apple] {
      let test = try await TestLibrary()
      for (text, row) in [
        (#""Calm""#, "Calm"), ("null", "Calm"), (#""""#, ""), (#""More""#, "More"),
      ] {
        try await test.importing(document(text), as: "list.json")
        #expect(try test.sql("SELECT description FROM collection_info") == [row])
      }
    }
  }

  /// A mark that is false is no mark; neither is a number 0, nor an empty rule.
  @Test(arguments: [
    ("<key>Master</key><false/>", true), ("<key>Folder</key><false/>", true),
    ("<key>Distinguished Kind</key><integer>0</integer>", true),
    ("<key>Master</key><true/>", false), ("<key>Folder</key><true/>", false),
    ("<key>Distinguished Kind</key><integer>4</integer>", false),
    ("<key>Smart Info</key><data></data>", true),
  ])
  func aMarkThatIsFalseIsNone(_ mark: String, _ isUsed: Bool) async throws {
    let test = try await TestLibrary()
    let track =
      ForeignText.item("Location", "file:///a.mp3") + "<key>Total Time</key><integer>1</integer>"
      + ForeignText.item("Name", "T") + "<key>Has Video</key><false/><key>Movie</key><false/>"
    let report = try await test.importing(
      ForeignText.plist(
        [track],
        [
          ForeignText.item("Name", "Walk") + ForeignText.item("Playlist Persistent ID", "A") + mark
            + ForeignText.items(1, 1)
        ]),
      as: "Library.xml")
    #expect(report.remarks.count == (isUsed ? 0 : 1), "\(report.remarks)")
    #expect(try test.sql("SELECT count(*) FROM collection_tracks") == [isUsed ? "2" : "0"])
  }
}
