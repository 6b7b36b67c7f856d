import CatalogEngine
import CatalogModel
import EventLog

/// What came when: events, vocabularies, operations.
extension ReportPage {
  var timeline: HTML {
    guard !report.timeline.slots.isEmpty else {
      return section("timeline", "Timeline", "<p>There are no events in this range.</p>")
    }
    let slots = report.timeline.slots
    let types = StackedBars(
      name: "types", caption: "Events by type", series: report.timeline.types,
      unit: report.timeline.unit, slots: slots.map { ($0.label, $0.types) })
    let sources = StackedBars(
      name: "sources", caption: "Events by source", series: report.timeline.sources,
      unit: report.timeline.unit, slots: slots.map { ($0.label, $0.sources) })
    return section(
      "timeline", "Timeline",
      """
      <p class="quiet">One bar for each \(report.timeline.unit.rawValue). \
      A bar of few events is drawn three pixels high, so that it can be seen.</p>
      \(types.html)
      \(sources.html)
      """)
  }

  var vocabularies: HTML {
    let charts = report.vocabularies.map {
      StepLine(growth: $0, since: report.since, head: report.head.sequence).html
    }
    let rows = report.vocabularies.map { growth -> HTML in
      let numbers = [growth.start, growth.added, growth.merged, growth.end].map {
        ReportTable.number($0)
      }
      return "<tr><th scope=\"row\">\(growth.name)</th>\(numbers)</tr>"
    }
    let heads = ReportTable.heads([
      ("dimension", false), ("before", true), ("added", true), ("merged", true),
      ("at the end", true),
    ])
    return section(
      "vocabularies", "Growth of the vocabularies",
      """
      <p class="quiet">How many values each dimension had, by event. A value that is merged into \
      another is gone.</p>
      <div class="many">
      \(charts)
      </div>
      <details>
      <summary>Growth of the vocabularies: the numbers</summary>
      \(ReportTable.scrolling(label: "Growth of the vocabularies, numbers", """
        <table id="vocabulary-numbers">
        \(heads)
        <tbody>
        \(rows)
        </tbody>
        </table>
        """))
      \(steps)
      </details>
      """)
  }

  /// The numbers behind each batch; the last ones where they are many.
  private var steps: HTML {
    let limit = 100
    let sequences = Set(report.vocabularies.flatMap { $0.batches.map(\.sequence) }).sorted()
    guard !sequences.isEmpty else { return "" }
    let counts = report.vocabularies.map { growth in
      Dictionary(
        growth.batches.map { ($0.sequence, $0.count) }, uniquingKeysWith: { _, last in last })
    }
    var now = report.vocabularies.map(\.start)
    var rows: [HTML] = []
    for sequence in sequences {
      for place in now.indices { now[place] = counts[place][sequence] ?? now[place] }
      let cells = now.map { ReportTable.number($0) }
      rows.append("<tr>\(ReportTable.number(sequence))\(cells)</tr>")
    }
    let heads = ReportTable.heads(
      [("after event", true)] + report.vocabularies.map { ($0.name, true) })
    let left = max(0, rows.count - limit)
    let caption =
      left > 0
      ? "The last \(limit) batches that changed a number; \(Count.grouped(left)) before them are left out"
      : "The batches that changed a number"
    return ReportTable.scrolling(
      label: "Vocabularies by batch",
      """
      <table id="vocabulary-steps">
      <caption>\(caption)</caption>
      \(heads)
      <tbody>
      \(Array(rows.suffix(limit)))
      </tbody>
      </table>
      """)
  }

  var operations: HTML {
    let rows = report.operations.map { operation -> HTML in
      let info = operation.info
      let sequences =
        info.eventCount == 1
        ? "\(info.firstSequence)" : "\(info.firstSequence)–\(info.lastSequence)"
      let types = operation.types.map { "\(Count.grouped($0.events)) \($0.name)" }
      return """
        <tr><td class="number" data-value="\(info.firstSequence)">\(sequences)</td>\
        \(ReportTable.number(info.eventCount))\
        \(ReportTable.bytes(info.plainLength))\
        <td class="fixed">\(operation.at.description)</td>\
        \(ReportTable.code(operation.by))<td class="long wide">\(types.joined(separator: ", "))</td>\
        \(ReportTable.code(operation.operation.description))</tr>
        """
    }
    guard !rows.isEmpty else {
      return section(
        "operations", "Largest operations", "<p>There are no operations in this range.</p>")
    }
    let heads = ReportTable.heads([
      ("sequences", true), ("events", true), ("bytes", true), ("time", false), ("by", false),
      ("types", false), ("operation", false),
    ])
    return section(
      "operations", "Largest operations",
      """
      <p class="quiet">The ten batches with the most bytes and the ten with the most events, of \
      \(Count.grouped(report.range.batches)). \(sortHint)</p>
      \(ReportTable.scrolling(label: "Largest operations, one in each row", """
        <table id="heaviest" class="sortable">
        \(heads)
        <tbody>
        \(rows)
        </tbody>
        </table>
        """))
      """)
  }

  /// Shown by the script that makes it true.
  var sortHint: HTML {
    "<span class=\"sort-hint\" hidden>The headings sort the table.</span>"
  }
}
