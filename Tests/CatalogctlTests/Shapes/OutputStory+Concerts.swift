import CatalogTestSupport
import DownloadTestSupport
import Foundation
import Testing

/// The commands of concert archives, on the packages of `Examples/Concerts`.
extension OutputStory {
  /// A package that makes again what a revert removed.
  private func packagesAgain(_ packages: String) async throws {
    let archive = try TestCatalog()
    let copy = archive.folder.file("data-v1.1.1")
    try FileManager.default.copyItem(atPath: packages + "/data-v1.1.0", toPath: copy)
    let manifest = try String(contentsOfFile: copy + "/manifest.json", encoding: .utf8)
    try manifest.replacing("1.1.0", with: "1.1.1").write(
      toFile: copy + "/manifest.json", atomically: true, encoding: .utf8)
    try await run("init", "--kind", "concert-archive", in: archive)
    try await run("shows import", packages + "/data-v1.0.0", in: archive)
    try await run("shows import", packages + "/data-v1.1.0", "--force", in: archive)
    try await run("revert", "head", in: archive)
    try await run("shows import", copy, "--force", in: archive)
  }

  func concerts() async throws {
    let archive = try TestCatalog()
    let packages = ScratchFolder.repository + "/Examples/Concerts"
    let show = "1977-05-08-lantern-hall-millbrook-ny-usa"
    let last = "1982-05-08-harbor-stage-kingston-jamaica"
    try await run("init", "--kind", "concert-archive", in: archive)
    try await packagesAgain(packages)
    try await run("shows version", in: archive)
    try await run("shows import", packages, status: 1, in: archive)
    try await run("shows import", packages + "/data-v1.0.0", "--dry-run", status: 2, in: archive)
    try await run("shows import", packages + "/data-v1.0.0", in: archive)
    try await run("shows version", in: archive)
    try await run("shows list", "--limit", "2", in: archive)
    try await run("shows list", "--state", "Sweden", in: archive)
    try await run("shows list", "--year", "1977", "--month", "1977-05", status: 64, in: archive)
    try await run("shows list", "--on", "02-30", status: 64, in: archive)
    try await run("shows list", "--after", "x", status: 1, in: archive)
    try await run("shows search", "half step", "--limit", "1", in: archive)
    try await run("shows top", "--limit", "1", in: archive)
    try await run("shows show", show, in: archive)
    try await run("shows next", show, in: archive)
    try await run("shows next", last, in: archive)
    try await run("shows previous", show, in: archive)
    try await run("shows recordings", show, in: archive)
    try await run("shows recordings", "nowhere", status: 1, in: archive)
    try await run("shows collections", "--limit", "1", in: archive)
    try await run("shows collections", "harvest-1977", "--limit", "1", in: archive)
    try await run("shows collections", "nothing", status: 1, in: archive)
    try await run("shows save", show, in: archive)
    try await run("shows save", last, in: archive)
    try await run("shows save", "nowhere", status: 1, in: archive)
    try await run("shows pin", show, in: archive)
    try await run("shows pin", "nowhere", status: 1, in: archive)
    try await run("shows note", show, "the harvest one", in: archive)
    try await run("shows note", show, String(repeating: "a", count: 70_000), status: 1, in: archive)
    try await run("shows rate", show, "4.5", in: archive)
    try await run("shows rate", show, "7", status: 1, in: archive)
    try await run("shows tag", show, "spring", "first set", in: archive)
    try await run("shows list", "--from", "1977-04-22", "--newest-first", in: archive)
    try await run("shows list", "--from", "spring", status: 64, in: archive)
    try await run("shows library", "--pinned", "--limit", "1", in: archive)
    try await run("shows play", show, "--seconds", "40", in: archive)
    try await run("shows play", last, "--seconds", "10", "--of", "15", in: archive)
    try await run("shows play", show, "--seconds", "-1", status: 64, in: archive)
    try await run("shows library", "--limit", "1", in: archive)
    try await run("shows recent", "--limit", "1", in: archive)
    try await run("shows recent", "--most-played", in: archive)
    try await run("shows recent", "--before", "2020-01-01", status: 64, in: archive)
    try await run("shows recent", "--clear", "--before", "2020-01-01", in: archive)
    try await tracks(in: archive)
    try await run(
      "shows import", packages + "/data-v1.1.0", "--remove-shows", in: archive)
    try await run("shows import", packages + "/data-v1.0.0", "--dry-run", status: 2, in: archive)
    try await run("shows import", packages + "/data-v1.0.0", status: 1, in: archive)
    try await run("shows unsave", show, in: archive)
    let library = try archive.folder.write(
      #"{"saved_shows": [{"show": "\#(show)", "rating": 4}]}"#, to: "saved-shows.json")
    try await run("shows restore", library, in: archive)
    try await run("shows restore", library, in: archive)
    try await run("shows restore", packages, status: 1, in: archive)
    try await run("shows recent", "--clear", in: archive)
    // What is another kind's.
    try await run("shows list", status: 1, in: SharedCatalogs.sample.value)
    try await run("items", "sfx", status: 1, in: archive)
  }

  /// The archive on the web is a folder of this machine's, which knows one recording.
  private func tracks(in archive: TestCatalog) async throws {
    let recording = "lk1977-05-09.mtx.lund.7"
    try FileManager.default.createDirectory(
      atPath: server.folder + "/metadata", withIntermediateDirectories: true)
    try """
    {"metadata": {}, "files": [{"name": "t1.flac", "title": "One", "track": "1", "format": "Flac", "length": "60"}]}
    """.write(
      toFile: server.folder + "/metadata/" + recording, atomically: true, encoding: .utf8)
    let environment = ["CONCERT_ARCHIVE_API": server.address]
    try await run("shows tracks", recording, in: archive, environment: environment)
    try await run(
      "shows tracks", "lk1977-11-06.sbd.hart.15", status: 1, in: archive, environment: environment)
    try await run("shows tracks", "nothing", status: 1, in: archive, environment: environment)
    try await run(
      "shows prefetch", "1977-05-08-lantern-hall-millbrook-ny-usa", status: 1, prints: true,
      in: archive, environment: environment)
  }
}
