package import CatalogModel
package import EventLog

/// What a log is made of: events and plain bytes by type, source and day, and the largest batches.
package struct LogStatistics: Sendable {
  package struct Share: Hashable, Sendable {
    package let name: String
    package fileprivate(set) var events = 0
    /// Of the lines, each with its line feed.
    package fileprivate(set) var bytes = 0
  }

  package struct Batch: Hashable, Sendable {
    package let info: BatchInfo
    /// The time, source and operation of its events.
    package let at: Timestamp
    package let by: String
    package let operation: EntityID
  }

  package private(set) var events = 0
  package private(set) var batches = 0
  package private(set) var bytes = 0
  package private(set) var first: Timestamp?
  package private(set) var last: Timestamp?
  /// Most bytes first.
  package private(set) var types: [Share] = []
  /// Most bytes first.
  package private(set) var sources: [Share] = []
  /// UTC, in their order.
  package private(set) var days: [Share] = []
  /// Most bytes first; not more than were asked for.
  package private(set) var largest: [Batch] = []

  /// Reads the whole log.
  package init(
    of log: any LogStore, largest count: Int, progress: ProgressObserver = { _ in }
  ) throws {
    let total = try log.head().map { Int($0.sequence) }
    let cursor = try log.cursor()
    var decoder = EnvelopeDecoder()
    var types: [String: Share] = [:]
    var sources: [String: Share] = [:]
    var days: [String: Share] = [:]
    while let info = try cursor.nextBatch() {
      var origin: EventEnvelope?
      try cursor.forEachLine { line, sequence in
        let event = try decoder.decode(line: line, expecting: sequence)
        let size = line.count + 1
        types[event.type, default: Share(name: event.type)].add(size)
        sources[event.by, default: Share(name: event.by)].add(size)
        let day = String(event.at.description.prefix(10))
        days[day, default: Share(name: day)].add(size)
        first = min(first ?? event.at, event.at)
        last = max(last ?? event.at, event.at)
        bytes += size
        if origin == nil { origin = event }
      }
      guard let origin else { continue }
      events += Int(info.eventCount)
      batches += 1
      progress(CatalogProgress(phase: .checking, done: events, total: total))
      largest.append(
        Batch(info: info, at: origin.at, by: origin.by, operation: origin.operation))
      if largest.count > 4 * count + 100 { largest = Self.top(largest, count) }
    }
    largest = Self.top(largest, count)
    self.types = Self.ordered(types.values)
    self.sources = Self.ordered(sources.values)
    self.days = days.values.sorted { $0.name < $1.name }
  }

  private static func top(_ batches: [Batch], _ count: Int) -> [Batch] {
    Array(
      batches.sorted {
        ($1.info.plainLength, $0.info.firstSequence) < ($0.info.plainLength, $1.info.firstSequence)
      }.prefix(count))
  }

  private static func ordered(_ shares: some Sequence<Share>) -> [Share] {
    shares.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
  }
}

extension LogStatistics.Share {
  fileprivate mutating func add(_ size: Int) {
    events += 1
    bytes += size
  }
}
