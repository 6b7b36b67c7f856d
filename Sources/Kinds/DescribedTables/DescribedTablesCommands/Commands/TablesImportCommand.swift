import ArgumentParser
import CatalogEngine
import CatalogModel
import DescribedTables
import EngineCommands

/// Imports documents into a catalog that describes itself: `import TABLE=FILE`.
struct TablesImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import rows of tables from CSV, JSON and JSON Lines.",
    usage: "\(ProgramName.current) import TABLE=FILE ... [options]",
    discussion: """
      The rows are compared with those of the catalog, and only what differs is appended to the log; importing the same \
      document again appends nothing. If anything in a document is wrong, all of it is refused, and all faults are \
      listed. A document is a part of its table, so that rows which it lacks stay, unless the description or --complete \
      says that it is the whole. Several documents are one batch. TABLE is a table or a document of the description \
      and may be left out if there is one table; a FILE of - is standard input.
      """.examples(
        "\(ProgramName.current) import products=2026-10-02.csv --complete",
        "\(ProgramName.current) import products=ferrum.csv --complete --scope vendor=Ferrum",
        "\(ProgramName.current) import products=products.csv.gz --dry-run"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var csv: CSVArguments

  @Flag(name: .long, help: "The documents have all rows of their tables: remove the others.")
  var complete = false

  @Flag(
    name: .long, help: "The documents are parts of their tables, whatever the description says.")
  var part = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The documents are about rows with this value; --complete removes no others.",
      valueName: "column=value"))
  var scope: [NamedText] = []

  @Flag(name: .long, help: "Import also if a table loses more rows than usual.")
  var allowRemoval = false

  @Flag(
    name: .long, help: "Import a database also if it is an older copy than the one imported last.")
  var older = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A table, or a column (table.column), of a database that has another name now.",
      valueName: "old=new"))
  var rename: [NamedText] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A table, or a column, that a database has no more and the catalog drops, too.",
      valueName: "table[.column]"))
  var drop: [String] = []

  @Flag(name: .long, help: "Restore what a revert took of the documents.")
  var takeReverted = false

  @OptionGroup var time: EventTimeArguments

  @Flag(
    name: .long,
    help: "Show what would be appended, and append nothing; exit status 2 if there is anything.")
  var dryRun = false

  @Argument(help: ArgumentHelp("Tables and files.", valueName: "table=file"), completion: .file())
  var documents: [NamedFile]

  func validate() throws {
    if complete, part { throw ValidationError("--complete and --part exclude each other") }
    if documents.filter({ $0.file == "-" }).count > 1 {
      throw ValidationError("standard input is one document")
    }
  }

  func run() async throws {
    let warning = try time.warning(about: options)
    let report: TableImportReport
    do {
      let importer = try await importer()
      report =
        dryRun
        ? try await importer.plan(in: options.directory, options: opening)
        : try await imported(importer)
    } catch let refusal as RemovalRefusal {
      throw DocumentError(
        joining: refusal.tables.map {
          DocumentError(
            code: .conflict, file: $0.file,
            message: "refused, nothing was appended: \($0.sentence)",
            advice: "--allow-removal takes it")
        }) ?? refusal
    }
    try Console.current.write(options.format, json: report.json) { $0.write(report) }
    if let warning, [.imported, .appended].contains(report.outcome) {
      Console.current.error(warning)
    }
    try report.outcome.requireNothingLeft()
  }

  private var opening: OpeningOptions { options.opening(ProgressPrinter(Console.current)) }

  /// The importer of the documents, which follows the schemas of databases.
  private func importer() async throws -> TableImporter {
    let kind = try options.describedKind()
    let documents = try sources(kind.description)
    let importer = TableImporter(kind, documents, permissions)
    guard documents.contains(where: \.file.isDatabase) else {
      guard rename.isEmpty, drop.isEmpty else {
        throw ValidationError(
          "--rename and --drop are about databases; kind change renames and drops for other documents"
        )
      }
      return importer
    }
    var choices = AdoptedChange.Choices()
    choices.renamed = rename.map { ($0.name, $0.text) }
    choices.dropped = drop
    do {
      return try await importer.following(choices, in: options.directory, options: opening)
    } catch let refusal as DescriptionRefusal {
      throw refusal.refused(documents[0].file.name)
    }
  }

  private var permissions: TableImporter.Permissions {
    var permissions = TableImporter.Permissions()
    permissions.removal = allowRemoval
    permissions.reverted = takeReverted
    permissions.older = older
    return permissions
  }

  private func imported(_ importer: TableImporter) async throws -> TableImportReport {
    try await options.changeCatalog(of: importer.kind, waiting, clock: time.clock) {
      try await importer.apply(to: $0)
    }
  }

  private func sources(_ description: KindDescription) throws -> [ImportSource] {
    try documents.map { document in
      let file = try document.source()
      let name = try self.name(of: document, file, description)
      var request = TableDocumentRequest()
      if complete { request.isComplete = true }
      if part { request.isComplete = false }
      request.scope = scope.map { ($0.name, $0.text) }
      let described: DescribedDocument.CSV? =
        if case .csv(let csv)? = description.document(name)?.format { csv } else { nil }
      request.csv = try csv.options(described, file: document.file)
      request.words = CSVArguments.words
      return ImportSource(name, file, request)
    }
  }

  private func name(
    of document: NamedFile, _ file: SourceFile, _ description: KindDescription
  ) throws -> String {
    if !document.name.isEmpty { return document.name }
    let databases = description.documents.filter { $0.format == .sqlite }
    if file.isDatabase, databases.count == 1 { return databases[0].name }
    guard description.tables.count == 1 else {
      throw ValidationError(
        "\"\(document.file)\" names no table; write \(description.tables[0].name)=\(document.file)")
    }
    return description.tables[0].name
  }
}

extension Console {
  fileprivate func write(_ report: TableImportReport) {
    for line in report.described?.sentences ?? [] { write(line) }
    var values = ValueExcerpts(isWhole: false)
    for document in report.documents {
      guard !document.isKnown else {
        write("\(document.file): nothing new, the same document was imported last")
        continue
      }
      for table in document.tables {
        let name = document.tables.count > 1 ? "\(table.name): " : ""
        write("\(document.file): \(name)\(table.sentence)")
        let summary = report.summary?.tables.first { $0.name == table.name }
        for line in summary?.lines(&values, from: max(20, table.rows / 20)) ?? [] {
          write("  \(line)")
        }
        if table.replacesMostKeys {
          write(
            "  most keys of \(table.name) were replaced by others, as if something new were counted"
          )
        }
      }
      for remark in document.remarks { error(remark) }
    }
    write(report.reverted, differing: report.differing, isRows: true)
    switch report.outcome {
    case .unchanged where report.documents.allSatisfy(\.isKnown): break
    case .unchanged, .reverted, .planned, .appended:
      write(report.outcome, types: [("", report.eventCount)])
    case .imported: break
    }
    if let failure = report.failure { error("the database does not have it yet: \(failure)") }
    if report.outcome != .planned, let sequence = report.sequence, let chain = report.chain {
      write("head \(sequence) \(chain)")
    }
  }
}

extension TableImportReport.Table {
  /// `5,005 rows: 5 added, 650 changed (stock 582, price 80)`
  fileprivate var sentence: String {
    var parts: [String] = []
    if added > 0 { parts.append("\(Count.grouped(added)) added") }
    if removed > 0 {
      let before = mostRemovedBefore.map { $0 == 0 ? "none" : "at most \(Count.grouped($0))" }
      parts.append(
        "\(Count.grouped(removed)) removed" + (before.map { " (\($0) before)" } ?? ""))
    }
    if changed > 0 {
      let counts = columns.map { "\($0.name) \(Count.grouped($0.count))" }
      parts.append("\(Count.grouped(changed)) changed (\(counts.joined(separator: ", ")))")
    }
    return
      "\(Count.of(rows, "row")): \(parts.isEmpty ? "nothing new" : parts.joined(separator: ", "))"
  }
}

extension TableImportReport {
  fileprivate var json: JSONObject {
    [
      "outcome": outcome.rawValue, "events": eventCount, "differing": differing,
      "described": described?.json,
      "documents": documents.map(\.json), "tables": summary?.json, "sequence": sequence,
      "chain": chain,
    ]
  }
}

extension TableImportReport.Document {
  fileprivate var json: JSONObject {
    [
      "file": file, "name": name, "format": format, "bytes": bytes, "sha256": sha256,
      "known": isKnown, "tables": tables.map(\.json), "remarks": remarks,
    ]
  }
}

extension TableImportReport.Table {
  fileprivate var json: JSONObject {
    [
      "table": name, "rows": rows, "added": added, "changed": changed, "removed": removed,
      "setAside": setAside,
      "mostRemovedBefore": mostRemovedBefore,
      "columns": Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.count) }),
    ]
  }
}
