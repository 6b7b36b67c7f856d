import CatalogEngine
import CatalogModel
import CatalogStore
import EngineCommands
import EventLog
import Projections

/// The rows that changed within the range.
extension ReportPage {
  var changes: HTML {
    get throws {
      let changes = report.changes
      guard !changes.tables.isEmpty else {
        return section(
          "changes", "Row changes",
          "<p>The rows are the same at both ends of the range.</p>\(ownTables)")
      }
      let tables = changes.tables
      let rows = try tables.flatMap { table in
        try table.differences.flatMap { difference in
          try difference.parts.map { try changedRow($0, difference.event, table.description) }
        }
      }
      let table = ReportTable.table(
        "change-rows", label: "Rows that changed",
        [
          ("table", false), ("row", false), ("change", false), ("column", false), ("old", false),
          ("new", false),
        ] + ReportTable.eventHeads, isTall: true, isSortable: true, rows)
      let from = report.since == 0 ? "the empty catalog" : "the state after event \(report.since)"
      return section(
        "changes", "Row changes",
        """
        <p>\(Count.of(changes.rows, "row")) differ\(changes.rows == 1 ? "s" : "") between \(from) and \
        the state after event \(report.head.sequence).</p>
        \(leftOut)
        \(ownTables)
        \(summary)
        <p class="quiet">A row that changed in several columns has a line for each. The event is the last \
        that touched the row. \(sortHint)</p>
        \(table)
        """)
    }
  }

  private var leftOut: HTML {
    let left = report.changes.unlisted
    guard left > 0 else { return "" }
    return """
      <p class="state plain" id="changes-left" data-left="\(left)">\
      \(Count.of(report.changes.rows - left, "row")) are listed, \(Count.grouped(left)) were left out: \
      each table gets a share of the rows, the first by key. \
      <code>--rows</code> lists more, <code>--since</code> shows fewer.</p>
      """
  }

  /// The program's own tables: `diff` leaves them out, too.
  private var ownTables: HTML {
    let own = report.changes.leftOut
    guard own.ownRows > 0 else { return "" }
    return """
      <p class="quiet" id="changes-own">Left out: \(Count.of(own.ownRows, "row")) of the program's own \
      \(own.ownTables.count == 1 ? "table" : "tables") \(own.ownTables.joined(separator: ", ")). \
      <code>diff --all</code> shows them.</p>
      """
  }

  private var summary: HTML {
    let rows = report.changes.tables.map { table -> HTML in
      let numbers = [table.added, table.removed, table.changed].map { ReportTable.number($0) }
      return """
        <tr><th scope="row" class="code">\(table.name)</th>\(numbers)\(ReportTable.number(table.differences.count))</tr>
        """
    }
    let table = ReportTable.table(
      "change-tables", label: "Changed rows by table",
      [("table", false), ("added", true), ("removed", true), ("changed", true), ("listed", true)],
      rows)
    return """
      <details\(report.changes.tables.count <= 12 ? " open" : "" as HTML)>
      <summary>By table</summary>
      \(table)
      </details>
      """
  }

  private func changedRow(
    _ row: RowDifference, _ event: EventEnvelope?, _ table: TableDescription
  ) throws -> HTML {
    let (change, column, old, new) =
      switch row.kind {
      case .unexpected: ("added", "", "", row.whole)
      case .missing: ("removed", "", row.whole, "")
      case .changed(let column, let new, let old):
        ("changed", column, old.description, new.description)
      }
    return """
      <tr>\(ReportTable.code(row.table))\(ReportTable.row(row, try row.name(in: table, names)))<td>\(change)</td>\
      \(ReportTable.code(column))\(ReportTable.value(old))\(ReportTable.value(new))\
      \(ReportTable.event(event))</tr>
      """
  }
}
