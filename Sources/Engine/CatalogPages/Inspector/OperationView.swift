import CatalogEngine
import CatalogModel
import CatalogStore
import EngineCommands
import EventLog
import Projections
import Support

/// One batch: the operation, what it changed, and what the changed rows have in common.
struct OperationView {
  private let question: InspectorQuestion
  private let batch: Divergence.Batch
  /// Nil if they are too many to be listed.
  private let steps: [RecordedChange]?
  private let names: RowNames?
  /// The most rows that are listed.
  private let listed: Int
  /// The beginning of ids in the page: a file has several operations.
  private let prefix: String

  /// The most rows that are read.
  private static let readable = 20_000

  init(_ question: InspectorQuestion) throws {
    let sequence: UInt64
    if let text = question.query["event"] {
      guard let number = UInt64(text) else {
        throw InspectorQuery.Problem(description: "\"\(text)\" is not the number of an event")
      }
      sequence = number
    } else {
      sequence = question.shown
    }
    try self.init(question, event: sequence, listed: 300, prefix: "")
  }

  /// - Parameters:
  ///   - sequence: an event of the operation's batch.
  ///   - listed: the most changed rows that are listed.
  ///   - prefix: the beginning of ids in the page.
  init(
    _ question: InspectorQuestion, event sequence: UInt64, listed: Int, prefix: String
  ) throws {
    (self.question, self.listed, self.prefix) = (question, listed, prefix)
    batch = try question.states.described(batchContaining: sequence)
    let rows = batch.steps.reduce(0) { $0 + $1.added + $1.removed + $1.changed }
    let range = batch.range
    steps =
      rows > Self.readable
      ? nil
      : try question.states.steps(
        in: question.kind.schema.tables, after: range.firstSequence - 1,
        through: range.lastSequence)
    names = try question.states.names(through: range.lastSequence)
  }

  var html: HTML {
    get throws {
      let range = batch.range
      let (first, last) = (range.firstSequence, range.lastSequence)
      let before = question.step("◀ batch before", to: first - 1, .operation)
      let after = question.step("batch after ▶", to: last + 1, .operation)
      return """
        <h2>\(Self.title(range))</h2>
        <p class="steps">\(before) \(after)
        <a href="\(question.link(.events, [("event", String(first))]))">its events</a>
        <a href="\(question.link(.sql, [("at", String(last))]))">SQL after it</a></p>
        \(facts)
        \(described)
        \(try rows)
        \(commands)
        """
    }
  }

  /// Shows the changes of rows: counts by table, what they have in common, the rows themselves.
  var rows: HTML {
    get throws {
      let common = try CommonValues(steps ?? [], question, before: batch.range.firstSequence - 1)
      return """
        \(counts)
        \(try columns)
        \(try common.html(id: prefix + "common"))
        \(try list(steps))
        """
    }
  }

  var title: String { Self.title(batch.range) }

  private static func title(_ range: BatchRange) -> String {
    range.firstSequence == range.lastSequence
      ? "Event \(Count.grouped(range.firstSequence))"
      : "Events \(Count.grouped(range.firstSequence)) to \(Count.grouped(range.lastSequence))"
  }

  /// The changes of a new description; nothing if there are none.
  private var described: HTML {
    let lines =
      (question.kind as? any SelfDescribingKind)?
      .descriptionChanges(in: batch.range.firstSequence...batch.range.lastSequence) ?? []
    if lines.isEmpty { return "" }
    return "<ul id=\"described\">\(lines.map { "<li>\($0)</li>" as HTML })</ul>"
  }

  private var facts: HTML {
    ReportTable.facts([
      ("Operation", "<code id=\"operation\">\(batch.event.operation.description)</code>"),
      ("By", "<code>\(batch.event.by)</code>"), ("Time", "\(batch.event.at.description)"),
      ("Events", "\(batch.types.wordsByFrequency.joined(separator: ", "))"),
    ])
  }

  private var counts: HTML {
    let tables = question.kind.schema.tables
    func table(_ steps: [TableStep], _ id: String) -> HTML {
      ReportTable.counts(
        "\(prefix)\(id)",
        label: id == "counts"
          ? "Changed rows by table, \(title)"
          : "Changed rows of the program's own tables, \(title)",
        steps.map { (TableSummary(tables[$0.table], $0), $0.rows) }, last: "rows after it")
    }
    let (own, shown) = (
      batch.steps.filter { tables[$0.table].isOwn }, batch.steps.filter { !tables[$0.table].isOwn }
    )
    let folded: HTML =
      own.isEmpty
      ? ""
      : "<details><summary>The program's own tables</summary>\(table(own, "own-counts"))</details>"
    let main: HTML = shown.isEmpty ? "<p>It changed no row.</p>" : table(shown, "counts")
    return "\(main)\(folded)"
  }

  /// In how many rows each column changed, and the change that most of them have, in the words of `show`.
  private var columns: HTML {
    get throws {
      var values = ValueExcerpts(isWhole: false)
      let summary = try question.states.summary(of: batch.range)
      let tables = summary.tables.filter { !$0.columns.isEmpty }.map { table -> HTML in
        let items = table.lines(&values, rare: true).map { line -> HTML in
          "<li class=\"code\">\(table.name).\(line)</li>"
        }
        return "<p><span class=\"code\">\(table.name)</span>: \(table.words)</p><ul>\(items)</ul>"
      }
      guard !tables.isEmpty else { return "" }
      return "<h3>Changed columns</h3><div id=\"\(prefix)columns\">\(tables)</div>"
    }
  }

  private func list(_ steps: [RecordedChange]?) throws -> HTML {
    guard let steps else {
      return """
        <p>It changed more rows than a page can list; <code>\(ProgramName.current) changes</code> lists them.</p>
        """
    }
    let shown = steps.filter { step in
      !step.change.table.isOwn
        && step.change.changedColumns.contains { !step.change.table.columns[$0].isChangeStamp }
    }
    guard !shown.isEmpty else { return "" }
    let caption =
      shown.count > listed
      ? "The first \(listed) of \(Count.grouped(shown.count)) changed rows" : "The changed rows"
    return try question.table(
      ofChanges: shown.prefix(listed).map { (RowReport($0.change, names), $0.event) },
      "\(prefix)changes", label: "Changed rows, \(title)", caption: caption)
  }

  private var commands: HTML {
    let (first, last) = (batch.range.firstSequence, batch.range.lastSequence)
    let name = first == last ? "\(first)" : "\(first)..\(last)"
    let revert: HTML =
      first == 1
      ? ""
      : """
      <p class="quiet label">To undo it, first as a rehearsal:</p>
      \(InspectorPage.command(question.command(["revert", name, "--dry-run"])))
      \(InspectorPage.command(question.command(["revert", name])))
      """
    // Before event 1 there is no moment.
    let shown = first == 1 ? ["event", "1", "--rows"] : ["changes", "\(first - 1)", "\(last)"]
    return """
      \(question.shownCommand(shown))
      \(revert)
      """
  }
}
