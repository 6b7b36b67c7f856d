package import ArgumentParser
package import CatalogEngine
import CatalogModel
import CatalogStore
import Projections

/// The options that say which differences of two states a command shows.
package struct DiffOptions: ParsableArguments {
  @Option(
    name: .long, help: "Only this table; may be repeated.",
    completion: CatalogCompletion.tables)
  package var table: [String] = []

  @Flag(name: .long, help: "Only count rows by table.")
  package var summary = false

  @OptionGroup var detail: DetailOptions

  @Option(
    name: [.long, .customShort("n")],
    help: ArgumentHelp("List at most this many rows of each table.", valueName: "n"))
  var rows: Int = 100

  package init() {}

  /// How many rows of each table are listed.
  package var rowLimit: Int { summary ? 0 : rows }

  package func validate() throws {
    if rows == 0 { throw ValidationError("--rows takes 1 or more; --summary lists no row") }
    try OptionBounds.requireCount(rows, "--rows")
  }

  /// - Parameters:
  ///   - states: of the log that has the events of both; nil if there are none.
  ///   - isScript: whether statements are made of all rows.
  func difference(
    from old: PastDatabase, to new: PastDatabase, of kind: any CatalogKind,
    events states: PastStates?, _ format: OutputFormat, isScript: Bool = false
  ) throws -> HistoryDiff {
    let leavingOut: OmittedChanges.Extent =
      detail.all && !isScript
      ? .nothing : format == .text && !isScript ? .stampsAndOwnTables : .ownTables
    return try HistoryDiff(
      from: old, to: new, of: kind, in: kind.schema.tables(named: table, of: states?.log),
      rowLimit: isScript ? .max : rowLimit, leavingOut: leavingOut, countsColumns: true,
      events: summary || isScript ? nil : states)
  }
}

/// Writes the differences of two states: as lines for a person, and as JSON.
package struct DiffOutput {
  let diff: HistoryDiff
  let names: RowNames
  let hasEvents: Bool
  let options: DiffOptions

  /// - Parameters:
  ///   - names: those of the rows.
  ///   - hasEvents: whether events were looked for.
  package init(
    _ diff: HistoryDiff, _ names: RowNames, hasEvents: Bool, _ options: DiffOptions
  ) {
    (self.diff, self.names, self.hasEvents) = (diff, names, hasEvents)
    self.options = options
  }

  package var hasDifferences: Bool {
    !diff.tables.isEmpty || !diff.leftOut.isEmpty || !diff.schema.isEmpty
  }

  /// The tables that differ, as JSON.
  ///
  /// - Parameters:
  ///   - old: the last event of the older state; nil if the log has no such state.
  ///   - new: the last event of the newer state.
  package func json(from old: UInt64?, to new: UInt64?) throws -> [JSONObject] {
    try diff.tables.map { try $0.json(names, old, new) }
  }

  package func write(to console: Console) throws {
    var values = ValueExcerpts(isWhole: options.detail.all)
    for table in diff.tables {
      let summary = TableSummary(table)
      console.write("\(table.name): \(summary.words)", as: .heading)
      for line in summary.lines(&values, from: options.summary ? 1 : 2) {
        console.write("  \(line)")
      }
      for group in try table.byOperation(names, &values) {
        if hasEvents { console.write("  " + (group.event?.line ?? "no event")) }
        for (line, change) in group.lines {
          switch change {
          case .removed: console.write("    \(line)", as: .removed)
          case .added: console.write("    \(line)", as: .added)
          case .changed: console.write("    \(line)")
          }
        }
      }
      let more = table.added + table.removed + table.changed - table.differences.count
      if !options.summary, more > 0 {
        console.write("  … and \(Count.of(more, "more row")); --rows lists more")
      }
    }
    if diff.tables.isEmpty {
      let rows = diff.leftOut.isEmpty ? "the same" : "the same but for what is left out"
      console.write(diff.schema.isEmpty ? rows : "the rows are \(rows), and the schemas differ")
    }
    console.write(diff.leftOut, cutValues: values.cut)
  }
}

extension HistoryDiff.Table {
  /// Lines with the event of the first one.
  fileprivate typealias Group = (
    event: EventEnvelope?, lines: [(line: String, change: RowReport.Change)]
  )

  /// The listed differences, a line each, by the operation that made them, in the order of their first event.
  fileprivate func byOperation(
    _ names: RowNames, _ values: inout ValueExcerpts
  ) throws -> [Group] {
    var groups: [Group] = []
    for difference in differences {
      let row = RowReport(description, from: difference.before, to: difference.after, names)
      let columns = row.lineColumns(withStamps: stamps.isEmpty)
      for (place, line) in try row.lines(&values, withStamps: stamps.isEmpty).enumerated() {
        let event = difference.event(ofColumn: columns[place])
        if let group = groups.firstIndex(where: { $0.event?.operation == event?.operation }) {
          groups[group].lines.append((line, row.change))
        } else {
          groups.append((event, [(line, row.change)]))
        }
      }
    }
    return groups.sorted { ($0.event?.sequence ?? 0) < ($1.event?.sequence ?? 0) }
  }
}

extension HistoryDiff.Table {
  fileprivate func json(
    _ names: RowNames, _ fromSequence: UInt64?, _ toSequence: UInt64?
  ) throws -> JSONObject {
    ["table": name, "fromSequence": fromSequence, "toSequence": toSequence]
      + TableSummary(self).jsonWithColumns
      + [
        "differences": try differences.flatMap { difference in
          try RowReport(description, from: difference.before, to: difference.after, names)
            .jsonByColumn(difference.event(ofColumn:))
        }
      ]
  }
}
