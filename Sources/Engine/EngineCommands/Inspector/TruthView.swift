import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Foundation
import Projections

/// Whether the database is what the log says, and the sums of the rows at two moments side by side.
struct TruthView {
  private let question: InspectorQuestion
  private let other: UInt64

  init(_ question: InspectorQuestion) throws {
    self.question = question
    if let text = question.query["other"] {
      guard let moment = Moment(text), moment != .live,
        let sequence = try question.states.found(moment).sequence
      else {
        throw InspectorQuery.Problem(description: "\"\(text)\" is not a moment of the log")
      }
      other = sequence
    } else {
      other = question.head.sequence
    }
  }

  var html: HTML {
    get throws {
      """
      <h2>Truth</h2>
      <dl class="facts">
      <div><dt>Log</dt><dd class="code">\(EntityID(bytes: try question.states.log.logID()?.bytes ?? []).description)</dd></div>
      <div><dt>Head</dt><dd>event \(question.head.sequence), <span class="code">\(question.head.chain.hex)</span></dd></div>
      <div><dt>Kind</dt><dd class="code">\(question.kind.name)</dd></div>
      <div><dt>History</dt><dd>\(history)</dd></div>
      </dl>
      <h3>The database and the log</h3>
      \(try drift)
      <h3>The rows at two moments</h3>
      \(try receipts)
      """
    }
  }

  private var history: String {
    question.states.history.map { Count.bytes($0.byteCount) } ?? "none"
  }

  private var drift: HTML {
    get throws {
      let compare = question.link(
        .truth, [("compare", "rows"), ("other", question.query["other"])])
      guard question.query["compare"] == "rows" else {
        return """
          <p>Each row, index and digest of the database is compared with the state that the log gives. \
          <a class="button" href="\(compare)">Compare all rows now</a></p>
          \(question.shownCommand(["verify"]))
          """
      }
      let drift = try LiveDrift(
        of: question.states, live: question.directory.database, rowLimit: 200)
      return """
        <div id="drift">\(DriftPart(drift: drift, sortHint: "").html)</div>
        \(InspectorPage.command(question.command(["verify"])))
        \(InspectorPage.command(question.command(["rebuild", "--keep-old", "old.sqlite"])))
        """
    }
  }

  private var receipts: HTML {
    get throws {
      let kind = question.kind
      let one = try PastDatabase(.sequence(question.shown), of: question.states, live: nil)
        .receipt(of: kind)
      let two = try PastDatabase(.sequence(other), of: question.states, live: nil)
        .receipt(of: kind)
      let rows = zip(one.sums, two.sums).map { left, right -> HTML in
        let isSame = left == right
        let table =
          isSame
          ? "<span class=\"code\">\(left.table)</span>" as HTML
          : "<a class=\"code\" href=\"\(question.link(.answer, [("sql", "SELECT count(*) FROM \(left.table)")]))\">\(left.table)</a>"
        return """
          <tr><th scope="row">\(table)</th>\(ReportTable.number(left.rows))\
          <td class="code">\(left.digest.prefix(16))</td>\(ReportTable.number(right.rows))\
          <td class="code">\(right.digest.prefix(16))</td><td>\(isSame ? "same" : "differs")</td></tr>
          """
      }
      let differing = zip(one.sums, two.sums).filter { $0 != $1 }.count
      let heads = ReportTable.heads([
        ("table", false), ("rows after \(question.shown)", true), ("digest", false),
        ("rows after \(other)", true), ("digest", false), ("", false),
      ])
      return """
        <form method="get" action="/truth" class="fields">
        <label>Event \(question.shown) beside <input name="other" value="\(other)" size="22"></label>
        \(question.momentFields)
        <button type="submit">Compare</button>
        </form>
        <p id="differing">\(differing == 0 ? "All tables are the same." : "\(Count.of(differing, "table")) \(differing == 1 ? "differs" : "differ").")</p>
        \(ReportTable.scrolling(label: "Receipts", "<table id=\"receipts\">\(heads)<tbody>\(rows)</tbody></table>"))
        \(question.shownCommand(["diff", String(min(question.shown, other)), String(max(question.shown, other)), "--summary"]))
        \(question.shownCommand(["receipt", "--at", String(question.shown)]))
        """
    }
  }
}
