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
    get throws { try page.text }
  }

  private var page: HTML {
    get throws {
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>History of catalog \(report.logID.description.prefix(8)), \(range)</title>
      <style>\(Self.css)</style>
      </head>
      <body class="inspector">
      <a class="skip" href="#main">To the report</a>
      \(header)
      <main id="main" tabindex="-1">
      \(section("drift", "The database and the log", try drift))
      \(section("log", "The log", timeline))
      \(rules)
      \(try rows)
      \(reverted)
      \(try operations)
      \(try changes)
      </main>
      \(footer)
      <div id="sorted" class="unseen" role="status"></div>
      <script>\(ReportStyle.script)</script>
      </body>
      </html>

      """
    }
  }

  private static let css = ReportStyle.css + InspectorStyle.css

  private var drift: HTML {
    get throws {
      try DriftPart(drift: report.drift, names: names, kind: question.kind, sortHint: sortHint).html
    }
  }

  /// Empty if the kind has no rules.
  private var rules: HTML {
    report.rules.isEmpty ? "" : section("rules", "Rules", RulesPart(report.rules).html)
  }

  /// Only this style and this script count, and nothing is loaded from anywhere.
  private var policy: String {
    func source(_ markup: HTML) -> String {
      "'sha256-\(Data(SHA256.hash(data: Data(markup.text.utf8))).base64EncodedString())'"
    }
    return "default-src 'none'; style-src \(source(Self.css)); "
      + "script-src \(source(ReportStyle.script)); base-uri 'none'; form-action 'none'"
  }

  /// The events of the report.
  var range: String {
    if report.statistics.range.events == 0 { return "no events" }
    let first = report.since + 1
    return first == report.head.sequence
      ? "event \(first)" : "events \(first) to \(report.head.sequence)"
  }

  /// A part of the page.
  func section(_ id: String, _ title: String, _ content: HTML) -> HTML {
    """
    <section id="\(id)" aria-labelledby="\(id)-heading">
    <h2 id="\(id)-heading">\(title)</h2>
    \(content)
    </section>
    """
  }
}
