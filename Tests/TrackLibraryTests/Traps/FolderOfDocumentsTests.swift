import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// Folders as people have them: what a service sends, music with its lists, documents at any depth.
@Suite(
  .promise(
    "No entry of a document of tracks is lost without a line",
    by: "folders as services send them"))
struct FolderOfDocumentsTests {
  private func write(_ files: [String: String], in test: TestLibrary) throws {
    for (file, text) in files {
      let folder = URL(fileURLWithPath: test.folder.file(file)).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try test.folder.write(text, to: file)
    }
  }

  private static let account = [
    "my_data/MyData/YourLibrary.json":
      #"""
    {"tracks": [{"artist": "Ola Fen", "album": "Shore", "track": "One", "uri": "spotify:track:1"}],
     "albums": [{"artist": "O", "album": "A", "uri": "spotify:album:1"},
       {"artist": "O", "album": "B", "uri": "spotify:album:2"}], "shows": [], "other": []}
    """#,
    "my_data/MyData/Playlist1.json":
      #"""
    {"playlists": [{"name": "Ferry", "items": [
      {"track": {"trackName": "One", "artistName": "Ola Fen", "trackUri": "spotify:track:1"},
       "episode": null, "audiobook": null, "localTrack": null, "addedDate": "2026-03-01"},
      {"track": null, "episode": null, "audiobook": null, "addedDate": "2026-03-01",
       "localTrack": {"uri": "spotify:local:Ida+Marlo:Far+Shore:Gr%C3%BCner+Tee:215"}}]}]}
    """#,
    "my_data/MyData/StreamingHistory_music_0.json":
      #"[{"endTime": "2026-03-01 08:00", "artistName": "O", "trackName": "One", "msPlayed": 1}]"#,
    "my_data/MyData/StreamingHistory_audiobook_0.json": "[]",
    "my_data/MyData/Identity.json": #"{"displayName": "X"}"#,
    "my_data/MyData/Marquee.json": #"[{"artistName": "O", "segment": "Light listeners"}]"#,
    "my_data/MyData/ReadMeFirst.pdf": "%PDF-1.4",
  ]

  /// An account as its owner gets it: with a PDF, and with files that say nothing of tracks.
  @Test(arguments: ["my_data", "my_data/MyData"], [true, false])
  func anAccountIsImportedAsItIsSent(_ folder: String, _ hasPDF: Bool) async throws {
    let test = try await TestLibrary()
    try write(Self.account.filter { hasPDF || !$0.key.hasSuffix(".pdf") }, in: test)
    let report = try await test.library.imports.apply(test.folder.file(folder))
    #expect(
      try test.sql("SELECT title, artist, album, duration FROM tracks ORDER BY title") == [
        "Grüner Tee|Ida Marlo|Far Shore|215.0", "One|Ola Fen|Shore|0.0",
      ])
    #expect(
      try await test.uris(of: try await test.playlist("Ferry")) == [
        "spotify:track:1", "spotify:local:Ida+Marlo:Far+Shore:Gr%C3%BCner+Tee:215",
      ])
    let messages = report.remarks.map(\.message)
    let inside = folder == "my_data" ? "MyData/" : ""
    #expect(
      messages.contains(
        "2 files are of no format that is known; left out: .json (2, such as \(inside)Identity.json)"
      ))
    #expect(messages.contains("1 play of an account, which is not imported; left out"))
    #expect(messages.contains("there is nothing in it"))
    #expect(
      messages.contains("2 albums have no tracks here (the first is $.albums[0]); left out"))
    #expect(messages.contains { $0.contains(".pdf (1, such as") } == hasPDF)
    #expect(try await test.library.imports.apply(test.folder.file(folder)).outcome == .unchanged)
  }

  /// Music with lists beside it: both are imported, and the lists find the files.
  @Test func listsOfAFolderAreImportedWithItsMusic() async throws {
    let test = try await TestLibrary()
    try write(
      [
        "music/Ola/one.mp3": "", "music/Ola/two.flac": "",
        "music/lists/deep/mix.m3u8":
          "#EXTINF:61,Ola - One\n../../Ola/one.mp3\n../../Ola/two.flac\n",
        "music/lists/stream.m3u8": "#EXTM3U\n#EXT-X-VERSION:3\n", "music/cover.json": "{}",
        "music/broken.json": "[",
      ], in: test)
    let path = test.folder.file("music")
    let report = try await test.library.imports.apply(path)
    #expect(report.documents.map(\.imported.format) == ["m3u", "folder"])
    #expect(try await test.uris(of: try await test.playlist("mix")).count == 2)
    #expect(try test.uris().count == 2)
    let remarks = report.remarks.map(\.description)
    #expect(remarks.contains { $0.hasPrefix("\(path)/broken.json: ") })
    #expect(remarks.contains { $0.hasPrefix("\(path)/lists/stream.m3u8: line 2: ") })
    #expect(remarks.contains { $0.contains(".json (1, such as cover.json)") })
    // A list that is named besides its folder is read once.
    for paths in [[path, path + "/lists/deep/mix.m3u8"], [path, path + "/lists"]] {
      #expect(try await test.library.imports.apply(paths).outcome == .unchanged)
    }
  }

  /// A folder of which nothing can be used is refused, with all that is wrong.
  @Test func aFolderOfBrokenDocumentsIsRefused() async throws {
    let test = try await TestLibrary()
    try write(["saved/a.json": "[", "saved/b.m3u8": "#EXT-X-VERSION:3"], in: test)
    let error = await #expect(throws: DocumentError.self) {
      try await test.library.imports.apply(test.folder.file("saved"))
    }
    #expect(error?.faultCount == 2)
  }

  /// Two files of names that differ in their form alone.
  @Test func twoFilesThatBecomeOneTrackAreListed() async throws {
    let test = try await TestLibrary()
    try write(["music/a.mp3": ""], in: test)
    for name in ["e\u{301}", "\u{E9}"] { try test.folder.write("", to: "music/\(name).mp3") }
    try #require(
      try FileManager.default.contentsOfDirectory(atPath: test.folder.file("music")).count == 3)
    let report = try await test.library.imports.apply(test.folder.file("music"))
    #expect(report.remarks.count == 1)
    #expect(
      report.remarks[0].message.hasPrefix(
        "1 file has the name of another one in another form of Unicode; both are one track"))
    #expect(try test.uris().count == 2)
  }

  /// A folder that was renamed since: its tracks stay, and a line says how many have no file.
  @Test func filesThatAreGoneAreListed() async throws {
    let test = try await TestLibrary()
    try write(["music/x/One.mp3": "", "music/x/Two.mp3": "", "other/Three.mp3": ""], in: test)
    let (music, other) = (test.folder.file("music"), test.folder.file("other"))
    try await test.library.imports.apply([music, other])
    try FileManager.default.moveItem(atPath: music + "/x", toPath: music + "/X")
    let report = try await test.library.imports.apply([music, other])
    #expect(
      report.remarks.map(\.message) == [
        "2 tracks of this folder have no file any more and stay (the first is file://\(music)/x/One.mp3)"
      ])
    #expect(try test.uris().count == 5)
    try FileManager.default.removeItem(atPath: other + "/Three.mp3")
    #expect(
      try await test.library.imports.apply(other).remarks.map(\.message) == [
        "there are no tracks",
        "a track of this folder has no file any more and stays (file://\(other)/Three.mp3)",
      ])
  }
}
