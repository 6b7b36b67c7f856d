import CatalogTestSupport
import Promises
import Testing
import TrackLibrary

/// Lists whose lines have the title first: iTunes and Music export them so.
@Suite(
  .promise(
    "Playlists in M3U, PLS, XSPF and CSV are read entry by entry, and an export is read "
      + "again as it was",
    by: "lines that have the title first"))
struct TitleOrderTests {
  private func rows(_ text: String) async throws -> (rows: [String], remarks: [String]) {
    let test = try await TestLibrary()
    let report = try await test.importing("#EXTM3U\n" + text, as: "list.m3u8")
    return (
      try test.sql("SELECT artist, title FROM tracks ORDER BY duration"),
      report.remarks.map(\.message)
    )
  }

  /// Folders of artists, files of titles: with numbers, cut names, dashes in titles, other letters than a file may have.
  @Test func thePathsOfAListSayThatTitlesAreFirst() async throws {
    let (rows, remarks) = try await rows(
      """
      #EXTINF:1,Harbour Lights - Renée Vale
      /Users/x/Music/Media/Music/Renée Vale/Far Shore/06 Harbour Lights.m4a
      #EXTINF:2,Gravel Road (Long Tin Remix) - Canyon/Row
      H:\\Music\\Canyon_Row\\Unknown Album\\1-04 Gravel Road (Long T.mp3
      #EXTINF:3,Two - Three - Ola Fen
      /Users/x/Music/Ola Fen/Shore/02 Two - Three.m4a
      #EXTINF:4,Elsewhere - Ida Marlo
      http://example.com/4.mp3
      #EXTINF:5,Alone
      /Music/alone.mp3
      """)
    #expect(
      rows == [
        "Renée Vale|Harbour Lights", "Canyon/Row|Gravel Road (Long Tin Remix)",
        "Ola Fen|Two - Three", "Ida Marlo|Elsewhere", "|Alone",
      ])
    #expect(remarks == ["titles are before artists here (Title - Artist), as 3 paths say"])
  }

  /// Without a sign, and with signs of the other order, the artist is first.
  @Test(arguments: [
    "/Music/Renée Vale/Far Shore/06 Harbour Lights.m4a", "/m/1.mp3", "http://example.com/1.mp3",
    "/Music/Far Shore/Renée Vale - Harbour Lights.mp3",
    "/Music/Harbour Lights/Renée Vale - Harbour Lights.mp3",
    "/Music/Renée Vale/Harbour Lights/Renée Vale - Harbour Lights.mp3",
  ])
  func withoutASignTheArtistIsFirst(_ path: String) async throws {
    let (rows, remarks) = try await rows("#EXTINF:1,Renée Vale - Harbour Lights\n\(path)\n")
    #expect(rows == ["Renée Vale|Harbour Lights"])
    #expect(remarks.isEmpty)
  }

  /// One odd path does not turn a list around.
  @Test func mostPathsDecide() async throws {
    let (rows, _) = try await rows(
      """
      #EXTINF:1,Ola Fen - Gate
      /Music/Ola Fen/Shore/Gate.mp3
      #EXTINF:2,Ola Fen - Bell
      /Music/Ola Fen/Shore/Bell.mp3
      #EXTINF:3,Shore - Row
      /Music/Row/Tin/Shore.mp3
      """)
    #expect(rows == ["Ola Fen|Gate", "Ola Fen|Bell", "Shore|Row"])
  }

  /// Marks without a width at the beginning of a line are no part of tags and paths.
  @Test(arguments: [
    "\u{FEFF}", "\u{200B}", "\u{200E}", "\u{2060}", "\u{FEFF}\u{FEFF}", " \u{FEFF} ",
  ])
  func marksAtTheBeginningOfALineAreNotNames(_ mark: String) async throws {
    let test = try await TestLibrary()
    try test.folder.write("", to: "\u{200E}real.mp3")
    let report = try await test.importing(
      """
      \(mark)#EXTM3U
      \(mark)#EXTINF:61,Ola - One
      \(mark)/m/one.mp3
      \(mark)#PLAYLIST:Ferry
      \(mark)spotify:track:1
      \(mark)
      \u{200E}real.mp3
      """, as: "list.m3u8")
    #expect(
      try await test.uris(of: try await test.playlist("Ferry")) == [
        "file:///m/one.mp3", "spotify:track:1", "file://\(test.folder.path)/%E2%80%8Ereal.mp3",
      ])
    #expect(try test.sql("SELECT artist, title FROM tracks WHERE duration > 0") == ["Ola|One"])
    #expect(try test.sql("SELECT name FROM collections") == ["Ferry"])
    #expect(report.remarks.isEmpty)
  }
}
