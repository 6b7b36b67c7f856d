import CatalogTestSupport
import EventLog
import PostgresLog
import PostgresTestSupport
import Synchronization
import Testing

/// All stores keep the same promises.
@Suite struct LogStoreTests {
  private static func lines(_ random: inout SeededGenerator) -> [String] {
    (0..<Int.random(in: 1...8, using: &random)).map { _ in
      let length = Int.random(in: 0...5, using: &random) == 0 ? 200_000 : 40
      return "{\"n\":\(Int.random(in: 0..<1 << 40, using: &random))}"
        + String(repeating: "x", count: Int.random(in: 0...length, using: &random))
    }
  }

  @Test(arguments: TriedStore.all) func whatIsAppendedIsRead(store: TriedStore) throws {
    let (log, keeper) = try store.make()
    defer { withExtendedLifetime(keeper) {} }
    var random = SeededGenerator("stores")
    #expect(try !log.exists() && log.end() == nil && log.logID() == nil)
    let writer = try log.writer()
    #expect(writer.logID == trialID && writer.head == .empty(trialID))
    // A plain twin: the same lines in memory.
    let twin = MemoryLog()
    let plain = try twin.writer()
    var heads: [LogHead] = [.empty(trialID)]
    var written: [[String]] = []
    for _ in 0..<25 {
      let lines = Self.lines(&random)
      let outcome = try writer.append(lines)
      #expect(try outcome == .appended(plain.append(lines).head))
      heads.append(outcome.head)
      written.append(lines)
    }
    writer.close()
    #expect(try log.end()?.head == heads.last && log.logID() == trialID)
    #expect(try log.batches().map(\.lines) == written)
    for (place, head) in heads.enumerated() {
      #expect(try log.batches(after: head).map(\.lines) == Array(written[place...]))
      #expect(try log.compare(at: head) == .same)
    }
    for sequence in [1, 7, heads[12].sequence, heads[25].sequence] {
      let batch = try log.batch(containing: sequence)
      #expect(batch.firstSequence <= sequence && sequence <= batch.lastSequence)
    }
    let report = try log.check()
    #expect(report.findings.isEmpty && report.head == heads.last && report.logID == trialID)
  }

  @Test(arguments: TriedStore.all) func whatTheLogLacksIsRefused(store: TriedStore) throws {
    let (log, keeper) = try store.make()
    defer { withExtendedLifetime(keeper) {} }
    let writer = try log.writer()
    let first = try writer.append(["a"]).head
    try writer.append(["b", "c"])
    writer.close()
    let foreign = LogHead(sequence: 2, chain: first.chain)
    let beyond = LogHead(sequence: 9, chain: first.chain)
    for head in [foreign, beyond, LogHead(sequence: 0, chain: first.chain)] {
      #expect(code { _ = try log.reading(after: head, readsAhead: false) } == .lostEvents)
      #expect(code { _ = try log.writer([head]) } == .lostEvents)
    }
    #expect(try log.compare(at: foreign) == .differs)
    #expect(try log.compare(at: beyond) == .beyond)
    #expect(code { _ = try log.batch(containing: 4) } == .lostEvents)
    #expect(try log.batches().map(\.lines) == [["a"], ["b", "c"]])
  }

  @Test(arguments: TriedStore.all) func aRetryIsToldAndAnotherBatchIsRefused(
    store: TriedStore
  ) throws {
    let (log, keeper) = try store.make()
    defer { withExtendedLifetime(keeper) {} }
    let writer = try log.writer()
    let start = writer.head
    let first = try writer.append(["a"]).head
    #expect(try writer.append(["a"], after: start) == .already(first))
    let second = try writer.append(["b"]).head
    #expect(try writer.append(["a"], after: start) == .already(first))
    #expect(try writer.append(["b"], after: first) == .already(second))
    #expect(code { try writer.append(["x"], after: first) } == .headMoved)
    #expect(code { try writer.append(["a", "b"], after: start) } == .headMoved)
    #expect(code { try writer.append([]) } == .invalidBatch)
    #expect(code { try writer.append(["a\nb"]) } == .invalidBatch)
    #expect(try log.batches().map(\.lines) == [["a"], ["b"]])
    writer.close()
  }

  /// A cursor at the end goes on when something was appended, and a follower sees each batch once.
  @Test(arguments: TriedStore.all) func aReaderGoesOn(store: TriedStore) throws {
    let (log, keeper) = try store.make()
    defer { withExtendedLifetime(keeper) {} }
    let cursor = try log.reading(after: nil, readsAhead: false)
    #expect(try cursor.nextBatch() == nil)
    let writer = try log.writer()
    for number in 0..<5 {
      try writer.append(["\(number)", "x"])
      #expect(try cursor.nextBatch()?.firstSequence == UInt64(2 * number + 1))
      #expect(try cursor.lines() == ["\(number)", "x"])
      #expect(try cursor.nextBatch() == nil)
    }
    writer.close()
  }

  private final class Acknowledged: Sendable {
    let heads = Mutex<[LogHead]>([])
  }

  /// Eight writers on one head: each batch is there once, in one chain.
  @Test(arguments: TriedStore.all) func writersRace(store: TriedStore) async throws {
    let (log, keeper) = try store.make()
    defer { withExtendedLifetime(keeper) {} }
    try log.writer().close()
    let (writers, rounds) = (8, 12)
    // No lock of the test's own: what is appended is decided by the store.
    let acknowledged = Acknowledged()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in 0..<writers {
        group.addTask {
          for round in 0..<rounds {
            while true {
              let writer = try log.writer(wait: .seconds(60))
              defer { writer.close() }
              do {
                let outcome = try writer.append(["\(name)-\(round)"])
                acknowledged.heads.withLock { $0.append(outcome.head) }
                break
              } catch let error as EventLogError where error.code == .headMoved {
                continue
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let found = try log.batches()
    let wanted = (0..<writers).flatMap { name in (0..<rounds).map { "\(name)-\($0)" } }
    #expect(found.flatMap(\.lines).sorted() == wanted.sorted())
    #expect(Set(acknowledged.heads.withLock { $0 }) == Set(found.map(\.info.head)))
    #expect(try log.check().findings.isEmpty)
  }

  @Test(arguments: TriedStore.all, TriedStore.all)
  func aCopyHasTheSameChain(from: TriedStore, to: TriedStore) throws {
    let (source, keeper) = try from.make()
    let (target, other) = try to.make()
    defer { withExtendedLifetime((keeper, other)) {} }
    var random = SeededGenerator("copies")
    let writer = try source.writer()
    for _ in 0..<6 { try writer.append(Self.lines(&random)) }
    let first = try LogCopy(from: source, to: target)
    #expect(first.batches == 6 && first.after == writer.head)
    #expect(try LogCopy(from: source, to: target).batches == 0)
    for _ in 0..<3 { try writer.append(Self.lines(&random)) }
    #expect(try LogCopy(from: source, to: target).batches == 3)
    #expect(try source.batches().map(\.lines) == target.batches().map(\.lines))
    #expect(try source.batches().map(\.info.head) == target.batches().map(\.info.head))
    // The copy is ahead, and then each has events of its own.
    let ahead = try target.writer()
    try ahead.append(["ahead"])
    ahead.close()
    #expect(try LogCopy(from: source, to: target).batches == 0)
    try writer.append(["other"])
    writer.close()
    let before = try target.end()?.head
    #expect(code { _ = try LogCopy(from: source, to: target) } == .lostEvents)
    #expect(try target.end()?.head == before)
    let (stranger, last) = try to.make()
    defer { withExtendedLifetime(last) {} }
    let opening = WriterOpening(logID: LogID(bytes: Array(0..<16)), holder: "test")
    let third = try stranger.writing(opening)
    try third.append(["z"])
    third.close()
    #expect(code { _ = try LogCopy(from: source, to: stranger) } == .lostEvents)
  }

  @Test func aBatchThatIsTooLargeIsRefused() throws {
    let log = MemoryLog(largestBatch: 300)
    let writer = try log.writer()
    try writer.append(["a"])
    var random = SeededGenerator("large")
    let line = (0..<2_000).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
    #expect(code { try writer.append([line]) } == .tooLarge)
    #expect(try log.batches().count == 1)
  }
}
