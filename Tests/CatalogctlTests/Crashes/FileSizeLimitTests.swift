import CatalogTestSupport
import Foundation
import Promises
import Testing

private enum FileSizeLimit {
  static let works = (try? CatalogTestSupport.Program("prlimit", "--version").status) == 0
}

/// A limit on the size of files, in steps of 512 bytes: writes of the log and of the database fail
/// where a file would grow beyond it, in the middle of a write as well.
///
/// Without SIGXFSZ, which would end the program: `catalogctl` ignores it, and so does whoever starts it
/// here.
@Suite(
  .promise(
    "A batch is in the log as a whole or not at all, wherever the process dies",
    by: "a limit on the size of files in steps of 512 bytes"),
  .serialized, .enabled(if: FileSizeLimit.works, "prlimit is not there"))
struct FileSizeLimitTests {
  /// The first import: from no room at all until it gets through.
  @Test func aFirstImportIsWholeOrAbsent() async throws {
    let whole = try await TestCatalog.imported()
    let reference = (
      sequence: try await whole.head().sequence, content: try await whole.receipt(content: true)
    )
    let log = try whole.eventBytes().values.map(\.count).reduce(0, +)
    #expect(log > 1_024)
    var limits = Array(stride(from: 0, through: log + 1_024, by: 512))
    // The database is far larger than the log: further apart until that gets through too.
    limits += Array(stride(from: log + 1_024, through: 1 << 20, by: 49_152))

    var failures = 0
    var lastStatus: Int32 = 1
    let last = limits.removeLast()
    let drawn = Sample.of(limits, atMost: 6, "FileSizeLimitTests") + [last]
    for limit in drawn {
      let catalog = try TestCatalog()
      let run = try await Self.importing(SampleSeed.text(), into: catalog, limit: limit)
      lastStatus = run.status
      if run.status != 0 { failures += 1 }
      Self.expectPlainWords(run, limit)

      let check = await catalog.run("check")
      if check.status == 0 {
        #expect(!check.output.contains("torn tail"), "limit \(limit): \(check)")
        let sequence = try await catalog.head().sequence
        #expect([1, reference.sequence].contains(sequence), "limit \(limit): half an import")
      } else {
        #expect(check.status == 1, "limit \(limit): \(check)")
        #expect(check.errors.contains("there is no catalog in"), "limit \(limit): \(check)")
      }
      try Self.expectNothingHalfWritten(catalog, limit)
      let again = try await catalog.importSeed(SampleSeed.text())
      #expect(again.status == 0, "limit \(limit): \(again)")
      #expect(try await catalog.head().sequence == reference.sequence, "limit \(limit)")
      #expect(try await catalog.receipt(content: true) == reference.content, "limit \(limit)")
    }
    let least = drawn.count { $0 <= log }
    #expect(failures >= least, "\(failures) of \(drawn.count) runs met the limit")
    #expect(lastStatus == 0, "the last limit is no limit")
  }

  /// A revision on top, and a seal, where the log can grow by nothing, a part of the batch, or all.
  @Test(arguments: [false, true])
  func aFurtherImportOrASealIsWholeOrAbsent(_ isSeal: Bool) async throws {
    // The log must meet the limit before a file of the database does: it is longer than the 32 KiB of
    // the index beside SQLite's WAL.
    let before = try await Self.long.value.copy()
    let old = try await before.head()
    let size = try before.eventBytes().values.map(\.count).max() ?? 0
    let update = SampleSeed.text()
    let whole = try before.copy()
    let run = isSeal ? await whole.run("seal") : try await whole.importSeed(update)
    try #require(run.status == 0, "\(run)")
    let reference = (head: try await whole.head(), receipt: try await Self.content(whole))
    let grown = try whole.eventBytes().values.map(\.count).max() ?? 0

    var failures = 0
    #expect(min(size, grown) > 36_000, "\(size), \(grown)")
    let first = (isSeal ? grown - 2_048 : size) / 512 * 512
    for limit in stride(from: first, through: grown + 512, by: 512) {
      let catalog = try before.copy()
      let run =
        isSeal
        ? try await Self.limited(["seal", "--catalog", catalog.path], limit)
        : try await Self.importing(update, into: catalog, limit: limit)
      if run.errors.contains("jsonl.zst") && run.errors.contains("File too large") { failures += 1 }
      Self.expectPlainWords(run, limit)
      let head = try await catalog.head()
      #expect(head == old || head == reference.head, "limit \(limit): half an import")
      let check = await catalog.run("check")
      #expect(check.status == 0, "limit \(limit): \(check)")
      #expect(!check.output.contains("torn tail"), "limit \(limit): \(check)")
      try Self.expectNothingHalfWritten(catalog, limit)
      let again = isSeal ? await catalog.run("seal") : try await catalog.importSeed(update)
      #expect(again.status == 0, "limit \(limit): \(again)")
      #expect(try await catalog.head() == reference.head, "limit \(limit)")
      #expect(try await Self.content(catalog) == reference.receipt, "limit \(limit)")
    }
    #expect(failures >= 2, "\(failures) writes of the log met the limit")
  }

  /// Plain words, and no advice to do what failed.
  @Test func aRebuildWithoutRoomSaysSo() async throws {
    let catalog = try await Self.long.value.copy()
    let receipt = try await catalog.receipt()
    let before = try catalog.eventBytes()
    for limit in [0, 4_096, 65_536, 262_144] {
      for arguments in [[], ["--out", catalog.folder.file("out.sqlite")]] {
        let run = try await Self.limited(
          ["rebuild", "--catalog", catalog.path] + arguments, limit)
        #expect(run.status == 1, "limit \(limit): \(run)")
        Self.expectPlainWords(run, limit)
        #expect(!run.errors.contains("rebuilds it"), "limit \(limit): \(run)")
        #expect(!FileManager.default.fileExists(atPath: catalog.folder.file("out.sqlite")))
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: catalog.path)
      #expect(!names.contains { $0.hasPrefix(".") }, "\(names)")
    }
    #expect(try catalog.eventBytes() == before)
    #expect(try await catalog.receipt() == receipt)
  }

  /// The receipt of a database that is rebuilt: if there was none, there is nothing to read.
  private static func content(_ catalog: TestCatalog) async throws -> String {
    let rebuilt = await catalog.run("rebuild")
    try #require(rebuilt.status == 0, "\(rebuilt)")
    return try await catalog.receipt()
  }

  /// A catalog with some thousand items, which tests copy.
  private static let long = Task {
    let document = try await Program.run(
      "python3", ["\(Program.package)/Tools/generate-seed", "--items", "5000", "--tags", "5"])
    try #require(document.status == 0, "\(document.errors)")
    let catalog = try TestCatalog()
    let outcome = try await catalog.importSeed(document.output)
    try #require(outcome.status == 0, "\(outcome)")
    return catalog
  }

  private static func importing(
    _ seed: String, into catalog: TestCatalog, limit: Int
  ) async throws -> Outcome {
    let file = try catalog.folder.write(seed, to: "seed.json")
    return try await limited(
      ["import", file, "--at", TestCatalog.time, "--catalog", catalog.path], limit)
  }

  /// What the program prints goes through pipes here: files would meet the limit too.
  private static func limited(_ arguments: [String], _ limit: Int) async throws -> Outcome {
    let script = """
      trap '' XFSZ
      { prlimit --fsize=\(limit) "$0" "$@" 2>&1 1>&3 3>&- | cat >&2; exit ${PIPESTATUS[0]}; } 3>&1 \
        | cat
      exit ${PIPESTATUS[0]}
      """
    return try await Program.run("/bin/bash", ["-c", script, Program.catalogctl] + arguments)
  }

  /// An error that names what happened, or success; never the end by a signal.
  private static func expectPlainWords(_ run: Outcome, _ limit: Int) {
    #expect([0, 1].contains(run.status), "limit \(limit): \(run)")
    guard run.status != 0 else { return }
    let words = ["File too large", "disk I/O error", "database or disk is full"]
    #expect(words.contains { run.errors.contains($0) }, "limit \(limit): \(run)")
    for raw in ["while executing", "INSERT", "SELECT", "CREATE", "PRAGMA", "SQLite error"] {
      #expect(!run.errors.contains(raw), "limit \(limit): \(run)")
    }
  }

  /// No torn tail, nothing under a temporary name: a write that failed was taken back.
  private static func expectNothingHalfWritten(_ catalog: TestCatalog, _ limit: Int) throws {
    guard FileManager.default.fileExists(atPath: catalog.events) else { return }
    let names = try FileManager.default.contentsOfDirectory(atPath: catalog.events)
    #expect(
      names.allSatisfy { !$0.hasSuffix(".new") && !$0.contains(".torn-") },
      "limit \(limit): \(names)")
  }
}
