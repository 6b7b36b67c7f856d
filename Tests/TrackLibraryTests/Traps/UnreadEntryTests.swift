import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// Documents that could not be read, whole or in part: what is left out is not removed.
@Suite(
  .promise(
    "What could not be read, or is missing from a document, is not removed from the library"))
struct UnreadEntryTests {
  private static let list = "#EXTM3U\n#EXTINF:61,Ola - One\n/m/one.mp3\n/m/two.mp3\n"
  private static let both = ["file:///m/one.mp3", "file:///m/two.mp3"]

  private static func utf16(_ text: String, swapped: Bool) -> [UInt8] {
    text.utf16.flatMap {
      swapped ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
    }
  }

  /// UTF-16 without a mark, pages of servers, lists of other formats, what is no text at all.
  @Test(arguments: [
    utf16(list, swapped: false), utf16(list, swapped: true),
    Array("\n <!DOCTYPE html>\n<html><body>Sign in</body></html>\n".utf8),
    Array("<h1>Not found</h1>".utf8), Array(#"{"error": {"status": 404}}"#.utf8),
    Array(#"[{"a": 1}]"#.utf8), Array("[playlist]\nFile1=/m/one.mp3\n".utf8),
    Array("<?xml version=\"1.0\"?>\n<playlist/>".utf8),
    [0xFF, 0xFB, 0x90, 0x00] + Array(repeating: 0, count: 200),
  ])
  func aFileThatIsNoListIsRefused(_ bytes: [UInt8]) async throws {
    let test = try await TestLibrary()
    try await test.importing(Self.list, as: "mix.m3u")
    let log = try test.log()
    let error = await #expect(throws: DocumentError.self) {
      try await test.importing(bytes, as: "mix.m3u")
    }
    #expect(error?.message.hasSuffix("and not a list in M3U") == true)
    #expect(try test.log() == log)
  }

  /// Names of files may begin as other documents do.
  @Test func oddNamesAreNoOtherFormats() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      "<3 & more.mp3\n{x}.mp3\n[\"Live\"].mp3\n[Live] tapes/a.mp3", as: "odd.m3u8")
    #expect(try test.uris().count == 4)
    for (number, name) in ["<b> side.mp3", "{\"q\"}.mp3", "[\"q\"].mp3"].enumerated() {
      try await test.importing(name, as: "\(number).m3u8")
    }
    #expect(try test.uris().count == 7)
  }

  /// A line that means no track takes nothing out of a list that is known.
  @Test func aLineThatCannotBeReadKeepsTheList() async throws {
    let test = try await TestLibrary()
    try await test.importing(Self.list, as: "mix.m3u8")
    let report = try await test.importing("/m/one.mp3\n/m/t\0wo.mp3\n/m/three.mp3", as: "mix.m3u8")
    #expect(report.remarks.count == 1)
    #expect(
      try await test.uris(of: try await test.playlist("mix"))
        == ["file:///m/one.mp3", "file:///m/three.mp3", "file:///m/two.mp3"])
  }

  private static func spotify(_ items: [String]) -> String {
    ForeignText.list(
      #"{"items": [\#(items.joined(separator: ","))], "total": \#(items.count), "next": null}"#)
  }

  private static func saved(_ number: Int) -> String {
    #"{"track": \#(ForeignText.song(number))}"#
  }

  /// Entries without an identity keep what the list has; a track that is not offered any more, and an episode, do not.
  @Test(arguments: [
    ([#"{}"#, #"{}"#, #"{}"#], [0, 1, 2]), ([saved(0), #"{"track": {}}"#, saved(2)], [0, 1, 2]),
    ([saved(0), #"{"track": {"name": "T1", "album": null}}"#, saved(2)], [0, 1, 2]),
    ([saved(2), #"7"#, saved(3)], [0, 1, 2, 3]),
    ([saved(0), #"{"track": null}"#, saved(2)], [0, 2]),
    (
      [saved(0), #"{"track": {"type": "episode", "uri": "spotify:episode:1"}}"#, saved(2)], [0, 2]
    ),
    ([saved(0), #"{"track": null, "audiobook": {"audiobookName": "B"}}"#, saved(2)], [0, 2]),
  ])
  func anEntryWithoutAnIdentityTakesNothingAway(_ items: [String], _ left: [Int]) async throws {
    let test = try await TestLibrary()
    try await test.importing(Self.spotify([0, 1, 2].map(Self.saved)), as: "list.json")
    try await test.importing(Self.spotify(items), as: "list.json")
    let uris = try await test.uris(of: try await test.playlist("Mix"))
    #expect(Set(uris) == Set(left.map { "spotify:track:\($0)" }) && uris.count == left.count)
  }

  @Test func aTrackWithoutAURIIsSaidToHaveNone() async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      Self.spotify([#"{"track": {"name": "T1", "album": null, "artists": []}}"#, Self.saved(2)]),
      as: "list.json")
    #expect(report.remarks.map(\.message) == ["the track has no URI; left out"])
  }

  /// Pages 1 and 3 of a list that is known, and page 2 is missing: each track is in the list once.
  @Test func aMissingPageTakesNothingAway() async throws {
    let test = try await TestLibrary()
    let whole = Self.spotify((0..<6).map(Self.saved))
    try await test.importing(whole, as: "whole.json")
    let files = [
      try test.folder.write(ForeignText.list(ForeignText.page(0)), to: "1.json"),
      try test.folder.write(ForeignText.page(4), to: "3.json"),
    ]
    try await test.library.imports.apply(files)
    #expect(
      try await test.uris(of: try await test.playlist("Mix"))
        == (0..<6).map { "spotify:track:\($0)" })
  }

  /// Tracks of iTunes that have neither a place nor an id, numbers of no track, items that are no array.
  @Test(arguments: [
    (ForeignText.item("Name", "Two"), ForeignText.items(1, 2), 2),
    (ForeignText.item("Location", "file:///m/two.mp3"), ForeignText.items(1, 9), 2),
    (
      ForeignText.item("Location", "file:///m/two.mp3"),
      "<key>Playlist Items</key><array><dict/><dict/></array>", 2
    ),
    (
      ForeignText.item("Location", "file:///m/two.mp3"),
      "<key>Playlist Items</key><string>x</string>", 2
    ),
    // A video is none of the list.
    (
      ForeignText.item("Location", "file:///m/two.m4v") + "<key>Movie</key><true/>",
      ForeignText.items(1, 2), 1
    ),
  ])
  func aTrackOfITunesWithoutAnIdStays(
    _ second: String, _ items: String, _ left: Int
  ) async throws {
    let test = try await TestLibrary()
    let first = ForeignText.item("Location", "file:///m/one.mp3")
    let name = ForeignText.item("Name", "Ferry")
    try await test.importing(
      ForeignText.plist(
        [first, ForeignText.item("Location", "file:///m/two.mp3")],
        [name + ForeignText.items(1, 2)]), as: "Library.xml")
    try await test.importing(
      ForeignText.plist([first, second], [name + items]), as: "Library.xml")
    #expect(
      try await test.uris(of: try await test.playlist("Ferry")) == Array(Self.both.prefix(left)))
  }

  private static func apple(_ songs: String...) -> String {
    #"""
    {"data": [{"id": "p.1", "type": "library-playlists", "attributes": {"name": "Ferry"},
      "relationships": {"tracks": {"data": [\#(songs.joined(separator: ","))]}}}]}
    """#
  }

  /// Songs that an answer only names: they are known, in the same import, or unknown until now.
  @Test(arguments: [0, 1, 2])
  func anIdAloneKeepsThePlaceOfASong(_ order: Int) async throws {
    let test = try await TestLibrary()
    let ids = [
      #"{"id": "i.b", "type": "library-songs", "href": "/v1/me/library/songs/i.b"}"#,
      #"{"id": "1500000001", "type": "songs"}"#,
    ]
    let list = Self.apple(ids[0], ids[1])
    let songs = #"""
      {"data": [{"id": "i.b", "type": "library-songs", "attributes": {"name": "Bell"}},
        {"id": "1500000001", "type": "songs", "attributes": {"name": "Gate"}}]}
      """#
    let files = [
      try test.folder.write(list, to: "a.json"), try test.folder.write(songs, to: "b.json"),
    ]
    switch order {
    case 0: try await test.library.imports.apply(files)
    case 1: for file in files { try await test.library.imports.apply(file) }
    default: for file in files.reversed() { try await test.library.imports.apply(file) }
    }
    let playlist = try #require(
      try await test.library.playlists.playlist(try await test.playlist("Ferry")))
    #expect(playlist.tracks.map(\.title) == ["Bell", "Gate"])
    #expect(try test.sql("SELECT id, title FROM song") == ["1500000001|Gate"])
    #expect(try await test.library.imports.apply(files).outcome == .unchanged)
  }

  /// The known list would be empty, or a list of files would have other files alone.
  @Test func aListLosesAllItsTracksOnlyIfThatIsAllowed() async throws {
    let test = try await TestLibrary()
    try await test.importing(Self.list, as: "mix.m3u8")
    try await test.importing(Self.spotify([Self.saved(0)]), as: "list.json")
    let log = try test.log()
    for (text, name) in [
      ("#EXTM3U\n", "mix.m3u8"), ("", "mix.m3u8"), ("503 Service Unavailable\n", "mix.m3u8"),
      (Self.spotify([]), "list.json"),
    ] {
      let plan = try await test.planning(text, as: name)
      #expect(plan.lostPlaylists.count == 1)
      let error = await #expect(throws: LostPlaylists.self) {
        try await test.importing(text, as: name)
      }
      #expect(error?.playlists == plan.lostPlaylists)
    }
    #expect(try test.log() == log)
    // A list of a service may be another one each week.
    try await test.importing(Self.spotify([Self.saved(7)]), as: "list.json")
    #expect(
      try await test.uris(of: try await test.playlist("Mix")) == ["spotify:track:7"])
    let empty = try test.folder.write("#EXTM3U\n", to: "mix.m3u8")
    let report = try await test.library.imports.apply(empty, allowsLosses: true)
    #expect(
      report.lostPlaylists.map { "\($0.name) \($0.trackCount)" } == ["mix 2"])
    #expect(try await test.uris(of: try await test.playlist("mix")) == [])
    #expect(try await test.library.imports.apply(empty).outcome == .unchanged)
  }

  /// A library of our own that names a track which it does not have keeps the list that is known.
  @Test func aCollectionWithAnUnknownTrackTakesNothingAway() async throws {
    let test = try await TestLibrary()
    try await test.importing(LibraryText.small, as: "library.json")
    let later = LibraryText.library(
      [LibraryText.track(1, "Nocturne", file: "file:///Music/nocturne.mp3")],
      [LibraryText.collection(10, "Evening", [1, 3, 1])])
    try await test.importing(later, as: "later.json")
    #expect(try await test.uris(of: .number(10)).count == 3)
  }
}
