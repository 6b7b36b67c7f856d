import CatalogEngine
import CatalogTestSupport
import Promises
import Testing
import TrackLibrary

/// A `library.json` with several faults: all of them are listed, in the document's order.
@Suite(
  .promise(
    "All faults of a document are listed, in its order, with their places",
    by: "a `library.json`"))
struct LibraryFaultsTests {
  private func refusal(of text: String) async throws -> DocumentError {
    let test = try await TestLibrary()
    let error = await #expect(throws: DocumentError.self) {
      try await test.importing(text, as: "library.json")
    }
    #expect(try test.uris().isEmpty)
    return try #require(error)
  }

  private func places(_ error: DocumentError) -> [String] {
    ([error] + error.furtherFaults).map { "\($0.path ?? "-") \($0.code) \($0.value ?? "-")" }
  }

  @Test func everyFaultIsListed() async throws {
    let id = EntityID.number(1)
    let text = """
      {"collections": [{"id": "\(id)", "name": "", "trackIDs": [7, "x"]}, {"id": "\(id)", "nmae": "a",
        "trackIDs": null}],
       "tracks": [
        {"id": "\(id)", "tilte": "a", "duration": "long", "fileURL": "a.mp3", "year": 1.5},
        {"id": "\(id)", "title": null, "duration": -1, "fileURL": "/a.mp3", "artworkData": "?"}]}
      """
    let error = try await refusal(of: text)
    #expect(
      places(error) == [
        "$.collections[0].name invalidValue \"\"", "$.collections[0].trackIDs[0] wrongType 7",
        "$.collections[0].trackIDs[1] invalidValue \"x\"", "$.collections[1] missingKey -",
        "$.collections[1].id duplicateValue \"\(id)\"", "$.collections[1].nmae unknownKey \"nmae\"",
        "$.tracks[0].tilte unknownKey \"tilte\"", "$.tracks[0].duration wrongType \"long\"",
        "$.tracks[0].fileURL invalidValue \"a.mp3\"", "$.tracks[0].year wrongType 1.5",
      ])
    #expect(error.unlistedFaults == 4)
    for fault in [error] + error.furtherFaults {
      let offset = try #require(fault.offset)
      if let value = fault.value { #expect(Array(text.utf8)[offset...].starts(with: value.utf8)) }
    }
  }

  /// A list may come before the tracks that it names.
  @Test func theOrderOfTheKeysDoesNotMatter() async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      """
      {"collections": [\(LibraryText.collection(10, "Evening", [1]))],
       "tracks": [\(LibraryText.track(1, "Nocturne", file: "/a.mp3"))]}
      """, as: "library.json")
    #expect(report.remarks.isEmpty)
    #expect(try await test.uris(of: .number(10)) == ["file:///a.mp3"])
  }

  /// A file of the app's name with one of its lists is a library with a fault, and nothing that is not known.
  @Test func aLibraryWithoutOneOfItsLists() async throws {
    let error = try await refusal(of: #"{"tracks": []}"#)
    #expect(places(error) == ["$ missingKey -"])
    #expect("\(error)".contains("\"collections\" is missing"))
    let misspelt = try await refusal(of: #"{"tracks": [], "collection": []}"#)
    #expect(places(misspelt) == ["$.collection unknownKey \"collection\""])
  }

  /// Documents of other programs are read with such faults; one of our own is refused, and not taken for one of them.
  @Test(arguments: [
    ("\u{FEFF}{\"tracks\": [], \"collections\": []}", "byte order mark"),
    (#"{"tracks": [{"title": "\ud800"}], "collections": []}"#, "half of a surrogate pair"),
    (#"{"tracks": [{"title": "\u0000"}], "collections": []}"#, "U+0000"),
    (#"{"tracks": [], "collections": []"#, "ends too early"),
  ])
  func whatIsNotStrictJSONIsRefused(_ text: String, _ words: String) async throws {
    let error = try await refusal(of: text)
    #expect(error.code == .invalidJSON && error.faultCount == 1)
    #expect("\(error)".contains(words), "\(error)")
  }

  @Test func aKeyThatIsNotKeptMayBeMisspelt() async throws {
    let test = try await TestLibrary()
    let report = try await test.importing(
      LibraryText.library([
        LibraryText.track(1, "One", file: "/1.mp3", more: #", "genere": "Folk""#),
        LibraryText.track(2, "Two", file: "/2.mp3", more: #", "genere": "Folk""#),
      ]), as: "library.json")
    #expect(
      report.remarks.map(\.message) == [
        "the key \"genere\" is not kept (2 times in the file); did you mean \"genre\"?"
      ])
  }
}
