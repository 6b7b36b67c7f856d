import CatalogModel
import EventLog
import Projections

/// What a report takes from one reading of the log; rows come from replays.
struct ReportPass {
  private(set) var whole = HistoryReport.Extent()
  private(set) var range = HistoryReport.Extent()
  /// Types of the range, most events first.
  let types: [EventCount]
  let sources: [EventCount]
  let operations: [HeavyOperation]

  /// Bytes that are decoded at once, about.
  private static let pieceLength = 256 << 10

  /// - Parameters:
  ///   - since: the last event before the range.
  ///   - head: the last event of all; what was appended since is not read.
  init(
    of log: CatalogLog, after since: UInt64, through head: UInt64,
    progress: ProgressObserver
  ) throws {
    var tally = EventTally()
    var operations = HeavyOperations()
    var decoder = log.kind.makeDecoder(.events)
    let events = decoder.makeBlock()
    let cursor = try log.cursor()
    while whole.events < head, let info = try cursor.nextBatch() {
      let isInRange = info.firstSequence > since
      var batch = HistoryReport.Extent(batches: 1)
      var own = EventTally()
      while let block = try cursor.nextLines() {
        batch.bytes += block.bytes.count
        _ = try block.forEachPiece(of: Self.pieceLength) { lines, first in
          events.removeAll()
          try decoder.decode(lines, first: first, into: events)
          for place in 0..<events.count {
            let event = events.envelope(at: place)
            batch.add(event.at)
            own.add(event)
          }
          return true
        }
      }
      whole.add(batch)
      progress(CatalogProgress(phase: .checking, done: whole.events, total: Int(head)))
      guard isInRange else { continue }
      range.add(batch)
      tally.add(own)
      operations.add(info, own)
    }
    types = EventCount.ordered(tally.types)
    sources = EventCount.ordered(tally.sources)
    self.operations = operations.finish()
  }
}

extension HistoryReport.Extent {
  fileprivate mutating func add(_ at: Timestamp) {
    events += 1
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
