import CatalogTestSupport
import EventLog
import PostgresLog
import PostgresTestSupport
import Promises
import Testing

/// The connection to the server is cut at any byte: a batch is there once, and what an append says is true.
@Suite(
  .promise(
    "A server acknowledges nothing before a standby has it, and a server that may lose "
      + "events is refused",
    by: "the settings of the server after a failover"),
  .promise(
    "A connection to a server that is cut at any byte of an append leaves the batch in the "
      + "log once, and what the append reports is true",
    by: "a proxy that cuts, again and again"),
  .enabled(if: PostgresCluster.isInstalled, "PostgreSQL's server is not installed"))
struct CutConnectionTests {
  private let cluster: PostgresCluster
  private let proxy: CuttingProxy
  /// The log by way of the proxy, and without it.
  private let log: BatchStoreLog
  private let direct: BatchStoreLog

  init() throws {
    cluster = try PostgresCluster.shared.get()
    proxy = try CuttingProxy(to: cluster.folder)
    let address = try PostgresAddress(cluster.address("cut"))
    log = PostgresStore.log(at: try PostgresAddress(proxy.address(address.name)))
    direct = PostgresStore.log(at: address)
  }

  @Test(arguments: CuttingProxy.Direction.allCases)
  func anAppendIsCutAtEachByte(direction: CuttingProxy.Direction) throws {
    defer { proxy.end() }
    var written: [String] = []
    var outcomes: Set<String> = []
    try log.writer().close()
    for byte in 0...4_000 {
      let writer = try log.writer()
      defer { writer.close() }
      let line = "\(direction) \(byte)"
      proxy.cut([(direction, byte)])
      let outcome = try writer.append([line])
      let isOver = proxy.heal() == 1
      written.append(line)
      outcomes.insert(outcome == .appended(outcome.head) ? "appended" : "already")
      #expect(try direct.end()?.head == outcome.head, "\(line)")
      if isOver {
        #expect(byte > 20)
        break
      }
    }
    #expect(try direct.batches().map(\.lines) == written.map { [$0] })
    // Before the last byte is sent nothing is committed; before the first byte of the answer, all is.
    #expect(outcomes.contains(direction == .toServer ? "appended" : "already"))
    #expect(try direct.check().findings.isEmpty)
  }

  /// The connections after it are cut, too, at whatever they say.
  @Test func anAppendIsCutAgainAndAgain() throws {
    defer { proxy.end() }
    var random = SeededGenerator("cuts")
    var written: [String] = []
    for round in 0..<Sample.count(25, of: 400) {
      let writer = try log.writer()
      defer { writer.close() }
      proxy.cut(
        (0..<Int.random(in: 1...5, using: &random)).map { _ in
          (
            CuttingProxy.Direction.allCases.randomElement(using: &random) ?? .toServer,
            Int.random(in: 0...900, using: &random)
          )
        })
      let outcome = try writer.append(["\(round)"])
      _ = proxy.heal()
      written.append("\(round)")
      #expect(try direct.end()?.head == outcome.head, "round \(round)")
    }
    #expect(try direct.batches().map(\.lines) == written.map { [$0] })
  }

  /// No connection is let in after the cut: the outcome is unknown. Later, a second try finds the batch there, or appends it.
  @Test func anAppendWithoutAnswerIsUnknown() throws {
    defer { proxy.end() }
    var random = SeededGenerator("unknown")
    var written: [String] = []
    var later: Set<String> = []
    for direction in CuttingProxy.Direction.allCases {
      for round in 0..<Sample.count(3, of: 40) {
        let writer = try log.writing(
          WriterOpening(logID: trialID, holder: "test", patience: .milliseconds(300)))
        let start = writer.head
        proxy.cut([
          (direction, direction == .toServer ? Int.random(in: 0...300, using: &random) : 0)
        ])
        proxy.setOpen(false)
        let line = "\(direction) \(round)"
        #expect(code { try writer.append([line]) } == .outcomeUnknown)
        writer.close()
        proxy.setOpen(true)
        #expect(proxy.heal() == 0)
        let isThere = try direct.end()?.head.sequence != start.sequence && start.sequence > 0
        let again = try log.writer()
        let outcome = try again.append([line], after: start)
        again.close()
        #expect(outcome == (isThere ? .already(outcome.head) : .appended(outcome.head)))
        later.insert(isThere ? "already" : "appended")
        written.append(line)
        #expect(try direct.end()?.head == outcome.head)
      }
    }
    #expect(later == ["already", "appended"])
    #expect(try direct.batches().map(\.lines) == written.map { [$0] })
  }

  /// A failover leads to a server with settings of its own, and what it acknowledges rests on those.
  @Test func theServerAfterAFailoverIsAskedForItsSettings() async throws {
    defer { proxy.end() }
    let primary = try PostgresCluster()
    let next = try PostgresCluster(following: primary)
    proxy.lead(to: primary.folder)
    let log = PostgresStore.log(at: try PostgresAddress(proxy.address("failover")))
    func writer(acceptsLoss: Bool = false) throws -> any LogWriter {
      try log.writing(
        WriterOpening(
          logID: trialID, holder: "test", patience: .seconds(1), acceptsLoss: acceptsLoss))
    }
    let (first, second) = (try writer(), try writer())
    try first.append(["a"])
    try await Wait.until("the row on the standby") {
      try !next.sql("SELECT to_regclass('log_batch')").isEmpty
        && !next.sql("SELECT 1 FROM log_batch").isEmpty
    }
    try next.sql("SELECT pg_promote(true, 60)")
    try await next.set("fsync", to: "off")
    proxy.lead(to: next.folder)
    let refused = #expect(throws: EventLogError.self) { try first.append(["b"]) }
    // What was sent before the connection broke may be on the old primary.
    #expect(refused?.code == .outcomeUnknown, "\(refused as Any)")
    #expect(refused?.message.contains("fsync is off") == true, "\(refused as Any)")
    #expect(try log.end()?.head == first.head)
    #expect(code { _ = try writer() } == .notDurable)
    #expect(try writer(acceptsLoss: true).append(["b"]).head.sequence == 2)

    try await next.set("fsync", to: "on")
    try await next.waitForStandby(named: "missing")
    // The old primary waited for no standby. This one does, so a batch is kept after a standby has it.
    #expect(code { try second.append(["c"], after: log.end()?.head) } == .outcomeUnknown)
    #expect(code { try first.confirm() } == .outcomeUnknown)
  }
}
