import CatalogModel
import CatalogTestSupport
import ConcertArchive
import Foundation
import Promises
import Testing

/// What is wrong in a package is named by file and place, all of it is refused, and nothing is appended.
@Suite(
  .promise(
    "What is wrong in a package of concerts is named by file and place, and nothing is "
      + "appended"))
struct PackageRefusalTests {
  private static let lantern = "shows/\(ID.lanternHall).json"
  private static let recording = "recordings/lk1977-05-09.mtx.lund.7.json"

  /// - Parameters:
  ///   - file: the end of the file's name in the error.
  ///   - path: the JSON path; nil if there is none.
  private func refuse(
    _ file: String, _ path: String?, _ words: String,
    at location: SourceLocation = #_sourceLocation, _ change: (PackageCopy) throws -> Void
  ) async throws {
    // On an archive that has the package, so that there would be something to lose.
    let test = try await TestArchive.imported()
    let tables = ["shows", "recordings", "collections", "data_version", "projection_checkpoint"]
    let before = try tables.map { try test.sql("SELECT * FROM \($0)") }
    let package = try test.package(change)
    do {
      try await test.archive.packages.apply(package, removesShows: true)
      Issue.record("it was imported", sourceLocation: location)
    } catch let error as DocumentError {
      #expect(error.file.hasSuffix(file), "\(error)", sourceLocation: location)
      #expect(error.path == path, "\(error)", sourceLocation: location)
      #expect("\(error)".contains(words), "\(error)", sourceLocation: location)
    }
    #expect(
      try tables.map { try test.sql("SELECT * FROM \($0)") } == before, sourceLocation: location)
  }

  @Test func aPackageWithoutAManifest() async throws {
    try await refuse("manifest.json", nil, "does not exist") { try $0.remove("manifest.json") }
    try await refuse("manifest.json", "$", "\"package\" is missing") {
      try $0.write("{}", to: "manifest.json")
    }
    try await refuse("manifest.json", "$.package", "\"version\" is missing") {
      try $0.write(#"{"package": {"name": "x"}}"#, to: "manifest.json")
    }
  }

  @Test func aPackageThatIsHalfUnpacked() async throws {
    try await refuse("collections.json", nil, "does not exist") {
      try $0.remove("collections.json")
    }
    try await refuse("recordings", nil, "cannot be read") { try $0.remove("recordings") }
    try await refuse("shows", nil, "is empty") { package in
      for name in try FileManager.default.contentsOfDirectory(atPath: package.path + "/shows") {
        try package.remove("shows/\(name)")
      }
    }
    // A show lists a recording whose file did not come along.
    try await refuse(
      "\(ID.civicArena).json", "$.recordings[0]",
      "unpack the whole package again; if the package itself lacks the file"
    ) {
      try $0.remove(Self.recording)
    }
    // A collection lists a show whose file did not.
    try await refuse("collections.json", "$.collections[0].show_ids[2]", "not a show") {
      try $0.remove("shows/\(ID.broomeArena).json")
    }
    // A file was cut.
    try await refuse(Self.lantern, nil, "is not closed") { package in
      let text = try package.text(Self.lantern)
      try package.write(String(text.prefix(text.count / 2)) + "[", to: Self.lantern)
    }
    try await refuse(Self.lantern, nil, "the file is empty") { try $0.write("", to: Self.lantern) }
  }

  @Test func whatIsNotTheFolderOfAPackage() async throws {
    let test = try await TestArchive()
    for (path, words) in [
      (
        TestArchive.first + "/manifest.json", "manifest.json: this is not a folder; name the folder"
      ),
      (TestArchive.first + "/nothing", "nothing: the folder cannot be read: No such file"),
      (TestArchive.first + "/..", "/../manifest.json: the file does not exist; unpack the whole"),
    ] {
      let error = await #expect(throws: DocumentError.self) {
        try await test.archive.packages.apply(path)
      }
      #expect("\(error.map { "\($0)" } ?? "")".contains(words), "\(path)")
    }
    // A link that a person names leads to the package.
    let link = test.folder.file("link")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: TestArchive.first)
    #expect(try await test.archive.packages.apply(link).outcome == .imported)
  }

  @Test func aShowTwice() async throws {
    try await refuse("shows/copy.json", "$.show_id", "not the name of this file") {
      try $0.write(try $0.text(Self.lantern), to: "shows/copy.json")
    }
    try await refuse("collections.json", "$.collections[1].id", "another collection") {
      try $0.replace("\"late-barn\"", "\"harvest-1977\"", in: "collections.json")
    }
  }

  @Test(arguments: [
    "../secret", "..", ".hidden", "a/b", "a b", "", "-x", "ä", "a\\u0000b", "a\\nb",
    String(repeating: "a", count: 201),
  ])
  func idsThatAreNotFileNames(_ id: String) async throws {
    try await refuse(
      Self.lantern, id.contains("u0000") ? nil : "$.recordings[0]",
      id.contains("u0000") ? "U+0000" : "not an identifier of a recording"
    ) {
      try $0.replace("\"lk1977-05-08.sbd.hart.101.flac16\"", "\"\(id)\"", in: Self.lantern)
    }
  }

  @Test func filesThatAreNotNamedByAnIdentifier() async throws {
    try await refuse("recordings/-x.json", nil, "not an identifier") {
      try $0.write("{}", to: "recordings/-x.json")
    }
    try await refuse("shows/README.md", nil, "not a JSON file") {
      try $0.write("", to: "shows/README.md")
    }
  }

  @Test(arguments: [
    "1977-02-30", "1977-5-8", "77-05-08", "1966-11-00", "1977-13-01", "1977-05-08T00:00Z", "",
    "today", "1977\u{2011}05\u{2011}08", "１９７７-05-08",
  ])
  func datesThatAreNone(_ date: String) async throws {
    try await refuse(Self.lantern, "$.date", "is not a date") {
      try $0.replace("\"date\": \"1977-05-08\"", "\"date\": \"\(date)\"", in: Self.lantern)
    }
  }

  @Test func ratingsAsText() async throws {
    try await refuse(Self.recording, "$.rating", "is not a number") {
      try $0.replace("\"rating\": 2.31", "\"rating\": \"2.31\"", in: Self.recording)
    }
    try await refuse(Self.lantern, "$.avg_rating", "is not a number") {
      try $0.replace("2.4833333333333334", "\"2.48\"", in: Self.lantern)
    }
    try await refuse(Self.recording, "$.rating", "is too small") {
      try $0.replace("\"rating\": 2.31", "\"rating\": -2.31", in: Self.recording)
    }
    try await refuse(Self.recording, nil, "is too large") {
      try $0.replace("\"rating\": 2.31", "\"rating\": 1e999", in: Self.recording)
    }
    try await refuse(Self.recording, "$.review_count", "not a whole number") {
      try $0.replace("\"review_count\": 9", "\"review_count\": 9.5", in: Self.recording)
    }
  }

  @Test func valuesOfAnotherType() async throws {
    try await refuse(Self.lantern, "$.venue", "is not a string") {
      try $0.replace(
        "\"venue\": \"Lantern Hall, Millbrook College\"", "\"venue\": null", in: Self.lantern)
    }
    try await refuse(Self.lantern, "$.setlist[0].songs[0].name", "is not a string") {
      try $0.replace("\"Half-Step Lullaby\"", "7", in: Self.lantern)
    }
    try await refuse("\(ID.apolloRoom).json", "$.show_time", "early, late or null") {
      try $0.replace("\"late\"", "\"noon\"", in: "shows/\(ID.apolloRoom).json")
    }
    try await refuse(Self.lantern, "$.band", "appears twice") {
      try $0.replace("\"band\":", "\"band\": \"x\", \"band\":", in: Self.lantern)
    }
  }

  /// Refused before it is read.
  @Test func aFileOfAHundredMegabytes() async throws {
    try await refuse(Self.lantern, nil, "the limit is 16777216") { package in
      let path = package.path + "/" + Self.lantern
      // A sparse file: its size alone is asked.
      let file = try FileHandle(forWritingTo: URL(filePath: path))
      try file.truncate(atOffset: 100 << 20)
      try file.close()
    }
    // Below the limit, a text is still no longer than texts are.
    try await refuse(Self.lantern, "$.venue", "is too long") { package in
      try package.replace(
        "Lantern Hall, Millbrook College", String(repeating: "a", count: 1 << 20), in: Self.lantern)
    }
  }

  @Test func linksAndFolders() async throws {
    try await refuse(Self.lantern, nil, "this is a link") { package in
      let path = package.path + "/" + Self.lantern
      try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
      try FileManager.default.moveItem(
        atPath: path + ".moved", toPath: package.path + "/elsewhere.json")
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: "../elsewhere.json")
    }
    try await refuse("manifest.json", nil, "this is a link") { package in
      try package.remove("manifest.json")
      try FileManager.default.createSymbolicLink(
        atPath: package.path + "/manifest.json",
        withDestinationPath: TestArchive.first + "/manifest.json")
    }
    try await refuse("recordings", nil, "this is a link") { package in
      try package.remove("recordings")
      try FileManager.default.createSymbolicLink(
        atPath: package.path + "/recordings", withDestinationPath: TestArchive.first + "/recordings"
      )
    }
    try await refuse("shows/more.json", nil, "not a regular file") { package in
      try FileManager.default.createDirectory(
        atPath: package.path + "/shows/more.json", withIntermediateDirectories: false)
    }
  }

  /// One name in two forms of Unicode is two files, and one id.
  @Test func twoSpellingsOfOneName() async throws {
    try await refuse("1977-05-08-caf\u{E9}.json", "$.show_id", "is the id of two files") {
      package in
      for id in ["1977-05-08-caf\u{E9}", "1977-05-08-cafe\u{301}"] {
        try package.write(
          try package.text(Self.lantern).replacing(ID.lanternHall, with: id), to: "shows/\(id).json"
        )
      }
    }
  }

  @Test func whatIsNotPlainJSON() async throws {
    try await refuse(Self.lantern, nil, "byte order mark") {
      try $0.write("\u{FEFF}" + (try $0.text(Self.lantern)), to: Self.lantern)
    }
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    try await refuse(Self.lantern, nil, "nested deeper") {
      try $0.replace("\"band\":", "\"deep\": \(deep), \"band\":", in: Self.lantern)
    }
  }

  /// The file system's own files, and keys of newer packages, are no reason.
  @Test func whatIsNotRefused() async throws {
    let test = try await TestArchive()
    let package = try test.package {
      try $0.write("x", to: "shows/.DS_Store")
      try $0.write("x", to: "README.md")
      // Lines as Windows ends them, a zero with a sign, no collections.
      try $0.write(try $0.text(Self.lantern).replacing("\n", with: "\r\n"), to: Self.lantern)
      try $0.replace("\"rating\": 2.31", "\"rating\": -0.0", in: Self.recording)
      try $0.write(#"{"collections": []}"#, to: "collections.json")
      try $0.replace("\"band\":", "\"aura\": {\"a\": [1, null]}, \"band\":", in: Self.lantern)
    }
    let report = try await test.archive.packages.apply(package)
    #expect(report.outcome == .imported)
  }
}
