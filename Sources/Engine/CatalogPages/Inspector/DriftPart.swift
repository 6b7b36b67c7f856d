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
  let kind: any CatalogKind
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
    case .refused(.ofAnotherLog(let checkpoint)), .refused(.withoutLog(let checkpoint)):
      return state(
        "bad", "another-log",
        "The live database belongs to another log, <code>\(checkpoint.logID.description)</code>; its rows were not compared."
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
        ], isTall: true, isSortable: true, try rows.map { try driftRow($0.row, $0.event) })
      return """
        \(list)
        <p class="quiet">The event is the one that last wrote the row, or deleted it: it says what the \
        row should be. <code>\(ProgramName.current) blame TABLE KEY</code> shows the event of each column. \(sortHint)</p>
        \(table)
        \(left)
        """
    }
  }

  private func driftRow(_ row: RowDifference, _ event: EventEnvelope?) throws -> HTML {
    let table = kind.schema.tables.first { $0.name == row.table }
    let name = try table.flatMap { try row.name(in: $0, names) }
    let title: HTML = name.map { "\($0)<br>" } ?? ""
    let (what, live, expected) =
      switch row.kind {
      case .missing: ("missing", "", row.whole)
      case .unexpected: ("should not be there", row.whole, "")
      case .changed(let column, let live, let expected):
        ("\(column) changed", live.description, expected.description)
      }
    return """
      <tr><td class="long"><span class="code">\(row.table)</span><br>\(title)\
      <span class="code">\(row.keyText)</span></td><td>\(what)</td>\
      \(ReportTable.value(live))\(ReportTable.value(expected))\(ReportTable.origin(event))</tr>
      """
  }
}
