import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import DescribedTables
import EngineCommands
import Foundation
import Projections

/// Writes the tables of a catalog that describes itself as documents, which `import` reads: `export DIR`.
struct TablesExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the tables as documents of CSV or JSON, now or in the past.",
    usage: """
      \(ProgramName.current) export DIR [options]
      \(ProgramName.current) export TABLE=FILE ... [options]
      \(ProgramName.current) export TABLE - [options]
      """,
    discussion: """
      DIR is a new or empty folder, which gets a file for each table of the description. The rows are in the order of the key. \
      A file that exists is not replaced, and no file gets its name before all of them are written.

      Each document is read back as `import TABLE=FILE` reads it (of CSV with --empty-null) and compared with the rows. Standard error \
      names what would not be the same, as a number in a column of the type any in CSV, and the exit status is 2 then.

      CSV has the separator, the decimal mark and the names of the document of the description that is called as the table, if there \
      is one. It is UTF-8.
      """.examples(
        "\(ProgramName.current) export tables",
        "\(ProgramName.current) export tables --as jsonl --at 2026-10-17",
        "\(ProgramName.current) export products=products.csv product_tags=tags.jsonl",
        "\(ProgramName.current) export products - | head -n 3"))

  @OptionGroup var history: HistoryOptions

  @Option(
    name: .long,
    help: ArgumentHelp("The moment to export; default live.", valueName: "when"),
    transform: Moment.typed)
  var at: Moment?

  @OptionGroup var described: DescriptionOptions

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The format of the documents: csv, jsonl or json. Default: by the ending of a file, else csv.",
      valueName: "format"))
  var format: ExportedTable.Format?

  @Argument(
    help: ArgumentHelp("A new folder, or tables and files.", valueName: "dir"),
    completion: .directory)
  var targets: [String]

  /// The places of the documents.
  private enum Target {
    case folder(String)
    case files([NamedFile])
    case standardOutput(table: String)
  }

  private var target: Target {
    get throws {
      // As by `products=$FILE` of a shell that has no such variable.
      if targets.contains(where: { !$0.contains("/") && ($0.hasPrefix("=") || $0.hasSuffix("=")) })
      {
        throw ValidationError(
          "write TABLE=FILE with both names, or ./ before a folder whose name has such a =")
      }
      let files = targets.compactMap(NamedFile.init(argument:)).filter { !$0.name.isEmpty }
      if targets.count == 2, targets[1] == "-", files.isEmpty {
        return .standardOutput(table: targets[0])
      }
      if files.count == targets.count {
        if files.count == 1, files[0].file == "-" { return .standardOutput(table: files[0].name) }
        if files.contains(where: { $0.file == "-" }) {
          throw ValidationError("standard output is one document: name one table with it")
        }
        let paths = files.map { URL(filePath: $0.file).standardizedFileURL.path }
        for file in files where format == nil { try Self.requireFormat(of: file.file) }
        let twice = files.indices.first { place in paths.count { $0 == paths[place] } > 1 }
        if let twice = twice.map({ files[$0] }) {
          throw ValidationError("\(twice.file) is named for two tables; name a file for each")
        }
        return .files(files)
      }
      guard targets.count == 1, targets[0] != "-", !targets[0].isEmpty else {
        throw ValidationError(
          "name one new folder, or a file for each table: TABLE=FILE, with - for standard output")
      }
      return .folder(targets[0])
    }
  }

  /// Files of other programs would be CSV under another name.
  private static func requireFormat(of file: String) throws {
    let ending = URL(filePath: file).pathExtension.lowercased()
    guard ["xlsx", "xls", "ods", "parquet", "sqlite", "db", "xml", "yaml", "yml"].contains(ending)
    else { return }
    throw ValidationError(
      "no document of the format \(ending) is written; name a file that ends in .csv, .jsonl or .json, or choose with --as"
    )
  }

  func validate() throws {
    try described.requireMoment(at)
    if case .standardOutput = try target, history.options.format == .json {
      throw ValidationError(
        "--format json prints a report in the place of the document: name a file, or leave it out")
    }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    _ = try history.describedKind()
    let moment = if let at { at } else { try await history.newest(progress) }
    let states = try described.states(history.states(progress), through: [moment])
    let kind = try states.log.kind.described()
    let target = try target
    let pieces = try pieces(of: target, kind, states.log)
    let database = try history.database(moment, of: states, progress)
    let places = try history.places
    let documents = try await Blocking.run {
      let export = TablesExport(database)
      return switch target {
      case .standardOutput: [try export.write(pieces[0], to: console, apartFrom: places)]
      case .files: try export.write(pieces, apartFrom: places)
      case .folder(let folder): try export.write(pieces, in: folder, apartFrom: places)
      }
    }
    progress.finish()
    if at != nil { console.write(database.moment, besides: history.options.format) }
    if case .standardOutput = target {
      console.note(Count.of(documents[0].checked.rows, "row"))
    } else {
      let head = try database.receipt(of: kind).head
      try console.write(history.options.format, json: documents.json(at: head)) { console in
        for document in documents { console.write(document.sentence) }
      }
    }
    for remark in documents.remarks { console.note(remark) }
    for finding in documents.flatMap(\.findings) { console.error(finding) }
    if documents.contains(where: { !$0.checked.findings.isEmpty }) {
      throw Exit(status: .findings)
    }
  }
}

extension TablesExportCommand {
  /// The tables with the paths of their documents; the path of standard output is empty.
  private func pieces(
    of target: Target, _ kind: DescribedKind, _ log: CatalogLog
  ) throws -> [ExportPiece] {
    func piece(_ name: String, _ path: String, _ format: ExportedTable.Format) throws -> ExportPiece
    {
      let table = try kind.schema.table(named: name, of: log)
      guard let table = ExportedTable(table.name, of: kind, as: format) else {
        throw ValidationError(
          "\(name) is the program's own table, which no document fills; `\(ProgramName.current) rows \(name) --csv` lists it"
        )
      }
      try table.requireFit(of: path)
      return ExportPiece(table: table, path: path)
    }
    switch target {
    case .standardOutput(let table): return [try piece(table, "", format ?? .csv)]
    case .files(let files):
      return try files.map {
        try piece($0.name, $0.file, format ?? ExportedTable.Format(endingOf: $0.file))
      }
    case .folder(let folder):
      // A table is more likely meant than a new folder of its name.
      if kind.description.table(folder) != nil, !FileManager.default.fileExists(atPath: folder) {
        throw ValidationError(
          "\(folder) is a table: write `export \(folder) -`, or \(folder)=FILE; ./\(folder) is a folder"
        )
      }
      let format = format ?? .csv
      return try kind.description.tables.map {
        try piece($0.name, "\(folder)/\($0.name).\(format.rawValue)", format)
      }
    }
  }
}

extension ExportedTable {
  /// Makes sure that the name of a file does not promise another form than the document has.
  fileprivate func requireFit(of path: String) throws {
    let name = path.lowercased()
    if let ending = [".gz", ".zst"].first(where: name.hasSuffix) {
      throw ValidationError(
        "\(path) would not be compressed: leave out \(ending), or pipe `export \(self.name) -` to a program that compresses"
      )
    }
    if name.hasSuffix(".tsv"), format != .csv || separator != "\t" {
      throw ValidationError(
        "\(path) would have \(format == .csv ? "\"\(separator)\" and no tabs" : "no tabs") between values: name it .\(format.rawValue)"
      )
    }
  }
}

extension ExportedTable.Format: ExpressibleByArgument {
  /// The format of a file, by the ending of its name.
  fileprivate init(endingOf file: String) {
    let name = file.lowercased()
    self =
      name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson")
      ? .jsonl : name.hasSuffix(".json") ? .json : .csv
  }
}
