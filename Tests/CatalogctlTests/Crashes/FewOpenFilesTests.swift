import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Processes that may have few files open (`ulimit -n`): each command works, or says that too few files may be open. None
/// ends by a signal, and the catalog stays whole.
@Suite(
  .promise(
    "Few open files, little memory or a full disk are errors that say so, in each command",
    by: "`ulimit -n` from 4 to 256"),
  .serialized)
struct FewOpenFilesTests {
  /// All main commands: each limit takes some of them in turn.
  private static func commands(_ catalog: TestCatalog) -> [[String]] {
    [
      ["verify"],
      ["query", "SELECT count(*) FROM library_item"],
      ["items", "music"],
      ["doctor"],
      ["rebuild"],
      ["import", catalog.folder.file("seed.json"), "--at", TestCatalog.time],
      ["diff", "1", "live"],
      ["verify", "--quick"],
      ["query", "--at", "3", "SELECT count(*) FROM library_item"],
      ["search", "song"],
      ["blame", "library_item", SampleSeed.id(1)],
      ["stats"],
      ["check"],
      ["tag", "list"],
      ["tag", "add", SampleSeed.id(101), "--mood", "New"],
      ["report", catalog.folder.file("report.html")],
      ["seal"],
      ["receipt"],
      ["materialize", "5", catalog.folder.file("past.sqlite")],
      ["history", "make"],
      ["bisect", "--good", "1", "SELECT count(*) FROM library_item"],
      ["log"],
      ["head"],
      ["salvage", catalog.folder.file("salvaged")],
    ]
  }

  /// With fewer than four the system cannot load the program.
  @Test(
    arguments: Sample.of(
      Array(4...64) + [100, 128, 200, 255, 256], atMost: 24, "FewOpenFilesTests", isDear: true))
  func noCommandEndsByASignal(limit: Int) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    let all = Self.commands(catalog)
    let drawn =
      Sample.isWhole ? all : [all[0]] + (0..<2).map { all[(limit * 2 + $0) % all.count] }
    for command in drawn {
      let limited = try await Self.limited(command + ["--catalog", catalog.path], limit)
      let what: Comment = "ulimit -n \(limit), \(command): \(limited)"
      #expect([0, 1, 2].contains(limited.status), what)
      guard limited.status == 1 else { continue }
      #expect(limited.errors.hasPrefix("catalogctl: "), what)
      #expect(limited.errors.contains("ulimit -n"), what)
      #expect(limited.output.isEmpty, what)
      for number in ["NSCocoaErrorDomain", "NSPOSIXErrorDomain", "Domain="] {
        #expect(!limited.errors.contains(number), what)
      }
    }
    let after = await catalog.run("doctor")
    #expect(after.status == 0, "ulimit -n \(limit): \(after)")
  }

  /// The limit at which all commands work.
  @Test func enoughFilesAreEnough() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    for command in Self.commands(catalog) {
      let limited = try await Self.limited(command + ["--catalog", catalog.path], 48)
      #expect([0, 2].contains(limited.status), "\(command): \(limited)")
    }
  }

  /// A limit that the user may raise is raised: on macOS it is 256 for each process.
  @Test func aSoftLimitIsNone() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let run = try await Program.shell(
      "ulimit -Sn 12; exec \(Program.catalogctl) verify --catalog \(catalog.path)")
    #expect(run.status == 0, "\(run)")
  }

  /// Files that the caller has open, and leaves to the program, count.
  @Test func inheritedFilesCount() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let opening = (10..<60).map { "exec \($0)</dev/null" }.joined(separator: "; ")
    let run = try await Program.shell(
      "\(opening); ulimit -n 64; exec \(Program.catalogctl) verify --catalog \(catalog.path)")
    #expect(run.status == 1, "\(run)")
    #expect(run.errors.contains("its limit is 64"), "\(run)")
  }

  private static func limited(_ arguments: [String], _ limit: Int) async throws -> Outcome {
    try await Program.run(
      "/bin/bash", ["-c", "ulimit -n \(limit); exec \"$0\" \"$@\"", Program.catalogctl] + arguments)
  }
}
