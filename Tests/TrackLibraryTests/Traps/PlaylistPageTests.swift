import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// Playlists on several pages, of Spotify and of Apple Music.
@Suite(
  .promise(
    "What could not be read, or is missing from a document, is not removed from the library",
    by: "playlists on several pages"))
struct PlaylistPageTests {
  @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
  func pagesThatAreNamedOneByOneAreOneList(_ order: [Int]) async throws {
    let test = try await TestLibrary()
    let texts = [ForeignText.list(ForeignText.page(0)), ForeignText.page(2), ForeignText.page(4)]
    let files = try texts.enumerated().map { try test.folder.write($1, to: "\($0).json") }
    let report = try await test.library.imports.apply(order.map { files[$0] })
    #expect(report.remarks.isEmpty)
    let list = try await test.playlist("Mix")
    #expect(try await test.uris(of: list) == (0..<6).map { "spotify:track:\($0)" })

    // One of them alone never shortens the list, and says nothing new.
    for file in files {
      #expect(try await test.library.imports.apply(file).outcome == .unchanged)
    }
  }

  /// A page says what is on it, and in which order; a whole list says what is gone.
  @Test func aPageNeverShortensAList() async throws {
    let test = try await TestLibrary()
    let uri = { (number: Int) in "spotify:track:\(number)" }
    let whole = { (tracks: [Int]) in
      #"{"type": "playlist", "uri": "spotify:playlist:x", "name": "Mix", "tracks": {"items": [\#(tracks.map { ForeignText.song($0) }.joined(separator: ","))]}}"#
    }
    try await test.importing(whole([0, 1, 2, 3, 4, 5]), as: "whole.json")
    let list = try await test.playlist("Mix")
    try await test.importing(ForeignText.list(ForeignText.page(0, [1, 0])), as: "first.json")
    #expect(try await test.uris(of: list) == [1, 0, 2, 3, 4, 5].map(uri))
    try await test.importing(ForeignText.page(2, [7, 2]), as: "second.json")
    #expect(try await test.uris(of: list) == [1, 0, 7, 2, 3, 4, 5].map(uri))
    try await test.importing(whole([5, 1]), as: "whole.json")
    #expect(try await test.uris(of: list) == [5, 1].map(uri))
  }

  /// A page without its playlist says by its address of which it is; the name comes when it comes.
  @Test func aPageAloneKeepsItsOrder() async throws {
    let test = try await TestLibrary()
    let pages = [ForeignText.page(2), ForeignText.page(4)]
    for (number, text) in pages.enumerated() {
      try await test.importing(text, as: "\(number).json")
    }
    let list = try await test.playlist("spotify:playlist:x")
    #expect(try await test.uris(of: list) == (2..<6).map { "spotify:track:\($0)" })
    try await test.importing(ForeignText.list(ForeignText.page(0)), as: "first.json")
    #expect(try await test.uris(of: list) == (0..<6).map { "spotify:track:\($0)" })
    #expect(try await test.library.playlists.playlist(list)?.name == "Mix")
  }

  /// Playlists of Apple Music name their next page, and that its own.
  @Test func pagesOfAppleMusicNeverShortenAList() async throws {
    func songs(_ range: Range<Int>) -> String {
      range.map { #"{"id": "15\#($0)", "type": "songs", "attributes": {"name": "S\#($0)"}}"# }
        .joined(separator: ",")
    }
    let path = "/v1/me/library/playlists/p.1/tracks?offset="
    func list(_ range: Range<Int>, _ next: String) -> String {
      #"{"data": [{"id": "p.1", "type": "library-playlists", "attributes": {"name": "Mix"}, "relationships": {"tracks": {"data": [\#(songs(range))]\#(next)}}}]}"#
    }
    let test = try await TestLibrary()
    let files = [
      try test.folder.write(list(0..<2, #", "next": "\#(path)2""#), to: "1.json"),
      try test.folder.write(
        #"{"data": [\#(songs(2..<4))], "next": "\#(path)4"}"#, to: "2.json"),
    ]
    try await test.library.imports.apply(files)
    let id = try await test.playlist("Mix")
    #expect(try await test.uris(of: id) == (0..<4).map { "apple-music:song:15\($0)" })
    try await test.importing(list(0..<6, ""), as: "whole.json")
    #expect(try await test.uris(of: id).count == 6)
    try await test.library.imports.apply(files)
    #expect(try await test.uris(of: id).count == 6)
  }

  /// A larger page of the same place counts, whichever is read first.
  @Test(arguments: [true, false])
  func aSmallerPageDoesNotReplaceALarger(_ smallFirst: Bool) async throws {
    let test = try await TestLibrary()
    let items = { (count: Int) in
      (0..<count).map { #"{"track": \#(ForeignText.song($0))}"# }.joined(separator: ",")
    }
    let large =
      #"{"href": "\#(ForeignText.address)", "offset": 0, "total": 6, "items": [\#(items(6))]}"#
    let small =
      #"{"href": "\#(ForeignText.address)", "offset": 0, "total": 6, "items": [\#(items(2))]}"#
    let files = try
      (smallFirst ? [ForeignText.list(small), large] : [ForeignText.list(large), small])
      .enumerated().map { try test.folder.write($1, to: "\($0).json") }
    try await test.library.imports.apply(files)
    #expect(try await test.uris(of: try await test.playlist("Mix")).count == 6)
  }

  /// A playlist that leaves out its URI or the place of its page is no whole list because of that.
  @Test(arguments: [
    #"{"name": "Mix", "tracks": {"total": 6, "next": "n", "items": [ITEMS]}}"#,
    #"{"name": "Mix", "id": "x", "type": "playlist", "tracks": {"total": 6, "offset": 0, "items": [ITEMS]}}"#,
    #"{"name": "Mix", "tracks": {"href": "ADDRESS?offset=0&limit=2", "total": 6, "items": [ITEMS]}}"#,
    #"{"href": "ADDRESS?offset=0&limit=2", "items": [ITEMS]}"#,
  ])
  func aPartIsAPartHoweverItSaysSo(_ text: String) async throws {
    let test = try await TestLibrary()
    let song = { (number: Int) in #"{"track": \#(ForeignText.song(number))}"# }
    let whole = (0..<6).map(song).joined(separator: ",")
    let named = text.contains("uri") || text.contains("ADDRESS") || text.contains(#""id""#)
    try await test.importing(
      named
        ? ForeignText.list(#"{"items": [\#(whole)]}"#)
        : #"{"name": "Mix", "tracks": {"items": [\#(whole)]}}"#,
      as: "whole.json")
    let part = text.replacing("ITEMS", with: [0, 1].map(song).joined(separator: ","))
      .replacing("ADDRESS", with: ForeignText.address)
    let report = try await test.importing(part, as: "part.json")
    #expect(try test.sql("SELECT count(*) FROM collections") == ["1"])
    #expect(try test.sql("SELECT count(*) FROM collection_tracks") == ["6"])
    if text.contains("total") {
      #expect(report.remarks.contains { $0.message.contains("on a page that is not here") })
    }
  }

  /// Pages that come one after the other, with tracks that are in the list twice.
  @Test(arguments: [
    [["A", "B", "X", "C"], ["D", "X", "E"]], [["A", "A", "A"], ["A", "A", "A"]],
    [["A", "B"], ["C", "D"], ["A", "C"]],
  ])
  func tracksThatAreTwiceInAListStay(_ pages: [[String]]) async throws {
    let test = try await TestLibrary()
    var first = 0
    for (number, page) in pages.enumerated() {
      let items = page.map {
        #"{"track": {"type": "track", "uri": "spotify:track:\#($0)", "name": "\#($0)"}}"#
      }
      let text = #"""
        {"href": "\#(ForeignText.address)?offset=\#(first)&limit=\#(page.count)", "offset": \#(first),
         "total": 99, "items": [\#(items.joined(separator: ","))]}
        """#
      try await test.importing(text, as: "\(number).json")
      // Once more, it says nothing new.
      #expect(try await test.importing(text, as: "\(number).json").outcome == .unchanged)
      first += page.count
    }
    let list = try await test.playlist("spotify:playlist:x")
    #expect(
      try await test.uris(of: list) == pages.flatMap { $0 }.map { "spotify:track:\($0)" })
  }

  @Test func aPlaylistOfAppleMusicListsWhatIsMissing() async throws {
    let test = try await TestLibrary()
    let song = { (number: Int) in
      #"{"id": "15\#(number)", "type": "songs", "attributes": {"name": "S"}}"#
    }
    let path = "/v1/me/library/playlists/p.1/tracks"
    let list =
      #"{"data": [{"id": "p.1", "type": "library-playlists", "attributes": {"name": "Mix"}, "relationships": {"tracks": {"data": [\#(song(1)), \#(song(2))], "next": "\#(path)?offset=2", "meta": {"total": 3}}}}]}"#
    let report = try await test.importing(list, as: "list.json")
    #expect(
      report.remarks.map(\.message) == [
        "the entries 3 to 3 of the list are on a page that is not here"
      ])
    let last = #"{"data": [\#(song(3))], "href": "\#(path)?offset=2"}"#
    let files = [test.folder.file("list.json"), try test.folder.write(last, to: "last.json")]
    #expect(try await test.library.imports.apply(files).remarks.isEmpty)
    #expect(try await test.uris(of: try await test.playlist("Mix")).count == 3)
  }

  /// An older URI of a playlist names its owner: it is the same playlist, also if an earlier release imported it.
  @Test func anOldURIOfAPlaylistIsTheSame() async throws {
    let test = try await TestLibrary()
    let old = ForeignText.list(#"{"items": [\#(ForeignText.song(1))]}"#).replacing(
      "spotify:playlist:x", with: "spotify:user:me:playlist:x")
    try await test.importing(ForeignText.page(0), as: "page.json")
    try await test.importing(old, as: "old.json")
    try await test.importing(
      ForeignText.list(#"{"items": [\#(ForeignText.song(2))]}"#), as: "new.json")
    #expect(try test.sql("SELECT name FROM collections") == ["Mix"])
  }
}
