package import CatalogStore
import Foundation

/// Writes rows as CSV (RFC 4180), in UTF-8 and with line feeds, as `import --empty-null` reads them.
package struct CSVOutput {
  private let console: Console
  private let separator: Character
  private let decimal: Character
  private var text = ""
  private var header: [String] = []
  /// How many rows are a line without a character, which no reader of CSV takes for a row.
  private var emptyLines = 0
  private static let chunk = 64 << 10

  /// - Parameters:
  ///   - separator: between two values, a character of ASCII.
  ///   - decimal: before the fraction of a number.
  package init(_ console: Console, separator: Character = ",", decimal: Character = ".") {
    self.console = console
    self.separator = separator
    self.decimal = decimal
  }

  package mutating func write(header: [String]) {
    self.header = header
    write(header.map { Self.quoted($0, separator) })
  }

  package mutating func write(_ row: [StoredValue]) {
    if row.count == 1, case .null = row[0] { emptyLines += 1 }
    write(
      row.map { value in
        switch value {
        case .null: ""
        // A text without characters is not NULL.
        case .text(""): "\"\""
        case .text(let text): Self.quoted(text, separator)
        // No character in base64 would be NULL.
        case .blob(let bytes) where bytes.isEmpty: "x''"
        case .blob(let bytes): Self.quoted(Data(bytes).base64EncodedString(), separator)
        case .real(let real) where decimal != ".":
          Self.quoted(real.description.replacing(".", with: String(decimal)), separator)
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
    text += cells.joined(separator: String(separator)) + "\n"
    if text.utf8.count >= Self.chunk { finish() }
  }

  /// A line of cells.
  static func line(_ cells: [String]) -> String {
    cells.map { quoted($0) }.joined(separator: ",") + "\n"
  }

  /// A cell as RFC 4180 has it.
  static func quoted(_ text: String, _ separator: Character = ",") -> String {
    let mark = separator.asciiValue ?? 0x2C
    let isPlain = text.utf8.allSatisfy { ![0x22, mark, 0x0A, 0x0D].contains($0) }
    let isTrimmed = text.first?.isWhitespace != true && text.last?.isWhitespace != true
    // An import takes such a line for a conflict of git.
    let isMark = text.hasPrefix("<<<<<<< ") || text.hasPrefix(">>>>>>> ")
    guard !isPlain || !isTrimmed || isMark else { return text }
    return "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\""
  }
}
