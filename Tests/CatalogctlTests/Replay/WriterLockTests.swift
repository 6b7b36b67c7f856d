import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Two writers at once: the second is told who holds the log, or waits for it.
@Suite(
  .promise(
    "A log has one writer at a time; others wait as long as asked, or get an error that "
      + "names it"))
struct WriterLockTests {
  /// This process as Linux names it.
  private static var ownName: String {
    let program = CommandLine.arguments[0].split(separator: "/").last ?? ""
    return "process \(getpid()) (\(program))"
  }

  @Test func aSecondWriterIsToldWhoHoldsTheLog() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    let bytes = try catalog.eventBytes()
    let lock = try HeldLock(folder: catalog.events)
    for command in [["import", seed], ["rebuild"], ["seal"]] {
      let outcome = try await Program.catalogctl(
        command + ["--wait", "0", "--catalog", catalog.path])
      #expect(outcome.status == 1)
      #expect(outcome.output.isEmpty)
      #expect(
        outcome.errors
          == "catalogctl: the log in \(catalog.events) is being written by \(Self.ownName); "
          + "try again, or wait longer with --wait\n", "\(command)")
    }
    #expect(try catalog.eventBytes() == bytes)
    // Readers need no lock.
    for command in [["head"], ["items", "music"], ["receipt"], ["check"], ["verify"]] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 0, "\(command): \(outcome)")
    }
    lock.release()
    #expect(try await catalog.program("import", seed).status == 0)
  }

  /// Imports wait by default, as every command that writes does.
  @Test func aWriterWaitsUntilTheLockIsFree() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let head = try await catalog.head()
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    let lock = try HeldLock(folder: catalog.events)
    let waiting = try Program.started(
      Program.catalogctl, ["import", seed, "--catalog", catalog.path])
    // It keeps the folder open only to take the lock.
    do {
      try await waiting.untilItOpens(catalog.events)
    } catch is Running.Ended {
      // This test had no processor for so long that the program waited to its end.
      let outcome = try await waiting.finish()
      #expect(outcome.errors.contains(", still after 5.0 seconds; try again"), "\(outcome)")
      return
    }
    #expect(try await catalog.head() == head)
    lock.release()
    let outcome = try await waiting.finish()
    #expect(outcome.status == 0, "\(outcome)")
    #expect(try await catalog.head().sequence == head.sequence + 16)
  }

  /// Two shells that each make one change after the other lose none of them.
  @Test func smallChangesWaitForEachOther() async throws {
    let catalog = try TestCatalog()
    #expect(try await catalog.program("init", "--kind", "track-library").status == 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for shell in 0..<3 {
        group.addTask {
          for number in 0..<6 {
            let outcome = try await catalog.program(
              "tracks", "playlist", "create", "List \(shell)-\(number)", "--wait", "600")
            #expect(outcome.status == 0, "\(outcome)")
          }
        }
      }
      try await group.waitForAll()
    }
    let list = try await catalog.program("tracks", "playlist", "list")
    #expect(list.output.split(separator: "\n").count == 18, "\(list)")
  }

  /// Every command that writes says how long it waited, and how to wait longer.
  @Test(arguments: [
    ["sound-library", "tag", "alias", "moods", "Creepy", "Cozy"],
    ["concert-archive", "shows", "save", "1977-05-08"],
    ["track-library", "tracks", "playlist", "create", "Evening"],
    [
      "track-library", "tracks", "import",
      ScratchFolder.repository + "/Examples/Tracks/library.json",
    ],
    [
      "concert-archive", "shows", "import",
      ScratchFolder.repository + "/Examples/Concerts/data-v1.0.0",
    ],
  ])
  func aWriterThatWaitedInVainSaysSo(command: [String]) async throws {
    let catalog = try TestCatalog()
    #expect(await catalog.run("init", "--kind", command[0]).status == 0)
    let lock = try HeldLock(folder: catalog.events)
    let outcome = try await Program.catalogctl(
      command.dropFirst() + ["--wait", "0.2", "--catalog", catalog.path])
    lock.release()
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(", still after 0.2 seconds; try again"), "\(outcome)")
    #expect(outcome.errors.hasSuffix("or wait longer with --wait\n"), "\(outcome)")
  }

  @Test func twoImportsAtOnceDoTheWorkOnce() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let head = try await catalog.head()
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    let runs = try (0..<3).map { _ in
      try Program.started(
        Program.catalogctl, ["import", seed, "--wait", "600", "--catalog", catalog.path])
    }
    for run in runs {
      let outcome = try await run.finish()
      #expect(outcome.status == 0, "\(outcome)")
    }
    #expect(try await catalog.head().sequence == head.sequence + 16)
    #expect(try await catalog.program("verify").status == 0)
  }
}
