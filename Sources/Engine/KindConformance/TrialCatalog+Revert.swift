import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Foundation
import Projections

extension TrialCatalog {
  /// The rows of a state, by table and key.
  private typealias Rows = [[[Value]: [Value]]]

  private func rows(of store: MemoryRowStore) -> Rows {
    kind.schema.tables.map { table in
      let rows = store.rows(in: table)
      return Dictionary(rows.map { (table.key(of: $0), $0) }, uniquingKeysWith: { $1 })
    }
  }

  private func rows(of log: CatalogLog, through sequence: UInt64? = nil) throws -> Rows {
    rows(of: try ProjectionRebuild(log, through: sequence).fold().rows)
  }

  /// Takes operations back, each from the catalog as it is, and holds the rows against those before the operation: what it
  /// alone changed is as before, what later events changed stays, and nothing else changes.
  ///
  /// - Parameter limit: how many operations are tried at most.
  func revertFindings(limit: Int) throws -> [ConformanceFinding] {
    guard kind.reverted != nil else { return [] }
    let ends = receipts.map(\.sequence)
    let tried = Set(
      (0..<min(limit, ends.count)).map { $0 * ends.count / max(1, min(limit, ends.count)) })
    let catalog = EventCatalog(
      kind, try OpenedCatalog.openExisting(directory, kind, options: options))
    defer { catalog.close() }
    let present = try rows(of: log)
    for place in tried.sorted() {
      let first = place == 0 ? 2 : ends[place - 1] + 1
      let events = first...ends[place]
      let draft = try catalog.draftRevert(.events(events), isForced: false)
      let model = RevertModel(
        kind, before: try rows(of: log, through: first - 1),
        after: try rows(of: log, through: ends[place]), now: present, then: try reverted(draft),
        through: ends[place], isForced: false)
      if let message = try model.finding(draft.conflicts) {
        return [
          ConformanceFinding(
            .revert, "a revert of events \(first) to \(ends[place]): \(message)")
        ]
      }
    }
    return try roundTripFindings(ends, present)
  }

  /// The rows at the head after the events of a plan.
  private func reverted(_ draft: RevertDraft<Kind.Event>) throws -> Rows {
    let folded = try ProjectionRebuild(log).fold()
    for (place, event) in draft.events.enumerated() {
      try kind.apply(
        Recorded(
          sequence: folded.checkpoint.sequence + 1 + UInt64(place),
          at: Timestamp(milliseconds: 1_800_000_000_000), operation: EntityID(high: 0, low: 1),
          by: "revert", event: event), to: folded.rows)
    }
    return rows(of: folded.rows)
  }

  /// Reverts the last operations, each with the revert of that, in a catalog that goes on.
  private func roundTripFindings(
    _ ends: [UInt64], _ expected: Rows
  ) throws -> [ConformanceFinding] {
    let copy = CatalogDirectory(folder + "/reverted")
    try FileManager.default.copyItem(atPath: directory.path, toPath: copy.path)
    let catalog = EventCatalog(kind, try OpenedCatalog.openExisting(copy, kind, options: options))
    defer { catalog.close() }
    let log = catalog.opened.log
    let rules = kind.reversalRules
    for (place, end) in ends.enumerated().reversed().prefix(3) {
      let first = place == 0 ? 2 : ends[place - 1] + 1
      func finding(_ message: String) -> [ConformanceFinding] {
        [ConformanceFinding(.revert, "a revert of events \(first) to \(end): \(message)")]
      }
      let (isWhole, change) = try reverted(first...end, in: catalog)
      guard change.outcome != .unchanged else { continue }
      guard let reverted = try log.head()?.sequence,
        case let start = reverted - UInt64(change.events) + 1
      else { continue }
      guard try self.reverted(first...end, in: catalog).change.outcome == .unchanged else {
        return finding("a second one has something to do")
      }
      _ = try self.reverted(start...reverted, in: catalog)
      let rows = try rows(of: log)
      for (table, expected) in zip(kind.schema.tables, expected)
      where table !== kind.reverted?.description && isWhole {
        let settled = rules.settled.filter { $0.table === table }.flatMap(\.places)
        let found = rows[table.ordinal]
        // A kind may keep a row that it settles: a server has to remove it first.
        let other = Set(expected.keys).union(settled.isEmpty ? Set(found.keys) : []).first { key in
          !isSame(expected[key], found[key], besides: settled)
        }
        if let other, !rules.derived.contains(where: { $0 === table }) {
          return finding("with the revert of that, \(table.name) \(other) is another row")
        }
      }
    }
    return []
  }

  /// A draft keeps the history open, which the next revert brings up to date.
  private func reverted(
    _ events: ClosedRange<UInt64>, in catalog: EventCatalog<Kind>
  ) throws -> (isWhole: Bool, change: ChangeReport) {
    let (draft, change) = try catalog.revertNow(
      .events(events), reason: "a trial", isForced: false)
    return (draft.conflicts.isEmpty, change)
  }
}

/// Whether two rows are the same but for some columns; nil is a row that is not there.
func isSame(_ left: [Value]?, _ right: [Value]?, besides places: [Int]) -> Bool {
  guard let left, let right else { return left == nil && right == nil }
  return left.indices.allSatisfy { places.contains($0) || left[$0] == right[$0] }
}
