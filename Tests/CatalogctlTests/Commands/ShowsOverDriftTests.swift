import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Commands of the concert archive show nothing of a database that somebody changed.
@Suite(
  .promise(
    "Commands of a kind show nothing of a database that was changed by hand, and append "
      + "nothing from it"))
struct ShowsOverDriftTests {
  @Test(arguments: [
    "UPDATE shows SET venue_name = 'Oops'", "DELETE FROM projection_show_recording",
    "UPDATE show_search SET search_text = 'nothing'",
  ])
  func nothingIsShownAndNothingAppended(statement: String) async throws {
    let catalog = try TestCatalog()
    let package = Program.package + "/Examples/Concerts/data-v1.0.0"
    for command in [["init", "--kind", "concert-archive"], ["shows", "import", package]] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      try #require(outcome.status == 0, "\(outcome)")
    }
    let id = try await catalog.query("SELECT show_id FROM shows ORDER BY date LIMIT 1")
    let commands = [
      ["list"], ["show", id], ["search", "1977"], ["next", id], ["recordings", id], ["top"],
      ["collections"], ["library"], ["recent"], ["version"],
    ]
    for command in commands {
      let outcome = try await Program.catalogctl(
        ["shows"] + command + ["--catalog", catalog.path])
      #expect([0, 1].contains(outcome.status), "\(command): \(outcome)")
    }
    try await catalog.sqlite(statement)
    let head = try await catalog.query("SELECT sequence FROM projection_checkpoint")
    for command in commands + [["save", id], ["play", id, "--seconds", "60", "--of", "300"]] {
      let outcome = try await Program.catalogctl(
        ["shows"] + command + ["--catalog", catalog.path])
      #expect(outcome.status == 2 && outcome.output.isEmpty, "\(command): \(outcome)")
      #expect(
        outcome.errors.contains("`catalogctl rebuild --keep-old FILE`"), "\(command): \(outcome)")
    }
    #expect(try await catalog.query("SELECT sequence FROM projection_checkpoint") == head)
  }
}
