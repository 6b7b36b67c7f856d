package import CatalogStore
import Foundation

/// Prints the rows of an answer as they come: what is in memory does not grow with their number.
package struct AnswerOutput {
  private let format: OutputFormat
  private let sequence: UInt64?
  private let console: Console
  private var columns: [String] = []
  /// How many rows were written.
  package private(set) var count = 0
  /// Rows of a table whose widths are not known yet.
  private var waiting: [[String]] = []
  private var waitingBytes = 0
  private var widths: [Int]?
  /// JSON that is not written yet.
  private var text = ""
  private let encoder = JSONEncoder()
  private let shape: OutputShape
  private var csv: CSVOutput

  /// The rows that decide how wide the columns of a table are, and the most bytes that they may have.
  private static let measured = (rows: 1_000, bytes: 1 << 20)
  /// Longer texts are not measured: no screen aligns them.
  private static let widest = 1_000
  private static let chunk = 64 << 10

  /// - Parameter sequence: the last event of the state that was asked; nil if that is the live database.
  package init(_ format: OutputFormat, _ sequence: UInt64?, _ console: Console) {
    self.format = format
    self.sequence = sequence
    self.console = console
    shape = format == .json ? console.shape : .indented
    csv = CSVOutput(console)
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
  }

  package mutating func begin(_ columns: [String]) {
    self.columns = columns
    if shape == .csv { csv.write(header: columns) }
  }

  package mutating func write(_ row: [StoredValue]) throws {
    count += 1
    switch (format, shape) {
    case (.text, _): write(row.map(\.plain))
    case (.json, .csv): csv.write(row)
    case (.json, .lines): try writeLine(row)
    case (.json, .indented):
      if count == 1 { text += try head() }
      text +=
        (count == 1 ? "\n    " : ",\n    ") + (try encoded(row.map(AnswerCell.value), indent: 4))
      if text.utf8.count >= Self.chunk { writeText() }
    }
  }

  /// Ends an answer that is complete.
  ///
  /// - Parameter total: how many rows there are, if the answer may be a part of them.
  package mutating func end(of total: Int? = nil) throws {
    switch (format, shape) {
    case (.text, _):
      if widths == nil { writeWaiting() }
      if let total, total > count {
        console.note("\(Count.grouped(count)) of \(Count.of(total, "row"))")
      } else {
        console.note(Count.of(count, "row"))
      }
    case (.json, .csv): csv.finish()
    case (.json, .lines): writeText()
    case (.json, .indented):
      if count == 0 { text += try head() + "\n" }
      text += "\n  ]" + (sequence.map { ",\n  \"sequence\" : \($0)" } ?? "")
      text += (total.map { ",\n  \"total\" : \($0)" } ?? "") + "\n}\n"
      writeText()
    }
  }

  // MARK: A table

  private mutating func write(_ row: [String]) {
    guard let widths else {
      waiting.append(row)
      waitingBytes += row.reduce(0) { $0 + $1.utf8.count }
      if waiting.count >= Self.measured.rows || waitingBytes >= Self.measured.bytes {
        writeWaiting()
      }
      return
    }
    console.write(Self.line(row, widths))
  }

  private mutating func writeWaiting() {
    let widths = columns.indices.map { index in
      waiting.reduce(Self.width(columns[index])) { max($0, Self.width($1[index])) }
    }
    self.widths = widths
    console.write(Self.line(columns, widths))
    for row in waiting { console.write(Self.line(row, widths)) }
    waiting = []
  }

  private static func width(_ text: String) -> Int {
    text.utf8.count > widest ? 0 : text.displayWidth
  }

  private static func line(_ cells: [String], _ widths: [Int]) -> String {
    var text = ""
    for (index, cell) in cells.enumerated() {
      if index > 0 { text += "  " }
      let isMeasured = index < cells.count - 1 && cell.utf8.count <= widest
      text += isMeasured ? cell.padded(to: widths[index]) : cell
    }
    return text
  }

  // MARK: JSON

  /// Writes a row as an object in one line.
  private mutating func writeLine(_ row: [StoredValue]) throws {
    if count == 1 {
      encoder.outputFormatting.remove(.prettyPrinted)
      if let name = columns.first(where: { name in columns.count { $0 == name } > 1 }) {
        throw ValidationError(
          "two columns of the answer are called \(name), and a line has one value of that name: name them apart with AS"
        )
      }
    }
    let cells = zip(columns, row).map { ($0, AnswerCell.value($1)) }
    text += String(decoding: try encoder.encode(JSONObject(cells)), as: UTF8.self) + "\n"
    if text.utf8.count >= Self.chunk { writeText() }
  }

  private func head() throws -> String {
    "{\n  \"columns\" : \(try encoded(columns, indent: 2)),\n  \"rows\" : ["
  }

  /// No line of JSON ends within a text, so that all lines can be moved to the right.
  private func encoded(_ value: some Encodable, indent: Int) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
      .replacing("\n", with: "\n" + String(repeating: " ", count: indent))
  }

  private mutating func writeText() {
    console.write(verbatimJSON: text)
    text = ""
  }
}

extension StoredValue {
  /// As a table shows it: text without quotes.
  fileprivate var plain: String {
    if case .text(let text) = self { return text }
    return description
  }
}

/// A value of an answer, as JSON.
package enum AnswerCell: Encodable {
  case value(StoredValue)

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    guard case .value(let value) = self else { return }
    switch value {
    case .null: try container.encodeNil()
    case .integer(let integer): try container.encode(integer)
    case .real(let real) where real.isFinite: try container.encode(real)
    case .text(let text): try container.encode(text)
    // JSON has neither blobs, nor texts that are not UTF-8, nor an infinity.
    case .real, .blob, .malformed: try container.encode(value.description)
    }
  }
}
