import CatalogEngine
import CatalogModel
import EventLog
import Foundation
import Hashing

/// A report as one HTML page that needs nothing else: no network, no fonts, no files.
///
/// The same report gives the same bytes.
struct ReportPage {
  let report: HistoryReport

  var text: String {
    page.text
  }

  private var page: HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(policy)">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>History of catalog \(report.logID.description.prefix(8)), \(range)</title>
    <style>\(ReportStyle.css)</style>
    </head>
    <body>
    <a class="skip" href="#main">To the report</a>
    \(header)
    <main id="main" tabindex="-1">
    \(timeline)
    \(vocabularies)
    \(operations)
    \(reverted)
    \(section("drift", "Drift", DriftPart(drift: report.drift, sortHint: sortHint).html))
    \(changes)
    </main>
    \(footer)
    <div id="sorted" class="unseen" role="status"></div>
    <script>\(ReportStyle.script)</script>
    </body>
    </html>

    """
  }

  /// Only this style and this script count, and nothing is loaded from anywhere.
  private var policy: String {
    func source(_ markup: HTML) -> String {
      "'sha256-\(Data(SHA256.hash(data: Data(markup.text.utf8))).base64EncodedString())'"
    }
    return "default-src 'none'; style-src \(source(ReportStyle.css)); "
      + "script-src \(source(ReportStyle.script)); base-uri 'none'; form-action 'none'"
  }

  /// The events that the report tells of.
  var range: String {
    if report.range.events == 0 { return "no events" }
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
