import Support

/// A store that answers each question by itself.
struct PlainServer<Store: BatchStore>: BatchServer {
  let store: Store

  var place: String { store.place }
  var largestBatch: Int? { store.largestBatch }

  func durability() throws -> LogDurability { try asking { try store.durability() } }

  func end() throws -> (logID: LogID, head: LogHead)? {
    try asking { try store.last() }.map { ($0.logID, $0.info.head) }
  }

  func holds(_ head: LogHead) throws -> Bool { try batch(at: head.sequence)?.info.head == head }

  func batch(at sequence: UInt64) throws -> StoredBatch? {
    try asking { try store.batch(at: sequence) }
  }

  func batches() -> any StoredBatches { Batches(self) }

  func begin(_ opening: WriterOpening) throws -> any BatchSession {
    Session(self, try end())
  }

  /// An error of the store names the store and says what to do.
  private func asking<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as EventLogError {
      throw error
    } catch {
      throw unavailable(error)
    }
  }

  private func unavailable(_ error: any Error) -> EventLogError {
    EventLogError(
      .unavailable, "\(place) answers: \(error); try again, or ask the people who keep it",
      file: place, isSilence: !(error is StoreRefusal))
  }

  private final class Session: BatchSession {
    private let server: PlainServer
    let end: (logID: LogID, head: LogHead)?

    init(_ server: PlainServer, _ end: (logID: LogID, head: LogHead)?) {
      (self.server, self.end) = (server, end)
    }

    func add(_ batch: StoredBatch, until deadline: ContinuousClock.Instant) -> AddedBatch {
      do {
        return try server.store.add(batch) ? .kept : .taken
      } catch let refusal as StoreRefusal {
        return .refused(server.unavailable(refusal))
      } catch {
        return .unknown("\(error)")
      }
    }

    func keeps(_ head: LogHead, until deadline: ContinuousClock.Instant) throws -> Bool {
      try server.store.keeps(head.chain.bytes, through: head.sequence)
    }
  }

  private final class Batches: StoredBatches {
    private let server: PlainServer
    /// Those that are given next, in reverse.
    private var waiting: [StoredBatch] = []

    init(_ server: PlainServer) {
      self.server = server
    }

    func begins(after head: LogHead) throws -> Bool {
      try read(after: head)
      return waiting.last?.info.previousHead == head
    }

    func next(after head: LogHead?) throws -> StoredBatch? {
      if waiting.isEmpty { try read(after: head) }
      return waiting.popLast()
    }

    private func read(after head: LogHead?) throws {
      waiting = try server.asking { try server.store.batches(from: (head?.sequence ?? 0) + 1) }
        .reversed()
    }
  }
}
