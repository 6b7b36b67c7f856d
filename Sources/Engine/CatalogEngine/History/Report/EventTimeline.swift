import CatalogModel
import EventLog

/// The events of a range in slots of time, or batch by batch, by type and by source.
package struct EventTimeline: Sendable {
  /// What a slot is. Times are in UTC; a week begins with Monday.
  package enum Unit: String, CaseIterable, Sendable {
    case batch, minute, hour, day, week, month, year, decade, century
  }

  /// A type or a source.
  package struct Series: Hashable, Sendable {
    package let name: String
    package let events: Int

    /// Most events first.
    static func ordered(_ counts: [String: Int]) -> [Series] {
      counts.map { Series(name: $0.key, events: $0.value) }
        .sorted { ($1.events, $0.name) < ($0.events, $1.name) }
    }
  }

  package struct Slot: Sendable {
    /// `2026-01-31` for a day; the sequences for a batch.
    package let label: String
    package let types: [String: Int]
    package let sources: [String: Int]

    package var events: Int { types.reduce(0) { $0 + $1.value } }
  }

  package let unit: Unit
  /// From the first to the last that has events, with the empty ones between them.
  package let slots: [Slot]
  /// Most events first.
  package let types: [Series]
  /// Most events first.
  package let sources: [Series]
}

/// Counts events by slots whose unit follows from how long the range turns out to be.
struct TimelineCounter {
  private struct Tally {
    var types: [String: Int] = [:]
    var sources: [String: Int] = [:]

    mutating func add(_ other: Tally) {
      types.merge(other.types) { $0 + $1 }
      sources.merge(other.sources) { $0 + $1 }
    }
  }

  /// So many bars can be told apart on a narrow screen.
  private static let slotLimit = 96
  private static let batchLimit = 40
  /// From how many slots in memory on a coarser unit is counted in.
  private static let tallyLimit = 4_096

  private var unit = EventTimeline.Unit.minute
  private var tallies: [Int64: Tally] = [:]
  /// One by one as long as they are few; nil from then on.
  private var batches: [EventTimeline.Slot]? = []

  mutating func add(_ event: EventEnvelope) {
    let ordinal = unit.ordinal(of: event.at)
    tallies[ordinal, default: Tally()].types[event.type, default: 0] += 1
    tallies[ordinal, default: Tally()].sources[event.by, default: 0] += 1
    while tallies.count > Self.tallyLimit, let coarser = unit.coarser {
      tallies = gathered(by: coarser)
      unit = coarser
    }
  }

  mutating func endBatch(_ info: BatchInfo, _ shares: BatchShares) {
    let sequences =
      info.eventCount == 1
      ? "event \(info.firstSequence)" : "events \(info.firstSequence)–\(info.lastSequence)"
    let time = shares.origin.map { ", \($0.at)" } ?? ""
    batches?.append(
      EventTimeline.Slot(
        label: sequences + time, types: shares.types, sources: shares.sources))
    if let count = batches?.count, count > Self.batchLimit { batches = nil }
  }

  func finish() -> EventTimeline {
    var total = Tally()
    for tally in tallies.values { total.add(tally) }
    let unit = shownUnit
    if let batches, unit == .minute || unit == .hour {
      return EventTimeline(
        unit: .batch, slots: batches, types: EventTimeline.Series.ordered(total.types),
        sources: EventTimeline.Series.ordered(total.sources))
    }
    return EventTimeline(
      unit: unit, slots: slots(of: unit), types: EventTimeline.Series.ordered(total.types),
      sources: EventTimeline.Series.ordered(total.sources))
  }

  /// The finest unit that makes few enough slots of the range.
  private var shownUnit: EventTimeline.Unit {
    guard let first = tallies.keys.min(), let last = tallies.keys.max() else { return unit }
    let (start, end) = (unit.start(of: first), unit.start(of: last))
    return unit.andThoseOfWholeOnes.first {
      $0.ordinal(of: end) - $0.ordinal(of: start) < Self.slotLimit
    } ?? .century
  }

  private func slots(of shown: EventTimeline.Unit) -> [EventTimeline.Slot] {
    let tallies = gathered(by: shown)
    guard let first = tallies.keys.min(), let last = tallies.keys.max() else { return [] }
    return (first...last).map { ordinal in
      let tally = tallies[ordinal] ?? Tally()
      return EventTimeline.Slot(
        label: shown.label(of: ordinal), types: tally.types, sources: tally.sources)
    }
  }

  private func gathered(by coarser: EventTimeline.Unit) -> [Int64: Tally] {
    var merged: [Int64: Tally] = [:]
    for (ordinal, tally) in tallies {
      merged[coarser.ordinal(of: unit.start(of: ordinal)), default: Tally()].add(tally)
    }
    return merged
  }
}

extension EventTimeline.Unit {
  /// What can be counted in from now on without knowing what was counted before more closely. Months
  /// are not made of weeks: days are followed by months.
  fileprivate var coarser: EventTimeline.Unit? {
    andThoseOfWholeOnes.dropFirst().first { $0 != .week }
  }

  /// This unit and all that are made of whole ones of it, finest first.
  fileprivate var andThoseOfWholeOnes: [EventTimeline.Unit] {
    Self.allCases.drop { $0 != self }.filter { self != .week || $0 == .week }
  }

  /// Nil for units that follow the calendar.
  private var milliseconds: Int64? {
    switch self {
    case .minute: 60_000
    case .hour: 3_600_000
    case .day: 86_400_000
    case .week: 7 * 86_400_000
    default: nil
    }
  }

  /// 1970 began on a Thursday; weeks are counted from the Monday before it.
  private var offset: Int64 { self == .week ? 3 * 86_400_000 : 0 }

  /// The number of the slot that holds a time; slots that follow each other have numbers that do.
  fileprivate func ordinal(of time: Timestamp) -> Int64 {
    if let length = milliseconds {
      let moved = time.milliseconds + offset
      return moved >= 0 ? moved / length : -((length - 1 - moved) / length)
    }
    let text = time.description
    let year = Int64(text.prefix(4)) ?? 0
    let month = Int64(text.dropFirst(5).prefix(2)) ?? 1
    return switch self {
    case .month: year * 12 + month - 1
    case .decade: year / 10
    case .century: year / 100
    default: year
    }
  }

  fileprivate func start(of ordinal: Int64) -> Timestamp {
    if let length = milliseconds {
      return Timestamp(milliseconds: ordinal * length - offset)
    }
    let (year, month) =
      switch self {
      case .month: (ordinal / 12, ordinal % 12 + 1)
      case .decade: (ordinal * 10, 1)
      case .century: (ordinal * 100, 1)
      default: (ordinal, 1)
      }
    func digits(_ number: Int64, _ width: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    // The ordinals come from times, whose years have four digits: this is a time.
    return Timestamp("\(digits(year, 4))-\(digits(month, 2))-01") ?? Timestamp(milliseconds: 0)
  }

  fileprivate func label(of ordinal: Int64) -> String {
    let text = start(of: ordinal).description
    return switch self {
    case .minute, .hour: text.prefix(10) + " " + text.dropFirst(11).prefix(5)
    case .day: String(text.prefix(10))
    case .week: "week of \(text.prefix(10))"
    case .month: String(text.prefix(7))
    case .decade: "\(text.prefix(4))s"
    case .century: "\(text.prefix(2))00 to \(text.prefix(2))99"
    default: String(text.prefix(4))
    }
  }
}
