import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Commands of the track library show nothing of a database that somebody changed, and append nothing from it.
@Suite(
  .promise(
    "Commands of a kind show nothing of a database that was changed by hand, and append "
      + "nothing from it"))
struct TracksOverDriftTests {
  @Test(arguments: [
    "UPDATE tracks SET title = 'Oops'", "DELETE FROM collection_tracks",
    "UPDATE collections SET name = 'Oops'", "DELETE FROM song_tag",
  ])
  func nothingIsShown(statement: String) async throws {
    let catalog = try TestCatalog()
    func run(_ words: String...) async throws -> Outcome {
      try await Program.catalogctl(words + ["--catalog", catalog.path])
    }
    let documents = Program.package + "/Examples/Tracks/"
    for outcome in [
      try await run("init", "--kind", "track-library"),
      try await run("tracks", "import", "--keep", documents + "library.json"),
      try await run("tracks", "import", documents + "spotify"),
      try await run("tracks", "tag", "set", "XXL011100001", "Favorites"),
    ] { try #require(outcome.status == 0, "\(outcome)") }
    try await catalog.sqlite(statement)
    let head = try await catalog.query("SELECT sequence FROM projection_checkpoint")
    for words in [
      ["list"], ["search", "waltz"], ["songs"], ["playlist", "list"],
      ["playlist", "show", "Evening"],
      ["queue", "Evening"], ["export", "Evening"], ["tag", "list"],
    ] {
      let outcome = try await Program.catalogctl(["tracks"] + words + ["--catalog", catalog.path])
      #expect(outcome.status == 2 && outcome.output.isEmpty, "\(words): \(outcome)")
      #expect(
        outcome.errors.contains("`catalogctl rebuild --keep-old FILE`"), "\(words): \(outcome)")
    }
    let change = try await run("tracks", "playlist", "delete", "Evening")
    #expect(change.status != 0, "\(change)")
    #expect(try await catalog.query("SELECT sequence FROM projection_checkpoint") == head)
  }
}
