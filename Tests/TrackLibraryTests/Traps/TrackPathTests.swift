import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// Names of files, which are bytes, and places of Windows.
@Suite(
  .promise(
    "Each spelling of a place or an id of a track is one track or song",
    by: "names of files, which are bytes, and places of Windows"))
struct TrackPathTests {
  /// A path is bytes: what is stored, opened and exported is what the folder says.
  @Test(arguments: ["Bla\u{30A} So\u{338}ndag e\u{301}.mp3", "Blå é.mp3"])
  func aNameIsSpelledAsTheFolderHasIt(_ name: String) async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("lib"), withIntermediateDirectories: false)
    let made = try Program("touch", test.folder.file("lib") + "/" + name)
    #expect(made.status == 0)
    // The list has the other normal form, as a Mac or a person writes it.
    let other =
      name.unicodeScalars.contains("\u{30A}")
      ? name.precomposedStringWithCanonicalMapping : name.decomposedStringWithCanonicalMapping
    for document in ["lib", "list.m3u8"] {
      if document == "list.m3u8" { try test.folder.write("lib/\(other)\n", to: document) }
      try await test.library.imports.apply(test.folder.file(document))
      let address = try #require(try test.sql("SELECT file_url FROM tracks").first)
      let path = try #require(URL(string: address)).path
      #expect(try Program("test", "-e", path).status == 0, "\(document)")
    }
    let list = try #require(
      try await test.library.playlists.playlist(try await test.playlist("list")))
    let line = try #require(try list.m3u8().split(separator: "\n").last)
    #expect(Array(line.utf8) == Array((test.folder.file("lib") + "/" + name).utf8))
    #expect(try test.sql("SELECT count(*) FROM tracks") == ["1"])
  }

  /// Names that are not UTF-8 are names too, in folders and in lists of the same bytes.
  @Test func aNameNeedNotBeUTF8() async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("lib"), withIntermediateDirectories: false)
    #expect(
      try Program("sh", "-c", "touch \"$0/$(printf 'caf\\351.mp3')\"", test.folder.file("lib"))
        .status
        == 0)
    try await test.library.imports.apply(test.folder.file("lib"))
    let uri = "file://\(test.folder.file("lib"))/caf%E9.mp3"
    #expect(try test.sql("SELECT file_url, title FROM tracks") == ["\(uri)|café"])
    try await test.importing(Array("lib/caf".utf8) + [0xE9] + Array(".mp3".utf8), as: "l.m3u")
    #expect(try await test.uris(of: try await test.playlist("l")) == [uri])
  }

  /// Paths of Windows are compared without case; those of this machine are not.
  @Test func windowsHasOneCase() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      "C:\\Music\\Ola\\Gate.mp3\nc:\\music\\ola\\gate.MP3\n\\\\Nas\\Share\\A.mp3\n\\\\nas\\share\\a.mp3\n/x/A.mp3\n/x/a.mp3",
      as: "twins.m3u8")
    #expect(
      try test.uris() == [
        "file:///C:/Music/Ola/Gate.mp3", "file:///x/A.mp3", "file:///x/a.mp3",
        "file://nas/Share/A.mp3",
      ])
    #expect(try await test.uris(of: try await test.playlist("twins")).count == 6)
    let again = try await test.importing("C:\\MUSIC\\OLA\\GATE.MP3", as: "again.m3u8")
    #expect(again.events["track.upserted"] == 0)
    #expect(
      try await test.uris(of: try await test.playlist("again")) == ["file:///C:/Music/Ola/Gate.mp3"]
    )
  }

  @Test(arguments: [
    "file://server/share/a.mp3", "file:////server/share/a.mp3", "file://///server/share/a.mp3",
    "file:\\\\server\\share\\a.mp3", "\\\\server\\share\\a.mp3", "\\\\server\\share/a.mp3",
    "\\\\?\\UNC\\server\\share\\a.mp3",
  ])
  func aServerIsKeptInEverySpelling(_ entry: String) async throws {
    let test = try await TestLibrary()
    try await test.importing(entry, as: "list.m3u8")
    #expect(try test.uris() == ["file://server/share/a.mp3"])
  }
}
