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

  @OptionGroup var taking: TakingOptions

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
    let report = try await taking.namingOptions {
      let importer = try await importer()
      return dryRun
        ? try await importer.plan(in: options.directory, options: opening)
        : try await imported(importer)
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
    return try await taking.importer(of: documents, kind, in: options.directory, opening)
  }

  private func imported(_ importer: TableImporter) async throws -> TableImportReport {
    try await options.changeCatalog(of: importer.kind, waiting, clock: time.clock) {
      try await importer.apply(to: $0)
    }
  }

  private func sources(_ description: KindDescription) throws -> [ImportSource] {
    try documents.map { document in
      let file = try document.source()
      let name = try document.document(file, description)
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
}
