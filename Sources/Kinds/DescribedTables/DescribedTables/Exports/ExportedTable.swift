package import CatalogModel
package import CatalogStore
import Projections

/// A table as a document that an import of the same description reads back.
///
/// The rows are in the order of the key, the columns in that of the description. A document of CSV has the separator, the decimal
/// mark and the names of the described document that is called as the table, if there is one: an import reads it in that form.
package struct ExportedTable: Sendable {
  /// The format of a document.
  package enum Format: String, CaseIterable, Sendable {
    case csv
    /// A JSON object a line.
    case jsonl
    /// An array of JSON objects.
    case json
  }

  package let name: String
  package let format: Format
  /// The names of the columns in the document.
  package let header: [String]
  package let separator: Character
  package let decimal: Character
  /// The statement whose rows are exported. After the columns it has the hidden key of a table without one.
  package let sql: String
  let columns: [DescribedColumn]
  let hasHiddenKey: Bool
  let described: DescribedDocument.CSV?
  let kind: KindDescription

  /// - Returns: nil if the kind describes no such table.
  package init?(_ name: String, of kind: DescribedKind, as format: Format) {
    guard let table = kind.program.table(name) else { return nil }
    self.name = name
    self.format = format
    self.kind = kind.description
    let columns = table.columns.compactMap(\.self)
    self.columns = columns
    hasHiddenKey = table.described.key == .wholeRow
    let document = format == .csv ? kind.description.document(name) : nil
    if case .csv(let csv)? = document?.format { described = csv } else { described = nil }
    let isOtherForm = document?.format != nil && described == nil
    let sources = isOtherForm ? [] : document?.rows.first { $0.table == name }?.columns ?? []
    header = columns.map { column in
      sources.first { $0.column == column.name }?.from ?? column.name
    }
    separator =
      described?.separator.flatMap(CSVOptions.separator).map { Character(UnicodeScalar($0)) } ?? ","
    decimal = described?.decimal == "," ? "," : "."
    let names = columns.map { SQLName.quoted($0.name) }
    let hidden = SQLName.quoted(CompiledTable.hiddenKey)
    let order =
      hasHiddenKey
      // The numbers of equal rows are in their order, as an import gives them.
      ? ["substr(\(hidden), 1, \(WholeRowKey.digits))", "length(\(hidden))", hidden]
      : table.described.keyColumns.map { SQLName.quoted($0) }
    sql =
      "SELECT \((names + (hasHiddenKey ? [hidden] : [])).joined(separator: ", "))"
      + " FROM \(table.table.sqlName) ORDER BY \(order.joined(separator: ", "))"
  }

  /// The values of the document, of a row of the statement.
  package func values(_ row: [StoredValue]) -> [StoredValue] {
    hasHiddenKey ? Array(row.dropLast()) : row
  }

  /// A row of the statement as an object.
  package func object(_ row: [StoredValue]) -> JSONValue {
    .object(
      zip(columns, row).map { JSONValue.Member(key: $0.name, value: $0.type.json(of: $1)) })
  }

  // MARK: Reading

  /// Whether an import has to be told that an empty value is NULL.
  package var needsEmptyNull: Bool { format == .csv && described?.empty != .null }

  /// Whether an import has to be told the encoding, as the description names another one.
  package var needsEncoding: Bool {
    described?.encoding.map { TextEncoding(name: $0) != .utf8 } ?? false
  }

  func request(_ words: DocumentWords) -> TableDocumentRequest {
    var request = TableDocumentRequest()
    request.words = words
    if format == .csv {
      request.csv = CSVOptions(
        encoding: .utf8, separator: described == nil ? nil : separator.asciiValue,
        decimal: decimal.asciiValue ?? 0x2E, empty: .null)
    }
    return request
  }
}

extension DescribedType {
  /// A stored value as a document of JSON has it in a column of this type.
  func json(of value: StoredValue) -> JSONValue {
    switch (self, value) {
    case (_, .null): .null
    case (.flag, .integer(0)): .bool(false)
    case (.flag, .integer(1)): .bool(true)
    case (.json, .text(let text)): JSONValue(text: text) ?? .string(text)
    case (_, .integer(let integer)): .number(String(integer))
    case (_, .real(let real)) where real.isFinite: .number(String(real))
    case (_, .text(let text)): .string(text)
    case (_, .blob(let bytes)):
      .object([JSONValue.Member(key: "base64", value: .string(Base64.text(bytes)))])
    // JSON has neither infinities nor texts that are not UTF-8.
    case (_, .real), (_, .malformed): .string(value.description)
    }
  }
}
