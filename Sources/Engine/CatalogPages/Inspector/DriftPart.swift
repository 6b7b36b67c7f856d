import CatalogEngine
import CatalogModel
import CatalogStore
import EngineCommands
import EventLog
import Projections

/// The differences of the live database from its log, as a part of a page.
struct DriftPart {
  let drift: LiveDrift
  /// Nil if nothing is known of names.
  let names: RowNames?
  let question: InspectorQuestion
  /// The words about a table that can be sorted; none if the page has no such script.
  let sortHint: HTML

  var html: HTML {
    get throws { "\(standing)\(try findings)" }
  }

  private var standing: HTML {
    func state(_ kind: String, _ outcome: String, _ text: HTML) -> HTML {
      "<p class=\"state \(kind)\" id=\"drift-state\" data-drift=\"\(outcome)\">\(text)</p>"
    }
    switch drift.standing {
    case .notAsked:
      return state(
        "plain", "unknown",
        "Only events were read; there is no live database to compare.")
    case .missing:
      return state(
        "plain", "unknown",
        "There is no live database. <code>\(ProgramName.current) rebuild</code> creates it from the log."
      )
    case .unreadable(let reason):
      return state(
        "bad", "unreadable",
        """
        The live database cannot be read: \(reason). If it is damaged, \
        <code>\(ProgramName.current) rebuild</code> rebuilds it.
        """)
    case .refused(.untouched), .refused(.unmarked):
      return state(
        "bad", "unreadable",
        """
        The live database has no checkpoint: no projector finished it. \
        <code>\(ProgramName.current) rebuild --keep-old FILE</code> rebuilds it and keeps a copy.
        """)
    case .refused(.withoutLog(let checkpoint)):
      return state(
        "bad", "no-log",
        "There is no log that the live database was made from, <code>\(checkpoint.logID.description)</code>; its rows were not compared."
      )
    case .refused(.ahead(_, let error)):
      return state(
        "bad", "lost-events",
        "The live database has applied events that this log lacks: \(error.message). No rows were compared."
      )
    case .refused(.edited):
      return state(
        "bad", "checkpoint-changed",
        """
        The checkpoint of the live database names an event that the log does not have at that sequence, and the log is intact: \
        the database was changed by hand. <code>\(ProgramName.current) rebuild --keep-old FILE</code> rebuilds it and keeps a copy.
        """)
    case .refused(.stale(let checkpoint)):
      return state(
        "bad", "another-projector",
        """
        The live database was created by another version of the program, projector \
        <code>\(checkpoint.fingerprint.short)</code>, up to event \(checkpoint.sequence): its \
        rows cannot be compared. <code>\(ProgramName.current) rebuild</code> rebuilds them.
        """)
    // A database within its log is always compared with it.
    case .compared(let checkpoint), .refused(.within(let checkpoint)):
      let count = drift.findings.count + drift.unlisted
      let behind: HTML =
        drift.behind == 0
        ? ""
        : """
         It is \(Count.of(drift.behind, "event")) behind the log, which the next command that \
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
        <code>\(ProgramName.current) rebuild --keep-old FILE</code> rebuilds it and keeps a copy.
        """)
    }
  }

  private var findings: HTML {
    get throws {
      let others = drift.findings.filter { $0.row == nil }
      let rows = drift.findings.compactMap { finding in
        finding.row.flatMap(report).map { (row: $0, event: finding.event) }
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
        drift.unlisted == 0
        ? ""
        : """
        <p id="drift-left" data-left="\(drift.unlisted)">\
        \(Count.of(drift.unlisted, "more difference")) \
        \(drift.unlisted == 1 ? "was" : "were") left out; <code>--rows</code> lists more.</p>
        """
      let table = ReportTable.table(
        "drift-rows", label: "Rows of the live database that differ",
        [
          ("row", false), ("difference", false), ("live", false), ("should be", false),
          ("event", true),
        ], isTall: true, isSortable: true, try rows.map { try tableRow($0.row, $0.event) })
      return """
        \(list)
        <p class="quiet">The event is the one that last wrote the row, or deleted it: it says what the \
        row should be. <code>\(ProgramName.current) blame TABLE KEY</code> shows the event of each column. \(sortHint)</p>
        \(table)
        \(left)
        """
    }
  }

  /// The row from the live state to the one that it should have; nil if the schema has no such table.
  private func report(_ row: RowDifference) -> RowReport? {
    guard let table = question.kind.schema.tables.first(where: { $0.name == row.table }) else {
      return nil
    }
    let (live, expected): ([StoredValue]?, [StoredValue]?) =
      switch row.kind {
      case .missing: (nil, row.row)
      case .unexpected: (row.row, nil)
      case .changed(let column, let value, _):
        (zip(row.columns, row.row).map { $0 == column ? value : $1 }, row.row)
      }
    return RowReport(table, from: live, to: expected, names)
  }

  private func tableRow(_ row: RowReport, _ event: EventEnvelope?) throws -> HTML {
    // A difference of rows is of one column, or of all.
    guard let column = row.columns.first else { return "" }
    func value(_ side: [StoredValue]?) -> HTML {
      "\(ReportTable.cut(side?[column].description ?? ""))"
    }
    let (what, live, expected): (String, HTML, HTML) =
      switch row.change {
      case .added: ("missing", "", "\(try row.items)")
      case .removed: ("should not be there", "\(try row.items)", "")
      case .changed:
        ("\(row.table.columns[column].name) changed", value(row.before), value(row.after))
      }
    return """
      <tr><td class="long"><span class="code">\(row.table.name)</span><br>\(try row.title(question))</td>\
      <td>\(what)</td><td class="code long">\(live)</td><td class="code long">\(expected)</td>\
      \(question.origin(event))</tr>
      """
  }
}
