package import CatalogModel
package import CatalogStore
import EventLog
import GRDB
package import Projections
import Support

/// The first batch at which two catalogs differ, found by the sums that their histories keep.
///
/// Two catalogs of one log differ if their logs part, or if two programs made other rows of the same events. Two
/// catalogs of different logs are compared by the values of their rows alone: times of one document that was imported
/// twice always differ. They are compared after events at which a batch of both ends, and then batch by batch.
package struct Divergence: Sendable {
  package enum Verdict: String, Sendable {
    /// Nothing differs as far as both go.
    case same
    /// The logs have other events from a batch on.
    case log
    /// Events of one log, or of two logs up to the same sequence, have made other rows.
    case rows
  }

  /// One of the two catalogs.
  package struct Side: Sendable {
    /// The log, the last event that is compared, and the projector that made the rows.
    package let checkpoint: Checkpoint
    /// Its tables after the last batch that is within what both sides have.
    package let receipt: MomentReceipt
    /// The first batch of it that differs; nil if none does.
    package fileprivate(set) var batch: Batch?

    fileprivate init(_ history: HistoryDatabase, through last: UInt64) throws {
      checkpoint = history.checkpoint
      guard let end = try history.lastEnd(through: last)?.sequence else {
        throw StoreError(.drifted, "the history has no batch up to event \(last)")
      }
      receipt = try history.read { try MomentReceipt(of: history.schema, at: end, in: $0) }
    }
  }

  package struct Batch: Sendable {
    package let range: BatchRange
    /// Its first event.
    package let event: EventEnvelope
    /// How many events of each type it has.
    package let types: EventCounts
    /// Counts of rows of each table that it changed, in the order of the schema.
    package let steps: [TableStep]
  }

  /// A row that differs.
  package struct FirstRow: Sendable {
    package let table: TableDescription
    package let key: [Value]
    /// The row on each side; nil if a side has none.
    package let one: [Value]?
    package let other: [Value]?
    /// The event that wrote or removed it last on each side; nil if none ever wrote it.
    package let oneEvent: EventEnvelope?
    package let otherEvent: EventEnvelope?
    /// The row's name; nil if it has none.
    package let name: String?
    /// The columns that differ, all of them if a side has no row, as places in the row. Times of two logs are left out.
    package let columns: [Int]
  }

  package let verdict: Verdict
  package let isSameLog: Bool
  /// The last event up to which both are the same.
  package let sameThrough: UInt64
  /// The first event of two logs from which on times differ; nil if values differ before, or if both have one log.
  package let timesDifferFrom: UInt64?
  /// The last event that both logs have; nil if they are different logs.
  package let commonEvents: UInt64?
  package private(set) var one: Side
  package private(set) var other: Side
  /// The first row that differs after the batches, in the order of the schema and of keys, one of the program's own tables last; nil if
  /// none does.
  package let row: FirstRow?
  package let tables: [TableDescription]

  /// Whether the same projector made both histories.
  package var isSameProjector: Bool {
    one.checkpoint.fingerprint == other.checkpoint.fingerprint
  }

  /// - Parameter note: called if a history is made.
  /// - Throws: `CatalogError` with `readOnly` if a history is missing and cannot be made, `wrongKind` for two kinds, `noMoment`
  ///   if no batch of one log ends with the same event as one of the other.
  package init(
    _ one: CatalogHistory, _ other: CatalogHistory, note: (HistoryNote) -> Void = { _ in }
  ) throws {
    guard one.kind.name == other.kind.name else {
      throw CatalogError(
        .wrongKind,
        "one is a catalog of kind \"\(one.kind.name)\", the other of \"\(other.kind.name)\"")
    }
    let sides = (try one.openToCompare(note), try other.openToCompare(note))
    tables = sides.0.schema.schema.tables
    let end = min(sides.0.checkpoint.sequence, sides.1.checkpoint.sequence)
    (self.one, self.other) = (try Side(sides.0, through: end), try Side(sides.1, through: end))
    isSameLog = sides.0.checkpoint.logID == sides.1.checkpoint.logID
    let ends: CommonEnds
    if isSameLog {
      let common = try Self.commonHead(sides.0, sides.1, through: end)
      (commonEvents, ends) = (common, .all(through: common))
    } else {
      (commonEvents, ends) = (nil, .some(try Self.commonEnds(sides.0, sides.1, through: end)))
    }
    let sums = (
      RowSums(sides.0, withTimes: isSameLog), RowSums(sides.1, withTimes: isSameLog)
    )
    let found = try Self.firstDifference(sums.0, sums.1, ends)
    timesDifferFrom = try found.times.map { try ends.before($0, in: sides.0) + 1 }
    let ranges: (BatchRange, BatchRange)
    if let values = found.values {
      let before = try ends.before(values, in: sides.0)
      (verdict, sameThrough) = (.rows, before)
      let range = BatchRange(firstSequence: before + 1, lastSequence: values)
      ranges = (range, range)
    } else if let commonEvents, commonEvents < end {
      (verdict, sameThrough) = (.log, commonEvents)
      guard let left = try sides.0.batch(containing: commonEvents + 1),
        let right = try sides.1.batch(containing: commonEvents + 1)
      else { throw StoreError(.drifted, "history_batch ends before the history does") }
      ranges = (left, right)
    } else if !isSameLog,
      let different = try Self.firstDifference(sums.0, sums.1, after: ends.last)
    {
      (verdict, sameThrough, ranges) = (.rows, ends.last, different)
    } else {
      (verdict, sameThrough, row) = (.same, ends.last, nil)
      return
    }
    row = try Self.firstRow(sums.0, ranges.0, sums.1, ranges.1)
    self.one.batch = try sides.0.description(of: ranges.0)
    self.other.batch = try sides.1.description(of: ranges.1)
  }

  // MARK: Logs

  /// Events at which a batch of both sides ends.
  private enum CommonEnds {
    /// Every end of a batch up to an event: both have the same batches so far.
    case all(through: UInt64)
    /// These, ascending.
    case some([UInt64])

    var last: UInt64 {
      switch self {
      case .all(let last): last
      case .some(let ends): ends.last ?? 0
      }
    }

    /// The first one that is not before the end of a batch; nil if there is none.
    func first(from end: UInt64) -> UInt64? {
      switch self {
      case .all(let last): return end <= last ? end : nil
      case .some(let ends):
        let place = ends.place(from: end)
        return place < ends.count ? ends[place] : nil
      }
    }

    /// The one before another one; 0 if that is the first.
    func before(_ end: UInt64, in history: HistoryDatabase) throws -> UInt64 {
      switch self {
      case .all: return try history.lastEnd(through: end - 1)?.sequence ?? 0
      case .some(let ends):
        let place = ends.place(from: end)
        return place > 0 ? ends[place - 1] : 0
      }
    }
  }

  /// The last event that two copies of one log have, by halving: a chain hash depends on all events before it.
  private static func commonHead(
    _ one: HistoryDatabase, _ other: HistoryDatabase, through end: UInt64
  ) throws -> UInt64 {
    var same: UInt64 = 0
    var different = end + 1
    while different - same > 1 {
      let middle = same + (different - same) / 2
      // The end of a batch between the two, the nearest to the middle from below if there is one.
      var head = try one.lastEnd(through: middle)
      if head.map({ $0.sequence <= same }) ?? true { head = try one.firstEnd(after: same) }
      guard let head, head.sequence < different else { break }
      if try other.lastEnd(through: head.sequence) == head {
        same = head.sequence
      } else {
        different = head.sequence
      }
    }
    return same
  }

  private static func commonEnds(
    _ one: HistoryDatabase, _ other: HistoryDatabase, through end: UInt64
  ) throws -> [UInt64] {
    let others = Set(try other.ends(through: end))
    let ends = try one.ends(through: end).filter(others.contains)
    guard !ends.isEmpty else {
      throw CatalogError(
        .noMoment,
        "these are two logs, and no batch of one ends with the same event as a batch of the other: there is no moment that "
          + "both have")
    }
    return ends
  }

  // MARK: Rows

  /// The first common ends after which the values of a table differ, and after which times alone do; nil if there is
  /// none. Times of one log count as values.
  ///
  /// It reads the sums in the order of the log instead of halving: rows that became different may become the same again.
  private static func firstDifference(
    _ one: RowSums, _ other: RowSums, _ ends: CommonEnds
  ) throws -> (values: UInt64?, times: UInt64?) {
    var (values, times): (UInt64?, UInt64?)
    for table in one.tables {
      let last = values.map { $0 - 1 } ?? ends.last
      let different = try one.history.read { left in
        try other.history.read { right in
          try firstDifference(
            SumCursor(table, through: last, left), SumCursor(table, through: last, right), ends,
            through: last)
        }
      }
      guard let end = different else { continue }
      guard one.leavesOutTimes(of: table) else {
        values = end
        continue
      }
      let found = try firstDifference(
        SumCursor(one.timeless(table)), SumCursor(other.timeless(table)), ends, through: last)
      if found != end { times = min(times ?? end, end) }
      values = found ?? values
    }
    if let first = values, let found = times, found >= first { times = nil }
    return (values, times)
  }

  /// The first common end after which two walks of sums differ; nil if there is none.
  private static func firstDifference(
    _ one: SumCursor, _ other: SumCursor, _ ends: CommonEnds, through last: UInt64
  ) throws -> UInt64? {
    var (one, other) = (one, other)
    while let step = [one.next, other.next].compactMap(\.self).min(),
      let end = ends.first(from: step), end <= last
    {
      try one.advance(through: end)
      try other.advance(through: end)
      if one.sum != other.sum { return end }
    }
    return nil
  }

  /// The first batches of two logs whose rows differ, from the first event after the last common end of a batch on: the first
  /// batch of one is compared with the first batch of the other, and so on, while both logs go on.
  private static func firstDifference(
    _ one: RowSums, _ other: RowSums, after end: UInt64
  ) throws -> (BatchRange, BatchRange)? {
    let (left, right) = (
      try one.history.ends(through: .max).filter { $0 > end },
      try other.history.ends(through: .max).filter { $0 > end }
    )
    for (left, right) in zip(left, right) {
      for table in one.tables
      where try !RowSums.areSame(table, one, through: left, other, through: right) {
        return (
          BatchRange(firstSequence: end + 1, lastSequence: left),
          BatchRange(firstSequence: end + 1, lastSequence: right)
        )
      }
    }
    return nil
  }

  /// The first row that differs after a batch of each side, before which both had the same rows.
  private static func firstRow(
    _ one: RowSums, _ oneRange: BatchRange, _ other: RowSums, _ otherRange: BatchRange
  ) throws -> FirstRow? {
    // People ask for rows of their own, which the program's tables follow.
    for table in one.tables.filter({ !$0.isOwn }) + one.tables.filter(\.isOwn)
    where try !RowSums.areSame(
      table, one, through: oneRange.lastSequence, other, through: otherRange.lastSequence)
    {
      let places =
        one.leavesOutTimes(of: table) ? table.timelessColumns : Array(table.columns.indices)
      func differing(_ one: [Value]?, _ other: [Value]?) -> [Int] {
        guard let one, let other else {
          return one == other ? [] : places
        }
        return places.filter { one[$0] != other[$0] }
      }
      func changes(
        _ history: HistoryDatabase, _ range: BatchRange
      ) throws -> [[Value]: RowChange] {
        Dictionary(
          try history.changes(
            after: range.firstSequence - 1, through: range.lastSequence, in: [table]
          ).map { ($0.key, $0) }, uniquingKeysWith: { $1 })
      }
      let (left, right) = (
        try changes(one.history, oneRange), try changes(other.history, otherRange)
      )
      // A side that did not change a row has it as it was before, which the other side knows.
      func differs(_ key: [Value]) -> Bool {
        switch (left[key], right[key]) {
        case (let left?, let right?): !differing(left.after, right.after).isEmpty
        case (let left?, nil): !differing(left.after, left.before).isEmpty
        case (nil, let right?): !differing(right.before, right.after).isEmpty
        case (nil, nil): false
        }
      }
      let key = Set(left.keys).union(right.keys).filter(differs).min { $0.isBefore($1) }
      guard let key else { continue }
      let address = RowAddress(table, key: key)
      func row(
        _ history: HistoryDatabase, _ table: TableDescription, _ key: [Value], _ range: BatchRange
      ) throws -> HistoryDatabase.Version? {
        try history.versions(of: table, key: key, through: range.lastSequence).last
      }
      func present(_ version: HistoryDatabase.Version?) -> [Value]? {
        version.flatMap { $0.to == nil ? $0.row : nil }
      }
      let (oneRow, otherRow) = (
        present(try row(one.history, table, key, oneRange)),
        present(try row(other.history, table, key, otherRange))
      )
      let names = RowNames(one.history.schema.schema) { table, key in
        try row(one.history, table, key, oneRange)?.row
          ?? row(other.history, table, key, otherRange)?.row
      }
      return FirstRow(
        table: table, key: key, one: oneRow, other: otherRow,
        oneEvent: try one.history.lastWriters(of: [address], through: oneRange.lastSequence)[
          address]?.last,
        otherEvent: try other.history.lastWriters(
          of: [address], through: otherRange.lastSequence)[address]?.last,
        name: try (oneRow ?? otherRow).flatMap { try names.name(of: table, $0) },
        columns: differing(oneRow, otherRow))
    }
    return nil
  }
}
