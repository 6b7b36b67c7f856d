import CatalogTestSupport
import EventLog
import Foundation
import PostgresLog
import PostgresTestSupport
import Promises
import Support
import Synchronization
import Testing

/// A log in a server, against the server's own tool.
@Suite(
  .promise(
    "A log in a server is one chain, whatever program writes to the table; a changed or "
      + "removed row is found"),
  .promise(
    "A server acknowledges nothing before a standby has it, and a server that may lose "
      + "events is refused",
    by: "settings of durability, a standby that is late"),
  .enabled(if: PostgresCluster.isInstalled, "PostgreSQL's server is not installed"))
struct PostgresLogTests {
  private let cluster: PostgresCluster
  private let log: BatchStoreLog
  private let name: String

  init() throws {
    cluster = try PostgresCluster.shared.get()
    let address = try PostgresAddress(cluster.address("own"))
    (log, name) = (PostgresStore.log(at: address), address.name)
  }

  @Test(arguments: [
    "postgresql://user:secret@host/db#x", "postgresql://host/db?password=secret#x",
    "postgresql://host/db?PASS%57ORD=secret#x", "postgresql://host/db?user=a&passfile=secret#x",
    "postgresql://user:sec?secret@host/db#x", "postgresql://user:se?a=secret@host/db#x",
    "postgresql://user:secret/word@host/db#x", "postgresql://user:a/b?secret@host/db#x",
    "postgresql://us?er@host/db?password=secret#x",
    "postgresql://host/db?scram_client_key=secret#x",
    "postgresql://host/db", "postgresql://host/db#", "postgresql://host/db#a b",
    "postgresql://host/db#secret'", "mysql://host/db#x",
  ])
  func anAddressThatIsNoneIsRefused(text: String) throws {
    let error = #expect(throws: EventLogError.self) { try PostgresAddress(text) }
    #expect(error?.message.contains("secret") == false)
  }

  @Test func aServerThatDoesNotAnswerIsNamed() throws {
    let log = PostgresStore.log(
      at: try PostgresAddress("postgresql://postgres@/db?host=/nowhere#x"))
    let error = #expect(throws: EventLogError.self) { try log.end() }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("/nowhere") == true)
  }

  /// The bytes of the rows, one after the other, are an open segment.
  @Test func theRowsAreASegment() throws {
    let writer = try log.writer()
    for number in 0..<7 { try writer.append(["\(number)", String(repeating: "y", count: 3_000)]) }
    writer.close()
    let folder = try ScratchFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("events"), withIntermediateDirectories: false)
    let hex = try cluster.sql(
      "SELECT string_agg(encode(frame, 'hex'), '' ORDER BY first_seq) FROM log_batch WHERE catalog = '\(name)'"
    )
    var bytes = Data()
    var digits = hex.utf8.makeIterator()
    while let high = digits.next(), let low = digits.next() {
      bytes.append(UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16) ?? 0)
    }
    try bytes.write(
      to: URL(fileURLWithPath: folder.file("events/00000000000000000001.jsonl.zst")))
    let copy = EventLogReader(directory: folder.file("events"))
    #expect(try copy.batches().map(\.lines) == log.batches().map(\.lines))
    #expect(try copy.end()?.head == log.end()?.head)
  }

  /// The keys of the table refuse rows that make no chain.
  @Test func theTableAllowsAChainAlone() throws {
    let writer = try log.writer()
    for number in 0..<3 { try writer.append(["\(number)", "x"]) }
    writer.close()
    func insert(_ columns: String) -> String {
      """
      INSERT INTO log_batch SELECT catalog, \(columns), frame FROM log_batch WHERE catalog = '\(name)' AND first_seq = 5
      """
    }
    let faults = [
      "a gap": insert("8, 1, 8, 7, prev_chain, chain"),
      "a fork": insert("7, 1, 7, 6, prev_chain, chain"),
      "an overlap": insert("6, 1, 6, 5, prev_chain, chain"),
      "a second one": insert("5, 2, 6, 4, prev_chain, chain"),
      "a wrong count": insert("7, 2, 7, 6, chain, chain"),
      "no predecessor": insert("7, 1, 7, NULL, chain, chain"),
      "a removed one": "DELETE FROM log_batch WHERE catalog = '\(name)' AND first_seq = 3",
    ]
    for (fault, statement) in faults {
      #expect(throws: PostgresCluster.Refused.self, "\(fault)") { try cluster.sql(statement) }
    }
    #expect(try log.batches().count == 3)
  }

  @Test(arguments: [
    "UPDATE log_batch SET frame = set_byte(frame, 150, get_byte(frame, 150) # 1)",
    "UPDATE log_batch SET frame = set_byte(frame, 20, get_byte(frame, 20) # 1)",
    "UPDATE log_batch SET frame = substring(frame FROM 1 FOR 140)",
    "UPDATE log_batch SET frame = ''",
    "UPDATE log_batch SET frame = (SELECT frame FROM log_batch WHERE catalog = 'NAME' AND first_seq = 1)",
  ])
  func aRowThatWasChangedIsFound(statement: String) throws {
    let writer = try log.writer()
    for number in 0..<4 { try writer.append(["\(number)", "x"]) }
    writer.close()
    let own = statement.replacing("NAME", with: name)
    try cluster.sql("\(own) WHERE catalog = '\(name)' AND first_seq = 3")
    let report = try log.check()
    #expect(report.findings.first?.firstSequence == 3)
    #expect(report.head.sequence == 2)
    #expect(throws: EventLogError.self) { try log.batches() }
  }

  @Test func aLogThatWasSetBackIsALoss() throws {
    let writer = try log.writer()
    for number in 0..<4 { try writer.append(["\(number)"]) }
    let head = writer.head
    writer.close()
    try cluster.sql("DELETE FROM log_batch WHERE catalog = '\(name)' AND first_seq = 4")
    #expect(code { _ = try log.reading(after: head, readsAhead: false) } == .lostEvents)
    #expect(code { _ = try log.writer([head]) } == .lostEvents)
  }

  @Test func anotherVersionOfTheTablesIsRefused() throws {
    let other = try PostgresCluster()
    let log = PostgresStore.log(at: try PostgresAddress(other.address("version")))
    let writer = try log.writer()
    try writer.append(["a"])
    writer.close()
    try other.sql("UPDATE log_format SET version = 2")
    #expect(code { _ = try log.writer() } == .unavailable)
    // So are readers.
    #expect(code { _ = try log.end() } == .unavailable)
    #expect(code { _ = try log.check() } == .unavailable)
  }

  /// Another machine begins a log in the same database at the same time.
  @Test func tablesThatAreBeingMadeHaveNoLog() throws {
    let other = try PostgresCluster()
    let log = PostgresStore.log(at: try PostgresAddress(other.address("begun")))
    let writer = try log.writer()
    try other.sql("DELETE FROM log_format")
    #expect(try log.end() == nil)
    try log.writer().append(["a"])
    writer.close()
    // What has batches and no version was not made by this program.
    try other.sql("DELETE FROM log_format")
    #expect(code { _ = try log.end() } == .unavailable)
    #expect(code { _ = try log.writer() } == .unavailable)
  }

  /// A role's search path may lead elsewhere.
  @Test func theTablesArePublicIfTheSearchPathHasNone() throws {
    let server = "postgresql://postgres@/postgres?host=\(cluster.folder)"
    let log = PostgresStore.log(
      at:
        try PostgresAddress("\(server)&options=-csearch_path%3Delsewhere#\(name)"))
    let writer = try self.log.writer()
    try writer.append(["a"])
    let head = writer.head
    #expect(try log.end()?.head == head)
    #expect(try log.writer([head]).append(["b"]).head.sequence == 2)
    #expect(try log.batches(after: head).map(\.lines) == [["b"]])
    #expect(try self.log.batches().count == 2)
  }

  @Test func damageOfTheLastBatchIsNoOtherLog() throws {
    let writer = try log.writer()
    for number in 0..<4 { try writer.append(["\(number)"]) }
    // A byte of the log's id in the header.
    try cluster.sql(
      "UPDATE log_batch SET frame = set_byte(frame, 20, get_byte(frame, 20) # 1) WHERE catalog = '\(name)' AND first_seq = 4"
    )
    let report = try log.check()
    #expect(report.findings.map(\.firstSequence) == [4] && report.head.sequence == 3)
    #expect(code { _ = try log.end() } == .damaged(.headerCRC))
  }

  /// Its answer says nothing about the log, least of all that there is none.
  @Test(arguments: [BrokenServer.Answer.nothing, .endlessRow])
  func aBrokenServerHasNoAnswer(answer: BrokenServer.Answer) throws {
    let server = try BrokenServer(answer)
    defer { server.end() }
    let log = PostgresStore.log(at: try PostgresAddress(server.address))
    #expect(code { _ = try log.end() } == .unavailable)
  }

  @Test(arguments: ["fsync=off", "full_page_writes=off", "synchronous_commit=off"])
  func aServerThatMayLoseEventsIsRefused(setting: String) throws {
    let other = try PostgresCluster(settings: [setting])
    let log = PostgresStore.log(at: try PostgresAddress(other.address("loose")))
    #expect(code { _ = try log.writer() } == .notDurable)
    #expect(try log.durability() == .process)
    #expect(try !log.exists())
  }

  @Test func settingsSayWhatAnAcknowledgementSurvives() throws {
    let settings = try PostgresStore.settings(at: PostgresAddress(log.place))
    #expect(settings.hasChecksums && settings.syncsFiles && !settings.isStandby)
    #expect(settings.durability == .machine && !settings.waitsForStandby)
  }

  /// No standby answers: nothing is acknowledged, and what was left in the table is no acknowledgement either, until one does.
  @Test func aRowIsNotAcknowledgedBeforeAStandbyHasIt() async throws {
    let other = try PostgresCluster()
    let log = PostgresStore.log(at: try PostgresAddress(other.address("waits")))
    let writer = try log.writing(
      WriterOpening(logID: trialID, holder: "test", patience: .seconds(2)))
    let start = try writer.append(["a"]).head
    try await other.waitForStandby(named: "nobody")
    // An append that waits, and whose wait is cut off from outside again and again, is unknown and not appended.
    let isCancelling = Flag()
    let canceller = try BackgroundWork {
      while isCancelling.isSet {
        try other.cancelWaits()
        usleep(100_000)
      }
    }
    defer {
      isCancelling.clear()
      canceller.wait()
    }
    #expect(code { try writer.append(["b"], after: start) } == .outcomeUnknown)
    // The row is in the table, and no caller received an answer.
    #expect(try log.end()?.head.sequence == 2)
    // A caller that finds there what it would append does not take it for kept, either.
    let finding = try log.writing(
      WriterOpening(logID: trialID, holder: "test", patience: .seconds(1)))
    #expect(finding.head.sequence == 2)
    #expect(code { try finding.confirm() } == .outcomeUnknown)
    // A statement of it that is on its way would cut off the next wait.
    isCancelling.clear()
    canceller.wait()
    try await other.set("synchronous_standby_names", to: "")
    let again = try log.writer()
    #expect(again.head.sequence == 2)
    try again.confirm()
    #expect(try again.append(["b"], after: start) == .already(again.head))
  }

  /// Tells a thread whether to go on.
  private final class Flag: Sendable {
    private let value = Mutex(true)

    var isSet: Bool { value.withLock { $0 } }

    func clear() { value.withLock { $0 = false } }
  }
}
