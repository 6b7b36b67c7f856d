import CatalogEngine
import CatalogModel
import CatalogStore
import EngineCommands
import EventLog

/// Events, rows and operations over time.
extension ReportPage {
  /// The whole log, with the range that the report is of.
  var timeline: HTML {
    func table(_ id: String, _ name: String, _ counts: LogStatistics.Shares) -> HTML {
      let rows = counts.byEvents.map { count -> HTML in
        """
        <tr><th scope="row" class="code">\(count.name)</th>\(ReportTable.number(count.events))</tr>
        """
      }
      return ReportTable.table(
        "\(id)-numbers", label: "Events by \(name)", [(name, false), ("events", true)], rows,
        last:
          "<tfoot><tr><th scope=\"row\">together</th>\(ReportTable.number(report.statistics.range.events))</tr></tfoot>"
      )
    }
    let numbers: HTML =
      report.statistics.range.events == 0
      ? "<p>There are no events in this range.</p>"
      : """
      <div class="many">
      \(table("types", "type", report.statistics.types))
      \(table("sources", "source", report.statistics.sources))
      </div>
      """
    return """
      \(Timeline(question).html)
      \(numbers)
      """
  }

  /// Whether rows are shown over time: the tables of a kind may be such that no history can have them.
  var hasRows: Bool { report.statistics.range.events > 0 && question.states.history != nil }

  /// How many rows each table had, as far as the number changed.
  var rows: HTML {
    get throws {
      guard hasRows else { return "" }
      let range = question.range
      let axis = PlotAxis(question, range)
      var curves: [HTML] = []
      var numbers: [HTML] = []
      var same: [String] = []
      for (table, points) in try question.states.rowCounts(
        from: max(1, range.first), through: range.last)
      {
        guard let first = points.first?.value, let last = points.last?.value, points.count > 1
        else {
          same.append(table.name)
          continue
        }
        let caption: HTML = "<span class=\"code\">\(table.name)</span>: \(last.words)"
        curves.append(Curve(points, question, axis, caption: caption).html)
        numbers.append(
          """
          <tr><th scope="row" class="code">\(table.name)</th>\(Self.number(first))\
          \(ReportTable.number(points.count - 1))\(Self.number(last))</tr>
          """)
      }
      let table = ReportTable.table(
        "row-numbers", label: "Rows over time, numbers",
        [("table", false), ("before", true), ("changes", true), ("at the end", true)], numbers)
      let others: HTML =
        same.isEmpty
        ? ""
        : "<p class=\"quiet\">The number of rows stayed the same: \(same.joined(separator: ", ")).</p>"
      guard !curves.isEmpty else { return others }
      return """
        <p class="quiet">How many rows each table had after each batch; batches are equally far apart.</p>
        <div class="many">
        \(curves)
        </div>
        \(others)
        <details>
        <summary>Rows over time: the numbers</summary>
        \(table)
        </details>
        """
    }
  }

  private static func number(_ value: StoredValue) -> HTML {
    guard case .integer(let number) = value else { return ReportTable.value(value.words) }
    return ReportTable.number(number)
  }

  var operations: HTML {
    get throws {
      let rows = report.statistics.largest.map { operation -> HTML in
        let info = operation.info
        let sequences =
          info.eventCount == 1
          ? "\(info.firstSequence)" : "\(info.firstSequence)–\(info.lastSequence)"
        let types = operation.types.map { "\(Count.grouped($0.events)) \($0.name)" }
        return """
          <tr><td class="number" data-value="\(info.firstSequence)">\
          \(link(to: info.firstSequence, sequences))</td>\
          \(ReportTable.number(info.eventCount))\
          \(ReportTable.bytes(info.plainLength))\
          <td class="fixed">\(operation.at.description)</td>\
          \(ReportTable.code(operation.by))<td class="long wide">\(types.joined(separator: ", "))</td>\
          \(ReportTable.code(operation.operation.description))</tr>
          """
      }
      guard !rows.isEmpty else { return "" }
      let table = ReportTable.table(
        "heaviest", label: "Largest operations, one in each row",
        [
          ("sequences", true), ("events", true), ("bytes", true), ("time", false), ("by", false),
          ("types", false), ("operation", false),
        ], isSortable: true, rows)
      return """
        <p class="quiet">The ten batches with the most bytes and the ten with the most events, of \
        \(Count.grouped(report.statistics.range.batches)). \(sortHint)</p>
        \(table)
        \(try details)
        """
    }
  }

  /// Shows the changes of each of them, in the order of the log.
  private var details: [HTML] {
    get throws {
      guard question.states.history != nil else { return [] }
      return try report.statistics.largest.sorted { $0.info.firstSequence < $1.info.firstSequence }
        .map {
          operation in
          let first = operation.info.firstSequence
          let view = try OperationView(
            question, event: first, listed: 40, prefix: "operation-\(first)-")
          return """
            <details id="operation-\(first)"><summary>\(view.title), by \(operation.by): what changed</summary>
            \(try view.rows)
            </details>
            """
        }
    }
  }

  /// A link to what an operation changed, as far as that is shown.
  private func link(to operation: UInt64, _ words: String) -> HTML {
    question.states.history == nil
      ? "\(words)" : "<a href=\"#operation-\(operation)\">\(words)</a>"
  }
}
