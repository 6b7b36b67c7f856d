import CatalogTestSupport
import Foundation
import Promises
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `kill -9` at random moments of a longer import. `CRASH_SEED` repeats the moments of a run.
@Suite(
  .promise(
    "A batch is in the log as a whole or not at all, wherever the process dies",
    by: "SIGKILL at random moments of an import"),
  .serialized)
struct RandomKillTests {
  private static let kills = Sample.count(3, of: 20)

  @Test func anImportSurvivesAKillAtAnyMoment() async throws {
    let given = ProcessInfo.processInfo.environment["CRASH_SEED"].flatMap(UInt64.init)
    let seed = given ?? UInt64.random(in: 1...999_999)
    print("RandomKillTests: CRASH_SEED=\(seed)")
    let folder = try ScratchFolder()
    let document = try await Program.run(
      "python3",
      ["\(Program.package)/Tools/generate-seed", "--items", "5000", "--tags", "5"])
    try #require(document.status == 0, "\(document.errors)")
    let file = try folder.write(document.output, to: "seed.json")

    let unkilled = try TestCatalog()
    let run = try Self.start(file, into: unkilled)
    let length = await ProcessorTime.wait(for: run)
    let imported = try await run.finish()
    try #require(imported.status == 0, "\(imported)")
    let verified = try await unkilled.program("verify", "--format", "json")
    try #require(verified.status == 0, "\(verified)")
    let reference = Reference(
      sequence: try await unkilled.head().sequence,
      content: try #require(try verified.object()["content"] as? String))

    var random = SplitMix(seed: seed)
    let moments = (0..<Self.kills).map { _ in
      Int(Double(length) * .random(in: 0..<1, using: &random))
    }
    let reached = try await withThrowingTaskGroup(of: Int.self) { group in
      var reached: [Int: Int] = [:]
      for (index, moment) in moments.enumerated() {
        if index >= 2, let sequence = try await group.next() { reached[sequence, default: 0] += 1 }
        group.addTask {
          try await Self.kill(
            file, after: moment, readsFirst: index.isMultiple(of: 2),
            verifies: index.isMultiple(of: 4), reference,
            "CRASH_SEED=\(seed), kill \(index + 1), after \(moment) of \(length) ticks")
        }
      }
      for try await sequence in group { reached[sequence, default: 0] += 1 }
      return reached
    }
    print("RandomKillTests: events in the log after the kill → runs: \(reached)")
  }

  private struct Reference {
    let sequence: Int
    let content: String
  }

  /// - Returns: the sequence that the log had when the import was killed.
  private static func kill(
    _ file: String, after moment: Int, readsFirst: Bool, verifies: Bool, _ reference: Reference,
    _ note: Comment
  ) async throws -> Int {
    let catalog = try TestCatalog()
    let run = try start(file, into: catalog)
    await ProcessorTime.wait(for: run, until: moment)
    killProcess(run.process.processIdentifier)
    let killed = try await run.finish()
    #expect([0, 128 + SIGKILL].contains(killed.status), note)

    // The next command, whatever it is, finds a whole number of batches.
    var reached = 0
    let check = await catalog.run("check")
    if check.status == 0 {
      reached = try await catalog.head().sequence
      #expect([1, reference.sequence].contains(reached), note)
    } else {
      #expect(check.status == 1 && check.errors.contains("there is no catalog"), note)
    }
    if readsFirst {
      let reading = try await catalog.program("items", "music")
      #expect(reading.status == (reached == 0 ? 1 : 0), note)
    }
    let again = try await start(file, into: catalog).finish()
    #expect(again.status == 0, note)
    #expect(try await catalog.head().sequence == reference.sequence, note)
    // The content that `verify` found right in the run that nobody killed; replaying twice every
    // time takes most of this suite's time.
    let receipt = await catalog.run("receipt", "--content")
    #expect(try receipt.object()["content"] as? String == reference.content, note)
    if verifies {
      let verified = try await catalog.program("verify")
      #expect(verified.status == 0, note)
    }
    return reached
  }

  private static func start(_ seed: String, into catalog: TestCatalog) throws -> Running {
    try Program.started(
      Program.catalogctl, ["import", seed, "--at", TestCatalog.time, "--catalog", catalog.path])
  }
}

/// How long a process has worked, in clock ticks: unlike time on the wall, this does not depend on
/// what else the machine does.
private enum ProcessorTime {
  /// Waits until the process has worked so long, or has ended; returns how long it has worked.
  @discardableResult
  static func wait(for run: Running, until limit: Int = .max) async -> Int {
    var last = 0
    while run.process.isRunning {
      last = max(last, of(run.process.processIdentifier) ?? last)
      if last >= limit { break }
      try? await Task.sleep(for: .milliseconds(2))
    }
    return last
  }

  /// The 14th and 15th field of /proc/PID/stat, which proc(5) describes.
  private static func of(_ process: Int32) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let name = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[name...].split(separator: " ")
    guard fields.count > 13, let user = Int(fields[12]), let system = Int(fields[13]) else {
      return nil
    }
    return user + system
  }
}

private func killProcess(_ process: Int32) {
  _ = kill(process, SIGKILL)
}
