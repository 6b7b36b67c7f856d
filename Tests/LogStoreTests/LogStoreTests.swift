import CatalogTestSupport
import EventLog
import KindConformance
import PostgresLog
import PostgresTestSupport
import Promises
import Synchronization
import Testing

/// All stores keep the promises of one suite, and the suite finds stores that do not.
@Suite(
  .promise(
    "All stores of a log keep the same promises, and a store that does not is found",
    by: "a folder, memory, PostgreSQL, one that an application brings; nine kinds of wrong "
      + "stores"))
struct LogStoreTests {
  @Test func aFolderKeepsAllPromises() async throws {
    let folder = try ScratchFolder()
    let conformance = StoreConformance(logs: { EventLogReader(directory: folder.file($0)) })
    let findings = try await conformance.findings()
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test func memoryKeepsAllPromises() async throws {
    for largest in [nil, 100_000] {
      let logs = Named { MemoryBatches(place: $0, largestBatch: largest) }
      let findings = try await StoreConformance { try logs[$0] }.findings()
      #expect(findings.isEmpty, "\(findings)")
    }
  }

  @Test(.enabled(if: PostgresCluster.isInstalled, "PostgreSQL's server is not installed"))
  func postgreSQLKeepsAllPromises() async throws {
    let cluster = try PostgresCluster.shared.get()
    let logs = Named { PostgresStore.log(at: try PostgresAddress(cluster.address($0))) }
    let findings = try await StoreConformance(logs: { try logs[$0] }).findings()
    #expect(findings.isEmpty, "\(findings)")
  }

  /// A store whose answers are lost, before or after it keeps a batch, keeps them, too.
  @Test func aStoreWhoseAnswersAreLostKeepsAllPromises() async throws {
    let logs = Named { WrongStore(.losesAnswers, MemoryBatches(place: $0)) }
    let findings = try await StoreConformance { try logs[$0] }.findings()
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test(arguments: WrongStore.Fault.allCases.filter { $0 != .losesAnswers })
  func aWrongStoreIsFound(fault: WrongStore.Fault) async throws {
    let logs = Named { WrongStore(fault, MemoryBatches(place: $0)) }
    let findings = try await StoreConformance { try logs[$0] }.findings()
    #expect(findings.contains { $0.promise == fault.promise }, "\(findings)")
  }

  @Test func aStoreThatRefusesIsNotAskedAgain() throws {
    let log = BatchStoreLog(WrongStore(.refuses, MemoryBatches()))
    let writer = try log.writer()
    #expect(code { try writer.append(["a"]) } == .unavailable)
    #expect(try log.end() == nil)
  }

  /// A refusal says nothing of an earlier call whose answer was lost.
  @Test(arguments: [true, false])
  func aBatchThatWasKeptBeforeARefusalIsFound(isKept: Bool) throws {
    let log = BatchStoreLog(RefusingStore(keepsFirst: isKept))
    let writer = try log.writing(
      WriterOpening(logID: trialID, holder: "test", patience: .milliseconds(200)))
    if isKept {
      let outcome = try writer.append(["a"])
      let end = try #require(try log.end())
      #expect(outcome == .already(end.head))
    } else {
      #expect(code { try writer.append(["a"]) } == .outcomeUnknown)
    }
  }

  /// A batch that is found is called kept only if the store says so.
  @Test func aBatchThatIsFoundIsConfirmed() throws {
    let log = BatchStoreLog(WrongStore(.cannotConfirm, MemoryBatches()))
    let writer = try log.writer()
    let start = writer.head
    try writer.append(["a"])
    #expect(code { try writer.append(["a"], after: start) } == .outcomeUnknown)
  }

  /// The store may not be asked for what the writer has: each question costs a round trip.
  @Test func whatAWriterAppendedIsReadWithoutTheStore() throws {
    let log = BatchStoreLog(MemoryBatches())
    let writer = try log.writer()
    try writer.append(["a"])
    let before = writer.head
    try writer.append(["b", "c"])
    let unread = MemoryLog(place: "nothing")
    let cursor = try unread.atEnd(of: writer).reading(after: before, readsAhead: false)
    #expect(try cursor.nextBatch()?.head == writer.head)
    #expect(try cursor.lines() == ["b", "c"])
    #expect(try cursor.nextBatch() == nil)
    #expect(code { _ = try unread.atEnd(of: writer).cursor(after: writer.head) } == .lostEvents)
  }

  @Test func aStoreThatDoesNotAnswerLeavesTheOutcomeOpen() throws {
    let log = BatchStoreLog(WrongStore(.isSilent, MemoryBatches()))
    let writer = try log.writing(
      WriterOpening(logID: trialID, holder: "test", patience: .milliseconds(200)))
    #expect(code { try writer.append(["a"]) } == .outcomeUnknown)
  }
}

/// The stores of a trial, by name: each is made once.
private final class Named<Store: Sendable>: Sendable {
  private let known = Mutex<[String: Store]>([:])
  private let make: @Sendable (String) throws -> Store

  init(_ make: @escaping @Sendable (String) throws -> Store) {
    self.make = make
  }

  subscript(name: String) -> Store {
    get throws {
      try known.withLock { known in
        let store = try known[name] ?? make(name)
        known[name] = store
        return store
      }
    }
  }
}

/// A store whose first answer is lost, and which refuses from then on.
private final class RefusingStore: BatchStore {
  private let batches = MemoryBatches()
  private let keepsFirst: Bool
  private let isFirst = Mutex(true)

  private struct Silence: Error {}

  init(keepsFirst: Bool) {
    self.keepsFirst = keepsFirst
  }

  var place: String { batches.place }
  var largestBatch: Int? { nil }
  func durability() -> LogDurability { .memory }
  func last() -> StoredBatch? { batches.last() }
  func batch(at sequence: UInt64) -> StoredBatch? { batches.batch(at: sequence) }
  func batches(from first: UInt64) -> [StoredBatch] { batches.batches(from: first) }

  func add(_ batch: StoredBatch) throws -> Bool {
    let isFirst = isFirst.withLock { isFirst in
      defer { isFirst = false }
      return isFirst
    }
    guard isFirst else { throw StoreRefusal("the right was taken") }
    if keepsFirst { _ = batches.add(batch) }
    throw Silence()
  }
}

/// A store with one fault.
final class WrongStore: BatchStore {
  enum Fault: CaseIterable {
    /// Every third answer is lost, now before the batch is kept and now after it.
    case losesAnswers
    /// Keeps a batch in the place of another one, as an object store does that ignores `If-None-Match`.
    case overwrites
    /// Acknowledges, and keeps each tenth batch for later, which never comes.
    case forgets
    /// Gives the batches without the last one for a while.
    case isLate
    /// Gives a batch with another byte in it.
    case flips
    /// Gives batches in another order.
    case mixes
    /// Says nothing of its largest batch, and cuts it.
    case cuts
    case refuses
    case isSilent
    /// Cannot say that a batch which a reader finds is kept.
    case cannotConfirm

    var promise: ConformanceFinding.Promise {
      switch self {
      case .overwrites: .writers
      case .losesAnswers, .forgets, .isLate, .flips, .mixes, .refuses, .isSilent: .batches
      case .cuts: .limits
      case .cannotConfirm: .retries
      }
    }
  }

  private let fault: Fault
  private let batches: MemoryBatches
  private let calls = Mutex(0)
  /// The batches that `overwrites` keeps.
  private let kept = Mutex<[UInt64: StoredBatch]>([:])

  init(_ fault: Fault, _ batches: MemoryBatches) {
    (self.fault, self.batches) = (fault, batches)
  }

  private struct Silence: Error {}

  var place: String { batches.place }
  var largestBatch: Int? { nil }
  func durability() -> LogDurability { .memory }

  private func next() -> Int {
    calls.withLock { calls in
      calls += 1
      return calls
    }
  }

  private var all: [StoredBatch] {
    fault == .overwrites
      ? kept.withLock { kept in kept.keys.sorted().compactMap { kept[$0] } }
      : batches.batches(from: 1)
  }

  func confirm() throws {
    if fault == .cannotConfirm { throw Silence() }
  }

  func last() -> StoredBatch? { fault == .isLate ? all.dropLast().last : all.last }

  func batch(at sequence: UInt64) -> StoredBatch? {
    all.last { $0.firstSequence <= sequence }
  }

  func batches(from first: UInt64) throws -> [StoredBatch] {
    let found = all.filter { $0.firstSequence >= first }
    guard found.first?.firstSequence == first else { return [] }
    switch fault {
    case .isLate: return found.dropLast()
    case .mixes: return found.reversed()
    case .flips:
      return try found.map { batch in
        var bytes = batch.bytes
        bytes[bytes.count - 3] ^= 4
        return try StoredBatch(bytes, in: place, from: batch.firstSequence)
      }
    case .cuts:
      return try found.map { batch in
        try StoredBatch(
          Array(batch.bytes.prefix(1 << 20)), in: place, from: batch.firstSequence)
      }
    default: return found
    }
  }

  func add(_ batch: StoredBatch) throws -> Bool {
    let call = next()
    switch fault {
    case .losesAnswers where call % 3 == 0:
      if call % 2 == 0 { _ = batches.add(batch) }
      throw Silence()
    case .overwrites:
      kept.withLock { $0[batch.firstSequence] = batch }
      return true
    case .forgets where call % 10 == 0: return true
    case .refuses: throw StoreRefusal("no right to add")
    case .isSilent: throw Silence()
    default: return batches.add(batch)
    }
  }
}
