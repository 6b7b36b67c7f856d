import CatalogModel
import EventLog

/// What a report takes from one reading of the log; rows come from replays.
struct ReportPass {
  private(set) var whole = HistoryReport.Extent()
  private(set) var range = HistoryReport.Extent()
  private(set) var vocabularies: [VocabularyGrowth]
  let timeline: EventTimeline
  let operations: [HeavyOperation]

  /// - Parameters:
  ///   - since: the last event before the range.
  ///   - head: the last event of all; what was appended since is not read.
  init(
    of log: EventLogReader, after since: UInt64, through head: UInt64,
    progress: ProgressObserver
  ) throws {
    var timeline = TimelineCounter()
    var operations = HeavyOperations()
    var growth = VocabularyCounter()
    var decoder = EventDecoder()
    let cursor = try log.cursor()
    while whole.events < head, let info = try cursor.nextBatch() {
      let isInRange = info.firstSequence > since
      var batch = HistoryReport.Extent(batches: 1)
      var shares = BatchShares()
      while let block = try cursor.nextLines() {
        try EventReplay.forEachLine(block.bytes, first: block.firstSequence) { line, sequence in
          let record = try decoder.decode(line: line, expecting: sequence)
          batch.add(record.at, bytes: line.count + 1)
          growth.apply(record, isInRange: isInRange)
          shares.add(record)
          if isInRange { timeline.add(record) }
        }
      }
      whole.add(batch)
      progress(CatalogProgress(phase: .checking, done: whole.events, total: Int(head)))
      guard isInRange else { continue }
      range.add(batch)
      growth.endBatch(info.lastSequence)
      timeline.endBatch(info, shares)
      operations.add(info, shares)
    }
    self.timeline = timeline.finish()
    self.operations = operations.finish()
    vocabularies = growth.vocabularies
  }
}

/// The events of one batch by type and source, with what all of them share.
struct BatchShares {
  private(set) var origin: EventRecord?
  private(set) var types: [String: Int] = [:]
  private(set) var sources: [String: Int] = [:]

  mutating func add(_ record: EventRecord) {
    if origin == nil { origin = record }
    types[record.event.type, default: 0] += 1
    sources[record.by, default: 0] += 1
  }
}

extension HistoryReport.Extent {
  fileprivate mutating func add(_ at: Timestamp, bytes: Int) {
    events += 1
    self.bytes += bytes
    first = min(first ?? at, at)
    last = max(last ?? at, at)
  }

  fileprivate mutating func add(_ other: HistoryReport.Extent) {
    events += other.events
    batches += other.batches
    bytes += other.bytes
    first = [first, other.first].compactMap { $0 }.min()
    last = [last, other.last].compactMap { $0 }.max()
  }
}
