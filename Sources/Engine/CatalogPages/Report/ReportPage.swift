import CatalogEngine
import CatalogModel
import EngineCommands
import EventLog
import Foundation
import Support

/// A report as one HTML page that needs nothing else: no network, no fonts, no files. Its parts are those of the inspector.
///
/// The same report gives the same bytes.
struct ReportPage {
  let report: HistoryReport
  let question: InspectorQuestion
  let names: RowNames?

  /// - Parameter states: those that the report was made of.
  init(_ report: HistoryReport, of states: PastStates) throws {
    self.report = report
    question = try InspectorQuestion(fileOf: states, head: report.head, since: report.since)
    names = try states.names(through: report.head.sequence)
  }

  var text: String {
    get throws {
      let parts = try parts.filter { !$0.content.text.isEmpty }
      return HTML.page(
        "History of catalog \(report.logID.description.prefix(8)), \(range)",
        head: """
          <meta http-equiv="Content-Security-Policy" content="\(policy)">
          <style>\(PageStyle.css)</style>
          """,
        skip: "To the report",
        """
        \(header(parts.map { "<li><a href=\"#\($0.id)\">\($0.title)</a></li>" }))
        <main id="main" tabindex="-1">
        \(parts.map(\.section))
        </main>
        \(footer)
        """, end: "<script>\(PageScript.sorting)</script>"
      ).text
    }
  }

  /// A part of the page; one without content is left out.
  private struct Part {
    let id: String
    let title: String
    let content: HTML

    init(_ id: String, _ title: String, _ content: HTML) {
      (self.id, self.title, self.content) = (id, title, content)
    }

    var section: HTML {
      """
      <section id="\(id)" aria-labelledby="\(id)-heading">
      <h2 id="\(id)-heading">\(title)</h2>
      \(content)
      </section>
      """
    }
  }

  private var parts: [Part] {
    get throws {
      let drift = DriftPart(
        drift: report.drift, names: names, question: question, sortHint: sortHint)
      return [
        Part("drift", "The database and the log", try drift.html),
        Part("log", "The log", timeline),
        Part("rules", "Rules", report.rules.isEmpty ? "" : RulesPart(report.rules).html),
        Part("rows", "Rows over time", try rows),
        Part("reverted", "Reverted operations", reverted),
        Part("operations", "Largest operations", try operations),
        Part("changes", "Row changes", try changes),
      ]
    }
  }

  /// Only this style and this script count, and nothing is loaded from anywhere.
  private var policy: String {
    func source(_ markup: HTML) -> String {
      "'sha256-\(Data(SHA256.hash(data: Data(markup.text.utf8))).base64EncodedString())'"
    }
    return "default-src 'none'; style-src \(source(PageStyle.css)); "
      + "script-src \(source(PageScript.sorting)); base-uri 'none'; form-action 'none'"
  }

  /// The events of the report.
  var range: String {
    if report.statistics.range.events == 0 { return "no events" }
    let first = report.since + 1
    return first == report.head.sequence
      ? "event \(first)" : "events \(first) to \(report.head.sequence)"
  }

  /// Shown by the script that makes it true.
  var sortHint: HTML {
    "<span class=\"sort-hint\" hidden>The headings sort the table.</span>"
  }
}
