import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EngineCommands
import EventLog
import Projections

/// One row: each cell with the event that wrote it, what it was before, and the rows that it refers to.
struct RowView {
  private let question: InspectorQuestion
  private let table: TableDescription?
  private let words: [String]

  private static let listed = 200
  /// The most rows of a table that are listed because they refer to the row.
  private static let referring = 20

  init(_ question: InspectorQuestion) throws {
    self.question = question
    table = try question.query["table"].map {
      try question.kind.schema.table(named: $0, of: question.states.log)
    }
    // The fields of a key are those of the table that the form showed.
    let shown = question.query["of"]
    words = shown == nil || shown == table?.name ? question.query.all("key") : []
  }

  var html: HTML {
    get throws {
      guard let table else { return "<h2>Row</h2>\(form)<p>Choose a table.</p>" }
      let isWhole = words.count == table.key.count && !words.contains("")
      do {
        return isWhole ? try row(of: table) : try rows(of: table)
      } catch let error as ValidationError {
        // A key that is not one of the table; the form stays, so that it can be mended.
        return """
          <h2>Rows of <span class="code">\(table.name)</span></h2>
          \(form)
          <p class="state bad" role="alert">\(error.message)</p>
          """
      }
    }
  }

  private var form: HTML {
    let options = question.kind.schema.tables.map { other -> HTML in
      let isChosen: HTML = other === table ? " selected" : ""
      return "<option\(isChosen)>\(other.name)</option>"
    }
    let keys =
      table?.key.enumerated().map { place, column -> HTML in
        let value = words.indices.contains(place) ? words[place] : ""
        let name = table?.columns[column].name ?? ""
        return
          "<label>\(name) <input name=\"key\" value=\"\(HTML.field(value))\" size=\"38\"></label>"
      } ?? []
    return """
      <form method="get" action="/row" class="fields">
      \(question.momentFields)
      \(table.map { "<input type=\"hidden\" name=\"of\" value=\"\($0.name)\">" as HTML } ?? "")
      <label>Table <select name="table">\(options)</select></label>
      \(keys)
      <button type="submit">Show</button>
      </form>
      """
  }

  // MARK: The rows of a table

  private func rows(of table: TableDescription) throws -> HTML {
    let prefix = Array(words.prefix { !$0.isEmpty }.prefix(max(0, table.key.count - 1)))
    let found = try question.states.writers(
      of: table, key: table.parse(key: prefix, isPart: true), through: question.shown,
      limit: Self.listed)
    let names = try question.states.names(through: question.shown)
    let items = try found.rows.map { row, event -> HTML in
      let key = table.key.map { StoredValue(row[$0]).plainWords }
      let title = question.title(of: table, key, try names.name(of: table, row))
      return "<tr><td class=\"long\">\(title)</td>\(question.origin(event))</tr>"
    }
    let heads = [("row", false), ("event", true)]
    return """
      <h2>Rows of <span class="code">\(table.name)</span></h2>
      \(form)
      <p>\(Count.of(found.count, "row"))\(found.count > items.count ? ", the first \(items.count) by key" : "")</p>
      \(ReportTable.table("rows", label: "Rows", heads, isTall: true, items))
      \(question.shownCommand(["blame"] + atWords, [table.name] + prefix))
      """
  }

  private var atWords: [String] { question.at.map { ["--at", String($0)] } ?? [] }

  // MARK: One row

  /// Columns that name a row of another table by its key: by a foreign key, or as the kind describes them.
  private var references: [TableReference] {
    let schema = question.kind.schema
    return schema.references.filter { $0.parentColumns == $0.parent.key } + schema.namingReferences
  }

  private func row(of table: TableDescription) throws -> HTML {
    let key = try table.parse(key: words)
    let blame = try Blame(
      table, key: key, in: question.states.log, through: question.shown, from: question.states)
    let names = try question.states.names(through: question.shown)
    let values = blame.row.columns.map(\.value)
    let name = values.isEmpty ? nil : try names.name(of: table, values)
    let labels = values.isEmpty ? [:] : try names.references(of: table, values)
    let columns = blame.row.columns.enumerated().map { place, column -> HTML in
      let label = labels[place].map { " (\($0))" } ?? ""
      return """
        <tr><th scope="row" class="code">\(column.name)</th>\
        <td class="code long">\(value(column.value, of: table, place))\(label)</td>\
        \(ReportTable.value(column.before?.literal ?? ""))\(question.origin(column.event))</tr>
        """
    }
    let removed: HTML =
      blame.row.removed.map { event in
        "<p class=\"state bad\">The row was removed by event \(question.link(toEvent: event.sequence)), \(event.type), \(event.by), \(event.at.description).</p>"
      } ?? ""
    let heads = [("column", false), ("value", false), ("before", false), ("event", true)]
    let body: HTML =
      columns.isEmpty ? "" : ReportTable.table("columns", label: "Columns", heads, columns)
    return """
      <h2>\(name ?? words.joined(separator: ", ")) <span class="quiet code">\(table.name)</span></h2>
      \(form)
      \(removed)
      \(body)
      \(related(blame))
      \(try references(to: table, key, names))
      \(try history(of: table, key, names))
      \(question.shownCommand(["blame"] + atWords, [table.name] + words))
      """
  }

  /// A value, with a link if it is the key of another row.
  ///
  /// - Parameter name: shown in the place of the value; nil if the value itself is.
  private func value(
    _ value: Value, of table: TableDescription, _ place: Int, _ name: String? = nil
  ) -> HTML {
    let text = name ?? value.literal
    let reference = references.first { $0.child === table && $0.columns == [place] }
    guard let parent = reference?.parent, value != .null else { return "\(text)" }
    let address = question.link(
      .row, [("table", parent.name), ("key", StoredValue(value).plainWords)])
    return "<a href=\"\(address)\">\(text)</a>"
  }

  private func related(_ blame: Blame) -> HTML {
    guard !blame.related.isEmpty else { return "" }
    let items = blame.related.map { tag -> HTML in
      let event = tag.row.removed ?? tag.row.columns.first?.event
      let verb = tag.row.removed == nil ? "" : "gone: "
      return """
        <tr><th scope="row" class="code">\(tag.relation.name)</th><td class="long">\(verb)\(tag.name)</td>\
        \(question.origin(event))</tr>
        """
    }
    let heads = [("relation", false), ("value", false), ("event", true)]
    return """
      <h3>What is joined to it</h3>
      \(ReportTable.table("joined", label: "Joined rows", heads, items))
      """
  }

  /// The rows of other tables that refer to this one: how many, and the first of them with the rows that they join to it. Facets
  /// and lists count them.
  private func references(
    to table: TableDescription, _ key: [Value], _ names: RowNames?
  ) throws -> HTML {
    let references = references.filter { $0.parent === table }
    guard !references.isEmpty else { return "" }
    let state = try question.database()
    let parts = try references.map { reference -> HTML in
      let child = reference.child
      let conditions = zip(reference.columns, key).map { column, value in
        "\(child.columns[column].sqlName) = \(value.literal)"
      }
      let source = "FROM \(child.sqlName) WHERE \(conditions.joined(separator: " AND "))"
      var count = StoredValue.null
      try state.forEachRow(of: "SELECT count(*) \(source)", until: question.limit) { _ in
      } _: {
        count = $0[0]
      }
      let address = question.link(.sql, [("sql", "SELECT * \(source)")])
      let rows = try referring(reference, source, state, names)
      let part = count.number ?? 0 > Double(Self.referring) ? ", the first \(Self.referring)" : ""
      return """
        <h4><a href="\(address)">\(count.words) in <span class="code">\(child.name)</span></a>\(part)</h4>
        \(rows)
        """
    }
    return "<h3>Rows that refer to it</h3><div id=\"references\">\(parts)</div>"
  }

  /// The first rows that refer to this one, each with links to itself and to the other rows that it joins.
  private func referring(
    _ reference: TableReference, _ source: String, _ state: PastDatabase, _ names: RowNames?
  ) throws -> HTML {
    let child = reference.child
    let columns = child.keyList
    var keys: [[String]] = []
    try state.forEachRow(
      of: "SELECT \(columns) \(source) ORDER BY \(columns) LIMIT \(Self.referring)",
      until: question.limit
    ) { _ in
    } _: {
      keys.append($0.map(\.plainWords))
    }
    guard !keys.isEmpty else { return "" }
    let others = child.columns.indices.filter { place in
      !reference.columns.contains(place)
        && references.contains { $0.child === child && $0.columns == [place] }
    }
    let items = try keys.map { words -> HTML in
      let row = try state.row(of: child, key: child.parse(key: words)) ?? []
      let labels = row.isEmpty ? [:] : try names?.references(of: child, row) ?? [:]
      let joined = others.map { place -> HTML in
        let cell =
          row.isEmpty || row[place] == .null
          ? "" : value(row[place], of: child, place, labels[place])
        return "<td class=\"long\">\(cell)</td>"
      }
      let name = row.isEmpty ? nil : try names?.name(of: child, row)
      return "<tr><td class=\"long\">\(question.title(of: child, words, name))</td>\(joined)</tr>"
    }
    let by = reference.columns.map { child.columns[$0].name }
    return ReportTable.table(
      "referring-\(child.name)-\(by.joined(separator: "-"))",
      label: "\(child.name) by \(by.joined(separator: ", "))",
      [("row", false)] + others.map { (child.columns[$0].name, false) }, items)
  }

  /// Every change of the row, the newest first.
  private func history(
    of table: TableDescription, _ key: [Value], _ names: RowNames?
  ) throws -> HTML {
    let steps = try question.states.steps(of: table, key: key, through: question.shown)
    let items = try steps.suffix(Self.listed).reversed().map { step -> HTML in
      let words = try RowReport(step.change, names).words
      return "<tr>\(question.origin(step.event))<td class=\"long wide\">\(words)</td></tr>"
    }
    let left = steps.count > Self.listed ? "; the last \(Self.listed) are listed" : ""
    let heads = [("event", true), ("change", false)]
    return """
      <h3>\(Count.of(steps.count, "change")), the newest first\(left)</h3>
      \(ReportTable.table("history", label: "Changes of the row", heads, isTall: true, items))
      """
  }
}
