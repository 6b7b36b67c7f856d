#if canImport(Glibc)
  import CatalogTestSupport
  import Foundation
  import Promises
  import Testing

  /// Processes that get little memory (`ulimit -v`): each command works, or says that memory is missing. None ends by a
  /// signal or waits for ever, and the catalog stays whole.
  @Suite(
    .promise(
      "Few open files, little memory or a full disk are errors that say so, in each command",
      by: "`ulimit -v`"),
    .serialized)
  struct LittleMemoryTests {
    private static func commands(_ catalog: TestCatalog) -> [[String]] {
      [
        ["verify"], ["rebuild"], ["import", catalog.folder.file("seed.json")], ["doctor"],
        ["items", "music"], ["diff", "1", "live"], ["stats"], ["seal"],
        ["report", catalog.folder.file("report.html")],
      ]
    }

    /// - Parameter limit: KiB of addresses.
    @Test(
      arguments: Sample.of(
        Array(stride(from: 100_000, through: 500_000, by: 20_000)), "LittleMemoryTests",
        isDear: true))
    func noCommandEndsByASignal(limit: Int) async throws {
      let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
      try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
      let all = Self.commands(catalog)
      let turn = limit / 20_000
      let drawn = Sample.isWhole ? all : (0..<3).map { all[(turn * 3 + $0) % all.count] }
      for command in drawn {
        let limited = try await Program.run(
          "/bin/bash",
          ["-c", "ulimit -v \(limit); exec timeout 100 \"$0\" \"$@\"", Program.catalogctl]
            + command + ["--catalog", catalog.path])
        let what: Comment = "ulimit -v \(limit), \(command): \(limited)"
        // The system cannot load the program into less.
        if limited.status == 127 { continue }
        #expect([0, 1, 2].contains(limited.status), what)
        guard limited.status == 1 else { continue }
        #expect(limited.errors.contains("memory"), what)
      }
      let after = try await catalog.program("verify")
      #expect(after.status == 0, "ulimit -v \(limit): \(after)")
    }
  }
#endif
