package import CatalogModel
import Projections

/// A table that was made up from a document: the columns by its header or its members, the types by its values.
package struct TableInference: Sendable {
  /// With the key that was stated or found. Its key is empty if there is none.
  package var table: DescribedTable
  /// How the document is written, if that is not what is found out anyway.
  package var document: DescribedDocument?
  package let rows: Int
  package let keys: KeyInference
  /// Whether the key was stated by the caller.
  package let isKeyStated: Bool
  /// Sentences about what should be looked at.
  package var notes: [String]
  /// How many versions of the document were read.
  var versions = 1
  let evidence: Evidence
  /// The columns whose names in the document no column can have.
  let sources: [DescribedDocument.Source]

  /// The facts that the table follows from.
  struct Evidence: Sendable {
    var columns: [ColumnEvidence]
    var rows: Int
    /// The part of the document that has the names: `the header`.
    let origin: String
    /// Whether the document's values have types.
    let hasTypes: Bool
    /// The key that the caller stated; empty for the whole row.
    let key: [String]?
    /// Pairs of columns that identify the rows.
    var pairs: [[String]] = []
  }

  /// Whether the table has a key that may be used without a question.
  package var isComplete: Bool { isKeyStated || keys.isCertain }

  /// The table for people: `products, from the header and 5,000 rows: sku text, key · name text, the row's name`.
  package var sentence: String {
    let parts = table.columns.map { column in
      var words = "\(column.name) \(Self.word(column.type))"
      if column.isOptional { words += ", may be missing" }
      if table.keyColumns.contains(column.name) { words += ", key" }
      if column.isName { words += ", the row's name" }
      if column.isUnique, !table.keyColumns.contains(column.name) { words += ", unique" }
      return words
    }
    let origin =
      versions > 1
      ? "\(CountWords.grouped(versions)) versions, the longest of \(CountWords.of(rows, "row"))"
      : "\(evidence.origin) and \(CountWords.of(rows, "row"))"
    return "\(table.name), from \(origin): " + parts.joined(separator: " · ")
  }

  /// How the key was chosen, for people; nil if the caller stated it.
  package var keySentence: String? {
    guard !isKeyStated else { return nil }
    guard rows > 0 else { return "the document has no rows, from which the key could be found" }
    func shown(_ columns: [String]) -> String { columns.joined(separator: ", ") }
    guard let best = keys.best else {
      return "no column, and no two together, identify the \(CountWords.of(rows, "row"))"
    }
    let runnerUp = keys.runnerUp.map { "; \(shown($0)) would do as well" } ?? ""
    if keys.isCertain { return "the key is \(shown(best)), which identifies all rows\(runnerUp)" }
    let few = rows == 1 ? "1 row is too few" : "\(CountWords.grouped(rows)) rows are too few"
    return
      "\(few) to find the key: \(shown(best)) identifies \(rows == 1 ? "it" : "them")\(runnerUp)"
  }

  private static func word(_ type: DescribedType) -> String {
    type == .integer ? "whole number" : type.rawValue
  }

  /// A sentence about rows that a document has twice.
  static func passedOver(_ number: Int, of document: String) -> String {
    number == 1
      ? "1 row of \(document) has the key of an earlier row and was passed over"
      : "\(CountWords.grouped(number)) rows of \(document) have the key of an earlier row and were passed over"
  }

  // MARK: Inferring

  /// Makes up a table from a document.
  ///
  /// - Parameters:
  ///   - name: of the table.
  ///   - key: the names of the key's columns; nil to find it.
  /// - Throws: `DocumentError` if the document cannot be read, or the stated key does not identify its rows.
  package init(
    _ source: SourceFile, table name: String, key: [String]? = nil, csv: CSVOptions? = nil,
    words: DocumentWords = DocumentWords()
  ) throws(DocumentError) {
    switch try csv == nil ? TableDocumentReader.format(of: source) : .csv(DescribedDocument.CSV()) {
    case .csv: self = try Self.ofCSV(source, name, key, csv ?? CSVOptions(), words)
    case .json: self = try JSONInference(source, name, key).ofDocument()
    case .jsonLines: self = try JSONInference(source, name, key).ofLines()
    case .sqlite:
      throw DocumentError(
        code: .unsupportedFormat, file: source.name,
        message: "this is a database, whose schema says what its tables are",
        advice: words.database)
    }
  }

  init(_ name: String, _ evidence: Evidence, words: DocumentWords = DocumentWords()) {
    let (columns, hasTypes, rows) = (evidence.columns, evidence.hasTypes, evidence.rows)
    keys = KeyInference(columns, table: name, rows: rows, pairs: evidence.pairs)
    isKeyStated = evidence.key != nil
    self.rows = rows
    self.evidence = evidence
    let names = ColumnNames(columns.map(\.name))
    let key = evidence.key ?? keys.best ?? []
    let nameColumn = Self.nameColumn(columns, table: name, key: key)
    let described = columns.map { column in
      DescribedColumn(
        names[column.name], column.type,
        optional: !key.contains(column.name) && column.isOptional(hasTypes: hasTypes),
        unique: rows >= KeyInference.leastRows && key != [column.name] && column.isUnique
          && ColumnEvidence.isIdentifier(column.name) && column.type != .json,
        isName: column.name == nameColumn)
    }
    table = DescribedTable(
      name, key: evidence.key == [] ? .wholeRow : .columns(key.map { names[$0] }),
      columns: described)
    // If a version of a document without types lacks a column, its rows have NULL there. Then all columns are listed, since
    // another one that is missing is a fault.
    let lacksColumns = !hasTypes && columns.contains(where: \.isAbsentSomewhere)
    sources = columns.filter { lacksColumns || names[$0.name] != $0.name }.map {
      DescribedDocument.Source(
        names[$0.name], from: hasTypes ? JSONInference.quoted($0.name) : $0.name,
        missing: lacksColumns && $0.isAbsentSomewhere ? .null : nil)
    }
    notes = columns.filter(\.looksLikeDecimalComma).map {
      "the values of \($0.name) look like numbers with a decimal comma; \(words.decimalComma)"
    }
  }

  /// The word for a key that is the whole row.
  static let wholeRow = "whole row"

  /// The columns of a key that the caller stated: none for the whole row.
  static func statedKey(_ key: [String]?, among names: [String]) -> [String]? {
    key == [wholeRow] && !names.contains(wholeRow) ? [] : key
  }

  /// The column that says what a row is called.
  private static func nameColumn(
    _ columns: [ColumnEvidence], table: String, key: [String]
  ) -> String? {
    let words = ["name", "title", "label", "designation", "bezeichnung", "titel", "nom"]
    let able = columns.filter {
      $0.type == .text && !key.contains($0.name) && $0.emptyCount * 10 < max($0.count, 1)
    }
    for word in words {
      if let exact = able.first(where: { $0.name.lowercased() == word }) { return exact.name }
    }
    return able.first { column in
      let parts = ColumnEvidence.parts(column.name)
      return parts.count == 2 && words.contains(parts[1])
        && parts[0] == KeyInference.singular(table.lowercased())
    }?.name
  }

  private static func ofCSV(
    _ source: SourceFile, _ name: String, _ key: [String]?, _ options: CSVOptions,
    _ words: DocumentWords
  ) throws(DocumentError) -> TableInference {
    var options = options
    do throws(DocumentError) {
      return try readCSV(source, name, key, options, words, isGuessed: false)
    } catch {
      guard error.message == CSVReader.notUTF8Message, options.encoding == nil,
        let guessed = try source.guessedEncoding()
      else { throw error }
      options.encoding = guessed
      return try readCSV(source, name, key, options, words, isGuessed: true)
    }
  }

  private static func readCSV(
    _ source: SourceFile, _ name: String, _ key: [String]?, _ options: CSVOptions,
    _ words: DocumentWords, isGuessed: Bool
  ) throws(DocumentError) -> TableInference {
    let reader = try CSVReader(source, options)
    let header = reader.header
    let key = Self.statedKey(key, among: header)
    if let unknown = key?.first(where: { name in !header.contains { $0.hasBytes(of: name) } }) {
      throw DocumentError(
        code: .invalidValue, file: source.name,
        value: "\"\(JSONExcerpt.printable(unknown))\"", message: "is not a column of the header",
        advice: NearMiss.advice(for: unknown, among: header))
    }
    var columns = header.map { ColumnEvidence($0, decimal: options.decimal) }
    var rows = 0
    var otherLengths: [Int] = []
    var repeated = RepeatedKey(key, header)
    while try reader.next() {
      if let invalid = reader.firstInvalidByte() {
        throw CSVReader.notUTF8(
          file: source.name,
          path: "line \(reader.line), \(header[min(invalid.place, header.count - 1)])",
          offset: invalid.offset)
      }
      guard reader.count == header.count else {
        otherLengths.append(reader.line)
        continue
      }
      rows += 1
      for place in header.indices { columns[place].add(reader.value(place)) }
      repeated.add(reader)
    }
    if rows == 0, let first = otherLengths.first {
      throw DocumentError(
        code: .invalidValue, file: source.name, path: "line \(first)",
        message: "has not as many values as the header, and no other row has",
        advice:
          "the header has \(CountWords.of(header.count, "name")): correct it, or name the separator"
      )
    }
    if var error = repeated.error {
      error.advice = try KeyInference.advice(
        source, options, keeping: (key ?? []).joined(separator: ", "),
        twice: words.wholeRow)
      error.file = source.name
      throw error
    }
    let hasKey = key != nil || columns.contains { $0.isUnique && $0.type.canBeKey }
    let pairs = hasKey ? [] : try pairs(source, options, columns)
    var inference = TableInference(
      name,
      Evidence(
        columns: columns, rows: rows, origin: "the header", hasTypes: false, key: key,
        pairs: pairs), words: words)
    inference.document = document(
      name, reader.format, options, inference.sources, isGuessed: isGuessed)
    if let value = headerValue(columns, decimal: options.decimal) {
      inference.notes.append(
        "the line of names has \"\(JSONExcerpt.printable(value))\", which looks like a value: if it is a row, put a line of names "
          + "before it")
    }
    if isGuessed {
      inference.notes.append(
        "\(source.name) is not UTF-8 and was read as \(reader.format.encoding.rawValue); \(words.encoding)"
      )
    }
    if let first = otherLengths.first {
      inference.notes.append(
        (otherLengths.count == 1
          ? "1 row has not as many values as the header, on line \(first)"
          : "\(CountWords.grouped(otherLengths.count)) rows have not as many values as the header, the first on line \(first)")
      )
    }
    return inference
  }

  /// A name of the header that is a number or a time, as the values below it are: the document may have no header. Years are
  /// usual names; nil if no other name is a value, or if a name is no text above values that are none.
  private static func headerValue(_ columns: [ColumnEvidence], decimal: UInt8) -> String? {
    var found: String?
    for column in columns {
      let kinds: [DescribedType] = [.integer, .number, .time]
      guard kinds.contains(column.type) else { continue }
      var name = ColumnEvidence("name", decimal: decimal)
      Array(column.name.utf8).withUnsafeBytes { name.add($0) }
      guard kinds.contains(name.type) else { return nil }
      let isYear = column.name.utf8.count == 4 && name.type == .integer
      if !isYear, found == nil { found = column.name }
    }
    return found
  }

  /// The document of the description, if a later one could be taken for something else.
  private static func document(
    _ name: String, _ format: CSVFormat, _ options: CSVOptions,
    _ sources: [DescribedDocument.Source], isGuessed: Bool
  ) -> DescribedDocument? {
    var csv = DescribedDocument.CSV()
    if format.separator != 0x2C || options.separator != nil {
      csv.separator = String(UnicodeScalar(format.separator))
    }
    if isGuessed || options.encoding != nil { csv.encoding = format.encoding.rawValue }
    if options.decimal == 0x2C { csv.decimal = "," }
    csv.empty = options.empty
    guard csv != DescribedDocument.CSV() || !sources.isEmpty else { return nil }
    return DescribedDocument(
      name, format: .csv(csv),
      rows: sources.isEmpty ? [] : [DescribedDocument.Rows(name, columns: sources)])
  }

  /// Pairs of columns that identify the rows, tried in the order of the header.
  private static func pairs(
    _ source: SourceFile, _ options: CSVOptions, _ columns: [ColumnEvidence]
  ) throws(DocumentError) -> [[String]] {
    let able = columns.indices.filter {
      columns[$0].emptyCount == 0 && columns[$0].type.canBeKey && columns[$0].meanLength < 128
    }.prefix(8)
    var pairs: [(left: Int, right: Int, seen: Set<UInt64>)] = []
    for (index, left) in able.enumerated() {
      for right in able.dropFirst(index + 1) { pairs.append((left, right, [])) }
    }
    let reader = try CSVReader(source, options)
    var hashes = [UInt64](repeating: 0, count: columns.count)
    while try reader.next(), !pairs.isEmpty {
      guard reader.count == columns.count else { continue }
      for place in able { hashes[place] = RowHash.of(reader.value(place)) }
      for index in pairs.indices.reversed() {
        let hash = RowHash.of(hashes[pairs[index].left], hashes[pairs[index].right])
        if !pairs[index].seen.insert(hash).inserted { pairs.remove(at: index) }
      }
    }
    return pairs.map { [columns[$0.left].name, columns[$0.right].name] }
  }
}

/// Finds the first row of a document whose stated key an earlier row has.
private struct RepeatedKey {
  private let places: [Int]
  private let name: String
  private var lines: [UInt64: Int] = [:]
  private(set) var error: DocumentError?

  init(_ key: [String]?, _ header: [String]) {
    places = (key ?? []).compactMap { name in header.firstIndex { $0.hasBytes(of: name) } }
    name = (key ?? []).joined(separator: ", ")
  }

  mutating func add(_ reader: CSVReader) {
    guard !places.isEmpty, error == nil else { return }
    let hash = places.reduce(0) { RowHash.of($0, RowHash.of(reader.value($1))) }
    guard let line = lines.updateValue(reader.line, forKey: hash) else { return }
    let values = places.map { "\"\(JSONExcerpt.printable(reader.value($0)))\"" }
    error = DocumentError(
      code: .duplicateValue, file: "", path: "line \(reader.line), \(name)",
      value: values.joined(separator: ", "), message: "is also on line \(line)")
    lines = [:]
  }
}
