package import CatalogStore
import Foundation

/// Writes rows as CSV (RFC 4180), in UTF-8 and with line feeds, as `import --empty-null` reads them.
package struct CSVOutput {
  private let console: Console
  private var text = ""
  private var header: [String] = []
  /// How many rows are a line without a character, which no reader of CSV takes for a row.
  private var emptyLines = 0
  private static let chunk = 64 << 10

  package init(_ console: Console) {
    self.console = console
  }

  package mutating func write(header: [String]) {
    self.header = header
    write(header.map { Self.quoted($0) })
  }

  package mutating func write(_ row: [StoredValue]) {
    if row.count == 1, case .null = row[0] { emptyLines += 1 }
    write(
      row.map { value in
        switch value {
        case .null: ""
        // A text without characters is not NULL.
        case .text(""): "\"\""
        case .text(let text): Self.quoted(text)
        // No character in base64 would be NULL.
        case .blob(let bytes) where bytes.isEmpty: "x''"
        case .blob(let bytes): Data(bytes).base64EncodedString()
        default: value.description
        }
      })
  }

  /// Sentences about rows and values that import does not read as they are.
  ///
  /// - Parameter columns: those with values of any type.
  package func remarks(untyped columns: [String]) -> [String] {
    var remarks = columns.filter(header.contains).map {
      "import reads each value of \($0) as a text: CSV has no types"
    }
    if emptyLines > 0 {
      remarks.append(
        "import passes over \(Count.of(emptyLines, "empty line")): a row of one value that is NULL")
    }
    return remarks
  }

  package mutating func finish() {
    if !text.isEmpty { console.write(verbatim: text) }
    text = ""
  }

  private mutating func write(_ cells: [String]) {
    text += cells.joined(separator: ",") + "\n"
    if text.utf8.count >= Self.chunk { finish() }
  }

  /// A line of cells.
  static func line(_ cells: [String]) -> String {
    cells.map(quoted).joined(separator: ",") + "\n"
  }

  /// A cell as RFC 4180 has it.
  static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { ![0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    let isTrimmed = text.first?.isWhitespace != true && text.last?.isWhitespace != true
    guard !isPlain || !isTrimmed else { return text }
    return "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\""
  }
}
