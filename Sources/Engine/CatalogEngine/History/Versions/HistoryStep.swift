package import CatalogModel
import CatalogStore
import EventLog
import GRDB
package import Projections
import Recoveries

/// A change of a row from the state before a batch to the state after it.
package struct HistoryStep: Sendable {
  /// The last event of the batch that changed the row.
  package let event: EventEnvelope
  package let change: RowChange
}

extension PastStates {
  /// Every change of a row up to a moment, oldest first.
  ///
  /// - Parameters:
  ///   - key: values of the table's key, in key order.
  ///   - last: the last event of the moment.
  /// - Throws: `CatalogError`: `notFound` if no event ever wrote the row; `readOnly` if there is no history.
  package func steps(
    of table: TableDescription, key: [Value], through last: UInt64
  ) throws -> [HistoryStep] {
    let history = try requireHistory(through: last)
    let steps = try history.steps(
      history.versions(of: table, key: key, through: last), of: table, after: 0)
    guard !steps.isEmpty else {
      throw CatalogError(.notFound, "no event ever wrote a row of \(table.name) with this key")
    }
    return steps
  }

  /// Every change of the rows of some tables after a moment up to a later one, in the order of the log: a row that changes
  /// and changes back is there twice, and in a difference of the two moments it is not.
  ///
  /// - Throws: `CatalogError` with `readOnly` if there is no history.
  package func steps(
    in tables: [TableDescription], after first: UInt64, through last: UInt64
  ) throws -> [HistoryStep] {
    let history = try requireHistory(through: last)
    var steps: [HistoryStep] = []
    for table in tables {
      let versions = try history.versions(of: table, after: first, through: last)
      steps += try history.steps(versions, of: table, after: first)
    }
    // The sort is stable: within an event the tables are in the order of the schema.
    return steps.sorted { $0.event.sequence < $1.event.sequence }
  }

  private func requireHistory(through last: UInt64) throws -> HistoryDatabase {
    if let history = try openHistory(through: last) { return history }
    throw CatalogError(
      .readOnly,
      "only the history can answer this, and there is none: --events and --no-history ask without it, and none is made in a folder that cannot be written or for a catalog that lost events. Ask without these options in a copy of the catalog that can be written; diff and blame replay the log instead"
    )
  }
}

extension HistoryDatabase {
  /// The changes that versions tell, in key order.
  ///
  /// - Parameter first: earlier changes are left out.
  fileprivate func steps(
    _ versions: [Version], of table: TableDescription, after first: UInt64
  ) throws -> [HistoryStep] {
    var steps: [HistoryStep] = []
    var envelopes: [UInt64: EventEnvelope] = [:]
    func add(_ sequence: UInt64, _ before: [Value]?, _ after: [Value]?) throws {
      guard sequence > first, let row = after ?? before else { return }
      guard let event = try envelopes[sequence] ?? envelope(of: sequence) else {
        throw StoreError(.drifted, "the history has no event \(sequence)")
      }
      envelopes[sequence] = event
      steps.append(
        HistoryStep(
          event: event,
          change: RowChange(table, key: table.key(of: row), before: before, after: after)))
    }
    for (place, version) in versions.enumerated() {
      let key = table.key(of: version.row)
      func isSameRow(_ other: Int) -> Bool {
        versions.indices.contains(other) && table.key(of: versions[other].row) == key
      }
      let earlier = isSameRow(place - 1) ? versions[place - 1] : nil
      let goesOn = earlier?.to == version.from
      try add(version.from, goesOn ? earlier?.row : nil, version.row)
      if let end = version.to, !(isSameRow(place + 1) && versions[place + 1].from == end) {
        try add(end, version.row, nil)
      }
    }
    return steps
  }
}
