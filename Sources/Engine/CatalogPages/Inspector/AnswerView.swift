import CatalogEngine
import CatalogModel
import CatalogStore
import EngineCommands
import EventLog
import Projections

/// The first value of a statement's answer over the log.
struct AnswerView {
  private let question: InspectorQuestion
  private let sql: String
  private let points: [Bisection.Point]
  private let axis: PlotAxis
  /// Why there are no answers; nil if there are.
  private let refusal: String?

  /// The most changes that the table lists.
  private static let listed = 200

  init(_ question: InspectorQuestion) throws {
    self.question = question
    sql = question.query["sql"] ?? Self.standard(of: question.kind)
    let range = question.range
    axis = PlotAxis(question, range)
    do {
      points = try Bisection(sql, in: question.states)
        .series(from: max(1, range.first), through: range.last)
      refusal = nil
    } catch let error as CatalogError where error.code == .sqlRefused {
      (points, refusal) = ([], error.message)
    }
  }

  /// Counts the rows of the first table whose rows have names.
  static func standard(of kind: any CatalogKind) -> String {
    let tables = kind.schema.tables.filter { !$0.isOwn }
    let table = tables.first { $0.columns.contains(where: \.isName) } ?? tables.first
    return "SELECT count(*) FROM \(table?.sqlName ?? "sqlite_master")"
  }

  var html: HTML {
    let curve = Curve(points, question, axis)
    let form = StatementView.form(.answer, sql, question, "Draw")
    if let refusal {
      return """
        <h2>Answer over time</h2>
        \(form)
        <p class="state bad" role="alert" id="refused">\(refusal)</p>
        \(examples)
        """
    }
    return """
      <h2>Answer over time</h2>
      \(form)
      <p id="summary">\(summary)</p>
      \(curve.html)
      \(table)
      \(question.shownCommand(command, [sql]))
      \(examples)
      """
  }

  private var command: [String] {
    ["history", "count"]
      + (question.from.map { ["--from", String($0)] } ?? [])
      + (question.to.map { ["--to", String($0)] } ?? [])
  }

  private var summary: HTML {
    guard let first = points.first, let last = points.last else { return "There is no answer." }
    let changes = points.count - 1
    guard changes > 0 else {
      return "The answer is <b>\(first.value.words)</b> in all states of the range."
    }
    let range = question.range
    let isWithin = range.first < question.shown && question.shown <= range.last
    let now: HTML =
      isWithin
      ? "; <b>\(value(at: question.shown).words)</b> after event \(question.shown)" : ""
    return """
      From <b>\(first.value.words)</b> to <b>\(last.value.words)</b> in \
      \(Count.of(changes, "change"))\(now).
      """
  }

  /// The answer of the state after an event.
  private func value(at sequence: UInt64) -> StoredValue {
    (points.last { $0.batch.lastSequence <= sequence } ?? points.first)?.value ?? .null
  }

  private var table: HTML {
    let first = max(0, points.count - Self.listed)
    let rows = points.indices.dropFirst(first).reversed().map { place -> HTML in
      let point = points[place]
      let before = place > 0 ? points[place - 1].value.words : ""
      return """
        <tr>\(ReportTable.number(point.batch.lastSequence))<td class="fixed">\(point.at.description)</td>\
        \(ReportTable.value(before))\(ReportTable.value(point.value.words))\
        <td><a href="\(question.link(.operation, [("event", String(point.batch.lastSequence))]))">operation</a></td></tr>
        """
    }
    let caption =
      first > 0
      ? "The last \(Self.listed) of \(Count.grouped(points.count)) answers"
      : "Each answer, the newest first"
    return ReportTable.table(
      "answers", label: "Answers",
      [
        ("after event", true), ("time", false), ("before", false), ("answer", false),
        ("changed by", false),
      ], isTall: true, caption: caption, rows)
  }

  private var examples: HTML {
    let tables = question.kind.schema.tables.filter { !$0.isOwn }.map { table -> HTML in
      let sql = "SELECT count(*) FROM \(table.sqlName)"
      return "<li><a href=\"\(question.link(.answer, [("sql", sql)]))\">\(table.name)</a></li>"
    }
    return """
      <details><summary>How many rows each table had</summary>
      <ul class="columns">
      \(tables)
      </ul></details>
      """
  }
}

extension StoredValue {
  /// As a cell of a page has it.
  var words: String {
    switch self {
    case .text(let text): text
    case .integer(let number): Count.grouped(number)
    default: description
    }
  }

  /// Nil if it is no number.
  var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number) where number.isFinite: number
    default: nil
    }
  }
}

/// An answer over the log: numbers as a line of steps, true and false and texts as bands.
struct Curve {
  private static let height = 200.0
  /// Bands of more than so many different answers would not be told apart.
  private static let colours = 7

  private let points: [Bisection.Point]
  private let question: InspectorQuestion
  private let axis: PlotAxis
  /// A title; nothing if the page around it has one.
  private let caption: HTML

  init(
    _ points: [Bisection.Point], _ question: InspectorQuestion, _ axis: PlotAxis, caption: HTML = ""
  ) {
    (self.points, self.question, self.axis, self.caption) = (points, question, axis, caption)
  }

  private var isTruth: Bool {
    points.allSatisfy { [.integer(0), .integer(1), .null].contains($0.value) }
  }

  private var isNumber: Bool {
    points.contains { $0.value.number != nil }
      && points.allSatisfy { $0.value.number != nil || $0.value == .null }
  }

  var html: HTML {
    guard !points.isEmpty else { return "" }
    let (drawing, scale, legend) =
      isTruth || !isNumber ? bands : line
    let column = axis.column(ofBatch: question.place(of: question.shown))
    let isWithin = axis.first < question.shown && question.shown <= axis.last
    let now: HTML =
      isWithin ? "<rect class=\"now\" x=\"\(column)\" y=\"0\" width=\"1.5\" height=\"200\"/>" : ""
    let isFile = question.directory == nil
    let figure: HTML =
      isFile ? "<figure><figcaption>\(caption)</figcaption>" : "<figure id=\"curve\">"
    let name: HTML =
      isFile
      ? "aria-hidden=\"true\""
      : """
      role="group" aria-label="The answer over the log; the table below has the same" \
      data-ends="\(axis.endsText)"
      """
    return """
      \(figure)
      <div class="plot">
      \(scale)
      <svg viewBox="0 0 \(PlotAxis.columns) 200" preserveAspectRatio="none" \(name)>
      \(drawing)
      \(now)
      \(isFile ? [] : steps)
      </svg>
      <div class="ends"><span>event \(Count.grouped(axis.first))</span>\
      <span>event \(Count.grouped(axis.last))</span></div>
      </div>
      \(legend)
      </figure>
      """
  }

  /// Links over the columns in which the answer changed.
  private var steps: [HTML] {
    var last: [Int: UInt64] = [:]
    for point in points.dropFirst() {
      last[axis.column(ofBatch: question.place(of: point.batch.lastSequence))] =
        point.batch.lastSequence
    }
    return last.sorted { $0.key < $1.key }.map { column, event in
      """
      <a href="\(question.link(.operation, [("event", String(event))]))" tabindex="-1">\
      <rect class="target" x="\(column)" y="0" width="1" height="200"><title>event \(event)</title></rect></a>
      """
    }
  }

  // MARK: Numbers

  /// The line, its scale, and nothing to explain.
  private var line: (HTML, HTML, HTML) {
    let values = points.compactMap(\.value.number)
    let (low, high) = (min(0, values.min() ?? 0), max(values.max() ?? 0, 0))
    let top = high == low ? low + 1 : high
    func y(_ value: Double) -> Int {
      // Halves, as the difference of two numbers may be beyond all numbers.
      let span = top / 2 - low / 2
      let part = span > 0 ? (value / 2 - low / 2) / span : 0
      return Int((Self.height - min(max(part, 0), 1) * Self.height).rounded())
    }
    // Each column goes from the answer before it through its smallest and largest to its last.
    var path = ""
    var isDrawn = false
    var current: (column: Int, low: Double, high: Double, last: Double)?
    func draw(_ part: (column: Int, low: Double, high: Double, last: Double)) {
      if isDrawn {
        path += "H\(part.column)V\(y(part.high))V\(y(part.low))V\(y(part.last))"
      } else {
        path += "M\(part.column) \(y(part.last))"
        isDrawn = true
      }
    }
    for (place, point) in points.enumerated() {
      let column =
        place == 0 ? 0 : axis.column(ofBatch: question.place(of: point.batch.lastSequence))
      guard let value = point.value.number else {
        if let part = current { draw(part) }
        if isDrawn { path += "H\(column)" }
        (current, isDrawn) = (nil, false)
        continue
      }
      if let part = current, part.column == column {
        current = (column, min(part.low, value), max(part.high, value), value)
      } else {
        if let part = current { draw(part) }
        current = (column, value, value, value)
      }
    }
    if let part = current { draw(part) }
    if isDrawn { path += "H\(PlotAxis.columns)" }
    let scale: HTML = """
      <div class="scale" aria-hidden="true"><span>\(Self.words(top))</span><span>\(Self.words(low))</span></div>
      """
    return ("<path class=\"step\" d=\"\(path)\"/>", scale, "")
  }

  private static func words(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? Count.grouped(Int(number)) : "\(number)"
  }

  // MARK: Bands

  /// The bands, no scale, and the answers by their colours.
  private var bands: (HTML, HTML, HTML) {
    var answers: [StoredValue] = []
    for point in points where !answers.contains(point.value) && answers.count < Self.colours {
      answers.append(point.value)
    }
    if isTruth { answers = [.integer(1), .integer(0), .null].filter(answers.contains) }
    func colour(_ value: StoredValue) -> Int { answers.firstIndex(of: value) ?? 7 }
    // A truth keeps its colour, whatever comes first.
    func style(_ value: StoredValue) -> String {
      guard isTruth else { return "s\(colour(value))" }
      return value == .integer(1) ? "s0" : value == .integer(0) ? "no" : "nothing"
    }
    var parts: [HTML] = []
    var place = 0
    while place < points.count {
      let value = points[place].value
      let begin =
        place == 0 ? 0 : axis.column(ofBatch: question.place(of: points[place].batch.lastSequence))
      var next = place + 1
      // Of the answers of one column the last is shown.
      while next < points.count,
        axis.column(ofBatch: question.place(of: points[next].batch.lastSequence)) == begin
      {
        next += 1
      }
      let shown = next - 1 > place ? points[next - 1].value : value
      let end =
        next < points.count
        ? axis.column(ofBatch: question.place(of: points[next].batch.lastSequence))
        : PlotAxis.columns
      if end > begin {
        parts.append(
          "<rect class=\"\(style(shown))\" x=\"\(begin)\" y=\"40\" width=\"\(end - begin)\" height=\"120\"/>"
        )
      }
      place = next
    }
    let items = answers.map { value -> HTML in
      let words =
        isTruth
        ? (value == .null ? "no answer" : value.words)
        : String(value.words.prefix(60))
      return """
        <li><svg viewBox="0 0 1 1" aria-hidden="true"><rect class="\(style(value))" width="1" height="1"/></svg>\(words)</li>
        """
    }
    let isWhole = points.allSatisfy { answers.contains($0.value) }
    let others: HTML = !isWhole ? "<li>grey: others</li>" : ""
    return (
      "\(parts)", "<div class=\"scale\"></div>", "<ul class=\"legend\">\(items)\(others)</ul>"
    )
  }
}
