package import CatalogModel
package import CatalogStore
import EventLog
import GRDB
package import Projections
import Support

/// The first batch at which two catalogs differ, found by the sums that their histories keep.
///
/// Two catalogs of one log differ if their logs part, or if two programs made other rows of the same events. Two
/// catalogs of different logs are compared by their rows alone, after events at which a batch of both ends.
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
    package let types: [String: Int]
    /// Counts of rows of each table that it changed, in the order of the schema.
    package let steps: [TableStep]
  }

  /// A row that differs.
  package struct DifferingRow: Sendable {
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

    /// The columns that differ, all of them if a side has no row, as places in the row.
    package var columns: [Int] {
      guard let one, let other else { return Array(table.columns.indices) }
      return table.columns.indices.filter { one[$0] != other[$0] }
    }
  }

  package let verdict: Verdict
  package let isSameLog: Bool
  /// The last event up to which both are the same.
  package let sameThrough: UInt64
  /// The last event that both logs have; nil if they are different logs.
  package let commonEvents: UInt64?
  package private(set) var one: Side
  package private(set) var other: Side
  /// The first row that differs after the batches, in the order of the schema and of keys; nil if none does.
  package let row: DifferingRow?
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
    let ranges: (BatchRange, BatchRange)
    if let found = try Self.firstDifference(sides.0, sides.1, ends) {
      let before = try ends.before(found, in: sides.0)
      (verdict, sameThrough) = (.rows, before)
      let range = BatchRange(firstSequence: before + 1, lastSequence: found)
      ranges = (range, range)
    } else if let commonEvents, commonEvents < end {
      (verdict, sameThrough) = (.log, commonEvents)
      guard let left = try sides.0.batch(containing: commonEvents + 1),
        let right = try sides.1.batch(containing: commonEvents + 1)
      else { throw StoreError(.drifted, "history_batch ends before the history does") }
      ranges = (left, right)
    } else {
      (verdict, sameThrough, row) = (.same, ends.last, nil)
      return
    }
    row = try Self.firstRow(sides.0, ranges.0, sides.1, ranges.1)
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

  /// The first common end after which the sums of a table differ; nil if there is none.
  ///
  /// It reads the sums in the order of the log instead of halving: rows that became different may become the same again.
  private static func firstDifference(
    _ one: HistoryDatabase, _ other: HistoryDatabase, _ ends: CommonEnds
  ) throws -> UInt64? {
    try one.read { left in
      try other.read { right in
        var found: UInt64?
        for table in one.schema.schema.tables {
          let last = found.map { $0 - 1 } ?? ends.last
          var (one, other) = (
            try SumCursor(table, through: last, left), try SumCursor(table, through: last, right)
          )
          while let step = [one.next, other.next].compactMap(\.self).min(),
            let end = ends.first(from: step), end <= last
          {
            try one.advance(through: end)
            try other.advance(through: end)
            if one.sum != other.sum {
              found = end
              break
            }
          }
        }
        return found
      }
    }
  }

  /// The first row that differs after a batch of each side, before which both had the same rows.
  private static func firstRow(
    _ one: HistoryDatabase, _ oneRange: BatchRange, _ other: HistoryDatabase,
    _ otherRange: BatchRange
  ) throws -> DifferingRow? {
    for table in one.schema.schema.tables {
      let sums = (
        try one.sum(of: table, through: oneRange.lastSequence),
        try other.sum(of: table, through: otherRange.lastSequence)
      )
      guard sums.0 != sums.1 else { continue }
      func changes(
        _ history: HistoryDatabase, _ range: BatchRange
      ) throws -> [[Value]: RowChange] {
        Dictionary(
          try history.changes(
            after: range.firstSequence - 1, through: range.lastSequence, in: [table]
          ).map { ($0.key, $0) }, uniquingKeysWith: { $1 })
      }
      let (left, right) = (try changes(one, oneRange), try changes(other, otherRange))
      // A side that did not change a row has it as it was before, which the other side knows.
      func rows(_ key: [Value]) -> (one: [Value]?, other: [Value]?) {
        switch (left[key], right[key]) {
        case (let left?, let right?): (left.after, right.after)
        case (let left?, nil): (left.after, left.before)
        case (nil, let right?): (right.before, right.after)
        case (nil, nil): (nil, nil)
        }
      }
      let key = Set(left.keys).union(right.keys)
        .filter { rows($0).one != rows($0).other }.min { $0.isBefore($1) }
      guard let key else { continue }
      let address = RowAddress(table, key: key)
      let (oneRow, otherRow) = rows(key)
      let names = RowNames(one.schema.schema) { table, key in
        try one.versions(of: table, key: key, through: oneRange.lastSequence).last?.row
          ?? other.versions(of: table, key: key, through: otherRange.lastSequence).last?.row
      }
      return DifferingRow(
        table: table, key: key, one: oneRow, other: otherRow,
        oneEvent: try one.lastWriters(of: [address], through: oneRange.lastSequence)[address],
        otherEvent: try other.lastWriters(of: [address], through: otherRange.lastSequence)[address],
        name: try (oneRow ?? otherRow).flatMap { try names.name(of: table, $0) })
    }
    return nil
  }
}

/// Walks the sums of a table that a history keeps, batch by batch.
private struct SumCursor {
  private let statement: PreparedStatement
  /// After the batches so far.
  private(set) var sum = RowSum()
  /// The end of the next batch that changed the table; nil if there is none.
  private(set) var next: UInt64?

  init(_ table: TableDescription, through last: UInt64, _ database: Database) throws {
    statement = try PreparedStatement(
      database,
      "SELECT last, rows, digest FROM history_step WHERE tbl = ? AND last <= ? ORDER BY last",
      [.integer(Int64(table.ordinal)), .sequence(last)])
    try step()
  }

  mutating func advance(through end: UInt64) throws {
    while let next, next <= end {
      guard let sum = RunningDigests.sum(statement, 1) else {
        throw StoreError(.drifted, "history_step has no digest after event \(next)")
      }
      self.sum = sum
      try step()
    }
  }

  private mutating func step() throws {
    next = try statement.step() ? statement.sequence(0) : nil
  }
}
