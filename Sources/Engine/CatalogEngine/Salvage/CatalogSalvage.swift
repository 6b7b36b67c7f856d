import CatalogModel
import CatalogStore
package import EventLog
import Foundation
import Projections
import Support

/// Writes a new catalog, of a log alone, from what is provably good in a damaged one. The old log is
/// only read.
package struct CatalogSalvage: Sendable {
  /// An event that is good and still cannot be in the new log.
  package struct UnsalvagedEvent: Sendable {
    /// In the old log.
    package let sequence: UInt64
    package let reason: String
  }

  /// Events that follow each other in both logs.
  package struct Stretch: Hashable, Sendable {
    /// In the old log.
    package var old: ClosedRange<UInt64>
    /// Where the first of them is in the new one.
    package var newFirst: UInt64
  }

  /// The new log, and what became of each event of the old one.
  package struct Written: Sendable {
    package internal(set) var logID: LogID
    package internal(set) var head: LogHead
    package internal(set) var stretches: [Stretch] = []
    package internal(set) var leftOut: [UnsalvagedEvent] = []
    /// Events of damaged batches that were read all the same: kept, or left out. Ascending.
    package internal(set) var ofDamagedBatches: [LogSalvage.Events] = []
    /// Whether the new log's first event was made, because the old one's is lost.
    package internal(set) var isFirstMade = false
    /// Lost events that describe the kind, and that were made again of what the old catalog's database has; in the old log.
    package internal(set) var madeDescriptions: [UInt64] = []
  }

  package let log: LogSalvage
  /// The head that the database of the old catalog has applied; nil if there is none, or it is of another
  /// log.
  package let applied: LogHead?
  private let events: String
  /// The old catalog's database, if there is one.
  private let database: String?
  /// The log for people.
  private let place: String
  private let progress: ProgressObserver

  /// Reads all of the old log.
  ///
  /// - Parameters:
  ///   - events: the folder of its segments.
  ///   - catalog: whose log it is, and whose database is asked what the log should hold; nil for a folder of
  ///     events alone.
  ///   - place: names the log for people; nil if the folder does.
  package init(
    _ events: String, of catalog: CatalogDirectory? = nil, named place: String? = nil,
    progress: @escaping ProgressObserver = { _ in }
  ) throws {
    self.events = events
    self.place = place ?? events
    database = catalog?.database
    self.progress = progress
    let known = catalog.flatMap { LostEvents.checkpoint(in: $0) }
    let log = try EventLogReader(directory: events).salvage(known: known?.head) { done in
      progress(CatalogProgress(phase: .checking, done: done.bytes, total: done.totalBytes))
    }
    guard let known, known.logID != log.logID else {
      self.log = log
      applied = known?.head
      return
    }
    // What another log holds says nothing of this one.
    self.log = try EventLogReader(directory: events).salvage()
    applied = nil
  }

  /// An event up to which the log and the catalog's database are the same, if the log lacks events of the database and the catalog
  /// has a history; nil if none is known.
  ///
  /// - Returns: the event, and whether it is the last one that both have.
  package func commonEnd(
    of catalog: CatalogDirectory, _ kind: any CatalogKind
  ) -> (sequence: UInt64, isLast: Bool)? {
    guard let known = log.acknowledged, known != .held else { return nil }
    // A history that cannot be read says nothing.
    guard let history = try? CatalogHistory(catalog, CatalogLog(catalog.store(), kind)),
      let end = try? history.commonEnd()
    else { return nil }
    return (end.sequence, history.lostEvent() != nil)
  }

  /// Writes the unbroken beginning of the log as it was.
  ///
  /// - Throws: if nothing of it is good; then nothing is made.
  package func writePrefix(to folder: NewCatalogFolder) throws -> Written {
    guard log.prefix.sequence > 0 else {
      throw CatalogError(
        .notFound,
        "event 1 of the log in \(place) is lost: it has no first part to keep; \(do: .salvagePastGaps) writes what "
          + "is intact after it")
    }
    let written = Written(
      logID: log.logID, head: log.prefix,
      stretches: [Stretch(old: 1...log.prefix.sequence, newFirst: 1)])
    if let end = try folder.finishedEnd() {
      guard end.head == log.prefix, end.logID == log.logID else { throw folder.notEmpty }
      try Self.prove(written, in: folder.events)
      return written
    }
    return try folder.make { directory in
      try log.writePrefix(to: directory)
      try Self.prove(written, in: directory)
      return written
    }
  }

  /// Writes all good events to a log with an id of its own: numbered anew, each tried on the rows that
  /// those before it make. One that contradicts them is left out and told of.
  ///
  /// - Parameters:
  ///   - logID: of the new log.
  ///   - kind: of the old log, and of the new one.
  package func writePastGaps(
    to folder: NewCatalogFolder, logID: LogID, _ kind: SalvagedKind
  ) throws -> Written {
    try folder.make { directory in
      var kind = kind
      var places = kind.places
      // Each other place is found once, since what is before it stays as it is; without an event all begins again.
      for _ in 0...(places.count + 1) * (places.count + 1) {
        do {
          return try write(to: directory, folder.scratch, logID, kind, at: places)
        } catch let moved as SalvageWriting.MovedDescription {
          moved.move(in: &places)
        } catch let unusable as SalvageWriting.UnusableDescription {
          kind = try kind.without(unusable.sequence)
          places = kind.places
        }
        try FileManager.default.removeItem(atPath: directory)
      }
      throw CatalogError(
        .verification, "the places of the descriptions in the new log cannot be found")
    }
  }

  /// - Parameters:
  ///   - directory: of the new log's segments.
  ///   - scratch: a file for rows on which events are tried.
  ///   - places: new sequences of the events that describe the kind, by their old ones.
  /// - Throws: `SalvageWriting.MovedDescription` if the log describes that elsewhere, `SalvageWriting.UnusableDescription` if an event
  ///   that describes it cannot be in the log.
  private func write(
    to directory: String, _ scratch: String, _ logID: LogID, _ kind: SalvagedKind,
    at places: [UInt64: UInt64]
  ) throws -> Written {
    let new = try kind.kind(at: places)
    let rows = try TrialRows(scratch, of: logID, new)
    defer { rows.remove() }
    let writer = try EventLogWriter(directory: directory, logID: logID, holder: "salvage")
    defer { writer.close() }
    var writing = SalvageWriting(new, writer, rows, kind, at: places)
    var reader = SalvagedLineReader(kind.kind)
    func keep(_ lines: SalvagedLines, through last: UInt64) throws {
      if let unread = lines.leftOut.first(where: { places[$0.sequence] != nil }) {
        throw SalvageWriting.UnusableDescription(sequence: unread.sequence)
      }
      writing.written.leftOut += lines.leftOut
      try writing.append(lines.lines)
      progress(CatalogProgress(phase: .writing, done: Int(last), total: nil))
    }
    func keepPart(of batch: DamagedBatch) throws {
      let part = try DamagedBatchEvents(of: batch, &reader)
      writing.written.ofDamagedBatches += part.ranges
      try keep(part.lines, through: batch.lastSequence)
    }
    try log.forEachBatch(pastGaps: true, damaged: keepPart) { batch in
      var lines = SalvagedLines()
      while let block = try batch.nextLines() {
        EventLines.forEach(in: block.bytes, first: block.firstSequence) { line, sequence in
          lines.take(line, sequence, &reader)
        }
      }
      try keep(lines, through: batch.info.lastSequence)
    }
    try writing.finish()
    if let failure = writer.sealingFailure { throw failure }
    writing.written.head = writer.head
    try Self.prove(writing.written, in: directory)
    let folded = try ProjectionRebuild(CatalogLog(EventLogReader(directory: directory), new)).fold()
    // The first description of a log changes no name.
    if let last = writing.written.madeDescriptions.last, last != kind.first,
      try mayLackExchange(folded.rows, of: new, through: writer.head.sequence)
    {
      throw SalvageWriting.UnusableDescription(sequence: last)
    }
    return writing.written
  }

  /// Whether the rows of the new log have names that the old database has exchanged. If it cannot be asked, they may have.
  ///
  /// - Parameter last: the last event of the new log.
  private func mayLackExchange(
    _ rows: MemoryRowStore, of kind: any CatalogKind, through last: UInt64
  ) throws -> Bool {
    guard let database else { return true }
    do {
      let old = try PastDatabase(file: database).rows(of: kind)
      // The database is of the same events then, but for the descriptions that are written again.
      var isWhole = false
      if case .checkpoint(let known)? = HeadEvidence.peek(database)?.claim {
        isWhole = known.sequence == last
      }
      return try ExchangedNames(old: old, new: rows, isWhole: isWhole).areFound(in: kind.schema)
    } catch is StoreError {
      // Its tables have other names, or another program changed it.
      return true
    }
  }

  /// Reads the new log as any reader does, before it gets its name.
  private static func prove(_ written: Written, in directory: String) throws {
    let report = try EventLogReader(directory: directory).check()
    guard report.findings.isEmpty, report.torn == nil, report.head == written.head,
      report.logID == written.logID
    else {
      throw CatalogError(
        .verification,
        "the new log differs from what was written; check the disk, or write to another one")
    }
  }
}
