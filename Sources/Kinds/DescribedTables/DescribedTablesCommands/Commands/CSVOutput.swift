import CatalogStore
import EngineCommands
import Foundation

/// Writes rows as CSV (RFC 4180), in UTF-8 and with line feeds.
struct CSVOutput {
  private let console: Console
  private var text = ""
  private static let chunk = 64 << 10

  init(_ console: Console) {
    self.console = console
  }

  mutating func write(header: [String]) { write(header.map { Self.quoted($0) }) }

  mutating func write(_ row: [StoredValue]) {
    write(
      row.map { value in
        switch value {
        case .null: ""
        // A text without characters is not NULL.
        case .text(""): "\"\""
        case .text(let text): Self.quoted(text)
        case .blob(let bytes): Data(bytes).base64EncodedString()
        default: value.description
        }
      })
  }

  mutating func finish() {
    if !text.isEmpty { console.write(verbatim: text) }
    text = ""
  }

  private mutating func write(_ cells: [String]) {
    text += cells.joined(separator: ",") + "\n"
    if text.utf8.count >= Self.chunk { finish() }
  }

  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { ![0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    let isTrimmed = text.first?.isWhitespace != true && text.last?.isWhitespace != true
    guard !isPlain || !isTrimmed else { return text }
    return "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\""
  }
}
