package import CatalogModel
package import EventLog

/// The events of a log, or those after one of them: how many, how many bytes, by type, source and day, and the largest batches.
package struct LogStatistics: Sendable {
  /// Some events, one after the other: how many, how large, and of when.
  package struct Extent: Hashable, Sendable {
    package fileprivate(set) var events = 0
    package fileprivate(set) var batches = 0
    /// The length of the lines, each with its line feed.
    package fileprivate(set) var bytes = 0
    package fileprivate(set) var first: Timestamp?
    package fileprivate(set) var last: Timestamp?
  }

  /// The events that have a type, came from a source, or are of a day.
  package struct Share: Sendable {
    package let name: String
    package fileprivate(set) var events = 0
    /// The length of the lines, each with its line feed.
    package fileprivate(set) var bytes = 0
    /// The last of the events, of a source; nil of a type or a day.
    package fileprivate(set) var last: (sequence: UInt64, at: Timestamp)?

    fileprivate mutating func add(_ events: Int, _ bytes: Int) {
      self.events += events
      self.bytes += bytes
    }
  }

  package struct Batch: Sendable {
    package let info: BatchInfo
    /// The time, source and operation of its events.
    package let at: Timestamp
    package let by: String
    package let operation: EntityID
    fileprivate let shares: Shares
    /// Most events first.
    package var types: [Share] { shares.byEvents }
  }

  /// Shares by their names.
  package struct Shares: Sendable {
    fileprivate private(set) var all: [String: Share] = [:]

    fileprivate mutating func add(_ name: String, events: Int = 1, bytes: Int) {
      all[name, default: Share(name: name)].add(events, bytes)
    }

    fileprivate mutating func add(_ name: String, last event: EventEnvelope, bytes: Int) {
      add(name, bytes: bytes)
      all[name]?.last = (event.sequence, event.at)
    }

    fileprivate mutating func add(_ other: Shares) {
      for share in other.all.values { add(share.name, events: share.events, bytes: share.bytes) }
    }

    /// Most events first.
    package var byEvents: [Share] {
      all.values.sorted { ($1.events, $0.name) < ($0.events, $1.name) }
    }

    /// Most bytes first.
    package var byBytes: [Share] {
      all.values.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
    }
  }

  /// All events up to the last one.
  package private(set) var whole = Extent()
  /// The events that the rest is about.
  package private(set) var range = Extent()
  package private(set) var types = Shares()
  package private(set) var sources = Shares()
  /// UTC, in their order.
  package private(set) var days: [Share] = []
  /// Most bytes first.
  package private(set) var largest: [Batch] = []

  /// Reads the log once.
  ///
  /// - Parameters:
  ///   - since: the last event of a batch, after which the range begins.
  ///   - last: later batches are not read; nil reads all.
  ///   - count: how many of the largest batches are kept, by each of the weights.
  package init(
    of log: any LogStore, after since: UInt64 = 0, through last: UInt64? = nil, largest count: Int,
    by weights: [(BatchInfo) -> UInt64] = [\.plainLength], progress: ProgressObserver = { _ in }
  ) throws {
    let total = try last ?? log.head()?.sequence
    let cursor = try log.cursor()
    var decoder = EnvelopeDecoder()
    var days = Shares()
    while UInt64(whole.events) < last ?? .max, let info = try cursor.nextBatch() {
      let isInRange = info.firstSequence > since
      var extent = Extent(batches: 1)
      var own = Shares()
      var origin: EventEnvelope?
      try cursor.forEachLine { line, sequence in
        let event = try decoder.decode(line: line, expecting: sequence)
        let size = line.count + 1
        extent.add(event.at, bytes: size)
        guard isInRange else { return }
        origin = origin ?? event
        own.add(event.type, bytes: size)
        sources.add(event.by, last: event, bytes: size)
        days.add(String(event.at.description.prefix(10)), bytes: size)
      }
      whole.add(extent)
      progress(CatalogProgress(phase: .checking, done: whole.events, total: total.map { Int($0) }))
      guard let origin else { continue }
      range.add(extent)
      types.add(own)
      largest.append(
        Batch(
          info: info, at: origin.at, by: origin.by, operation: origin.operation, shares: own))
      // Sorting now and then, not for each batch: a log may have a million of one event each.
      if largest.count > 4 * count * weights.count + 100 {
        largest = Self.top(largest, count, weights)
      }
    }
    largest = Self.top(largest, count, weights)
    self.days = days.all.values.sorted { $0.name < $1.name }
  }

  private static func top(
    _ batches: [Batch], _ count: Int, _ weights: [(BatchInfo) -> UInt64]
  ) -> [Batch] {
    func sorted(_ batches: [Batch], by weight: (BatchInfo) -> UInt64) -> [Batch] {
      batches.sorted {
        (weight($1.info), $0.info.firstSequence) < (weight($0.info), $1.info.firstSequence)
      }
    }
    let chosen = Set(
      weights.flatMap { sorted(batches, by: $0).prefix(count).map(\.info.firstSequence) })
    return sorted(batches.filter { chosen.contains($0.info.firstSequence) }, by: \.plainLength)
  }
}

extension LogStatistics.Extent {
  fileprivate mutating func add(_ at: Timestamp, bytes size: Int) {
    events += 1
    bytes += size
    first = min(first ?? at, at)
    last = max(last ?? at, at)
  }

  fileprivate mutating func add(_ other: LogStatistics.Extent) {
    events += other.events
    batches += other.batches
    bytes += other.bytes
    first = [first, other.first].compactMap { $0 }.min()
    last = [last, other.last].compactMap { $0 }.max()
  }
}
