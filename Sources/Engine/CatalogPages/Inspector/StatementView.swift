import CatalogEngine
import CatalogModel
import CatalogStore
import EngineCommands
import EventLog
import Projections
import Synchronization

/// SQL at the moment that is shown.
struct StatementView {
  private let question: InspectorQuestion
  private let sql: String

  /// The most rows of a page, and the most bytes of a file.
  private static let listed = 500
  private static let longestFile = 64 << 20

  init(_ question: InspectorQuestion) throws {
    self.question = question
    sql =
      question.query["sql"]
      ?? AnswerView.standard(of: question.kind)
      .replacing("count(*)", with: "*")
  }

  /// A field for a statement.
  static func form(
    _ view: InspectorView, _ sql: String, _ question: InspectorQuestion, _ verb: String
  ) -> HTML {
    return """
      <form method="get" action="\(view.path)" class="statement">
      \(question.momentFields)
      <label for="sql">SQL that reads</label>
      <textarea id="sql" name="sql" rows="3" spellcheck="false">
      \(HTML.field(sql))</textarea>
      <button type="submit">\(verb)</button> <span class="quiet">Ctrl-Enter</span>
      </form>
      """
  }

  // MARK: Files

  /// The whole answer as a file, if the address asks for one.
  func file() throws -> CatalogInspector.Answer? {
    let (shape, type): (OutputShape, String)
    switch question.query["format"] {
    case nil, "html": return nil
    case "json": (shape, type) = (.indented, "application/json")
    case "csv": (shape, type) = (.csv, "text/csv; charset=utf-8")
    case let other?:
      throw InspectorQuery.Problem(description: "\"\(other)\" is not a format: html, json or csv")
    }
    let text = Text(limit: Self.longestFile)
    let console = Console(output: { text.append($0) }, errors: { _ in })
      .asking(isQuiet: true, shape, errorsAreJSON: false)
    var answer = AnswerOutput(.json, question.shown, console)
    try run {
      answer.begin($0)
    } _: {
      try answer.write($0)
      try text.requireRoom()
    }
    try answer.end()
    return CatalogInspector.Answer(200, type, text.value)
  }

  private func run(
    _ begin: ([String]) throws -> Void, _ body: ([StoredValue]) throws -> Void
  ) throws {
    try question.database().forEachRow(of: sql, until: question.limit, begin: begin, body)
  }

  // MARK: The page

  var html: HTML {
    get throws {
      let answer: HTML
      do {
        answer = question.query["sql"] == nil ? "" : try table
      } catch let error as CatalogError where error.code == .sqlRefused {
        answer = "<p class=\"state bad\" role=\"alert\" id=\"refused\">\(error.message)</p>"
      }
      return """
        <h2>SQL at event \(question.shown)</h2>
        <div class="beside">
        <div>
        \(Self.form(.sql, sql, question, "Run"))
        \(answer)
        \(question.shownCommand(["query", "--at", String(question.shown)], [sql]))
        </div>
        <aside aria-label="Tables">\(try tables)</aside>
        </div>
        """
    }
  }

  private var table: HTML {
    get throws {
      var columns: [String] = []
      var rows: [HTML] = []
      var isWhole = true
      struct PageFull: Error {}
      do {
        try run {
          columns = $0
        } _: { row in
          guard rows.count < Self.listed else {
            isWhole = false
            throw PageFull()
          }
          let cells = row.map { value -> HTML in
            value.number == nil
              ? ReportTable.value(value.words) : "<td class=\"number\">\(value.description)</td>"
          }
          rows.append("<tr>\(cells)</tr>")
        }
      } catch is PageFull {}
      let files = ["csv", "json"].map { format -> HTML in
        let address = question.link(
          .sql, [("sql", sql), ("format", format), ("at", String(question.shown))])
        return "<a href=\"\(address)\">\(format.uppercased())</a>"
      }
      let count = isWhole ? Count.of(rows.count, "row") : "the first \(Count.of(rows.count, "row"))"
      let over = question.link(.answer, [("sql", sql)])
      return """
        <p id="count">\(count) · \(files) · <a href="\(over)">its first value over time</a></p>
        \(ReportTable.table("result", label: "Answer", columns.map { ($0, false) }, isTall: true, rows))
        """
    }
  }

  private var tables: HTML {
    get throws {
      let receipt = try question.database().receipt(of: question.kind)
      let tables = Array(zip(question.kind.schema.tables, receipt.sums))
      func item(_ table: TableDescription, _ sum: MomentReceipt.Sum) -> HTML {
        let columns = table.columns.enumerated().map { place, column in
          column.name + (table.key.contains(place) ? " *" : "")
        }
        let address = question.link(.sql, [("sql", "SELECT * FROM \(table.sqlName) LIMIT 100")])
        let rows = question.link(.row, [("table", table.name)])
        return """
          <li><details><summary><span class="code">\(table.name)</span> <span class="quiet">\(Count.grouped(sum.rows))</span></summary>\
          <p class="code">\(columns.joined(separator: ", "))</p>\
          <p><a href="\(address)">Select</a> <a href="\(rows)">Rows</a></p></details></li>
          """
      }
      return """
        <h3>Tables</h3>
        <ul class="tables">\(tables.filter { !$0.0.isOwn }.map(item))</ul>
        <p class="quiet">* a part of the key</p>
        <details><summary>The program's own tables</summary>
        <ul class="tables">\(tables.filter { $0.0.isOwn }.map(item))</ul></details>
        """
    }
  }
}

/// Text that is written piece by piece, up to a limit.
private final class Text: Sendable {
  private let text = Mutex("")
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  var value: String { text.withLock { $0 } }

  func append(_ part: String) { text.withLock { $0 += part } }

  func requireRoom() throws {
    guard text.withLock({ $0.utf8.count }) <= limit else {
      throw CatalogError(
        .sqlRefused,
        "the answer has more than \(limit) bytes; ask for less, or use \(ProgramName.current) query"
      )
    }
  }
}
