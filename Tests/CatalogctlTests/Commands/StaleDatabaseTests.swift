import CatalogTestSupport
import Promises
import Testing

/// A database that another version of the program made: any command that opens it rebuilds it, with one line.
@Suite(
  .promise(
    "A database of another projector, or without digests of this version, is rebuilt by "
      + "any command that opens it, with one line"))
struct StaleDatabaseTests {
  @Test(arguments: [
    ["items", "music"], ["item", SampleSeed.id(101)], ["facets", "music"], ["packs"], ["lint"],
    ["receipt"], ["tag", "list", "moods"],
    ["tag", "add", SampleSeed.id(101), "--mood", "New"],
  ])
  func itIsRebuiltWithOneLine(command: [String]) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let twin = try catalog.copy()
    try await catalog.sqlite(
      "UPDATE projection_checkpoint SET fingerprint = 'old'; DELETE FROM library_item")
    let outcome = await InProcess.run(command + ["--catalog", catalog.path])
    let right = await InProcess.run(command + ["--catalog", twin.path])
    #expect(outcome.status == right.status, "\(outcome)")
    #expect(
      outcome.output == right.output.replacing(twin.path, with: catalog.path), "\(outcome)")
    let lines = outcome.errors.split(separator: "\n").filter { $0.contains("rebuilt") }
    #expect(lines.count == 1, "\(outcome)")
    #expect(lines.first?.contains("it was made by projector") == true, "\(outcome)")
    let again = try await Program.catalogctl(["verify", "--catalog", catalog.path])
    #expect(again.status == 0, "\(again)")
    #expect(!again.errors.contains("rebuilt"), "\(again)")
  }

  /// Commands that show the database as it is say whose rows these are.
  @Test(arguments: [
    ["query", "SELECT count(*) AS n FROM library_item"], ["diff", "5", "live", "--summary"],
  ])
  func itIsShownAsItIsWithAWarning(command: [String]) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let right = await InProcess.run(command + ["--catalog", catalog.path])
    #expect(!right.errors.contains("another version"), "\(right)")
    try await catalog.sqlite(
      "UPDATE projection_checkpoint SET fingerprint = 'old'; DELETE FROM library_item")
    let outcome = await InProcess.run(command + ["--catalog", catalog.path])
    #expect(
      outcome.errors.contains("another version of the program made this database"), "\(outcome)")
  }
}
