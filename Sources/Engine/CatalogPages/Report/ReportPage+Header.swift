import ArgumentParser
import CatalogEngine
import CatalogModel
import EngineCommands
import EventLog

/// The range of the report, and the log that it was made from.
extension ReportPage {
  /// - Parameter links: to the parts of the page.
  func header(_ links: [HTML]) -> HTML {
    """
    <header>
    <h1>History of a catalog, <span class="code">\(question.kind.name)</span></h1>
    <p class="quiet">\(scope)</p>
    \(facts)
    <nav aria-label="Parts of the report">
    <ul>
    \(links)
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
    let (part, whole) = (report.statistics.range, report.statistics.whole)
    let isPart = report.since > 0
    let facts: [(String, HTML?)] = [
      ("Log", "<code>\(report.logID.description)</code>"),
      (
        "Head",
        """
        event \(Count.grouped(report.head.sequence)), chain hash \
        <code title="\(chain)">\(chain.prefix(12))…</code>
        """
      ),
      (isPart ? "In the range" : "Events", amount(part)),
      ("In the whole log", isPart ? amount(whole) : nil),
      (isPart ? "Times of the range" : "Times", times(part)),
      ("Times of the whole log", isPart ? times(whole) : nil),
    ]
    return ReportTable.facts(
      facts.compactMap { name, value in value.map { (name, $0) } },
      """
       id="facts" data-log="\(report.logID.description)" \
      data-sequence="\(report.head.sequence)" data-chain="\(chain)" data-since="\(report.since)" \
      data-events="\(part.events)" data-batches="\(part.batches)" data-bytes="\(part.bytes)" \
      data-log-events="\(whole.events)" data-log-batches="\(whole.batches)" data-log-bytes="\(whole.bytes)"
      """)
  }

  private func amount(_ extent: LogStatistics.Extent) -> HTML {
    """
    \(Count.of(extent.events, "event")) in \(Count.of(extent.batches, "batch")), \
    <span title="\(Count.grouped(extent.bytes)) bytes">\(Count.bytes(extent.bytes))</span> of plain text
    """
  }

  private func times(_ extent: LogStatistics.Extent) -> HTML? {
    guard let first = extent.first, let last = extent.last else { return nil }
    return "\(first.description) to<br>\(last.description)"
  }
}
