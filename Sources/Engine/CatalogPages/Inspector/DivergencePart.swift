import CatalogEngine
import CatalogModel
import CatalogStore
import EngineCommands
import EventLog
import Projections

/// Where two catalogs begin to differ: the first batch of each, and the first row.
struct DivergencePart {
  private let question: InspectorQuestion
  private let other: CatalogDirectory
  private let found: Divergence
  private let receipts: ReceiptTable

  init(_ question: InspectorQuestion, _ other: CatalogDirectory) throws {
    (self.question, self.other) = (question, other)
    let log = try KnownKinds.current.log(other.logThatShouldBe(), besides: other.database)
    guard let own = question.states.history else {
      throw CatalogError(.readOnly, "a folder of events has no history to compare")
    }
    found = try Divergence(own, CatalogHistory(other, log))
    receipts = ReceiptTable(
      question,
      [
        (found.one.receipt, "A, rows after \(found.one.receipt.sequence)"),
        (found.other.receipt, "B, rows after \(found.other.receipt.sequence)"),
      ],
      id: "both-receipts")
  }

  var html: HTML {
    get throws {
      let sides = [("A", "this catalog", found.one), ("B", other.path, found.other)]
      let isSame = found.verdict == .same
      return """
        <p class="state \(isSame ? "good" : "bad")" id="divergence" data-verdict="\(found.verdict.rawValue)">\(found.words)</p>
        \(isSame ? "" : batches(sides))
        \(try row)
        <p>\(receipts.summary)</p>
        \(receipts.html)
        \(InspectorPage.command(command))
        """
    }
  }

  private var command: String {
    question.command(["diverge"], [other.path])
  }

  private func batches(_ sides: [(letter: String, name: String, side: Divergence.Side)]) -> HTML {
    let rows = sides.map { letter, name, side -> HTML in
      guard let batch = side.batch else {
        return "<tr><th scope=\"row\">\(letter), \(name)</th><td colspan=\"5\">no batch</td></tr>"
      }
      let range = batch.range
      let sequences: HTML =
        range.firstSequence == range.lastSequence
        ? "\(range.firstSequence)" : "\(range.firstSequence) to \(range.lastSequence)"
      let link =
        letter == "A"
        ? question.linked(sequences, .operation, [("event", String(range.firstSequence))])
        : sequences
      let types = batch.types.wordsByName.joined(separator: ", ")
      let tables = batch.steps.map { step in
        let table = TableSummary(found.tables[step.table], step)
        return "\(table.name): \(table.words)"
      }.joined(separator: "; ")
      return """
        <tr><th scope="row">\(letter), \(name)</th><td>\(link)</td><td class="fixed">\(batch.event.at.description)</td>\
        <td class="code">\(batch.event.by)</td><td class="long">\(types)</td><td class="long wide">\(tables)</td></tr>
        """
    }
    return ReportTable.table(
      "first-batches", label: "The first batch of each catalog that differs",
      [
        ("catalog", false), ("first batch that differs", false), ("time", false), ("by", false),
        ("events", false), ("rows", false),
      ], rows)
  }

  private var row: HTML {
    get throws {
      guard let row = found.row else { return "" }
      var values = ValueExcerpts(isWhole: false)
      let rows = row.columns.map { place -> HTML in
        let cells = [row.one, row.other].map { cells -> HTML in
          ReportTable.value(cells.map { values.text(StoredValue($0[place])) } ?? "no such row")
        }
        return
          "<tr><th scope=\"row\" class=\"code\">\(row.table.columns[place].name)</th>\(cells)</tr>"
      }
      let events = [row.oneEvent, row.otherEvent].map(question.origin)
      let title = question.title(
        of: row.table, row.key.map { StoredValue($0).plainWords }, row.name)
      let table = ReportTable.table(
        "first-row", label: "The first row that differs",
        [("column", false), ("A", false), ("B", false)],
        rows + ["<tr><th scope=\"row\">event</th>\(events)</tr>"])
      return """
        <p>The first row that differs: <span class="code">\(row.table.name)</span> \(title)</p>
        \(table)
        """
    }
  }
}
