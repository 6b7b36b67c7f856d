import CatalogEngine
import CatalogTestSupport
import Promises
import Testing
import TrackLibrary

@Suite(
  .promise(
    "A page of tracks, playlists, songs, albums and artists is found by an index, and is "
      + "that of a plain model"))
struct AlbumCatalogTests {
  private func library() async throws -> TestLibrary {
    let test = try await TestLibrary()
    func track(_ number: Int, _ artist: String, _ album: String, _ more: String = "") -> String {
      LibraryText.track(number, "T\(number)", artist, album, file: "/\(number).mp3", more: more)
    }
    try await test.importing(
      LibraryText.library([
        track(1, "Ida", "Songs", #", "year": 1999"#), track(2, "Ida", "Songs", #", "year": 1998"#),
        track(3, "Bo", "Songs"), track(4, "Bo", "Mixed", #", "albumArtist": "Various""#),
        track(5, "Ida", "Mixed", #", "albumArtist": "Various""#), track(6, "", ""),
      ]), as: "library.json")
    return test
  }

  /// One title by two artists is two albums; an album of several artists is one.
  @Test func albumsAreWhatTheTracksSay() async throws {
    let test = try await library()
    let albums = try await test.library.albums.list(limit: 9).rows
    #expect(
      albums == [
        Album(title: "Mixed", artist: "Various", trackCount: 2, duration: 210, year: nil),
        Album(title: "Songs", artist: "Bo", trackCount: 1, duration: 103.5, year: nil),
        Album(title: "Songs", artist: "Ida", trackCount: 2, duration: 204, year: 1998),
      ])
    var pages: [Album] = []
    var cursor: KeysetCursor?
    repeat {
      let page = try await test.library.albums.list(limit: 1, after: cursor)
      pages += page.rows
      cursor = page.next
    } while cursor != nil
    #expect(pages == albums)
  }

  /// Names of marks alone are names: they are listed, found and told from tracks without one.
  @Test func namesOfMarksAloneAreListed() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      LibraryText.library([
        LibraryText.track(1, "!!!", "…", "???", file: "/1.mp3"),
        LibraryText.track(2, "Quiet", "", "", file: "/2.mp3"),
      ]), as: "library.json")
    let (albums, tracks) = (test.library.albums, test.library.tracks)
    #expect(try await albums.list(limit: 9).rows.map(\.title) == ["???"])
    #expect(try await albums.artists(limit: 9).rows.map(\.name) == ["…"])
    #expect(try await tracks.list(.artist("…"), limit: 9).rows.map(\.title) == ["!!!"])
    #expect(try await tracks.list(.album("???"), limit: 9).rows.map(\.title) == ["!!!"])
    #expect(try await tracks.search("!!!", limit: 9).rows.map(\.title) == ["!!!"])
  }

  @Test func artistsAreWhatTheTracksSay() async throws {
    let test = try await library()
    #expect(
      try await test.library.albums.artists(limit: 9).rows == [
        Artist(name: "Bo", trackCount: 2, albumCount: 2, duration: 208),
        Artist(name: "Ida", trackCount: 3, albumCount: 2, duration: 309.5),
      ])
    try await test.library.tracks.remove(.number(3))
    try await test.library.tracks.remove(.number(4))
    #expect(try await test.library.albums.artists(limit: 9).rows.map(\.name) == ["Ida"])
  }
}
