import CatalogTestSupport
import Dispatch
import EventLog
import PostgresLog
import PostgresTestSupport
import Promises
import Support
import Testing

/// A change that others were quicker than again and again takes its turn.
@Suite(
  .promise(
    "A large change that small ones have overtaken again and again comes first",
    by: "others wait until it is done, or its writer ends"),
  .enabled(if: PostgresCluster.isInstalled, "PostgreSQL's server is not installed"))
struct PostgresTurnTests {
  private let log: BatchStoreLog

  init() throws {
    log = PostgresStore.log(at: try PostgresAddress(PostgresCluster.shared.get().address("turns")))
    try log.writer().append(["first"])
  }

  private func turn() throws -> any LogWriter {
    try log.writing(WriterOpening(logID: trialID, holder: "test", takesTurn: true))
  }

  @Test func othersLetATurnComeFirst() throws {
    let other = try log.writer()
    let own = try turn()
    // It was planned before the turn began.
    let refused = #expect(throws: EventLogError.self) { try other.append(["small"]) }
    #expect(refused?.code == .headMoved && refused?.message.contains("comes first") == true)
    #expect(try log.end()?.head == other.head)
    // A new one waits for its end, and sees what it appended.
    let begun = DispatchSemaphore(value: 0)
    let waiting = try BackgroundWork {
      try log.writing(
        WriterOpening(logID: trialID, holder: "test", willWait: { begun.signal() })
      ).head
    }
    #expect(begun.wait(timeout: .now() + 60) == .success)
    let appended = try own.append(["large"]).head
    #expect(try waiting.value() == appended)
    #expect(try log.writer().append(["small"]).head.sequence == 3)
    #expect(try log.batches().flatMap(\.lines) == ["first", "large", "small"])
  }

  @Test(arguments: ["closed", "dropped"])
  func aTurnEndsWithItsWriter(end: String) throws {
    var own: (any LogWriter)? = try turn()
    if end == "closed" { own?.close() }
    own = nil
    #expect(try log.writer().append(["small"]).head.sequence == 2)
  }
}
