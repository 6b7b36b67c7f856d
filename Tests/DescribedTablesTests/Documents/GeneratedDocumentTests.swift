import CatalogModel
import CatalogTestSupport
import DescribedTables
import Foundation
import Projections
import Promises
import Testing

@Suite(
  "Generated documents",
  .promise(
    "Documents of CSV and JSON are read as Python reads them; what is refused names file, "
      + "line and column",
    by: "compared with Python"))
struct GeneratedDocumentTests {
  @Test("Each cell is what Python's readers find in the same bytes", arguments: [1, 2, 3])
  func agreesWithPython(seed: Int) throws {
    let folder = try ScratchFolder()
    let script = ScratchFolder.repository + "/Tests/DescribedTablesTests/Documents/documents.py"
    let program = try Program("python3", script, "\(seed)", "150", folder.path)
    try #require(program.status == 0, "\(program.errors)")
    let expected = try folder.bytes("expected.jsonl").split(separator: 0x0A)
    try #require(expected.count == 150)
    for line in expected {
      let trial = try JSONValue.parse(Array(line), file: "expected.jsonl")
      try compare(trial)
    }
  }

  private func compare(_ trial: JSONValue) throws {
    let file = try #require(text(trial["file"]))
    let kind = try KindDescription.read(
      Array(try #require(trial["kind"]).description.utf8), file: "kind.json")
    let document: TableDocument
    do {
      document = try TableDocumentReader(kind, "d").read(SourceFile(file))
    } catch {
      Issue.record("\(file): \(error)")
      return
    }
    for rows in document.tables {
      guard case .array(let wanted)? = trial["tables"]?[rows.table.name] else {
        Issue.record("\(file): nothing is expected of \(rows.table.name)")
        continue
      }
      #expect(rows.count == wanted.count, "\(file): rows of \(rows.table.name)")
      for (number, row) in zip(rows.rows, wanted) {
        for (column, value) in zip(rows.columns, rows.values(number)) {
          let other = row[column.name] ?? .null
          #expect(
            shown(value) == other,
            "\(file): row \(number) of \(rows.table.name), \(column.name): \(column.type)")
        }
      }
    }
  }

  private func text(_ value: JSONValue?) -> String? {
    if case .string(let text)? = value { text } else { nil }
  }

  /// A value as the script writes it.
  private func shown(_ value: Value) -> JSONValue {
    func typed(_ name: String, _ text: String) -> JSONValue {
      .object([JSONValue.Member(key: name, value: .string(text))])
    }
    return switch value {
    case .null: .null
    case .integer(let integer): typed("integer", String(integer))
    case .real(let real): typed("real", Self.repr(real))
    case .text(let text): .string(text)
    case .id(let id): .string(id.description)
    case .time(let time): .string(time.description)
    case .blob: .null
    }
  }

  /// A number as Python's `repr` writes it, whose exponents have two digits at least.
  private static func repr(_ real: Double) -> String {
    let text = real.description
    guard let mark = text.firstIndex(of: "e"),
      let exponent = Int(text[text.index(after: mark)...])
    else { return text }
    guard exponent < -4 || exponent >= 16 else {
      return exponent > 0 ? String(format: "%.1f", real) : text
    }
    let digits = text[..<mark].replacing(".0", with: "")
    return digits + "e" + (exponent < 0 ? "-" : "+") + (abs(exponent) < 10 ? "0" : "")
      + String(abs(exponent))
  }
}
