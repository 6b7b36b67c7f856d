import CatalogEngine
import CatalogModel
import CatalogStore
import EngineCommands

/// Cells and frames that the tables of a report share.
enum ReportTable {
  /// Longer values are cut: a page is to be looked through.
  private static let longest = 400

  /// A table that may be wider than the screen: its own frame scrolls, with the keyboard too.
  ///
  /// - Parameters:
  ///   - id: the table's, in the page.
  ///   - label: of the frame, for a reader who does not see it.
  ///   - heads: names, and whether the cells below are numbers.
  ///   - last: the rows at the end that are not among those that are sorted.
  static func table(
    _ id: String, label: String, _ heads: [(String, Bool)], isTall: Bool = false,
    isSortable: Bool = false, caption: String? = nil, _ rows: [HTML], last: HTML = ""
  ) -> HTML {
    let cells = heads.map { name, isNumber -> HTML in
      isNumber
        ? "<th scope=\"col\" class=\"number\">\(name)</th>" : "<th scope=\"col\">\(name)</th>"
    }
    return """
      <div class="scroll\(isTall ? " tall" : "")" role="region" tabindex="0" aria-label="\(label)">
      <table id="\(id)"\(isSortable ? " class=\"sortable\"" : "" as HTML)>
      \(caption.map { "<caption>\($0)</caption>" as HTML } ?? "")
      <thead><tr>\(cells)</tr></thead>
      <tbody>
      \(rows)
      </tbody>
      \(last)
      </table>
      </div>
      """
  }

  static func number(_ number: some BinaryInteger) -> HTML {
    "<td class=\"number\" data-value=\"\(number)\">\(Count.grouped(number))</td>"
  }

  static func bytes(_ number: some BinaryInteger) -> HTML {
    """
    <td class="number" data-value="\(number)" title="\(Count.grouped(number)) bytes">\
    \(Count.bytes(number))</td>
    """
  }

  static func code(_ text: String) -> HTML {
    "<td class=\"code fixed\">\(text)</td>"
  }

  static func value(_ text: String) -> HTML {
    "<td class=\"code long\">\(cut(text))</td>"
  }

  /// A row: its name, if it has one, before its key.
  static func row(_ row: RowDifference, _ name: String?) -> HTML {
    guard let name else { return value(row.keyText) }
    return
      "<td class=\"long\">\(cut(name))<br><span class=\"code quiet\">\(cut(row.keyText))</span></td>"
  }

  /// The columns of an event: sequence, operation, source, time.
  static func event(_ event: EventEnvelope?) -> HTML {
    guard let event else {
      return "<td class=\"number\">none</td><td></td><td></td><td></td><td></td>"
    }
    return """
      <td class="number" data-value="\(event.sequence)">\(event.sequence)</td>\
      \(code(event.type))\(code(event.operation.description))\(code(event.by))\
      <td class="fixed">\(event.at.description)</td>
      """
  }

  /// Shows an event in one cell, for a table whose point is the event.
  static func origin(_ event: EventEnvelope?) -> HTML {
    guard let event else { return "<td class=\"number origin\">no event wrote this row</td>" }
    return """
      <td class="number origin" data-value="\(event.sequence)"><b>\(event.sequence)</b> \
      <span class="code">\(event.type)</span> by <span class="code">\(event.by)</span><br>\
      \(event.at.description)<br><span class="code">\(event.operation.description)</span></td>
      """
  }

  static let eventHeads = [
    ("event", true), ("type", false), ("operation", false), ("by", false), ("time", false),
  ]

  private static func cut(_ text: String) -> String {
    let count = text.unicodeScalars.count
    guard count > longest else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest)))
      + "… (\(Count.grouped(count)) characters)"
  }
}
