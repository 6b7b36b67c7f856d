import CatalogEngine
import EngineCommands

/// The rows that changed within the range.
extension ReportPage {
  var changes: HTML {
    get throws {
      let changes = report.changes
      guard !changes.tables.isEmpty else {
        return "<p>The rows are the same at both ends of the range.</p>\(ownTables)"
      }
      let rows = changes.tables.flatMap { table in
        table.differences.map {
          (RowReport(table.description, from: $0.before, to: $0.after, names), $0.event)
        }
      }
      let counts = ReportTable.counts(
        "change-tables", label: "Changed rows by table",
        changes.tables.map { (TableSummary($0), $0.differences.count) }, last: "listed")
      let from = report.since == 0 ? "the empty catalog" : "the state after event \(report.since)"
      return """
        <p>\(Count.of(changes.rows, "row")) differ\(changes.rows == 1 ? "s" : "") between \(from) and \
        the state after event \(report.head.sequence).</p>
        \(unlisted)
        \(ownTables)
        <details\(changes.tables.count <= 12 ? " open" : "" as HTML)>
        <summary>By table</summary>
        \(counts)
        </details>
        <p class="quiet">The event is the last that touched the row. \(sortHint)</p>
        \(try question.table(
          ofChanges: rows, "change-rows", label: "Rows that changed", isSortable: true))
        """
    }
  }

  private var unlisted: HTML {
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
    guard report.changes.leftOut.ownRows > 0 else { return "" }
    return """
      <p class="quiet" id="changes-own">Left out: \(report.changes.leftOut.ownWords). \
      <code>diff --all</code> shows them.</p>
      """
  }
}
