import CatalogModel
import CatalogTestSupport
import ConcertArchive
import Foundation
import Promises
import Testing

/// Packages with faults in several files: all of them are listed, in the order of the files' names.
@Suite(
  .promise(
    "All faults of a document are listed, in its order, with their places",
    by: "packages of concerts"))
struct PackageFaultsTests {
  private func refusal(_ change: (PackageCopy) throws -> Void) async throws -> DocumentError {
    let test = try await TestArchive.imported()
    let head = try test.sql("SELECT * FROM projection_checkpoint")
    let package = try test.package(change)
    let error = await #expect(throws: DocumentError.self) {
      try await test.archive.packages.apply(package)
    }
    #expect(try test.sql("SELECT * FROM projection_checkpoint") == head)
    var found = try #require(error)
    found.file = String(found.file.dropFirst(package.count + 1))
    found.furtherFaults = found.furtherFaults.map {
      var fault = $0
      fault.file = String(fault.file.dropFirst(package.count + 1))
      return fault
    }
    return found
  }

  private func places(_ error: DocumentError) -> [String] {
    ([error] + error.furtherFaults).map { "\($0.file) \($0.path ?? "-") \($0.code)" }
  }

  @Test func everyFaultOfEveryFileIsListed() async throws {
    let show = "shows/\(ID.lanternHall).json"
    let recording = "recordings/lk1977-05-09.mtx.lund.7.json"
    let error = try await refusal { package in
      try package.write(
        #"{"package": {"titel": 1, "vrsion": "1", "name": ""}}"#, to: "manifest.json")
      try package.replace("\"id\": \"late-barn\"", "\"id\": 7, \"nmae\": 1", in: "collections.json")
      try package.replace("\"rating\": 2.31", "\"rating\": -2.31", in: recording)
      try package.replace("\"review_count\": 9", "\"review_count\": 9.5", in: recording)
      try package.replace("\"date\": \"1977-05-08\"", "\"date\": \"8 May\"", in: show)
      try package.replace("\"band\":", "\"bnad\":", in: show)
      try package.write("{", to: "shows/\(ID.civicArena).json")
      try package.write("{}", to: "recordings/-x.json")
      try package.write("", to: "shows/README.md")
    }
    #expect(
      places(error) == [
        "collections.json $.collections[1].id wrongType",
        "manifest.json $.package.vrsion unknownKey", "manifest.json $.package.name invalidValue",
        "recordings/-x.json - invalidValue", "\(recording) $.rating invalidValue",
        "\(recording) $.review_count wrongType", "\(show) $.bnad unknownKey",
        "\(show) $.date invalidValue", "shows/\(ID.civicArena).json - invalidJSON",
        "shows/README.md - invalidValue",
      ])
    #expect(error.unlistedFaults == 0)
    #expect("\(error)".contains("did you mean \"version\"?"))
    #expect("\(error)".contains("did you mean \"band\"?"))
  }

  @Test func tenAreListedAndTheOthersCounted() async throws {
    let error = try await refusal { package in
      for folder in ["shows", "recordings"] {
        for name in try FileManager.default.contentsOfDirectory(atPath: "\(package.path)/\(folder)")
        {
          try package.write("[]", to: "\(folder)/\(name)")
        }
      }
    }
    #expect(places(error).allSatisfy { $0.hasPrefix("recordings/") && $0.hasSuffix("wrongType") })
    #expect(error.furtherFaults.count == 9)
    #expect(error.unlistedFaults == 14 + 16 - 10)
    #expect("\(error)".hasSuffix("\nand 20 more"))
  }

  /// A file that is there, whatever is in it, is there for those that name it.
  @Test func aFaultHasNoEcho() async throws {
    let cut = try await refusal { try $0.write("{", to: "shows/\(ID.broomeArena).json") }
    #expect(cut.faultCount == 1)
    let folder = try await refusal { try $0.remove("recordings") }
    #expect(places(folder) == ["recordings - fileMissing"])
  }
}
