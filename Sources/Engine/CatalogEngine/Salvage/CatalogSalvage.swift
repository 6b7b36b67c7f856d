import CatalogModel
import CatalogStore
package import EventLog
import Foundation
package import Projections
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

  /// What was written.
  package struct Written: Sendable {
    package internal(set) var logID: LogID
    package internal(set) var head: LogHead
    package internal(set) var stretches: [Stretch] = []
    package internal(set) var leftOut: [UnsalvagedEvent] = []
    /// Events of damaged batches that were read all the same: kept, or left out. Ascending.
    package internal(set) var ofDamagedBatches: [LogSalvage.Events] = []
    /// Whether the new log's first event was made, because the old one's is lost.
    package internal(set) var isFirstMade = false
  }

  package let log: LogSalvage
  /// The head that the database of the old catalog has applied; nil if there is none, or it is of another
  /// log.
  package let applied: LogHead?
  private let events: String
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

  /// The last event that the log and the catalog's database have in common, if the log lacks events of the database and the catalog
  /// has a history of them; nil if that is not known.
  package func commonEnd(of catalog: CatalogDirectory, _ kind: any CatalogKind) -> UInt64? {
    guard let known = log.acknowledged, known != .held else { return nil }
    // A history that cannot be read says nothing.
    let history = try? CatalogHistory(catalog, CatalogLog(catalog.store(), kind))
    return (try? history?.commonEnd()?.sequence) ?? nil
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
    to folder: NewCatalogFolder, logID: LogID, _ kind: any CatalogKind
  ) throws -> Written {
    try folder.make { directory in
      let rows = try TrialRows(folder.scratch, of: logID, kind)
      defer { rows.remove() }
      let writer = try EventLogWriter(directory: directory, logID: logID, holder: "salvage")
      defer { writer.close() }
      var writing = SalvageWriting(kind, writer, rows)
      var reader = SalvagedLineReader(kind)
      func keep(_ lines: SalvagedLines, through last: UInt64) throws {
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
      if let failure = writer.sealingFailure { throw failure }
      writing.written.head = writer.head
      try Self.prove(writing.written, in: directory)
      _ = try ProjectionRebuild(CatalogLog(EventLogReader(directory: directory), kind)).fold()
      return writing.written
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
