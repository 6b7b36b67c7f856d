import CatalogStore
import GRDB
import Projections
import Support

/// The sums of a history's rows, with their times or without them.
final class RowSums {
  let history: HistoryDatabase
  private let withTimes: Bool
  /// The sums without times that were computed so far, by the ordinals of the tables.
  private var timeless: [Int: [RowSumStep]] = [:]

  /// - Parameter withTimes: whether rows differ that have other times alone.
  init(_ history: HistoryDatabase, withTimes: Bool) {
    (self.history, self.withTimes) = (history, withTimes)
  }

  /// The tables whose rows count. Without times, what one log reverted does not: its ids are of that log.
  var tables: [TableDescription] {
    history.schema.schema.tables.filter { withTimes || !$0.isOfOneLog }
  }

  /// Whether the table has times that do not count.
  func leavesOutTimes(of table: TableDescription) -> Bool {
    !withTimes && table.timelessColumns.count < table.columns.count
  }

  /// The sums of a table without its times, after each batch that changed them.
  func timeless(_ table: TableDescription) throws -> [RowSumStep] {
    if let steps = timeless[table.ordinal] { return steps }
    let ends = try history.ends(through: .max)
    let steps = try history.read { database in
      try history.generations.timelessSums(of: table, atBatchesEndingWith: ends, in: database)
    }
    timeless[table.ordinal] = steps
    return steps
  }

  /// Whether a table has the same rows in two histories, each after the end of a batch of its own.
  static func areSame(
    _ table: TableDescription, _ one: RowSums, through oneEnd: UInt64, _ other: RowSums,
    through otherEnd: UInt64
  ) throws -> Bool {
    if try one.history.sum(of: table, through: oneEnd)
      == other.history.sum(of: table, through: otherEnd)
    {
      return true
    }
    guard one.leavesOutTimes(of: table) else { return false }
    func sum(_ sums: RowSums, _ end: UInt64) throws -> RowSum {
      let steps = try sums.timeless(table)
      let next = BinarySearch.first(of: steps.count) { steps[$0].end > end }
      return next > 0 ? steps[next - 1].sum : RowSum()
    }
    return try sum(one, oneEnd) == sum(other, otherEnd)
  }
}

/// Walks the sums of a table, batch by batch.
struct SumCursor {
  private let read: () throws -> RowSumStep?
  private var step: RowSumStep?
  /// After the batches so far.
  private(set) var sum = RowSum()

  /// Walks the sums of whole rows, which a history keeps.
  init(_ table: TableDescription, through last: UInt64, _ database: Database) throws {
    let statement = try PreparedStatement(
      database,
      "SELECT last, rows, digest FROM history_step WHERE tbl = ? AND last <= ? ORDER BY last",
      [.integer(Int64(table.ordinal)), .sequence(last)])
    read = {
      guard try statement.step() else { return nil }
      guard let sum = RunningDigests.sum(statement, 1) else {
        throw StoreError(
          .drifted, "history_step has no digest after event \(statement.integer(0))")
      }
      return RowSumStep(end: statement.sequence(0), sum: sum)
    }
    step = try read()
  }

  init(_ steps: [RowSumStep]) {
    var iterator = steps.makeIterator()
    read = { iterator.next() }
    step = iterator.next()
  }

  /// The end of the next batch that changed the table; nil if there is none.
  var next: UInt64? { step?.end }

  mutating func advance(through end: UInt64) throws {
    while let step, step.end <= end {
      sum = step.sum
      self.step = try read()
    }
  }
}
