import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Exports of catalogs that were imported from generated documents, and changed by commands.
@Suite(
  .promise(
    "The documents of an export are imported back as the same rows, or the export names what is not",
    by: "generated documents of three kinds; answers of SQL, now and at moments"))
struct GeneratedExportTests {
  @Test("Sound libraries of two seeds", arguments: [UInt64(1), 2, 3])
  func soundLibraries(seed: UInt64) async throws {
    var documents = GeneratedDocuments(seed: seed)
    let trial = try await ExportTrial("sound-library")
    var moments: [String] = []
    for step in 0..<4 {
      let place = step % 2
      let revision = 1 + step / 2
      let file = try trial.catalog.folder.write(
        Array(documents.seedDocument(place, revision: revision)), to: "\(step).json")
      try await trial.run("import", file)
      moments.append(try await head(trial))
    }
    let item = SampleSeed.id(0)
    try await trial.run("tag", "add", item, "--mood", "Mine", "--new")
    try await trial.run("tag", "rename", "moods", "Mine", "Ours")
    try await everyMomentComesBack(trial, moments)
  }

  @Test("Archives of two packages", arguments: [UInt64(1), 2, 3])
  func concertArchives(seed: UInt64) async throws {
    var documents = GeneratedDocuments(seed: seed)
    let trial = try await ExportTrial("concert-archive")
    var moments: [String] = []
    for version in 1...2 {
      let package = trial.catalog.folder.file("package-\(version)")
      try documents.package(package, version: version)
      try await trial.run("shows", "import", package)
      try await keepShows(trial, &documents.dice)
      moments.append(try await head(trial))
    }
    let kept = try await trial.run("query", "SELECT count(*) FROM library_shows", "--format", "csv")
    try #require(kept.lines.last != "0", "the test tries nothing")
    try await everyMomentComesBack(trial, moments)
  }

  /// A person saves shows, with what a library has of them.
  private func keepShows(_ trial: ExportTrial, _ dice: inout Dice) async throws {
    let shows = try await trial.run(
      "query", "SELECT show_id FROM shows ORDER BY 1", "--format", "csv"
    )
    .output.split(separator: "\n").dropFirst().map(String.init)
    for show in shows.prefix(12) where dice.chance(60) {
      try await trial.run("shows", "save", show)
      if dice.chance(40) { try await trial.run("shows", "pin", show) }
      if dice.chance(40) { try await trial.run("shows", "note", show, "one\n\"two\" é") }
      if dice.chance(40) {
        try await trial.run("shows", "rate", show, "\(Double(dice.below(51)) / 10)")
      }
      if dice.chance(40) { try await trial.run("shows", "tag", show, "spring", "first set") }
    }
  }

  @Test("Libraries of three documents", arguments: [UInt64(1), 2, 3])
  func trackLibraries(seed: UInt64) async throws {
    var documents = GeneratedDocuments(seed: seed)
    let trial = try await ExportTrial("track-library")
    var moments: [String] = []
    for step in 0..<3 {
      let file = try trial.catalog.folder.write(
        Array(documents.library()), to: "library-\(step).json")
      try await trial.run("tracks", "import", file, "--force")
      moments.append(try await head(trial))
    }
    try await trial.run("tracks", "tag", "add", "calm")
    let songs = try await trial.run("query", "SELECT id FROM song ORDER BY 1", "--format", "csv")
      .output.split(separator: "\n").dropFirst()
    for song in songs where documents.dice.chance(60) {
      try await trial.run("tracks", "tag", "set", String(song), "calm", "Recent")
    }
    try await everyMomentComesBack(trial, moments)
  }

  private func head(_ trial: ExportTrial) async throws -> String {
    String(try await trial.run("head").output.prefix { $0 != " " })
  }

  private func everyMomentComesBack(_ trial: ExportTrial, _ moments: [String]) async throws {
    for moment in moments.map(Optional.some) + [nil] {
      let exported = try await trial.comesBack(at: moment, as: "out-\(moment ?? "live")")
      #expect(!exported.errors.contains("an import"), "\(exported)")
    }
  }
}
