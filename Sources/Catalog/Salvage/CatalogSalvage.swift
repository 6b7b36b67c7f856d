import CatalogModel
import CatalogStore
package import EventLog
import Foundation
import Projections

/// Writes a new catalog, of a log alone, from what is provably good in a damaged one. The old log is
/// only read.
package struct CatalogSalvage: Sendable {
  /// An event that is good and still cannot be in the new log.
  package struct LeftOut: Sendable {
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
    package fileprivate(set) var logID: LogID
    package fileprivate(set) var head: LogHead
    package fileprivate(set) var stretches: [Stretch] = []
    package fileprivate(set) var leftOut: [LeftOut] = []
    /// Events of damaged batches that were read all the same: kept, or left out. Ascending.
    package fileprivate(set) var ofDamagedBatches: [LogSalvage.Events] = []
    /// Whether the new log's first event was made, because the old one's is lost.
    package fileprivate(set) var isFirstMade = false
  }

  package let log: LogSalvage
  /// The head that the database of the old catalog has applied; nil where there is none, or it is of another
  /// log.
  package let applied: LogHead?
  private let events: String
  private let progress: ProgressObserver

  /// Reads all of the old log.
  ///
  /// - Parameters:
  ///   - events: the folder of its segments.
  ///   - catalog: whose log it is, and whose database is asked what the log should hold; nil for a folder of
  ///     events alone.
  package init(
    _ events: String, of catalog: CatalogDirectory? = nil,
    progress: @escaping ProgressObserver = { _ in }
  ) throws {
    self.events = events
    self.progress = progress
    let known = catalog.flatMap { LostEvents.applied(in: $0) }
    let log = try EventLogReader(directory: events).salvage(known: known?.head) { done in
      progress(CatalogProgress(phase: .checking, done: done.bytes, total: done.totalBytes))
    }
    guard let known, known.logID != EntityID(bytes: log.logID.bytes).description else {
      self.log = log
      applied = known?.head
      return
    }
    // What another log holds says nothing of this one.
    self.log = try EventLogReader(directory: events).salvage()
    applied = nil
  }

  /// Writes the unbroken beginning of the log as it was.
  ///
  /// - Throws: where nothing of it is good; then nothing is made.
  package func writePrefix(to folder: NewCatalogFolder) throws -> Written {
    guard log.prefix.sequence > 0 else {
      throw CatalogError(
        .notFound,
        "event 1 of the log in \(events) is lost: it has no beginning to keep; --past-gaps writes what "
          + "is good behind it")
    }
    return try folder.make { directory in
      try log.writePrefix(to: directory)
      let written = Written(
        logID: log.logID, head: log.prefix,
        stretches: [Stretch(old: 1...log.prefix.sequence, newFirst: 1)])
      try Self.prove(written, in: directory)
      return written
    }
  }

  /// Writes all good events to a log with an id of its own: numbered anew, each tried on the rows that
  /// those before it make. One that contradicts them is left out and told of.
  ///
  /// - Parameter logID: of the new log.
  package func writePastGaps(to folder: NewCatalogFolder, logID: LogID) throws -> Written {
    try folder.make { directory in
      let rows = try TrialRows(folder.scratch, of: logID)
      defer { rows.remove() }
      let writer = try EventLogWriter(directory: directory, logID: logID, holder: "salvage")
      defer { writer.close() }
      var written = Written(logID: logID, head: writer.head)
      var decoder = EventDecoder()
      func keep(_ events: [EventRecord], through last: UInt64) throws {
        var records = events
        if writer.head.sequence == 0, let first = records.first {
          try begin(&records, first, written: &written, writer, rows)
        }
        try append(records, written: &written, writer, rows)
        progress(CatalogProgress(phase: .writing, done: Int(last), total: nil))
      }
      func keepPart(of batch: DamagedBatch) throws {
        let part = try DamagedBatchEvents(of: batch, &decoder)
        written.leftOut += part.leftOut
        written.ofDamagedBatches += part.ranges
        try keep(part.records, through: batch.lastSequence)
      }
      try log.forEachBatch(pastGaps: true, damaged: keepPart) { batch in
        var records: [EventRecord] = []
        while let block = try batch.nextLines() {
          EventReplay.forEachLine(block.bytes, first: block.firstSequence) { line, sequence in
            do throws(EventDecodingError) {
              records.append(try decoder.decode(line: line, expecting: sequence))
            } catch {
              written.leftOut.append(LeftOut(sequence: sequence, reason: "\(error)"))
            }
          }
        }
        try keep(records, through: batch.info.lastSequence)
      }
      if let failure = writer.sealingFailure { throw failure }
      written.head = writer.head
      try Self.prove(written, in: directory)
      _ = try ProjectionRebuild(EventLogReader(directory: directory)).fold()
      return written
    }
  }

  /// Every log begins with an event that names its id: the old one's, or one that is made.
  private func begin(
    _ records: inout [EventRecord], _ first: EventRecord, written: inout Written,
    _ writer: EventLogWriter, _ rows: TrialRows
  ) throws {
    let id = EntityID(bytes: writer.logID.bytes)
    if first.sequence == 1, case .catalogCreated(var created) = first.event {
      created.logID = id
      records[0].event = .catalogCreated(created)
      return
    }
    let made = EventRecord(
      sequence: 1, at: first.at, operation: id, by: "cli",
      event: .catalogCreated(
        CatalogCreated(
          kind: SoundLibraryProjector.kind, layout: SoundLibraryProjector.layout, logID: id)))
    try rows.apply([made])
    try Self.write([made], to: writer)
    written.isFirstMade = true
  }

  private func append(
    _ records: [EventRecord], written: inout Written, _ writer: EventLogWriter, _ rows: TrialRows
  ) throws {
    let next = writer.head.sequence + 1
    var numbered = records
    for index in numbered.indices { numbered[index].sequence = next + UInt64(index) }
    var olds = records.map(\.sequence)
    do {
      try rows.apply(numbered)
    } catch is ProjectionError {
      // One of them contradicts the rows: which one, and what it takes with it, shows event by event.
      numbered = []
      olds = []
      for var record in records {
        let old = record.sequence
        record.sequence = next + UInt64(numbered.count)
        do {
          try rows.apply([record])
          numbered.append(record)
          olds.append(old)
        } catch let error as ProjectionError {
          written.leftOut.append(
            LeftOut(sequence: old, reason: "\(record.event.type): \(error.message)"))
        }
      }
    }
    guard !numbered.isEmpty else { return }
    try Self.write(numbered, to: writer)
    for (old, record) in zip(olds, numbered) { written.note(old, record.sequence) }
  }

  private static func write(_ records: [EventRecord], to writer: EventLogWriter) throws {
    var batch = try writer.makeBatch(expecting: writer.head)
    var line: [UInt8] = []
    for record in records {
      line.removeAll(keepingCapacity: true)
      EventEncoder().encode(record, into: &line)
      try line.withUnsafeBytes { try batch.append(line: $0) }
    }
    _ = try writer.append(batch)
  }

  /// Reads the new log as any reader does, before it gets its name.
  private static func prove(_ written: Written, in directory: String) throws {
    let report = try EventLogReader(directory: directory).check()
    guard report.findings.isEmpty, report.torn == nil, report.head == written.head,
      report.logID == written.logID
    else {
      throw CatalogError(
        .verification, "the new log is not what was written; is the disk in order? Try another one")
    }
  }
}

extension CatalogSalvage.Written {
  fileprivate mutating func note(_ old: UInt64, _ new: UInt64) {
    if let last = stretches.last, last.old.upperBound + 1 == old,
      last.newFirst + UInt64(last.old.count) == new
    {
      stretches[stretches.count - 1].old = last.old.lowerBound...old
    } else {
      stretches.append(CatalogSalvage.Stretch(old: old...old, newFirst: new))
    }
  }
}
