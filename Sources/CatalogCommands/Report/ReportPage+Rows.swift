import Catalog
import CatalogStore
import EventLog
import Projections

/// Rows: what the live database has that the log does not say, and what changed within the range.
extension ReportPage {
  // MARK: Drift

  var drift: HTML {
    section("drift", "Drift", "\(standing)\(findings)")
  }

  private var standing: HTML {
    func state(_ kind: String, _ outcome: String, _ text: HTML) -> HTML {
      "<p class=\"state \(kind)\" id=\"drift-state\" data-drift=\"\(outcome)\">\(text)</p>"
    }
    switch report.drift.standing {
    case .notAsked:
      return state(
        "plain", "unknown",
        "Only events were read: there is no live database to hold against them.")
    case .missing:
      return state(
        "plain", "unknown",
        "There is no live database. <code>catalogctl rebuild</code> makes it from the log.")
    case .unreadable(let reason):
      return state(
        "bad", "unreadable",
        """
        The live database cannot be read: \(reason). Where it is damaged, \
        <code>catalogctl rebuild</code> makes it anew.
        """)
    case .withoutCheckpoint:
      return state(
        "bad", "unreadable",
        """
        The live database has no checkpoint: no projector finished it. \
        <code>catalogctl rebuild</code> makes it anew.
        """)
    case .ofAnotherLog(let id):
      return state(
        "bad", "another-log",
        "The live database belongs to another log, <code>\(id)</code>; its rows were not compared.")
    case .aheadOfTheLog(let reason):
      return state(
        "bad", "lost-events",
        "The live database has seen what this log does not hold: \(reason). No rows were compared.")
    case .ofAnotherProjector(let checkpoint):
      return state(
        "bad", "another-projector",
        """
        The live database was made by another projector, \
        <code>\(checkpoint.fingerprint.prefix(12))…</code>, up to event \(checkpoint.sequence): its \
        rows are not for this program to judge. <code>catalogctl rebuild</code> makes them anew.
        """)
    case .compared(let checkpoint):
      let count = report.drift.findings.count + report.drift.unlisted
      let behind: HTML =
        report.drift.behind == 0
        ? ""
        : """
         It is \(Count.of(report.drift.behind, "event")) behind the log, which the next command that \
        opens the catalog applies.
        """
      if count == 0 {
        return state(
          "good", "none",
          """
          No drift: the live database is what the log says at its checkpoint, event \
          \(checkpoint.sequence).\(behind)
          """)
      }
      return state(
        "bad", "found",
        """
        \(Count.of(count, "difference")): the live database is not what the log says at its \
        checkpoint, event \(checkpoint.sequence).\(behind) \
        <code>catalogctl rebuild --keep-old FILE</code> makes it anew and keeps what is there.
        """)
    }
  }

  private var findings: HTML {
    let others = report.drift.findings.filter { $0.row == nil }
    let rows = report.drift.findings.compactMap { finding in
      finding.row.map { (row: $0, event: finding.event) }
    }
    let list: HTML =
      others.isEmpty
      ? ""
      : """
      <ul id="drift-others">
      \(others.map { "<li>\($0.message)</li>" as HTML })
      </ul>
      """
    guard !rows.isEmpty else { return list }
    let left: HTML =
      report.drift.unlisted == 0
      ? ""
      : """
      <p id="drift-left" data-left="\(report.drift.unlisted)">\
      \(Count.of(report.drift.unlisted, "more difference")) \
      \(report.drift.unlisted == 1 ? "was" : "were") left out; <code>--rows</code> lists more.</p>
      """
    let heads = ReportTable.heads([
      ("row", false), ("difference", false), ("live", false), ("should be", false), ("event", true),
    ])
    return """
      \(list)
      <p class="quiet">The event is the one that last wrote the row, or took it away: it says what the \
      row should be. <code>catalogctl blame TABLE KEY</code> tells of each column. \(sortHint)</p>
      \(ReportTable.scrolling(label: "Rows of the live database that differ", isTall: true, """
        <table id="drift-rows" class="sortable">
        \(heads)
        <tbody>
        \(rows.map { driftRow($0.row, $0.event) })
        </tbody>
        </table>
        """))
      \(left)
      """
  }

  private func driftRow(_ row: RowDifference, _ event: EventReference?) -> HTML {
    let (what, live, expected) =
      switch row.kind {
      case .missing: ("missing", "", Self.whole(row))
      case .unexpected: ("should not be there", Self.whole(row), "")
      case .changed(let column, let live, let expected):
        ("\(column) changed", live.description, expected.description)
      }
    return """
      <tr><td class="long"><span class="code">\(row.table)</span><br>\
      <span class="code">\(Self.key(of: row))</span></td><td>\(what)</td>\
      \(ReportTable.value(live))\(ReportTable.value(expected))\(ReportTable.origin(event))</tr>
      """
  }

  // MARK: Changes

  var changes: HTML {
    let changes = report.changes
    guard !changes.tables.isEmpty else {
      return section(
        "changes", "Row changes",
        "<p>The rows are the same at both ends of the range.</p>")
    }
    let tables = changes.tables
    let rows = tables.flatMap { table in table.differences.map(changedRow) }
    let heads = ReportTable.heads(
      [
        ("table", false), ("key", false), ("change", false), ("column", false), ("old", false),
        ("new", false),
      ] + ReportTable.eventHeads)
    let from = report.since == 0 ? "the empty catalog" : "the state behind event \(report.since)"
    return section(
      "changes", "Row changes",
      """
      <p>\(Count.of(changes.rows, "row")) differ\(changes.rows == 1 ? "s" : "") between \(from) and \
      the state behind event \(report.head.sequence).</p>
      \(leftOut)
      \(summary)
      <p class="quiet">A row that changed in several columns has a line for each. The event is the last \
      that touched the row. \(sortHint)</p>
      \(ReportTable.scrolling(label: "Rows that changed", isTall: true, """
        <table id="change-rows" class="sortable">
        \(heads)
        <tbody>
        \(rows)
        </tbody>
        </table>
        """))
      """)
  }

  private var leftOut: HTML {
    let left = report.changes.unlisted
    guard left > 0 else { return "" }
    return """
      <p class="state plain" id="changes-left" data-left="\(left)">\
      \(Count.of(report.changes.rows - left, "row")) are listed, \(Count.grouped(left)) were left out: \
      each table has a fair share of the room, its first rows in the order of keys. \
      <code>--rows</code> lists more, <code>--since</code> tells of less.</p>
      """
  }

  private var summary: HTML {
    let rows = report.changes.tables.map { table -> HTML in
      let numbers = [table.added, table.removed, table.changed].map { ReportTable.number($0) }
      let listed = Set(table.differences.map(\.row.key)).count
      return """
        <tr><th scope="row" class="code">\(table.name)</th>\(numbers)\(ReportTable.number(listed))</tr>
        """
    }
    let heads = ReportTable.heads([
      ("table", false), ("added", true), ("removed", true), ("changed", true), ("listed", true),
    ])
    return """
      <details\(report.changes.tables.count <= 12 ? " open" : "" as HTML)>
      <summary>By table</summary>
      \(ReportTable.scrolling(label: "Changed rows by table", """
        <table id="change-tables">
        \(heads)
        <tbody>
        \(rows)
        </tbody>
        </table>
        """))
      </details>
      """
  }

  private func changedRow(_ difference: HistoryDiff.Difference) -> HTML {
    let row = difference.row
    let (change, column, old, new) =
      switch row.kind {
      case .unexpected: ("added", "", "", Self.whole(row))
      case .missing: ("removed", "", Self.whole(row), "")
      case .changed(let column, let new, let old):
        ("changed", column, old.description, new.description)
      }
    return """
      <tr>\(ReportTable.code(row.table))\(ReportTable.value(Self.key(of: row)))<td>\(change)</td>\
      \(ReportTable.code(column))\(ReportTable.value(old))\(ReportTable.value(new))\
      \(ReportTable.event(difference.event))</tr>
      """
  }

  // MARK: Rows

  private static func key(of row: RowDifference) -> String {
    zip(row.keyColumns, row.key).map { "\($0)=\($1)" }.joined(separator: " ")
  }

  /// What a row holds besides its key and its nulls.
  private static func whole(_ row: RowDifference) -> String {
    let table = SoundLibrarySchema.schema.tables.first { $0.name == row.table }
    let columns = table?.columns.map(\.name) ?? []
    let values = zip(columns, row.row).filter { column, value in
      value != .null && !row.keyColumns.contains(column)
    }
    return values.map { "\($0)=\($1)" }.joined(separator: " ")
  }
}
