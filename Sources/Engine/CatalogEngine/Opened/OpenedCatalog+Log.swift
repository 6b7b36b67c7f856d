package import CatalogModel
import CatalogStore
package import EventLog
import Foundation
import Logging
import Projections
import Synchronization

extension OpenedCatalog {
  /// The heads that this directory knows of: a log that lacks one of them lost events, and nothing may
  /// be repaired or replaced before somebody has looked.
  package func knownHeads() throws -> [LogHead] {
    try ProjectionStanding(projection, in: asked).required.map { [$0] } ?? []
  }

  /// The head of a log that has begun.
  ///
  /// - Parameter advice: what begins it, for an error.
  /// - Throws: `CatalogError` with `noCatalog` if it has not; `EventLogError` with `lostEvents` if it is gone, and the
  ///   database has events of it: a segment that was removed from an open catalog is not an empty catalog.
  package func requireHead(_ advice: String = "") throws -> LogHead {
    if let head = try log.head() { return head }
    if let known = try projection.checkpoint()?.head.sequence, known > 0 {
      throw LostEvents.withoutLog(known, directory)
    }
    throw CatalogError(.noCatalog, "this catalog is empty\(advice)")
  }

  /// Makes sure that the log has begun. A server is not asked again if it had begun when the catalog was opened.
  ///
  /// - Throws: as `requireHead`.
  package func requireBegun(_ advice: String = "") throws {
    if try asked.end() == nil { _ = try requireHead(advice) }
  }

  /// Takes the log's lock and repairs a torn tail.
  ///
  /// - Parameters:
  ///   - newLogID: the id to give to a log that does not exist yet.
  ///   - checksEarlier: whether to read all stored bytes, and not only those of the last segment
  ///     (decision 0016). Without it, what this catalog has checked of the last segment already is not read again.
  ///   - takesTurn: whether others that share the log let this change come first.
  package func openLog(
    knownHeads: [LogHead], newLogID: LogID? = nil, checksEarlier: Bool = false,
    wait: Duration? = nil, takesTurn: Bool = false
  ) throws -> any LogWriter {
    try requirePresent()
    if let noRoom { throw noRoom }
    return try Self.openLog(
      directory, options, knownHeads: knownHeads, newLogID: newLogID, checksEarlier: checksEarlier,
      wait: wait, takesTurn: takesTurn, places: places)
  }

  private static func openLog(
    _ directory: CatalogDirectory, _ options: OpeningOptions, knownHeads: [LogHead],
    newLogID: LogID? = nil, checksEarlier: Bool = false, wait: Duration? = nil,
    takesTurn: Bool = false, places: VerifiedOffsets? = nil
  ) throws -> any LogWriter {
    try directory.requireWritable()
    let willWait = {
      options.progress(CatalogProgress(phase: .waiting, done: 0, total: nil))
    }
    let holder = ProcessInfo.processInfo.processName
    let lock = try directory.lock(holder: holder, wait: wait ?? options.wait, willWait: willWait)
    var writer = try directory.store(places: places).writing(
      WriterOpening(
        logID: newLogID, knownHeads: knownHeads, checksEarlier: checksEarlier, holder: holder,
        wait: wait ?? options.wait, acceptsLoss: directory.acceptsLoss, takesTurn: takesTurn,
        willWait: willWait))
    if let lock { writer = GuardedWriter(writer, lock) }
    directory.sweep()
    if let torn = writer.recovery {
      options.logger.warning("a write that a crash interrupted was truncated: \(torn)")
    }
    return writer
  }

  /// Recompresses every segment of a catalog's log into large frames. What its events say, nobody asks.
  package static func seal(
    _ directory: CatalogDirectory, options: OpeningOptions
  ) throws -> [SealedSegment] {
    let known = try ProjectionStanding(
      directory, in: directory.store())
    let writer = try openLog(
      directory, options, knownHeads: known.required.map { [$0] } ?? [])
    defer { writer.close() }
    guard let appends = options.appends else { return try writer.seal() }
    return try writer.seal { try appends.seal($0) }
  }

  /// Begins the log of a new catalog.
  ///
  /// - Returns: whether there was none.
  package func create(by: String) throws -> Bool {
    // The database has events of the log.
    if isWithoutServer.load(ordering: .relaxed) { return false }
    let writer = try openLog(knownHeads: knownHeads(), newLogID: options.newLogID())
    defer { writer.close() }
    guard writer.head.sequence == 0 else {
      try writer.confirm()
      return false
    }
    do {
      try begin(writer, at: options.clock.now(), by: by)
      return true
    } catch let error as EventLogError
      where error.code == .headMoved && !log.reader.keepsOthersOut
    {
      // Another machine began the log at the same time.
      try CatalogBeginning.require(kind, log.reader)
      try ProjectionUpdate(log, projection).catchUp()
      return false
    }
  }

  /// Begins a new log with the event that says what it is a log of, alone in its batch.
  package func begin(_ writer: any LogWriter, at time: Timestamp, by: String) throws {
    func append() throws {
      try EventBatch.append(
        CatalogCreated(
          kind: kind.name, layout: kind.layout, logID: EntityID(bytes: writer.logID.bytes)),
        to: writer, at: time, by: by)
    }
    if let appends = options.appends { try appends.create(append) } else { try append() }
    try ProjectionUpdate(log, projection).catchUp()
  }

  /// The result of an append: the events are durable, whether the database has them yet or not.
  struct Commit {
    let head: LogHead
    /// Why the database does not have the events yet.
    let failure: String?
  }

  /// Appends a batch and brings the database to the log's new head.
  ///
  /// - Parameter body: appends a batch by its argument, once, and changes the database.
  /// - Throws: if nothing was appended, or if that cannot be known.
  func commit(
    to writer: any LogWriter,
    _ body: (_ append: (consuming EventBatch) throws -> LogHead) throws -> Void
  ) throws -> Commit {
    try projection.requireRoom()
    let before = writer.head
    var failure: String?
    do {
      try body { batch in
        let head: LogHead
        if let appends = options.appends {
          head = try appends.append(batch, to: writer)
        } else {
          head = try batch.append(to: writer)
        }
        // While the database is written: after a large batch that takes seconds, which the next change would wait for.
        writer.beginSealing()
        return head
      }
      options.appends?.applied(writer.head)
    } catch {
      guard writer.head != before else { throw error }
      failure = "\(StoreError(ofSQLite: error) ?? error)"
      let (first, last) = (before.sequence + 1, writer.head.sequence)
      let (events, them) =
        first == last ? ("event \(first) is", "it") : ("events \(first) to \(last) are", "them")
      options.logger.error(
        """
        \(events) in the log, and the database does not have \(them) yet: \(failure ?? ""); the next command applies \(them)
        """)
    }
    writer.finishSealing()
    if let failure = writer.sealingFailure {
      let message: ErrorMessage =
        "a closed segment could not be sealed; the log is intact, \(do: .seal) tries again: \(failure)"
      options.logger.warning("\(message)")
    }
    return Commit(head: writer.head, failure: failure)
  }

  /// Fewer events than these are applied to the live database, however small it is.
  static let fewEvents = 10_000
  /// Rows that are loaded and written in the time in which SQLite applies an event.
  private static let rowsPerEvent = 30

  /// All rows, if so many events after the head are worth a database that is written as a whole; else nil.
  ///
  /// - Throws: as `readProved`.
  func rowsToRebuild(
    before count: Int, after head: LogHead
  ) throws -> ProjectionDatabase.LoadedRows? {
    guard count > Self.fewEvents,
      try projection.countedRows() ?? 0 < Int64(Self.rowsPerEvent * count),
      let rows = try projection.loadAll(), rows.checkpoint.head == head
    else { return nil }
    return rows
  }

  /// Applies what other processes appended, over rows that are verified first if another program may have written to the
  /// database, up to the head of the writer that the caller has.
  ///
  /// - Throws: `StoreError` with `drifted` if the catalog was not opened to rebuild such rows.
  package func catchUpLocked(_ writer: any LogWriter) throws {
    let log = CatalogLog(log.reader.upToDate.atEnd(of: writer), log.kind)
    try planning { try ProjectionUpdate(log, projection).catchUp() }
  }

  /// Plans a change on rows that are proved.
  ///
  /// If another program may have written to the database, all of it is verified first: events are applied by way of indexes
  /// that no plan may have asked. Rows that are not what the projector wrote are evidence, and stay unless the catalog was
  /// opened to rebuild them.
  ///
  /// - Parameters:
  ///   - isLocked: whether the caller holds the log's lock. A caller that only reads does not.
  ///   - body: may be called twice; reads through `readProved`.
  /// - Throws: `StoreError` with `drifted`; what `body` throws.
  package func planning<Plan: ~Copyable>(
    isLocked: Bool = true, _ body: () throws -> Plan
  ) throws -> Plan {
    do {
      if isLocked { try projection.verifyIfTouched() }
      return try body()
    } catch let error as StoreError where error.code == .drifted && options.drift == .rebuild {
      options.logger.warning("the database is rebuilt: \(error)")
    }
    if isLocked { try rebuildLocked() } else { try rebuild() }
    return try body()
  }
}

extension OpenedCatalog {
  /// Makes sure that no other machine shares the log.
  ///
  /// - Parameter reason: why an event of this machine would be wrong for the others.
  /// - Throws: `CatalogError` with `changeRefused`.
  package func requireOwnLog(_ reason: String) throws {
    guard !log.reader.keepsOthersOut else { return }
    throw CatalogError(
      .changeRefused,
      "\(reason), and the log in \(log.reader.place) is shared; copy it to a folder of its own for that"
    )
  }

  /// Applies what others have appended.
  ///
  /// - Returns: the event that the database has then.
  /// - Throws: `EventLogError` with `lostEvents` if the log lacks what the database has, and with `unavailable` if a server
  ///   does not answer.
  package func follow() throws -> UInt64 {
    try requirePresent()
    let log = CatalogLog(log.reader.atEnd(), kind)
    if let head = try log.head(), try projection.checkpoint()?.head != head {
      try projection.verifyIfTouched()
      try ProjectionUpdate(log, projection).catchUp()
    }
    return try projection.checkpoint()?.sequence ?? 0
  }
}
