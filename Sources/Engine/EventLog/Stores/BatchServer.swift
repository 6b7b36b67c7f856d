/// A store as a `BatchStoreLog` asks it: like a `BatchStore`, with several questions in one if a server answers them so.
package protocol BatchServer: Sendable {
  /// Names the log for people: its address, without a password.
  var place: String { get }
  /// Bytes of a batch, at most; nil if only memory bounds them.
  var largestBatch: Int? { get }
  /// Names the place of a batch for people.
  func place(of batch: BatchInfo) -> String
  /// Says what an acknowledged batch survives.
  func durability() throws -> LogDurability
  /// The server that is written to: readers may ask one that has the last batches a little later.
  var primary: any BatchServer { get }
  /// As `LogStore.allowSilence(of:)`.
  func allowSilence(of duration: Duration)

  /// The id of the log and its end; nil if there is no log yet.
  func end() throws -> (logID: LogID, head: LogHead)?
  /// Whether a batch ends at a head.
  func holds(_ head: LogHead) throws -> Bool
  /// The batch with the largest number that is not larger than `sequence`; nil if there is none.
  func batch(at sequence: UInt64) throws -> StoredBatch?
  /// The batches in their order, for one reader.
  func batches() -> any StoredBatches
  /// Asks the primary, since a reader's answer lacks what is known: its server may have that later.
  ///
  /// - Returns: nil if the server is no standby, so that its answer counts.
  /// - Throws: `unavailable` if it is, and the primary cannot be asked.
  func askingPrimary<Result>(
    before end: LogHead?, of known: LogHead, _ body: (any BatchServer) throws -> Result
  ) throws -> Result?

  /// Opens the log for a writer. A log that does not exist gets what it needs if the opening has an id for it.
  ///
  /// - Throws: `locked` if another writer keeps its turn; `notDurable`.
  func begin(_ opening: WriterOpening) throws -> any BatchSession
}

extension BatchServer {
  package func place(of batch: BatchInfo) -> String { "\(place), event \(batch.firstSequence)" }
  package var primary: any BatchServer { self }
  package func allowSilence(of duration: Duration) {}

  package func askingPrimary<Result>(
    before end: LogHead?, of known: LogHead, _ body: (any BatchServer) throws -> Result
  ) throws -> Result? { nil }

  /// Why the log does not go on from a head; nil if a batch ends there.
  func refusal(of head: LogHead) throws -> EventLogError? {
    let end = try end()
    if head.sequence == 0 {
      guard let end, head != .empty(end.logID) else { return nil }
    } else if try end != nil && (end?.head == head || holds(head)) {
      return nil
    }
    return .lostEvents(end?.head, head, place)
  }
}

/// A store as one writer asks it.
package protocol BatchSession: AnyObject {
  /// The end of the log when the session began; nil if there was none.
  var end: (logID: LogID, head: LogHead)? { get }
  /// Keeps a batch, if no batch has its number.
  ///
  /// - Parameter deadline: when an answer is no longer waited for.
  func add(_ batch: StoredBatch, until deadline: ContinuousClock.Instant) -> AddedBatch
  /// Looks for a batch that ends at a head. If it is there, all up to it survives from then on what `durability` says.
  ///
  /// - Throws: `EventLogError` if the store refuses to answer; anything else if it may answer later.
  func keeps(_ head: LogHead, until deadline: ContinuousClock.Instant) throws -> Bool
  /// Lets other writers append, if this one has the turn.
  func endTurn()
}

extension BatchSession {
  package func endTurn() {}
}

/// The result of adding a batch to a store.
package enum AddedBatch {
  case kept
  /// Another batch has its place, or this same one from an earlier call.
  case taken
  /// It was surely not kept, and is not if it is added again.
  case refused(EventLogError)
  /// It was surely not kept; the text says why not. Adding it again may keep it.
  case again(String)
  /// It may be kept. The text says why that is not known.
  case unknown(String)
}
