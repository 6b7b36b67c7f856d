import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

@Suite(
  .promise(
    "A `library.json` moves into the catalog once, as a whole, and its files stay in their "
      + "places"))
struct LibraryJSONTests {
  @Test func aLibraryMovesInOnce() async throws {
    let test = try await TestLibrary()
    let file = try test.folder.write(LibraryText.small, to: "library.json")
    let report = try await test.library.imports.migrate([file])
    #expect(report.outcome == .imported)
    #expect(
      report.events == [
        "library.imported": 1, "track.upserted": 3, "collection.upserted": 1,
        "collection.tracks.set": 1,
      ])
    #expect(report.remarks.isEmpty)
    #expect(report.documents[0].backup == test.folder.file("library.json.backup"))
    #expect(!test.folder.exists("library.json"))
    #expect(try test.folder.bytes("library.json.backup") == Array(LibraryText.small.utf8))
    #expect(
      try test.sql("SELECT title, artist, album, duration, file_url FROM tracks ORDER BY id") == [
        "Nocturne|A Pianist|Nights|101.5|file:///Music/nocturne.mp3",
        "Étude|A Pianist|Days|102.5|file:///Music/%C3%A9tude.mp3",
        "Field|A Farmer|Hay|103.5|file:///Music/field.mp3",
      ])
    _ = try test.folder.write(LibraryText.small, to: "library.json")
    let again = try await test.library.imports.migrate([file])
    #expect(again.outcome == .unchanged)
    #expect(again.sequence == report.sequence)
    #expect(again.documents[0].backup == test.folder.file("library.json.backup.2"))
  }

  /// An import touches no file of the user; a migration renames only the store of the app, by its name.
  @Test(arguments: ["library.json", "my tracks.json", "Library.json", "library.json.old"])
  func filesStayWhereTheyAre(name: String) async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(LibraryText.small, as: name)
    #expect(report.outcome == .imported)
    #expect(report.documents[0].backup == nil)
    #expect(try test.folder.bytes(name) == Array(LibraryText.small.utf8))
    let migrated = try await test.library.imports.migrate([test.folder.file(name)])
    #expect(migrated.outcome == .unchanged)
    #expect((migrated.documents[0].backup != nil) == (name == "library.json"))
    #expect(test.folder.exists(name) == (name != "library.json"))
  }

  /// A process that ends between the append and the new name leaves the file: the next run appends nothing, and renames.
  @Test func aMoveThatWasInterruptedIsFinished() async throws {
    let test = try await TestLibrary()
    let file = try test.folder.write(LibraryText.small, to: "library.json")
    let first = try await test.library.imports.apply(file)
    #expect(first.outcome == .imported)
    #expect(test.folder.exists("library.json"))
    // What changed here since is newer than the file.
    try await test.library.playlists.rename(EntityID.number(10), to: "Night")
    let second = try await test.library.imports.migrate([file])
    #expect(second.outcome == .unchanged)
    #expect(second.eventCount == 0)
    #expect(!test.folder.exists("library.json"))
    #expect(test.folder.exists("library.json.backup"))
    #expect(try test.sql("SELECT name FROM collections") == ["Night"])
  }

  @Test func aDryRunAppendsNothingAndRenamesNothing() async throws {
    let test = try await TestLibrary()
    let plan = try await test.planning(LibraryText.small, as: "library.json")
    #expect(plan.outcome == .planned)
    #expect(plan.eventCount == 6)
    #expect(plan.sequence == nil)
    #expect(test.folder.exists("library.json"))
    #expect(try test.uris().isEmpty)
    let report = try await test.library.imports.apply(test.folder.file("library.json"))
    #expect(report.events == plan.events)
  }

  /// What is wrong, and where. Nothing of the document is kept.
  @Test(arguments: [
    (#""id": "00000000-0000-4000-8000-000000000001""#, #""id": "track-1""#, "$.tracks[0].id"),
    (#""duration": 102.5"#, #""duration": "long""#, "$.tracks[1].duration"),
    (#""duration": 102.5"#, #""duration": -1"#, "$.tracks[1].duration"),
    (#""fileURL": "file:///Music/field.mp3""#, #""fileURL": "field.mp3""#, "$.tracks[2].fileURL"),
    (#""fileURL": "file:///Music/field.mp3""#, #""fileURL": null"#, "$.tracks[2]"),
    (#""name": "Evening""#, #""name": " ""#, "$.collections[0].name"),
    (#""trackIDs": ["#, #""trackIDs": [7, "#, "$.collections[0].trackIDs[0]"),
    (
      #""id": "00000000-0000-4000-8000-000000000002""#,
      #""id": "00000000-0000-4000-8000-000000000003""#, "$.tracks[2].id"
    ),
  ])
  func whatIsWrongIsRefusedWhole(_ old: String, _ new: String, _ place: String) async throws {
    let test = try await TestLibrary()
    #expect(LibraryText.small.contains(old))
    let text = LibraryText.small.replacing(old, with: new)
    let error = await #expect(throws: DocumentError.self) {
      try await test.importing(text, as: "library.json")
    }
    #expect(error?.path == place)
    #expect(error?.file == test.folder.file("library.json"))
    #expect(test.folder.exists("library.json"))
    #expect(try test.uris().isEmpty)
  }

  @Test func whatIsNotKeptIsListed() async throws {
    let test = try await TestLibrary()
    let text = LibraryText.library(
      [LibraryText.track(1, "One", file: "/Music/one.mp3", more: #", "rating": 5"#)],
      [LibraryText.collection(2, "Mix", [1, 9])])
    let report = try await test.importing(text, as: "library.json")
    let file = test.folder.file("library.json")
    #expect(
      report.remarks.map(\.description) == [
        "\(file): $.collections[0].trackIDs[1]: the library has no track \(EntityID.number(9)); left out",
        "\(file): $.tracks[0]: the key \"rating\" is not kept (1 times in the file)",
      ])
    #expect(try test.uris() == ["file:///Music/one.mp3"])
  }

  /// Two ids of one file are one track; playlists have it under either.
  @Test func twoIdsOfOneFileAreOneTrack() async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      LibraryText.library(
        [
          LibraryText.track(1, "One", file: "file:///Music/a.mp3"),
          LibraryText.track(2, "Two", file: "file://localhost/Music/./a.mp3"),
        ], [LibraryText.collection(9, "Mix", [1, 2])]), as: "library.json")
    #expect(report.remarks.count == 1)
    #expect(try test.sql("SELECT id, title FROM tracks") == ["\(EntityID.number(1))|One"])
    #expect(
      try await test.uris(of: .number(9)) == ["file:///Music/a.mp3", "file:///Music/a.mp3"])
  }

  /// A file that moved keeps its id, and another one may take its place.
  @Test func aTrackThatMovedKeepsItsId() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      LibraryText.library([LibraryText.track(1, "One", file: "/a.mp3")]), as: "library.json")
    try await test.importing(
      LibraryText.library([
        LibraryText.track(1, "One", file: "/b.mp3"), LibraryText.track(2, "Two", file: "/a.mp3"),
      ]), as: "library.json")
    #expect(
      try test.sql("SELECT track_id, uri FROM track_source ORDER BY 1") == [
        "\(EntityID.number(1))|file:///b.mp3", "\(EntityID.number(2))|file:///a.mp3",
      ])
  }

  @Test func aPictureIsKeptOnceAndALargeOneIsListed() async throws {
    let test = try await TestLibrary()
    let picture = Data([UInt8](repeating: 7, count: 1_000)).base64EncodedString()
    let large = Data([UInt8](repeating: 7, count: (1 << 20) + 1)).base64EncodedString()
    let report = try await test.importing(
      LibraryText.library(
        [picture, picture, large].enumerated().map { place, data in
          LibraryText.track(
            place + 1, "Track", file: "/\(place).mp3", more: ", \"artworkData\": \"\(data)\"")
        }), as: "library.json")
    #expect(report.events["artwork.added"] == 1)
    #expect(report.remarks.count == 1)
    #expect(
      try test.sql("SELECT length(artwork_data), count(*) FROM tracks GROUP BY 1") == [
        "|1", "1000|2",
      ])
  }
}
