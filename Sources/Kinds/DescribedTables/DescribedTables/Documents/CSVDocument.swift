import CatalogModel
import LibC
import Projections

/// Reads a document of CSV into the rows of its table.
struct CSVDocument {
  enum Failure: Error {
    case refused(DocumentError)
    /// The encoding was not named, and it is not UTF-8.
    case notUTF8(DocumentError)

    var error: DocumentError {
      switch self {
      case .refused(let error), .notUTF8(let error): error
      }
    }
  }

  private let reader: TableDocumentReader
  private let source: SourceFile
  private let options: CSVOptions
  private var words: DocumentWords { reader.request.words }

  init(_ reader: TableDocumentReader, _ source: SourceFile, _ options: CSVOptions) {
    self.reader = reader
    self.source = source
    self.options = options
  }

  /// The origin of a column's values.
  private enum Origin {
    /// A place in the header.
    case place(Int)
    /// A value that all rows have.
    case constant(Value)
  }

  private struct Plan {
    var rows: DocumentRows
    var parsers: [CellParser]
    /// For each column: the form of its values and their place in the header, or -1 for a constant.
    var forms: [(form: CellParser.Form, header: Int)]
    var origins: [Origin]
    var scope: [(place: Int, value: [UInt8])]
    /// The place in the columns of each one that is unique besides the key.
    var uniques: [Int]
    /// The places in the header that go into `_others`.
    var others: [Int]
    var othersPlace: Int?
    /// The names of the key's columns in the header, for people.
    var keyName: String
  }

  func read() throws(Failure) -> TableDocument {
    do throws(DocumentError) {
      return try readRows()
    } catch {
      if error.code == .invalidValue, error.message == CSVReader.notUTF8Message,
        options.encoding == nil
      {
        throw .notUTF8(error)
      }
      throw .refused(error)
    }
  }

  private func readRows() throws(DocumentError) -> TableDocument {
    guard reader.rows.count == 1, let rows = reader.rows.first,
      let table = reader.kind.table(rows.table)
    else {
      throw DocumentError(
        code: .unsupportedFormat, file: source.name,
        message: "a document of CSV has the rows of one table",
        advice: "describe a document for each table")
    }
    let csv = try CSVReader(source, options, expecting: names(rows, table))
    var document = TableDocument(
      source: source.name, size: source.size, sha256: "", modified: source.modified,
      format: formatName(csv.format), tables: [], isComplete: reader.isComplete,
      scope: try reader.scope(of: table, file: source.name), endsWithLineEnd: true)
    var faults = TableFaults()
    let plan = plan(csv, rows, table, &document, &faults)
    if let error = faults.error { throw error }
    document.tables = [plan.rows]
    try fill(plan, csv, &document, &faults)
    document.sha256 = csv.sha256
    if let error = faults.error { throw error }
    return document
  }

  private func formatName(_ format: CSVFormat) -> String {
    "CSV, \(format.encoding.rawValue), separator \(format.separatorName)"
  }

  private func names(_ rows: DescribedDocument.Rows, _ table: DescribedTable) -> [String] {
    table.columns.map { column in
      rows.columns.first { $0.column == column.name }?.from ?? column.name
    }
  }

  // MARK: Header

  private func plan(
    _ csv: CSVReader, _ rows: DescribedDocument.Rows, _ table: DescribedTable,
    _ document: inout TableDocument, _ faults: inout TableFaults
  ) -> Plan {
    let fault = { (message: String, value: String?, advice: String?) in
      DocumentError(
        code: .invalidValue, file: source.name, path: "line \(csv.headerLine)",
        value: value.map { "\"\(JSONExcerpt.printable($0))\"" }, message: message, advice: advice)
    }
    var unknown = Set(csv.header.indices)
    var columns: [DescribedColumn] = []
    var origins: [Origin] = []
    var missing: [(column: DescribedColumn, name: String, isNeeded: Bool)] = []
    var absent: [String] = []
    for column in TableDocumentReader.columns(of: table)
    where column.name != DescribedDocument.Others.column {
      let stated = rows.columns.first { $0.column == column.name }
      let name = stated?.from ?? column.name
      if let place = csv.header.firstIndex(where: { $0.hasBytes(of: name) }) {
        unknown.remove(place)
        columns.append(column)
        origins.append(.place(place))
      } else if let scope = document.scope.first(where: { $0.column == column.name }) {
        columns.append(column)
        origins.append(.constant(scope.value))
      } else if let value = stated?.missing {
        columns.append(column)
        origins.append(.constant(column.kept(value)))
      } else if case let isNeeded = stated != nil || table.keyColumns.contains(column.name)
        || table.key == .wholeRow, isNeeded || reader.isComplete && rows.columns.isEmpty
      {
        missing.append((column, name, isNeeded))
      } else {
        absent.append(name)
        document.absentColumns.append("\(table.name).\(column.name)")
      }
    }
    let passedOver = table.columns.filter { !$0.isKept }.map { column in
      rows.columns.first { $0.column == column.name }?.from ?? column.name
    }
    unknown = unknown.filter { place in
      !(passedOver + reader.document.ignored).contains { $0.hasBytes(of: csv.header[place]) }
    }
    let unknownNames = unknown.sorted().map { csv.header[$0] }
    for (_, name, isNeeded) in missing {
      let near = NearMiss.find(name, among: unknownNames)
      faults.add {
        fault(
          "the column \"\(JSONExcerpt.printable(name))\" is missing in the header", nil,
          near.map {
            "the header has \"\(JSONExcerpt.printable($0))\": if that is meant, name it \"\(JSONExcerpt.printable(name))\" there"
          } ?? separatorAdvice(csv)
            ?? "the header has "
            + csv.header.map { "\"\(JSONExcerpt.printable($0))\"" }
            .prefix(12).joined(separator: ", ")
            + (isNeeded ? "" : "; if the list has no such column, \(words.part)"))
      }
    }
    var others: [Int] = []
    let othersColumn = table.column(DescribedDocument.Others.column)
    for place in unknown.sorted() {
      let name = csv.header[place]
      switch reader.document.others {
      case .keep where othersColumn != nil: others.append(place)
      case .drop: document.passedOver[name, default: 0] += 1
      case .keep, .refuse:
        // A name that is missing because it is misspelt is one fault.
        if missing.contains(where: { NearMiss.find($0.name, among: unknownNames) == name }) {
          continue
        }
        let near = NearMiss.find(name, among: missing.map(\.name) + absent)
        faults.add {
          fault(
            "is not a column of \(table.name)", name,
            near.map { "did you mean \"\($0)\"?" } ?? words.others(reader.document.name))
        }
      }
    }
    if let othersColumn, reader.document.others == .keep {
      columns.append(othersColumn)
      origins.append(.constant(.null))
    }
    let keyCount = table.key == .wholeRow ? columns.count : table.keyColumns.count
    let packed = DocumentRows(table, columns: columns, keyCount: keyCount)
    let parsers = columns.map { CellParser($0, options, words) }
    let forms = zip(parsers, origins).map { parser, origin in
      if case .place(let header) = origin { (parser.form, header) } else { (parser.form, -1) }
    }
    return Plan(
      rows: packed, parsers: parsers, forms: forms, origins: origins,
      scope: document.scope.compactMap { scope in
        columns.firstIndex { $0.name == scope.column }.map { ($0, Self.packed(scope.value)) }
      },
      uniques: columns.indices.filter {
        columns[$0].isUnique && !(keyCount == 1 && $0 == 0)
      },
      others: others,
      othersPlace: columns.firstIndex { $0.name == DescribedDocument.Others.column },
      keyName: columns[..<min(keyCount, columns.count)].enumerated().map { place, column in
        if case .place(let header) = origins[place] { csv.header[header] } else { column.name }
      }.joined(separator: ", "))
  }

  private static func packed(_ value: Value) -> [UInt8] {
    var cell = RowBuffer()
    cell.append(value)
    return Array(cell.bytes)
  }

  /// For a header of one name that has other separators.
  private func separatorAdvice(_ csv: CSVReader) -> String? {
    guard csv.header.count == 1, options.separator != nil else { return nil }
    return "the separator is \(csv.format.separatorName); name another one"
  }

  // MARK: Rows

  private func fill(
    _ plan: Plan, _ csv: CSVReader, _ document: inout TableDocument, _ faults: inout TableFaults
  ) throws(DocumentError) {
    let rows = plan.rows
    let keyCount = rows.keyCount
    let forms = plan.forms
    var row = RowBuffer()
    var uniques = UniqueCells(columns: plan.uniques)
    var hasTwice = false
    var keptTwice = 0
    var emptyKeys = FoundLines()
    var spacedKeys = FoundLines()
    var lastLine = csv.headerLine
    while try csv.next() {
      lastLine = csv.line
      if let invalid = csv.firstInvalidByte() {
        throw CSVReader.notUTF8(
          file: source.name, path: path(csv, invalid.place), offset: invalid.offset)
      }
      guard csv.count == csv.header.count else {
        try otherLength(plan, csv, &row, &document, &faults)
        continue
      }
      row.removeAll()
      var isWhole = true
      var keyLength = 0
      var isEmptyKey = keyCount > 0 && keyCount < forms.count
      var isSpacedKey = false
      for place in forms.indices {
        if place == keyCount { keyLength = row.count }
        let (form, header) = forms[place]
        guard header >= 0 else {
          appendConstant(place, plan, csv, to: &row)
          if place < keyCount { isEmptyKey = false }
          continue
        }
        let value = csv.value(header)
        if place < keyCount, let first = value.first, let last = value.last {
          isEmptyKey = false
          let space = UInt8(ascii: " ")
          if form.type == .text, first == space || last == space { isSpacedKey = true }
        }
        if form.append(value, to: &row) { continue }
        if let problem = plan.parsers[place].append(
          value, isQuoted: csv.isQuoted(header), to: &row)
        {
          isWhole = false
          faults.add { fault(csv, header, problem) }
        }
      }
      if keyCount == forms.count { keyLength = row.count }
      guard isWhole else { continue }
      if isEmptyKey { emptyKeys.add(csv.line) }
      if isSpacedKey { spacedKeys.add(csv.line) }
      for scope in plan.scope { checkScope(scope, row, plan, csv, &faults) }
      if let other = rows.add(row, keyLength: keyLength, origin: csv.line) {
        switch reader.document.twice {
        case .first: keptTwice += 1
        case .setAside:
          document.setAside += rows.setAside(other, with: csv.line) { "on line \($0)" }
        case .refuse:
          hasTwice = true
          let isEqual = rows.rest(other).elementsEqual(row.bytes[keyLength...])
          faults.add { twice(csv, plan, rows.origin(other), isEqual) }
        }
        continue
      }
      for (column, line) in uniques.add(row, line: csv.line) {
        addNotUnique(column, line, plan, csv, &faults)
      }
    }
    try finish(csv, lastLine: lastLine, &document)
    if let words = emptyKeys.words("an empty key") {
      document.notes.append("\(rows.table.name): \(words)")
    }
    // Keys of a fixed width have spaces in most rows: these are meant.
    if keyCount < forms.count, spacedKeys.count <= rows.count / 2,
      let words = spacedKeys.words("a space around the key")
    {
      document.notes.append("\(rows.table.name): \(words)")
    }
    if keptTwice > 0 {
      document.notes.append(TableInference.passedOver(keptTwice, of: source.name))
    }
    if hasTwice {
      let advice = try KeyInference.advice(
        source, options, keeping: plan.keyName, twice: words.twice)
      faults.adviseFirstDuplicate(advice)
    }
  }

  private func addNotUnique(
    _ column: Int, _ line: Int, _ plan: Plan, _ csv: CSVReader, _ faults: inout TableFaults
  ) {
    guard case .place(let header) = plan.origins[column] else { return }
    faults.add {
      DocumentError(
        code: .duplicateValue, file: source.name, path: path(csv, header),
        value: excerpt(csv, header), message: "is also on line \(line), and is unique",
        advice: csv.value(header).isEmpty ? Self.emptyAdvice : nil)
    }
  }

  /// The advice for a unique column of texts that is empty in several rows.
  private static let emptyAdvice =
    #"describe it in a document with "csv": {"empty": "null"}: an empty one is NULL then"#

  private func finish(
    _ csv: CSVReader, lastLine: Int, _ document: inout TableDocument
  ) throws(DocumentError) {
    document.endsWithLineEnd = !csv.isUnterminated
    if csv.isUnterminated, reader.request.expectsLineEnd {
      throw DocumentError(
        code: .invalidValue, file: source.name, path: "line \(lastLine)",
        message: "the document ends without a line end, which it had before",
        advice: "it may have been cut short: copy it again; \(words.unterminated)")
    }
    if csv.emptyLines > 0 {
      document.notes.append("\(csv.emptyLines) empty lines in \(source.name)")
    }
  }

  /// A row with more or fewer values than the header.
  private func otherLength(
    _ plan: Plan, _ csv: CSVReader, _ row: inout RowBuffer, _ document: inout TableDocument,
    _ faults: inout TableFaults
  ) throws(DocumentError) {
    let counts =
      "it has \(CountWords.of(csv.count, "value")), the header \(csv.header.count)"
    if csv.isUnterminated, csv.count < csv.header.count {
      faults.add {
        DocumentError(
          code: .invalidValue, file: source.name, path: "line \(csv.line)", offset: csv.rowOffset,
          message: "the document ends in the middle of this row: \(counts)",
          advice: "it may have been cut short: copy it again")
      }
      return
    }
    guard reader.document.otherLength == .setAside else {
      faults.add {
        DocumentError(
          code: .invalidValue, file: source.name, path: "line \(csv.line)", offset: csv.rowOffset,
          message:
            "the row has \(CountWords.of(csv.count, "value")), the header \(csv.header.count)",
          advice: words.otherLength)
      }
      return
    }
    row.removeAll()
    var isKeyKnown = plan.rows.table.key != .wholeRow
    for place in 0..<plan.rows.keyCount where isKeyKnown {
      switch plan.origins[place] {
      case .constant(let value): row.append(value)
      case .place(let header):
        isKeyKnown =
          header < csv.count
          && plan.parsers[place].append(
            csv.value(header), isQuoted: csv.isQuoted(header), to: &row) == nil
      }
    }
    document.setAside.append(
      TableDocument.SetAside(
        table: plan.rows.table.name, line: csv.line, reason: counts,
        key: isKeyKnown ? Array(row.bytes) : nil))
  }

  private func appendConstant(
    _ place: Int, _ plan: Plan, _ csv: CSVReader, to row: inout RowBuffer
  ) {
    guard case .constant(let value) = plan.origins[place] else { return }
    if place == plan.othersPlace, !plan.others.isEmpty {
      row.append(text: Self.others(csv, plan.others))
    } else {
      row.append(value)
    }
  }

  private func checkScope(
    _ scope: (place: Int, value: [UInt8]), _ row: borrowing RowBuffer, _ plan: Plan,
    _ csv: CSVReader, _ faults: inout TableFaults
  ) {
    guard var pointer = row.bytes.baseAddress else { return }
    for _ in 0..<scope.place { _ = DocumentCell.skip(&pointer) }
    guard !DocumentCell.skip(&pointer).elementsEqual(scope.value) else { return }
    guard case .place(let header) = plan.origins[scope.place] else { return }
    faults.add {
      DocumentError(
        code: .invalidValue, file: source.name, path: path(csv, header),
        offset: csv.offset(of: header), value: excerpt(csv, header),
        message: "is outside of the document's scope",
        advice: "leave the row out, or name no scope")
    }
  }

  /// The values of columns that the description does not name, as an object of JSON.
  private static func others(_ csv: CSVReader, _ places: [Int]) -> String {
    JSONValue.object(
      places.map {
        JSONValue.Member(
          key: csv.header[$0], value: .string(String(decoding: csv.value($0), as: UTF8.self)))
      }
    ).sorted.description
  }

  // MARK: Faults

  private func path(_ csv: CSVReader, _ header: Int) -> String {
    "line \(csv.line), \(JSONExcerpt.printable(csv.header[min(header, csv.header.count - 1)]))"
  }

  private func excerpt(_ csv: CSVReader, _ header: Int) -> String {
    "\"\(JSONExcerpt.printable(csv.value(header)))\""
  }

  private func fault(_ csv: CSVReader, _ header: Int, _ problem: ValueProblem) -> DocumentError {
    DocumentError(
      code: .invalidValue, file: source.name, path: path(csv, header),
      offset: csv.offset(of: header), value: excerpt(csv, header), message: problem.message,
      advice: problem.advice)
  }

  private func twice(
    _ csv: CSVReader, _ plan: Plan, _ line: Int, _ isEqual: Bool
  ) -> DocumentError {
    let values = plan.origins[..<plan.rows.keyCount].compactMap { origin in
      if case .place(let header) = origin { excerpt(csv, header) } else { nil }
    }
    return DocumentError(
      code: .duplicateValue, file: source.name, path: "line \(csv.line), \(plan.keyName)",
      value: values.joined(separator: ", "),
      message: "is also on line \(line)" + (isEqual ? ", in a row that is the same" : ""))
  }
}

/// Finds values that two rows of a document have in a column in which each has its own.
///
/// Values are known by a hash of 64 bits: among a million, two different ones have the same once in forty million documents.
struct UniqueCells {
  private var columns: [(place: Int, seen: [Int: Int])]

  init(columns: [Int]) {
    self.columns = columns.map { ($0, [:]) }
  }

  /// Adds the values of a row.
  ///
  /// - Returns: the places of the columns whose value an earlier row has, and the lines of these rows.
  mutating func add(_ row: borrowing RowBuffer, line: Int) -> [(column: Int, line: Int)] {
    var repeated: [(column: Int, line: Int)] = []
    for index in columns.indices {
      guard var pointer = row.bytes.baseAddress else { break }
      for _ in 0..<columns[index].place { _ = DocumentCell.skip(&pointer) }
      let cell = DocumentCell.skip(&pointer)
      if cell.first == DocumentCell.null { continue }
      var hasher = Hasher()
      hasher.combine(bytes: cell)
      let hash = hasher.finalize()
      if let other = columns[index].seen[hash] {
        repeated.append((columns[index].place, other))
      } else {
        columns[index].seen[hash] = line
      }
    }
    return repeated
  }
}

/// Lines of a document that have something in common, of which the first one is named.
private struct FoundLines {
  private(set) var count = 0
  private var first = 0

  mutating func add(_ line: Int) {
    if count == 0 { first = line }
    count += 1
  }

  /// `2 rows with an empty key, the first on line 3`; nil without any.
  func words(_ what: String) -> String? {
    count == 0 ? nil : "\(CountWords.of(count, "row")) with \(what), the first on line \(first)"
  }
}
