package import CatalogModel
package import EventLog
package import Projections
import Support

/// A catalog's history, gathered for a page that a person reads: how many events it has, which operations weigh most, which
/// rows changed, and whether the live database is what the log says.
///
/// The same log, options and live database give the same report.
package struct HistoryReport: Sendable {
  package let logID: EntityID
  package let head: LogHead
  /// The last event before the reported range; 0 if it begins with event 1.
  package let since: UInt64
  /// The moment that was named as the beginning; nil if the range begins with event 1.
  package let start: FoundMoment?
  /// The events of the range, and how many the whole log has.
  package let statistics: LogStatistics
  package let drift: LiveDrift
  package let changes: RangeChanges
  /// The operations that are reverted at the head, by their first events.
  package let reverted: [RevertedRow]
  /// The kind's rules, and the rows at the head that break them.
  package let rules: [RuleFinding]

  /// - Parameters:
  ///   - live: the path of the live database; nil if there is only a log.
  ///   - since: the state behind which the range begins; nil for the whole history, and so is a time
  ///     before the first event.
  ///   - rowLimit: how many changed rows are kept, and how many differences of the live database; all
  ///     are counted.
  /// - Throws: `CatalogError` with `noMoment` for a sequence that the log does not have, and for `live`.
  package init(
    of states: PastStates, live: String?, since moment: Moment?, rowLimit: Int
  ) throws {
    let log = states.log
    // The live database comes first: it is never ahead of a head that is read after it, whatever is
    // appended meanwhile.
    let snapshot = try LiveDrift.Snapshot(of: states, live: live)
    start = try moment.flatMap { try Self.start(of: $0, in: log) }
    since = start?.sequence ?? 0
    let (id, head) = try log.reader.requireEvents()
    logID = EntityID(bytes: id.bytes)
    self.head = head

    statistics = try LogStatistics(
      of: log.reader, after: since, through: head.sequence, largest: 10,
      by: [\.plainLength, \.eventCount], progress: states.progress)

    let newest = try PastDatabase(behind: head.sequence, of: states)
    let oldest = try PastDatabase(behind: since, of: states)
    changes = try RangeChanges(from: oldest, to: newest, rowLimit: rowLimit, of: states)
    reverted = try newest.revertedOperations(of: log.kind)
    rules = try newest.findings(ofRulesOf: log.kind)
    drift = try LiveDrift(snapshot, of: states, head: newest, rowLimit: rowLimit)
  }

  private static func start(of moment: Moment, in log: CatalogLog) throws -> FoundMoment? {
    guard moment != .live else {
      throw CatalogError(.noMoment, "a range of history cannot begin with the live database")
    }
    do {
      return try moment.asBeginning.found(in: log)
    } catch let error as CatalogError where error.code == .noMoment {
      // A time before the first event begins with that event.
      if moment.time != nil { return nil }
      throw error
    }
  }
}
