import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// M3U files as people have them: reports to other programs that do this.
@Suite(
  .promise(
    "No entry of a document of tracks is lost without a line",
    by: "M3U files, from reports to other programs"))
struct ForeignListTests {
  /// Backslashes part folders, quotes are none of the name, and `Artist - ` names no title.
  @Test func entriesAreReadAsTheyAreMeant() async throws {
    let test = try await TestLibrary()
    let base = "file://\(test.folder.path)"
    for (entry, uri) in [
      (
        "/mnt/d5/Ola Fen\\Far Shore\\01 Gate.mp3",
        "file:///mnt/d5/Ola%20Fen/Far%20Shore/01%20Gate.mp3"
      ),
      ("sub\\..\\lists/Ola\\02.mp3", "\(base)/lists/Ola/02.mp3"),
      ("Ola\\\u{338}n\\x.mp3", "\(base)/Ola/%CC%B8n/x.mp3"),
      ("Ola Fen\\AC/DC cover.mp3", "\(base)/Ola%20Fen/AC/DC%20cover.mp3"),
      ("C:\\Music/Ola\\x.mp3", "file:///C:/Music/Ola/x.mp3"),
      ("\\\\?\\C:\\Music\\x.mp3", "file:///C:/Music/x.mp3"),
      ("Reed (%C).mp3", "\(base)/Reed%20(%25C).mp3"), ("100%25.mp3", "\(base)/100%25.mp3"),
      ("file:///Music/100% sure.mp3", "file:///Music/100%25%20sure.mp3"),
      ("file:///Music/a#b?c.mp3", "file:///Music/a%23b%3Fc.mp3"),
      ("\"C:\\Music\\Ola Fen\\Gate.mp3\"", "file:///C:/Music/Ola%20Fen/Gate.mp3"),
      ("'a b.mp3'", "\(base)/a%20b.mp3"),
    ] {
      let list = try test.folder.write(entry, to: "list.m3u8")
      #expect(try TrackDocumentReader.read(list).playlists[0].uris == [uri], "\(entry)")
    }
    // A file that has this very name is that.
    try test.folder.write("", to: "a\\b.mp3")
    try test.folder.write("", to: "'q'")
    let list = try test.folder.write("a\\b.mp3\n'q'", to: "list.m3u8")
    #expect(
      try TrackDocumentReader.read(list).playlists[0].uris == ["\(base)/a%5Cb.mp3", "\(base)/'q'"])

    try await test.importing(
      "#EXTINF:61, \n/one.mp3\n#EXTINF:62,  -  \n/two.mp3\n#EXTINF:0,Ola - \n/three.mp3\n#EXTINF:64,- Four\n/four.mp3",
      as: "names.m3u8")
    #expect(
      try test.sql("SELECT title, artist FROM tracks ORDER BY duration, title") == [
        "three|Ola", "one|", "two|", "Four|",
      ])
  }

  /// Odd lines before an entry keep their titles; white space of names that exist is theirs.
  @Test func linesOfOtherProgramsKeepTheirTitles() async throws {
    let test = try await TestLibrary()
    try test.folder.write("", to: " intro.mp3")
    try await test.importing(
      """
      #EXTINF:-1 tvg-name="12" Mix",Twelve Inch
      /1.mp3
      #EXTINF:Ola - Two
      /2.mp3
      #EXTINF:3,\u{301}Three
      /3.mp3
       intro.mp3
      \\\\?\\unc\\Nas\\S\\x.mp3
      """, as: "odd.m3u8")
    #expect(
      try test.sql("SELECT title, artist FROM tracks ORDER BY file_url") == [
        "Twelve Inch|", "Two|Ola", "\u{301}Three|", " intro|", "x|",
      ])
    #expect(
      try await test.uris(of: try await test.playlist("odd")).suffix(2) == [
        "file://\(test.folder.path)/%20intro.mp3", "file://nas/S/x.mp3",
      ])
    // The name of a list keeps its white space in a file of our own.
    try await test.importing(
      LibraryText.library(
        [LibraryText.track(1, "A", file: "/1.mp3")], [LibraryText.collection(9, "Trail ", [1])]),
      as: "library.json")
    let text = try #require(try await test.library.playlists.playlist(.number(9))).m3u8()
    #expect(try await test.importing(text, as: "trail.m3u8").outcome == .unchanged)
  }

  /// A tag that is said once, before all entries, is of the whole list. The artist of an album is not that of each title.
  @Test(arguments: [
    (
      "#EXTALB:Shore\n#EXTART:Ola Fen\n#EXTINF:61,Ola Fen - One\n/1.mp3\n#EXTINF:62,Ola Fen - Two\n/2.mp3",
      ["One|Ola Fen|Shore|Ola Fen", "Two|Ola Fen|Shore|Ola Fen"]
    ),
    (
      "#EXTALB:Sampler\n#EXTART:Various\n#EXTINF:61,Ola - One\n/1.mp3\n#EXTINF:62,Ida - Two\n/2.mp3",
      ["One|Ola|Sampler|Various", "Two|Ida|Sampler|Various"]
    ),
    (
      "#EXTALB:A\n#EXTINF:61,Ola - One\n/1.mp3\n#EXTALB:B\n#EXTINF:62,Ida - Two\n/2.mp3\n#EXTINF:63,Three\n/3.mp3",
      ["One|Ola|A|", "Two|Ida|B|", "Three|||"]
    ),
    (
      "#EXTINF:61,One\n/1.mp3\n#EXTALB:B\n#EXTART:Ida\n#EXTINF:62,Two\n/2.mp3\n#EXTINF:63,Three\n/3.mp3",
      ["One|||", "Two|Ida|B|Ida", "Three|||"]
    ),
  ])
  func aTagMayBeOfTheWholeList(_ text: String, _ rows: [String]) async throws {
    let test = try await TestLibrary()
    try await test.importing("#EXTM3U\n" + text, as: "list.m3u8")
    #expect(
      try test.sql("SELECT title, artist, album, album_artist FROM tracks ORDER BY file_url")
        == rows)
  }

  /// Two lists of one name, from two folders: both stay, and are the same lists when they come again.
  @Test func twoListsOfOneNameBothStay() async throws {
    let test = try await TestLibrary()
    for (folder, track) in [("A", "/one.mp3"), ("B", "/two.mp3")] {
      try FileManager.default.createDirectory(
        atPath: test.folder.file(folder), withIntermediateDirectories: false)
      try test.folder.write(track, to: "\(folder)/mix.m3u8")
    }
    let files = ["B", "A"].map { test.folder.file("\($0)/mix.m3u8") }
    let report = try await test.library.imports.apply(files)
    #expect(
      report.remarks.map(\.message) == ["another list is called mix too; this one is mix (B)"])
    let lists =
      "SELECT name, uri FROM collections JOIN collection_tracks ON collection_id = id JOIN track_source USING (track_id) ORDER BY name"
    let both = ["mix|file:///one.mp3", "mix (B)|file:///two.mp3"]
    #expect(try test.sql(lists) == both)
    for again in [files, files.reversed(), [files[0]], [files[1]]] {
      #expect(try await test.library.imports.apply(again).outcome == .unchanged)
    }
    #expect(try test.sql(lists) == both)
  }

  /// Files whose lists could take each other's names: each keeps its own, and the same import again appends nothing.
  @Test(arguments: [
    ["Mix (Old).m3u8", "Old/Mix.m3u8"], ["Old/Mix.m3u8", "Old/Mix.m3u"],
    ["Mix.m3u8", "Old/Mix.m3u8", "Old/Mix.m3u", "Mix (Old).m3u8", "New/Mix.m3u8"],
  ])
  func noListTakesTheNameOfAnother(_ names: [String]) async throws {
    let test = try await TestLibrary()
    for folder in ["Old", "New"] {
      try FileManager.default.createDirectory(
        atPath: test.folder.file(folder), withIntermediateDirectories: false)
    }
    for (number, name) in names.enumerated() {
      try test.folder.write("/\(number).mp3", to: name)
    }
    let files = names.map { test.folder.file($0) }
    try await test.library.imports.apply(files)
    let lists =
      "SELECT uri FROM collection_tracks JOIN track_source USING (track_id) GROUP BY collection_id ORDER BY uri"
    #expect(try test.sql(lists) == names.indices.map { "file:///\($0).mp3" })
    for again in [files, files.reversed()] {
      #expect(try await test.library.imports.apply(again).outcome == .unchanged)
    }
    // A track that is added to the last file, which comes alone or with the others, is in its list.
    for (number, again) in [files, [files[files.count - 1]]].enumerated() {
      try test.folder.write(
        "/\(names.count - 1).mp3\n/new \(number).mp3", to: names[names.count - 1])
      try await test.library.imports.apply(again)
      #expect(
        try test.sql("SELECT count(*) FROM collection_tracks")
          == ["\(names.count + 1)"])
    }
  }
}
