package import CatalogModel
import Projections

/// Reads the rows that a document has for the tables of a description.
///
/// ```swift
/// let document = try TableDocumentReader(kind, "nightly").read(SourceFile("2026-10-02.csv"))
/// ```
/// A document with a fault is refused whole, with all of its faults.
package struct TableDocumentReader {
  let kind: KindDescription
  let document: DescribedDocument
  let request: TableDocumentRequest

  /// - Parameters:
  ///   - name: of a document of the description, or of a table that a document fills without being described.
  /// - Throws: `DocumentError` if the description has neither.
  package init(
    _ kind: KindDescription, _ name: String,
    _ request: TableDocumentRequest = TableDocumentRequest()
  ) throws(DocumentError) {
    self.kind = kind
    self.request = request
    if let document = kind.document(name) {
      self.document = document
    } else {
      guard kind.table(name) != nil else {
        throw DocumentError(
          code: .invalidValue, file: name, message: "is neither a document nor a table",
          advice: NearMiss.advice(
            for: name, among: kind.documents.map(\.name) + kind.tables.map(\.name)))
      }
      document = DescribedDocument(name)
    }
  }

  private init(_ described: TableDocumentReader, _ document: DescribedDocument) {
    (kind, request) = (described.kind, described.request)
    self.document = document
  }

  /// The rows of a document, and facts about it.
  ///
  /// A file of JSON for a table whose document is CSV, or of CSV for one whose document is JSON, has the names of the columns, as
  /// exports write it: the description's names are those of the other form.
  package func read(_ source: SourceFile) throws(DocumentError) -> TableDocument {
    if let document = try otherForm(of: source) {
      var read = try TableDocumentReader(self, document).read(source)
      guard self.document.rows.contains(where: { !$0.columns.isEmpty }) else { return read }
      read.notes.append(
        "\(source.name) does not have the form that the description gives the document \(self.document.name): its columns are called as those "
          + "of the table")
      return read
    }
    let format =
      if let stated = document.format { stated } else { try Self.format(of: source) }
    if source.isDatabase, format != .sqlite {
      throw DocumentError(
        code: .unsupportedFormat, file: source.name,
        message: "this is a database, and \(document.name) is a document of another format",
        advice: request.words.database)
    }
    switch format {
    case .csv(let csv):
      let options =
        if let stated = request.csv { stated } else { try CSVOptions(csv, file: source.name) }
      do throws(CSVDocument.Failure) {
        return try CSVDocument(self, source, options).read()
      } catch {
        guard case .notUTF8(let failure) = error else { throw error.error }
        guard let guessed = try source.guessedEncoding() else { throw failure }
        var options = options
        options.encoding = guessed
        do throws(CSVDocument.Failure) {
          var document = try CSVDocument(self, source, options).read()
          document.notes.append(
            "\(source.name) is not UTF-8 and was read as \(guessed.rawValue); \(request.words.encoding)"
          )
          return document
        } catch {
          throw error.error
        }
      }
    case .json: return try JSONDocument(self, source).read()
    case .jsonLines: return try JSONLinesDocument(self, source).read()
    case .sqlite: return try SQLiteDocument(self, source).read()
    }
  }

  /// The document that a file is instead of the described one, by its ending and its first bytes.
  ///
  /// - Returns: nil if it has the described form, or if the description says from where in it the rows of several tables come.
  private func otherForm(of source: SourceFile) throws(DocumentError) -> DescribedDocument? {
    guard let format = document.format, format != .sqlite, !source.isDatabase,
      kind.table(document.name) != nil,
      document.rows.isEmpty || document.rows.map(\.table) == [document.name]
    else { return nil }
    let isCSV = if case .csv = format { true } else { false }
    let endings = isCSV ? [".json", ".jsonl", ".ndjson"] : [".csv", ".tsv"]
    guard endings.contains(where: DocumentName.plain(source.name).lowercased().hasSuffix),
      try Self.isJSON(Self.beginning(of: source)) == isCSV
    else { return nil }
    return DescribedDocument(
      document.name, complete: document.isComplete, others: document.others,
      removed: document.removed, otherLength: document.otherLength, twice: document.twice)
  }

  /// The first bytes of a document, after white space.
  private static func beginning(of source: SourceFile) throws(DocumentError) -> [UInt8] {
    let window = try TextWindow(source, encoding: nil)
    while window.bytes.count < 1 << 16, try window.more() {}
    return Array(window.bytes.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) })
  }

  /// Whether a text begins an object or an array.
  private static func isJSON(_ text: [UInt8]) -> Bool {
    text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[")
  }

  var isComplete: Bool { request.isComplete ?? document.isComplete }

  /// The rows of the description, or those of the one table that the document fills.
  var rows: [DescribedDocument.Rows] {
    guard document.rows.isEmpty else { return document.rows }
    let name = kind.table(document.name) == nil ? kind.tables.first?.name : document.name
    return [DescribedDocument.Rows(name ?? document.name)]
  }

  /// The format that the name and the first bytes of a document have.
  static func format(of source: SourceFile) throws(DocumentError) -> DescribedDocument.Format {
    if source.database != nil { return .sqlite }
    let name = DocumentName.plain(source.name).lowercased()
    if name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson") { return .jsonLines }
    if name.hasSuffix(".csv") || name.hasSuffix(".tsv") { return .csv(DescribedDocument.CSV()) }
    let text = try beginning(of: source)
    guard isJSON(text) else {
      return name.hasSuffix(".json") ? .json : .csv(DescribedDocument.CSV())
    }
    if name.hasSuffix(".json") { return .json }
    // Several lines that are a value each.
    let lines = text.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: true)
    let isLines =
      lines.count > 1
      && lines.prefix(2).allSatisfy {
        (try? JSONValue.parse(Array($0))) != nil
      }
    return isLines ? .jsonLines : .json
  }

  // MARK: Columns

  /// The columns that documents fill, those of the key first.
  static func columns(of table: DescribedTable) -> [DescribedColumn] {
    let kept = table.columns.filter(\.isKept)
    let key = table.keyColumns.compactMap { name in kept.first { $0.name == name } }
    return key + kept.filter { !table.keyColumns.contains($0.name) }
  }

  /// The scope's values, of a table that the document fills.
  func scope(of table: DescribedTable, file: String) throws(DocumentError) -> [TableDocument.Scope]
  {
    var scope: [TableDocument.Scope] = []
    for (name, text) in request.scope {
      guard let column = table.column(name), column.isKept else {
        throw DocumentError(
          code: .invalidValue, file: file, value: "\"\(JSONExcerpt.printable(name))\"",
          message: "is not a column of \(table.name)",
          advice: NearMiss.advice(for: name, among: table.columns.map(\.name)))
      }
      var cell = RowBuffer()
      let parser = CellParser(column, CSVOptions(), request.words)
      var text = text
      let problem = text.withUTF8 { parser.append(UnsafeRawBufferPointer($0), to: &cell) }
      if let problem {
        throw DocumentError(
          code: .invalidValue, file: file, path: name,
          value: "\"\(JSONExcerpt.printable(text))\"", message: problem.message,
          advice: problem.advice)
      }
      scope.append(TableDocument.Scope(column: name, value: cell.firstValue))
    }
    return scope
  }
}

extension DescribedColumn {
  /// A literal of a description as the column keeps it.
  func kept(_ value: Value) -> Value {
    switch (value, type) {
    case (.integer(let integer), .number): .real(Double(integer))
    case (.text(let text), .id): EntityID(text).map(Value.id) ?? value
    case (.text(let text), .time): .text(Timestamp(text)?.description ?? text)
    default: value
    }
  }
}
