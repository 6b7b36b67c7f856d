import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Each system call that an update makes files with fails once, or from then on for ever, through `strace`:
/// the command says so and ends, and the next one finds everything.
@Suite(
  .promise(
    "An update that a full disk or an I/O error interrupts says so, and the next one finds "
      + "everything",
    by: "ENOSPC and EIO at each system call of the real program, once and for ever, by strace"),
  .serialized, .enabled(if: Strace.works, "strace cannot trace a process here"))
struct SystemCallErrorTests {
  @Test(
    arguments: Sample.of(
      [("ENOSPC", ""), ("EIO", ""), ("ENOSPC", "+"), ("EIO", "+")], "SystemCallErrorTests",
      isDear: true))
  func anUpdateSurvivesAnErrorOfEveryCall(error: String, andLater: String) async throws {
    let before = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let update = SampleSeed.text(revision: 2)
    let unfailed = try before.copy()
    let points = try await Strace.points(of: update, in: unfailed, atMost: 16)
      // What cannot be removed is only left over, and a child's output is no file of ours.
      .filter { !["unlink", "write"].contains($0.call) }
    #expect(points.count >= 8, "\(points)")
    let old = try await before.head()
    let head = try await unfailed.head()
    let receipt = try await unfailed.receipt()

    try await Strace.atEach(points, mustEnd: false) { point in
      let catalog = try before.copy()
      let seed = try catalog.folder.write(update, to: "seed.json")
      let run = try await Program.run(
        "strace",
        [
          "-f", "-o", "/dev/null", "-e", "trace=\(point.call)",
          "-e", "inject=\(point.call):error=\(error):when=\(point.number)\(andLater)",
          Program.catalogctl, "import", seed, "--at", TestCatalog.time, "--catalog", catalog.path,
        ])
      let what: Comment = "\(point) with \(error)\(andLater): \(run)"
      #expect([0, 1].contains(run.status), what)
      #expect(run.status == 0 || run.errors.hasPrefix("catalogctl: "), what)
      #expect(run.status == 0 || run.errors.contains(catalog.path), what)
      // What was said to be done is there; what was not is there whole or not at all.
      let reached = try await catalog.head()
      #expect(reached == head || (run.status != 0 && reached == old), what)
      #expect(await catalog.run("check").status == 0, what)
      #expect(await catalog.run("tag", "list").status == 0, what)
      #expect(try await catalog.importSeed(update).status == 0, what)
      #expect(try await catalog.head() == head, what)
      #expect(try await catalog.receipt() == receipt, what)
      return run
    }
  }
}
