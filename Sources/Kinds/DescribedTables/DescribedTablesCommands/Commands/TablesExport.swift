import CatalogEngine
import CatalogStore
import DescribedTables
import EngineCommands
import EventLog

/// A table with the path of its document; the path is empty for standard output.
struct ExportPiece: Sendable {
  let table: ExportedTable
  let path: String
}

/// Writes tables of a database as documents, and reads each back before it gets its name.
struct TablesExport: Sendable {
  private let database: PastDatabase

  init(_ database: PastDatabase) {
    self.database = database
  }

  /// Writes the documents to a folder.
  ///
  /// - Throws: `CatalogError` with `directory` if the folder is neither new nor empty; nothing is left then.
  func write(
    _ pieces: [ExportPiece], in folder: String, apartFrom places: CatalogPlaces
  ) throws -> [ExportedTableDocument] {
    let folder = try NewFolder(folder, apartFrom: places)
    do {
      return try write(pieces, apartFrom: places)
    } catch {
      folder.removeIfUnused()
      throw error
    }
  }

  /// Writes the documents. All of them are complete before the first one gets its name.
  func write(
    _ pieces: [ExportPiece], apartFrom places: CatalogPlaces
  ) throws -> [ExportedTableDocument] {
    let files = try pieces.map { try NewFile($0.path, apartFrom: places) }
    var documents: [ExportedTableDocument] = []
    try write(zip(pieces, files).map { ($0, $1) }[...], &documents)
    return documents
  }

  private func write(
    _ rest: ArraySlice<(piece: ExportPiece, file: NewFile)>,
    _ documents: inout [ExportedTableDocument]
  ) throws {
    guard let (piece, file) = rest.first else { return }
    try write(piece, to: file, as: piece.path) { document in
      documents.append(document)
      try write(rest.dropFirst(), &documents)
    }
  }

  /// Writes a document to standard output.
  func write(
    _ piece: ExportPiece, to console: Console, apartFrom places: CatalogPlaces
  ) throws -> ExportedTableDocument {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let name = "\(piece.table.name).\(piece.table.format.rawValue)"
    let file = try NewFile(folder.file(name), apartFrom: places)
    // The database shows one state, so that the rows are the same twice.
    return try write(piece, to: file, as: name) { document in
      _ = try write(piece.table, by: console)
      return document
    }
  }

  /// Writes a document, and reads it back before it gets its name.
  ///
  /// - Parameters:
  ///   - name: what errors call the document.
  ///   - next: the work that comes before it gets its name, too.
  private func write<Result>(
    _ piece: ExportPiece, to file: NewFile, as name: String,
    next: (ExportedTableDocument) throws -> Result
  ) throws -> Result {
    let table = piece.table
    var rows = 0
    return try file.make(
      writing: { descriptor in
        try Console.writing(to: descriptor) { rows = try write(table, by: $0) }
      },
      checking: { path in
        let checked = try table.check(
          SourceFile(path, named: name), rows: rows, CSVArguments.words
        ) { body in
          try database.forEachRow(of: table.sql, until: nil) { _ in
          } _: {
            try body($0)
          }
        }
        return try next(ExportedTableDocument(table: table, path: piece.path, checked: checked))
      })
  }

  /// Writes the rows of a table.
  ///
  /// - Returns: how many rows there are.
  private func write(_ table: ExportedTable, by console: Console) throws -> Int {
    var rows = 0
    switch table.format {
    case .csv:
      var output = CSVOutput(console, separator: table.separator, decimal: table.decimal)
      output.write(header: table.header)
      try database.forEachRow(of: table.sql, until: nil) { _ in
      } _: {
        rows += 1
        output.write(table.values($0))
      }
      output.finish()
    case .json, .jsonl:
      var output = JSONOutput(console, isArray: table.format == .json)
      try database.forEachRow(of: table.sql, until: nil) { _ in
      } _: {
        rows += 1
        output.write(table.object($0))
      }
      output.finish()
    }
    return rows
  }
}

/// A document that was written.
struct ExportedTableDocument: Sendable {
  let table: ExportedTable
  let path: String
  let checked: CheckedExport
}

extension [ExportedTableDocument] {
  /// - Parameter head: the last event of the state that the documents have.
  func json(at head: LogHead) -> JSONObject {
    [
      "documents": map { document -> JSONObject in
        [
          "table": document.table.name, "path": document.path, "rows": document.checked.rows,
          "bytes": document.checked.bytes, "sha256": document.checked.sha256,
        ]
      }, "sequence": head.sequence, "chain": head.chain.hex,
    ]
  }

  /// Sentences about the options with which an import reads the documents.
  var remarks: [String] {
    var options: [String] = []
    let whole = filter { $0.checked.findings.isEmpty }
    if whole.contains(where: \.table.needsEmptyNull) { options.append("--empty-null") }
    if whole.contains(where: \.table.needsEncoding) { options.append("--encoding utf-8") }
    guard !options.isEmpty,
      let first = whole.first(where: { $0.table.needsEmptyNull || $0.table.needsEncoding })
    else { return [] }
    let path = first.path.isEmpty ? "-" : first.path
    let pair = "\(ShellWord.quoted(first.table.name))=\(ShellWord.quoted(path))"
    return [
      "`\(ProgramName.current) import \(options.joined(separator: " ")) \(pair)` reads it back"
        + (whole.count > 1 ? ", and the others in the same way" : "")
    ]
  }
}

extension ExportedTableDocument {
  /// `tables/products.csv: 5,000 rows of products`
  var sentence: String { "\(path): \(Count.of(checked.rows, "row")) of \(table.name)" }

  /// Sentences about what an import would not read as it is.
  var findings: [String] { checked.findings.map { "\(table.name): \(words($0))" } }

  private func words(_ finding: ExportFinding) -> String {
    let isCSV = table.format == .csv
    switch finding {
    case .refused(let error):
      // Another fault follows on a line of its own.
      return "import refuses this document: \("\(error)".prefix { $0 != "\n" })"
    case .otherTables:
      return
        "the description has a document of this name for other tables, and import takes this one for it"
    case .rows(let count):
      let reason =
        isCSV
        ? "; an empty line of CSV is not a row, and --as jsonl keeps a row of one value that is NULL"
        : ""
      return "import reads \(Count.of(count, "row")) of \(Count.grouped(checked.rows))\(reason)"
    case .absent(let column): return "import passes over the column \(column)"
    case .values(let column, let count):
      return
        "import reads \(Count.of(count, "value")) of the column \(column) as others"
        + (isCSV ? "; CSV has no types, and --as jsonl keeps them" : "")
    case .hiddenKeys(let count):
      return
        "import numbers equal rows again: \(Count.of(count, "row")) would have another hidden key, and the same values"
    }
  }
}
