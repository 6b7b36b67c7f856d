import CatalogTestSupport
import Foundation
import Testing

/// `kill -9` on entry to each system call of the import of a `library.json`, which gets another name at its end.
@Suite(.serialized, .enabled(if: Strace.works, "strace cannot trace a process here"))
struct TrackMoveCrashTests {
  /// A library, and the file that is to move in.
  private func prepared() async throws -> (catalog: TestCatalog, file: String) {
    let catalog = try TestCatalog()
    let outcome = try await Program.catalogctl(
      ["init", "--kind", "track-library", "--catalog", catalog.path])
    try #require(outcome.status == 0, "\(outcome)")
    let file = catalog.folder.file("library.json")
    try FileManager.default.copyItem(
      atPath: Program.package + "/Examples/Tracks/library.json", toPath: file)
    return (catalog, file)
  }

  private func importing(_ file: String, into catalog: TestCatalog) -> [String] {
    ["tracks", "import", file, "--catalog", catalog.path]
  }

  @Test func theNextRunFinishesAMoveThatWasKilled() async throws {
    let reference = try await prepared()
    let points = try await Strace.points(
      importing(reference.file, into: reference.catalog), in: reference.catalog, atMost: 40)
    #expect(points.contains { $0.call.hasPrefix("rename") }, "\(points)")
    let head = try await reference.catalog.head().sequence
    let receipt = try await reference.catalog.receipt(content: true)

    try await Strace.atEach(points) { point in
      let (catalog, file) = try await prepared()
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
      return run
    }
  }
}
