import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// Libraries of iTunes as people have them: reports to other programs that do this.
@Suite(
  .promise(
    "No entry of a document of tracks is lost without a line",
    by: "libraries of iTunes, from reports to other programs"))
struct ForeignITunesTests {
  /// A bare percent sign is itself, booklets are no tracks, and lists are known by their names.
  @Test func aLibraryOfITunesIsReadEntryByEntry() async throws {
    let test = try await TestLibrary()
    let time = "<key>Total Time</key><integer>1</integer>"
    let report = try await test.importing(
      ForeignText.plist(
        [
          ForeignText.item("Location", "file://localhost/C:/Music/50% Off.mp3")
            + ForeignText.item("Name", "A")
            + time,
          ForeignText.item("Location", "nowhere") + ForeignText.item("Name", "B") + time,
          ForeignText.item("Location", "file:///Music/Booklet.pdf") + ForeignText.item("Name", "C"),
          ForeignText.item("Location", "file:///Music/d.mp3")
            + ForeignText.item("Name", "Two\nLines") + time,
        ],
        [
          ForeignText.item("Name", "Walking") + ForeignText.items(4, 1),
          ForeignText.item("Name", "Walking") + ForeignText.items(4),
          ForeignText.item("Name", " "), ForeignText.items(4),
        ]), as: "Library.xml")
    #expect(try test.uris() == ["file:///C:/Music/50%25%20Off.mp3", "file:///Music/d.mp3"])
    let file = test.folder.file("Library.xml")
    #expect(
      report.remarks.map(\.description) == [
        "\(file): Tracks/2: nowhere is not a URI: the Location is left out",
        "\(file): Tracks/2: the track has neither a Location nor a Persistent ID; left out",
        "\(file): Tracks/3: this is not a track but a file .pdf; left out",
        "\(file): Playlists/2/Name: \" \" is blank; left out",
        "\(file): Playlists/2: the playlist has neither a name nor a Playlist Persistent ID by which it is known; left out",
        "\(file): Playlists/3: the playlist has neither a name nor a Playlist Persistent ID by which it is known; left out",
        "\(file): another list is called Walking too; this one is Walking (2)",
      ])
    #expect(
      try test.sql(
        "SELECT name, count(*) FROM collections JOIN collection_tracks ON collection_id = id GROUP BY id ORDER BY name"
      )
        == ["Walking|2", "Walking (2)|1"])
  }

  /// Empty elements, days that are none, white space, and UTF-16: one odd value is that value's fault.
  @Test(arguments: [
    ("<date/>", "|1", 1), ("<date></date>", "|1", 1),
    ("<date>2012-13-45T25:61:61Z</date>", "|1", 1),
    ("<date>2012-01-31T12:00:00+0000</date>", "2012-01-31T12:00:00.000Z|1", 0),
    ("<date> 2012-01-31T12:00:00Z </date>", "2012-01-31T12:00:00.000Z|1", 0),
  ])
  func oddElementsOfAPropertyListAreTheirOwnFault(
    _ date: String, _ row: String, _ remarks: Int
  ) async throws {
    let text = ForeignText.plist([
      ForeignText.item("Location", "file:///a.mp3") + ForeignText.item("Name", "A")
        + "<key>Total Time</key><integer>1</integer>"
        + "<key>Track Number</key><integer> 1 </integer><key>Date Added</key>\(date)"
    ])
    let wide = text.replacing(
      "<?xml version=\"1.0\"?>", with: "<?xml version=\"1.0\" encoding=\"UTF-16\"?>")
    let utf16: [UInt8] = [0xFF, 0xFE] + wide.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    for bytes in [Array(text.utf8), utf16] {
      let test = try await TestLibrary()
      let report = try await test.importing(bytes, as: "Library.xml")
      #expect(report.remarks.count == remarks, "\(report.remarks)")
      let known = row.hasPrefix("|") ? "''" : "date_added"
      #expect(
        try test.sql("SELECT \(known), track_number FROM tracks JOIN track_source ON id = track_id")
          == [row])
    }
    for element in ["<integer/>", "<real/>", "<data/>"] {
      let test = try await TestLibrary()
      try await test.importing(
        ForeignText.plist([
          ForeignText.item("Location", "file:///a.mp3") + "<key>Year</key>\(element)"
        ]),
        as: "Library.xml")
      #expect(try test.uris() == ["file:///a.mp3"])
    }
  }

  /// Two lists of one id are two lists.
  @Test func listsOfOneIdBothStay() async throws {
    let test = try await TestLibrary()
    let track = { (name: String) in ForeignText.item("Location", "file:///\(name).mp3") }
    let list = { (name: String) in
      ForeignText.item("Name", name) + ForeignText.item("Playlist Persistent ID", "A")
    }
    let text = ForeignText.plist(
      ["a", "b"].map(track),
      [list("One") + ForeignText.items(1), list("Two") + ForeignText.items(2)])
    let report = try await test.importing(text, as: "Library.xml")
    #expect(report.documents.map(\.imported.collections) == [2])
    #expect(report.remarks.contains { $0.message.hasSuffix("both stay") })
    #expect(try test.sql("SELECT count(*) FROM collection_tracks") == ["2"])
    #expect(try await test.importing(text, as: "Library.xml").outcome == .unchanged)
  }

  /// A file of a folder that is named besides its folder is read once, and names that are not UTF-8 are listed.
  @Test func filesOfASetAreReadOnceAndAllOfThem() async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("saved"), withIntermediateDirectories: false)
    let file = try test.folder.write("[\(ForeignText.song(1))]", to: "saved/a.json")
    let folder = test.folder.file("saved")
    let twice = try await test.library.imports.apply([folder, file])
    #expect(twice.documents.map(\.imported.tracks).reduce(0, +) == 1)
    #expect(
      try Program("sh", "-c", "cp \"$0/a.json\" \"$0/$(printf 'caf\\351.json')\"", folder).status
        == 0)
    let report = try await test.library.imports.apply([folder])
    #expect(report.remarks.map(\.message) == ["the name is not UTF-8; left out"])
  }
}
