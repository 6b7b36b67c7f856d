import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `kill -9` at random moments of a longer import. `CRASH_SEED` repeats the moments of a run.
@Suite(.serialized) struct RandomKillTests {
  private static let kills = 20

  @Test func anImportSurvivesAKillAtAnyMoment() async throws {
    let seed =
      ProcessInfo.processInfo.environment["CRASH_SEED"].flatMap(UInt64.init) ?? .random(in: 1 ... 999_999)
    print("RandomKillTests: CRASH_SEED=\(seed)")
    let folder = try TestFolder()
    let document = try await Program.run(
      "python3",
      ["\(Program.package)/Tools/generate-seed", "--items", "5000", "--tags", "5"])
    try #require(document.status == 0, "\(document.errors)")
    let file = try folder.write(document.output, to: "seed.json")

    let unkilled = try TestCatalog()
    let start = ContinuousClock.now
    let imported = try await Self.start(file, into: unkilled).finish()
    let length = ContinuousClock.now - start
    try #require(imported.status == 0, "\(imported)")
    let whole = try await unkilled.head().sequence
    let content = try await unkilled.receipt(content: true)

    var random = Moments(state: seed)
    var reached: [Int: Int] = [:]
    for number in 1...Self.kills {
      let moment = length * random.next()
      let note: Comment = "CRASH_SEED=\(seed), kill \(number), after \(moment)"
      let catalog = try TestCatalog()
      let run = try Self.start(file, into: catalog)
      try await Task.sleep(for: moment)
      _ = kill(run.process.processIdentifier, SIGKILL)
      let killed = try await run.finish()
      #expect([0, 128 + SIGKILL].contains(killed.status), note)

      // The next command, whatever it is, finds a whole number of batches.
      let reading = try await catalog.program("items", "music", "--format", "json")
      if reading.status != 0 {
        #expect(reading.status == 1 && reading.errors.contains("there is no catalog"), note)
        reached[0, default: 0] += 1
      } else {
        let sequence = try await catalog.head().sequence
        #expect([1, whole].contains(sequence), note)
        reached[sequence, default: 0] += 1
        #expect(await catalog.run("check").status == 0, note)
      }
      let again = try await Self.start(file, into: catalog).finish()
      #expect(again.status == 0, note)
      #expect(try await catalog.head().sequence == whole, note)
      // Two processes replay and compare: its own receipt is only as good as what made it.
      let verified = try await catalog.program("verify", "--format", "json")
      #expect(verified.status == 0, note)
      #expect(try await catalog.receipt(content: true) == content, note)
    }
    print("RandomKillTests: events in the log after the kill → runs: \(reached)")
  }

  private static func start(_ seed: String, into catalog: TestCatalog) throws -> Running {
    try Program.started(
      Program.catalogctl, ["import", seed, "--at", TestCatalog.time, "--catalog", catalog.path])
  }
}

/// Shares of a length of time: SplitMix64, so that a printed seed repeats them.
private struct Moments {
  var state: UInt64

  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return Double(mixed >> 11) / Double(UInt64(1) << 53)
  }
}
