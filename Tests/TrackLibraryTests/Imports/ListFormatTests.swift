import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// Playlists in PLS, XSPF and CSV, and those that are not read.
@Suite(
  .promise(
    "Playlists in M3U, PLS, XSPF and CSV are read entry by entry, and an export is read "
      + "again as it was"))
struct ListFormatTests {
  private func tracks(_ test: TestLibrary) throws -> [String] {
    try test.sql(
      "SELECT uri, title, artist, album, duration FROM collection_tracks JOIN tracks ON id = track_id "
        + "JOIN track_source USING (track_id) ORDER BY position")
  }

  @Test func aListInPLSIsRead() async throws {
    let test = try await TestLibrary()
    try test.folder.write("", to: "near.mp3")
    let report = try await test.importing(
      """
      [playlist]\r
      NumberOfEntries=3\r
      File2=near.mp3\r
      Title2=Ida - Two\r
      Length2=-1\r
      file1=/Music/Ola/One.mp3\r
      Title1=Ola - One = 1\r
      Length1=61\r
      File10=http://radio.example.com/ten\r
      Title11=Nowhere\r
      Version=2\r
      """, as: "Ferry.pls")
    #expect(
      try tracks(test) == [
        "file:///Music/Ola/One.mp3|One = 1|Ola||61.0",
        "file://\(test.folder.path)/near.mp3|Two|Ida||0.0",
        "http://radio.example.com/ten|http://radio.example.com/ten|||0.0",
      ])
    #expect(report.remarks.map(\.message) == ["it has no File11; left out"])
    #expect(try test.sql("SELECT name FROM collections") == ["Ferry"])
    #expect(
      try await test.library.imports.apply(test.folder.file("Ferry.pls")).outcome == .unchanged)
  }

  @Test func aListInXSPFIsRead() async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!-- a <comment> -->
      <x:playlist version="1" xmlns:x="http://xspf.org/ns/0/">
        <x:title>Salt &amp; Rope</x:title>
        <x:trackList>
          <x:track><x:location>file:///Music/Ola/One%20%26%20only.mp3</x:location><x:title>One &#x26; only</x:title>
            <x:creator>Ola</x:creator><x:album><![CDATA[Far <Shore>]]></x:album><x:duration>61500</x:duration>
            <x:trackNum>3</x:trackNum><x:extension application="a>b"><x:title>no</x:title></x:extension></x:track>
          <x:track><x:title>Lost</x:title></x:track>
          <x:track><x:location>http://</x:location><x:location>spotify:track:2</x:location></x:track>
          <x:track/>
        </x:trackList>
      </x:playlist>
      """, as: "list.xspf")
    #expect(
      try tracks(test) == [
        "file:///Music/Ola/One%20&%20only.mp3|One & only|Ola|Far <Shore>|61.5",
        "spotify:track:2|spotify:track:2|||0.0",
      ])
    #expect(try test.sql("SELECT name FROM collections") == ["Salt & Rope"])
    #expect(
      report.remarks.map(\.message) == [
        "the track has no location that means a file; left out",
        "the track has no location that means a file; left out",
        "a track has no name here (track 3): its place is a name if none is known",
      ])
    #expect(try test.sql("SELECT track_number FROM tracks WHERE artist = 'Ola'") == ["3"])
  }

  @Test(arguments: [
    "<playlist><trackList><track>", "<playlist><title></playlist></title>",
    "<!DOCTYPE p [<!ENTITY a \"aa\">]><playlist>&a;</playlist>", "<playlist><title>x</ti",
    "<?xml version=\"1.0\"?><html/>", String(repeating: "<a>", count: 100), "plain",
  ])
  func damagedXMLIsRefused(_ text: String) async throws {
    let test = try await TestLibrary()
    await #expect(throws: DocumentError.self) { try await test.importing(text, as: "list.xspf") }
    #expect(try test.sql("SELECT count(*) FROM collections") == ["0"])
  }

  /// Columns of several programs, in any order; addresses of albums and artists are those of no track.
  @Test func aTableWithAColumnOfAddressesIsRead() async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      #"""
      \#u{FEFF}Album URI,Track URI,Track Name,Album Name,Artist URI(s),Artist Name(s),Release Date,Duration (ms),Added By,Added At,ISRC
      spotify:album:1,"spotify:track:1","One, ""again""","Shore",spotify:artist:1,"Ola Fen, Ida","2004-05-01",181000,"spotify:user:x","2024-03-01T08:00:00Z",XXL010000001
      spotify:album:1,spotify:local:Ola+Fen:Shore:Tin+Kettle:215,,,,,,,,,
      ,,,,,,,,,,
      spotify:album:1,nowhere,Lost,,,,,,,,
      ,"spotify:track:2","Two
      lines",,,,,,,,
      """#, as: "Ferry.csv")
    #expect(
      try test.sql(
        "SELECT title, artist, album, duration, year FROM collection_tracks JOIN tracks ON id = track_id ORDER BY position"
      )
        == [
          "One, \"again\"|Ola Fen, Ida|Shore|181.0|2004", "Tin Kettle|Ola Fen|Shore|215.0|",
          "Two\nlines|||0.0|",
        ].flatMap { $0.split(separator: "\n").map(String.init) })
    #expect(
      report.remarks.contains {
        $0.place.hasSuffix("line 5")
          && $0.message == "the row has no address of a track; left out"
      })
    #expect(
      try test.sql("SELECT song_id, date_added FROM track_source WHERE uri = 'spotify:track:1'")
        == ["XXL010000001|2024-03-01T08:00:00.000Z"])
  }

  @Test func aTableMayHaveSemicolons() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      "Title;Location\r\nOne;C:\\Music\\One, two.mp3\r\nTwo;/m/two.mp3\r\n", as: "l.csv")
    #expect(try test.uris() == ["file:///C:/Music/One,%20two.mp3", "file:///m/two.mp3"])
  }

  /// Errors of files that are not read say what they are, and what can be read.
  @Test(arguments: [
    ("a.wpl", "<?wpl version=\"1.0\"?><smil/>", "this is a list of Windows Media Player (WPL)"),
    ("a.csv", "Artist,Title\nOla,One\n", "this is a table without a column of addresses"),
    ("a.pls", "/m/one.mp3\n", "this is not a list in PLS"), ("a.pdf", "%PDF-1.4", "this is not"),
    ("a.json", "<html>\n</html>", "this is a web page"), ("a.txt", "One\nTwo", "this is not"),
    ("a.xspf", "<html>\n</html>", "this is a web page"),
  ])
  func whatIsNotReadSaysWhatItIs(
    _ name: String, _ text: String, _ message: String
  ) async throws {
    let test = try await TestLibrary()
    let error = await #expect(throws: DocumentError.self) {
      try await test.importing(text, as: name)
    }
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    #expect(error?.advice != nil)
  }

  /// The address of a local file of Spotify names what no other field does.
  @Test func addressesOfLocalFilesAreTakenApart() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      #"{"items": [{"track": {"uri": "spotify:local:Ola:Shore:One+%2B+Two:61", "name": "", "artists": [{"name": ""}], "duration_ms": 0}}]}"#,
      as: "page.json")
    try await test.importing(
      "spotify:local::::\nspotify:local:a:b\nspotify:local:%FF::%00:x\n", as: "list.m3u8")
    #expect(
      try test.sql("SELECT title, artist, album, duration FROM tracks ORDER BY file_url") == [
        "spotify:local:%FF::%00:x|||0.0", "spotify:local::::|||0.0",
        "One + Two|Ola|Shore|61.0", "spotify:local:a:b|||0.0",
      ])
  }
}
