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

  /// Names with values.
  ///
  /// - Parameter attributes: further ones of the list, each after a space.
  static func facts(_ facts: [(name: String, value: HTML)], _ attributes: HTML = "") -> HTML {
    let items = facts.map { "<div><dt>\($0.name)</dt><dd>\($0.value)</dd></div>" as HTML }
    return "<dl class=\"facts\"\(attributes)>\n\(items)\n</dl>"
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

  /// A longer text as the beginning of it, with its length.
  static func cut(_ text: String) -> String {
    let count = text.unicodeScalars.count
    guard count > longest else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest)))
      + "… (\(Count.grouped(count)) characters)"
  }
}
