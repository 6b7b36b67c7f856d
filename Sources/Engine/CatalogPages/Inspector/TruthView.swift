import CatalogEngine
import CatalogModel
import CatalogStore
import EngineCommands
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
        throw InspectorQuery.Problem(
          description: "\"\(text)\" is not a moment of the log: write \(Moment.forms)")
      }
      other = sequence
    } else {
      other = question.head.sequence
    }
  }

  var html: HTML {
    get throws {
      let log = EntityID(bytes: try question.states.log.logID()?.bytes ?? [])
      let facts = ReportTable.facts([
        ("Log", "<code>\(log.description)</code>"),
        ("Head", "event \(question.head.sequence), <code>\(question.head.chain.hex)</code>"),
        ("Kind", "<code>\(question.kind.name)</code>"), ("History", "\(history)"),
      ])
      return """
        <h2>Truth</h2>
        \(facts)
        <h3>The database and the log</h3>
        \(try drift)
        \(try rules)
        <h3>The rows at two moments</h3>
        \(try receipts)
        \(try divergence)
        """
    }
  }

  /// Nothing if there is no other catalog.
  private var divergence: HTML {
    get throws {
      guard let other = question.other else { return "" }
      let part: HTML
      do {
        part = try DivergencePart(question, other).html
      } catch {
        // The rest of the page is about this catalog alone.
        let error = StoreError(ofSQLite: error) ?? error
        part = "<p class=\"state bad\" id=\"divergence\">\(String(describing: error))</p>"
      }
      return """
        <h3>This catalog and <span class="code">\(other.path)</span></h3>
        \(part)
        """
    }
  }

  private var history: String {
    question.states.history.map { Count.bytes($0.byteCount) } ?? "none"
  }

  /// The state of the live database as far as it is known before its rows are compared with the log.
  private var standing: HTML {
    let (kind, words): (String, HTML) =
      switch question.live {
      case nil, .missing: ("plain", "There is no live database.")
      case .sound:
        (
          "plain",
          "Not compared with the log yet. The rows are those that the projector wrote: their digests prove it."
        )
      case .unknown(let reason): ("plain", "Not compared yet: \(reason)")
      case .changed(let problem):
        (
          "bad",
          "Not compared with the log yet. The rows are not those that the projector wrote: \(problem)"
        )
      }
    return "<p class=\"state \(kind)\" id=\"standing\">\(words)</p>"
  }

  private var drift: HTML {
    get throws {
      let compare = question.link(
        .truth, [("compare", "rows"), ("other", question.query["other"])])
      guard question.query["compare"] == "rows" else {
        return """
          \(standing)
          <p>Each row, index and digest of the database is compared with the state that the log gives. \
          <a class="button slow" href="\(compare)">Compare all rows now</a></p>
          \(question.shownCommand(["verify"]))
          """
      }
      let drift = try LiveDrift(
        of: question.states, live: question.directory?.database, rowLimit: 200)
      let part = DriftPart(
        drift: drift, names: try question.states.names(through: question.head.sequence),
        question: question, sortHint: "")
      return """
        <div id="drift">\(try part.html)</div>
        \(InspectorPage.command(question.command(["verify"])))
        \(InspectorPage.command(question.command(["rebuild", "--keep-old", "old.sqlite"])))
        """
    }
  }

  /// Nothing if the kind has no rules.
  private var rules: HTML {
    get throws {
      guard let kind = question.kind as? any RuledKind, !kind.standingRules.isEmpty else {
        return ""
      }
      let findings = try question.database().findings(ofRulesOf: kind, until: question.limit)
      return """
        <h3>Today's rules, at event \(question.shown)</h3>
        \(RulesPart(findings).html)
        \(question.at == nil ? question.shownCommand(["rules"]) : "")
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
      let table = ReceiptTable(
        question, [(one, "rows after \(question.shown)"), (two, "rows after \(other)")],
        id: "receipts")
      let summary =
        question.shown == other
        ? "Both are the state after event \(other): choose another moment." : table.summary
      return """
        <form method="get" action="/truth" class="fields">
        <label>Event \(question.shown) beside <input name="other" value="\(other)" size="22"></label>
        \(question.momentFields)
        <button type="submit">Compare</button>
        </form>
        <p id="differing">\(summary)</p>
        \(table.html)
        \(question.shownCommand(["diff", String(min(question.shown, other)), String(max(question.shown, other)), "--summary"]))
        \(question.shownCommand(["receipt", "--at", String(question.shown)]))
        """
    }
  }
}

/// The rows and digests of each table in two states side by side.
struct ReceiptTable {
  private let question: InspectorQuestion
  private let pairs: [(one: MomentReceipt.Sum, two: MomentReceipt.Sum)]
  private let names: [String]
  private let id: String

  /// - Parameters:
  ///   - sides: both receipts, with the heading of the number of their rows.
  ///   - id: the table's, in the page.
  init(_ question: InspectorQuestion, _ sides: [(receipt: MomentReceipt, name: String)], id: String)
  {
    (self.question, self.id) = (question, id)
    pairs = zip(sides[0].receipt.sums, sides[1].receipt.sums).map { ($0, $1) }
    names = sides.map(\.name)
  }

  var summary: String {
    let differing = pairs.count { $0.one != $0.two }
    return differing == 0
      ? "All tables are the same."
      : "\(Count.of(differing, "table")) \(differing == 1 ? "differs" : "differ")."
  }

  var html: HTML {
    let rows = pairs.map { one, two -> HTML in
      let isSame = one == two
      let table =
        isSame
        ? "<span class=\"code\">\(one.table)</span>" as HTML
        : "<a class=\"code\" href=\"\(question.link(.answer, [("sql", "SELECT count(*) FROM \(one.table)")]))\">\(one.table)</a>"
      return """
        <tr><th scope="row">\(table)</th>\(ReportTable.number(one.rows))\
        <td class="code">\(one.digest.prefix(16))</td>\(ReportTable.number(two.rows))\
        <td class="code">\(two.digest.prefix(16))</td><td>\(isSame ? "same" : "differs")</td></tr>
        """
    }
    return ReportTable.table(
      id, label: "Receipts",
      [
        ("table", false), (names[0], true), ("digest", false), (names[1], true), ("digest", false),
        ("", false),
      ], rows)
  }
}
