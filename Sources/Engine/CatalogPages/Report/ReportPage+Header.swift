import ArgumentParser
import CatalogEngine
import CatalogModel
import EngineCommands
import EventLog

/// The range of the report, and the log that it was made from.
extension ReportPage {
  var header: HTML {
    """
    <header>
    <h1>History of a catalog, <span class="code">\(question.kind.name)</span></h1>
    <p class="quiet">\(scope)</p>
    \(facts)
    <nav aria-label="Parts of the report">
    <ul>
    <li><a href="#drift">The database and the log</a></li>
    <li><a href="#log">The log</a></li>
    \(report.rules.isEmpty ? "" : "<li><a href=\"#rules\">Rules</a></li>" as HTML)
    \(hasRows ? "<li><a href=\"#rows\">Rows over time</a></li>" : "" as HTML)
    \(report.statistics.largest.isEmpty ? "" : "<li><a href=\"#operations\">Largest operations</a></li>" as HTML)
    \(report.reverted.isEmpty ? "" : "<li><a href=\"#reverted\">Reverted operations</a></li>" as HTML)
    <li><a href="#changes">Row changes</a></li>
    </ul>
    </nav>
    </header>
    """
  }

  var footer: HTML {
    """
    <footer>
    <p>Made by <code>\(ProgramName.current) report</code> \(CatalogProgram.current?.root.configuration.version ?? "") from log \
    <code>\(report.logID.description)</code> at event \(report.head.sequence), chain hash \
    <code>\(report.head.chain.hex)</code>. Times are in UTC.</p>
    </footer>
    """
  }

  private var scope: String {
    if report.since == 0 { return "The whole log: \(range)." }
    if report.statistics.range.events == 0 {
      return "Nothing was appended after event \(report.since), where the range begins."
    }
    return "The range after event \(report.since): \(range)."
  }

  private var facts: HTML {
    let chain = report.head.chain.hex
    let isPart = report.since > 0
    return """
      <dl class="facts" id="facts" data-log="\(report.logID.description)" \
      data-sequence="\(report.head.sequence)" data-chain="\(chain)" data-since="\(report.since)" \
      data-events="\(report.statistics.range.events)" data-batches="\(report.statistics.range.batches)" \
      data-bytes="\(report.statistics.range.bytes)" data-log-events="\(report.statistics.whole.events)" \
      data-log-batches="\(report.statistics.whole.batches)" data-log-bytes="\(report.statistics.whole.bytes)">
      <div><dt>Log</dt><dd><code>\(report.logID.description)</code></dd></div>
      <div><dt>Head</dt><dd>event \(Count.grouped(report.head.sequence)), chain hash \
      <code title="\(chain)">\(chain.prefix(12))…</code></dd></div>
      \(amount(isPart ? "In the range" : "Events", report.statistics.range))
      \(isPart ? amount("In the whole log", report.statistics.whole) : "" as HTML)
      \(times(isPart ? "Times of the range" : "Times", report.statistics.range))
      \(isPart ? times("Times of the whole log", report.statistics.whole) : "" as HTML)
      </dl>
      """
  }

  private func amount(_ name: String, _ extent: LogStatistics.Extent) -> HTML {
    let batches = Count.of(extent.batches, "batch")
    return """
      <div><dt>\(name)</dt><dd>\(Count.of(extent.events, "event")) in \(batches), \
      <span title="\(Count.grouped(extent.bytes)) bytes">\(Count.bytes(extent.bytes))</span> \
      of plain text</dd></div>
      """
  }

  private func times(_ name: String, _ extent: LogStatistics.Extent) -> HTML {
    guard let first = extent.first, let last = extent.last else { return "" }
    return """
      <div><dt>\(name)</dt><dd>\(first.description) \
      to<br>\(last.description)</dd></div>
      """
  }
}
