package import Projections

/// How many rows of a table came, went and changed, and in which columns.
public struct TableSummary: Hashable, Sendable {
  /// The table's name.
  public let name: String
  public let added: Int
  public let removed: Int
  public let changed: Int
  /// Those in which most rows changed come first. Columns that say when a row was written are not among them.
  public internal(set) var columns: [ColumnChanges] = []

  package init(
    _ name: String, added: Int, removed: Int, changed: Int, columns: [ColumnChanges] = []
  ) {
    (self.name, self.added, self.removed, self.changed) = (name, added, removed, changed)
    self.columns = columns
  }

  /// - Parameter changes: of rows of the table.
  package init(_ table: TableDescription, _ changes: some Collection<RowChange>) {
    let added = changes.count { $0.before == nil }
    let removed = changes.count { $0.before != nil && $0.after == nil }
    self.init(
      table.name, added: added, removed: removed, changed: changes.count - added - removed)
    var tally = ColumnTally(table)
    for change in changes { tally.add(change) }
    columns = tally.changes
  }

  package init(_ table: HistoryDiff.Table) {
    self.init(
      table.name, added: table.added, removed: table.removed, changed: table.changed)
    columns = table.changes
  }

  package init(_ table: TableDescription, _ step: TableStep) {
    self.init(table.name, added: step.added, removed: step.removed, changed: step.changed)
  }
}
