import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `kill -9` on entry to each system call of the import of a `library.json`, which gets another name at its end.
@Suite(
  .promise(
    "A `library.json` moves into the catalog once, as a whole, and its files stay in their "
      + "places",
    by: "SIGKILL at the calls of an import of 10,001 tracks"),
  .serialized, .enabled(if: Strace.works, "strace cannot trace a process here"))
struct TrackMoveCrashTests {
  /// A library, and the file that is to move in.
  ///
  /// - Parameter tracks: how many the file has; nil for those of the example.
  private func prepared(tracks: Int? = nil) async throws -> (catalog: TestCatalog, file: String) {
    let catalog = try TestCatalog()
    let outcome = try await Program.catalogctl(
      ["init", "--kind", "track-library", "--catalog", catalog.path])
    try #require(outcome.status == 0, "\(outcome)")
    let file = catalog.folder.file("library.json")
    if let tracks {
      let lines = (0..<tracks).map { number in
        """
        {"id": "\(UUID(number))", "title": "Track \(number)", "artist": "A", "album": "B", "duration": 100, \
        "fileURL": "file:///Music/\(number).mp3"}
        """
      }
      try "{\"tracks\": [\(lines.joined(separator: ",\n"))], \"collections\": []}"
        .write(toFile: file, atomically: false, encoding: .utf8)
    } else {
      try FileManager.default.copyItem(
        atPath: Program.package + "/Examples/Tracks/library.json", toPath: file)
    }
    return (catalog, file)
  }

  private func importing(_ file: String, into catalog: TestCatalog) -> [String] {
    ["tracks", "import", "--move", file, "--catalog", catalog.path]
  }

  /// - Parameters:
  ///   - tracks: so many that the database is written as a whole; nil for those of the example.
  ///   - limit: the most points.
  ///   - drawn: how many of them a usual run draws.
  @Test(arguments: [(nil, 40, 8), (10_001, 16, 3)] as [(Int?, Int, Int)])
  func theNextRunFinishesAMoveThatWasKilled(tracks: Int?, limit: Int, drawn: Int) async throws {
    let reference = try await prepared(tracks: tracks)
    let points = try await Strace.points(
      importing(reference.file, into: reference.catalog), in: reference.catalog, atMost: limit)
    #expect(points.contains { $0.call.hasPrefix("rename") }, "\(points)")
    let head = try await reference.catalog.head().sequence
    let receipt = try await reference.catalog.receipt(content: true)

    let tried = Sample.of(points, atMost: drawn, "TrackMoveCrashTests", isDear: true)
    try await Strace.atEach(tried) { point in
      let (catalog, file) = try await prepared(tracks: tracks)
      let run = try await Strace.kill(point, importing(file, into: catalog))
      // The file has its other name only where the log has what it says.
      let sequence = try await catalog.head().sequence
      #expect([1, head].contains(sequence), "\(point): half an import")
      let isThere = FileManager.default.fileExists(atPath: file)
      #expect(
        isThere || sequence == head, "\(point): the file moved before its events were durable")
      if isThere {
        let again = try await Program.catalogctl(importing(file, into: catalog))
        #expect(again.status == 0, "\(point): \(again)")
      }
      #expect(!FileManager.default.fileExists(atPath: file), "\(point)")
      #expect(FileManager.default.fileExists(atPath: file + ".backup"), "\(point)")
      #expect(try await catalog.head().sequence == head, "\(point)")
      #expect(try await catalog.receipt(content: true) == receipt, "\(point)")
      let leftovers = try FileManager.default.contentsOfDirectory(atPath: catalog.path)
        .filter { $0.contains("rebuild") }
      #expect(leftovers.isEmpty, "\(point): \(leftovers)")
      return run
    }
  }
}

extension UUID {
  /// The same for the same number.
  fileprivate init(_ number: Int) {
    let text = String(number, radix: 16)
    let digits = String(repeating: "0", count: 12 - text.count) + text
    self = UUID(uuidString: "00000000-0000-4000-8000-\(digits)") ?? UUID()
  }
}
