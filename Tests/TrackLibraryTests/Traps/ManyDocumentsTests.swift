import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// Hundreds of documents of all formats, good and odd, in one import: an independent reader counts what is in them.
@Suite(
  .promise(
    "No entry of a document of tracks is lost without a line",
    by: "240 documents a seed, counted by an independent reader"))
struct ManyDocumentsTests {
  private struct Expected: Decodable {
    var uris: [String]
    var playlists: [String: [String]]
    var leftOut: [String]
  }

  @Test(arguments: Sample.of(Array(1...12), atMost: 1, "folders of documents"))
  func anIndependentReaderAgrees(_ seed: Int) async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("saved"), withIntermediateDirectories: false)
    let folder = test.folder.file("saved")
    let tool = ScratchFolder.repository + "/Tools/track-documents"
    try #require(try Program("python3", tool, "make", folder, "240", "\(seed)").status == 0)
    let read = try Program("python3", tool, "read", folder)
    try #require(read.status == 0, "\(read.errors)")
    let expected = try JSONDecoder().decode(Expected.self, from: Data(read.output.utf8))
    try #require(expected.uris.count > 200 && expected.leftOut.count > 200)

    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      .map { folder + "/" + $0 }
    let report = try await test.library.imports.apply(files)
    #expect(try test.uris() == expected.uris)
    var playlists: [String: [String]] = [:]
    for name in try test.sql("SELECT name FROM collections") { playlists[name] = [] }
    let entries = try test.sql(
      """
      SELECT name, uri FROM collections JOIN collection_tracks ON collection_id = id
      JOIN track_source USING (track_id) ORDER BY collection_id, position
      """)
    for entry in entries {
      let parts = entry.split(separator: "|", maxSplits: 1).map(String.init)
      playlists[parts[0], default: []].append(parts[1])
    }
    #expect(playlists == expected.playlists)
    // No entry is lost without a line.
    let places = Set(report.remarks.map(\.place))
    let lost = expected.leftOut.filter { left in
      !places.contains(left)
        && !places.contains { $0.hasPrefix(left + ".") || $0.hasPrefix(left + "/") }
    }
    #expect(lost.isEmpty)
    #expect(try await test.library.imports.apply(files).outcome == .unchanged)
  }
}
