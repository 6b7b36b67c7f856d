import CatalogEngine
import CatalogModel
import CatalogStore
import EngineCommands
import Projections

extension RowReport {
  /// The change in words.
  var words: HTML {
    get throws {
      switch change {
      case .added: "<span class=\"added\">added</span> \(try items)"
      case .removed: "<span class=\"removed\">removed</span> \(try items)"
      case .changed: "\(try items)"
      }
    }
  }

  /// The columns with their old and new values, and the names of the rows to which they refer. Of a row that was added or removed
  /// these are the first columns that have a value.
  var items: [HTML] {
    get throws {
      let names = try references
      var excerpts = ValueExcerpts(isWhole: false)
      let shown =
        change == .changed
        ? seenColumns
        : Array(seenColumns.filter { values[$0] != .null && !table.key.contains($0) }.prefix(8))
      return shown.map { place in
        let words =
          change == .changed ? change(of: place, &excerpts) : excerpts.text(values[place])
        let name = names[place].map { " (\($0))" } ?? ""
        return "<span class=\"code\">\(table.columns[place].name)</span>: \(words)\(name)<br>"
      }
    }
  }

  /// The row as the cell of a table: its name, if it has one, before its key.
  func title(_ question: InspectorQuestion) throws -> HTML {
    question.title(of: table, table.key.map { values[$0].plainWords }, try name)
  }
}

extension InspectorQuestion {
  /// A link to a row: its name, if it has one, before its key.
  func title(of table: TableDescription, _ key: [String], _ name: String?) -> HTML {
    let words = key.joined(separator: ", ")
    let link = linked(
      "\(name ?? words)", .row, [("table", table.name)] + key.map { ("key", $0) })
    return name == nil ? link : "\(link)<br><span class=\"code quiet\">\(words)</span>"
  }

  /// The cell about the event that wrote or removed a row, with a link to its operation.
  func origin(_ event: EventEnvelope?) -> HTML {
    guard let event else { return "<td class=\"number origin\">no event wrote this row</td>" }
    let link = linked("\(event.sequence)", .operation, [("event", String(event.sequence))])
    return """
      <td class="number origin" data-value="\(event.sequence)"><b>\(link)</b> \
      <span class="code">\(event.type)</span> by <span class="code">\(event.by)</span><br>\
      \(event.at.description)<br><span class="code">\(event.operation.description)</span></td>
      """
  }

  /// A table of rows that changed.
  ///
  /// - Parameter id: the table's, in the page.
  func table(
    ofChanges rows: [(row: RowReport, event: EventEnvelope?)], _ id: String, label: String,
    caption: String? = nil, isSortable: Bool = false
  ) throws -> HTML {
    ReportTable.table(
      id, label: label, [("table", false), ("row", false), ("change", false), ("event", true)],
      isTall: true, isSortable: isSortable, caption: caption,
      try rows.map { row, event in
        """
        <tr>\(ReportTable.code(row.table.name))<td class="long">\(try row.title(self))</td>\
        <td class="long wide">\(try row.words)</td>\(origin(event))</tr>
        """
      })
  }
}

extension ReportTable {
  /// How many rows of each table came, went and changed.
  ///
  /// - Parameter last: the heading of the last column.
  static func counts(
    _ id: String, label: String, _ tables: [(counts: TableSummary, last: Int)], last: String
  ) -> HTML {
    table(
      id, label: label,
      [("table", false), ("added", true), ("removed", true), ("changed", true), (last, true)],
      tables.map { table, last in
        """
        <tr><th scope="row" class="code">\(table.name)</th>\(number(table.added))\(number(table.removed))\
        \(number(table.changed))\(number(last))</tr>
        """
      })
  }
}

extension StoredValue {
  /// Without the quotes of a text, as a key is written in an address.
  var plainWords: String {
    switch self {
    case .text(let text): text
    case .blob(let bytes): Hex.string(bytes)
    default: description
    }
  }
}
