import ArgumentParser
import CatalogEngine
import CatalogModel
import DescribedTables
import EngineCommands
import EventLog

/// Imports documents into a catalog that describes itself: `import TABLE=FILE`.
struct TablesImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import rows of tables from CSV, JSON and JSON Lines.",
    usage: """
      \(ProgramName.current) import TABLE=FILE ... [options]
      \(ProgramName.current) import TABLE=REPO:PATH ... --git [options]
      """,
    discussion: """
      The rows are compared with those of the catalog, and only what differs is appended to the log; importing the same \
      document again appends nothing. If anything in a document is wrong, all of it is refused, and all faults are \
      listed. A document is a part of its table, so that rows which it lacks stay, unless the description or --complete \
      says that it is the whole. Several documents are one batch. TABLE is a table or a document of the description \
      and may be left out if there is one table; a FILE of - is standard input.

      With --git all versions of a file in a git repository are imported, oldest first, each as a batch at the time of its \
      commit (the committer's) and with commit and path as its source. A version has all rows of its tables, unless --part \
      says otherwise. The next import takes the versions that came since. Of merged branches the merge counts. A commit \
      that deletes the file changes no row; a new name of a file is not followed: import that file.
      """.examples(
        "\(ProgramName.current) import products=2026-10-02.csv --complete",
        "\(ProgramName.current) import products=ferrum.csv --complete --scope vendor=Ferrum",
        "\(ProgramName.current) import products=products.csv.gz --dry-run",
        "\(ProgramName.current) import products=lists:prices/products.csv --git"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var csv: CSVArguments
  @OptionGroup var git: GitArguments

  @Option(
    name: .long,
    help: ArgumentHelp("Pass over the version of this commit.", valueName: "commit"))
  var skip: [String] = []

  @Flag(name: .long, help: "Pass over each version that is refused, with its errors.")
  var skipRefused = false

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

  @Flag(
    name: .long,
    help: "Import also if the last line has no line end, and that of the document before had one.")
  var unterminated = false

  @OptionGroup var taking: TakingOptions

  @Flag(
    name: .long,
    help:
      "Refuse documents that make many values again which a revert removed, for a job that nobody watches."
  )
  var refuseReturned = false

  @OptionGroup var time: EventTimeArguments

  @OptionGroup var trial: DryRunArguments

  @Flag(
    name: .long,
    help: ArgumentHelp(
      "With --dry-run, name the rows that came from the same source and that the document lacks."))
  var gone = false

  @Argument(help: ArgumentHelp("Tables and files.", valueName: "table=file"), completion: .file())
  var documents: [NamedFile]

  func validate() throws {
    if complete, part { throw ValidationError("--complete and --part exclude each other") }
    if documents.filter({ $0.file == "-" }).count > 1 {
      throw ValidationError("standard input is one document")
    }
    if gone, !trial.dryRun || git.git || documents.count > 1 {
      throw ValidationError("--gone is about one document, with --dry-run and without --git")
    }
    if refuseReturned, git.git || trial.dryRun {
      throw ValidationError(
        "--refuse-returned is about an import without --git and --dry-run, which shows what it would refuse"
      )
    }
    if git.git, time.at != nil {
      throw ValidationError("--git gives each version the time of its commit, without --at")
    }
    if !git.git, !skip.isEmpty || skipRefused {
      throw ValidationError("--skip and --skip-refused are about --git")
    }
  }

  func run() async throws {
    if git.git { return try await importVersions() }
    let warning = try time.warning(about: options)
    var (report, kind) = try await taking.namingOptions {
      var importer = try await importer()
      if refuseReturned {
        return (try await importedIfNothingReturns(importer), importer.kind)
      }
      guard trial.dryRun else { return (try await imported(importer), importer.kind) }
      if gone { importer.asked = try await sourceRows(of: importer) }
      var report = try await importer.plan(in: options.directory, options: opening)
      report.source = importer.asked?.source
      return (report, importer.kind)
    }
    try report.noteEarlierImports(
      in: options.directory, kind, takesReverted: taking.reverted.takeReverted)
    try Console.current.write(options.format, json: report.json) { $0.write(report) }
    if let warning, [.imported, .appended].contains(report.outcome) {
      Console.current.error(warning)
    }
    try report.outcome.throwExitStatus()
  }

  private var opening: OpeningOptions { options.opening(ProgressPrinter(Console.current)) }

  /// The importer of the documents, which follows the schemas of databases.
  private func importer() async throws -> TableImporter {
    let kind: DescribedKind
    do {
      kind = try options.describedKind()
    } catch let error as CatalogError where error.code == .wrongKind {
      throw CatalogError(
        .wrongKind,
        "\(error.explanation); `\(ProgramName.current) adopt FILE --catalog DIR` makes one of a database, "
          + "`\(ProgramName.current) init --table NAME=FILE --catalog DIR` one of a table")
    }
    let documents = try sources(kind.description)
    return try await taking.importer(
      of: documents, kind, in: options.directory, opening, unterminated: unterminated)
  }

  /// The rows that came from the source of the documents.
  private func sourceRows(of importer: TableImporter) async throws -> SourceRows {
    let progress = ProgressPrinter(Console.current)
    defer { progress.finish() }
    let states = try options.states(progress)
    return try await Blocking.run {
      try SourceRows(of: importer.batchAuthor, in: importer.tableNames, from: states)
    }
  }

  /// How often it is looked again at what the documents make, if others append meanwhile.
  private static let trials = 10

  /// Imports the documents over the very rows over which nothing returned.
  private func importedIfNothingReturns(
    _ importer: TableImporter
  ) async throws -> TableImportReport {
    var importer = importer
    for _ in 0..<Self.trials {
      importer.expected = try await requireNothingReturned(importer)
      do {
        return try await imported(importer)
      } catch let error as EventLogError where error.code == .headMoved {
        continue
      }
    }
    throw CatalogError(
      .changeRefused, "other programs append to the log all the time; try again later")
  }

  /// - Returns: the head of the log over which the documents were compared.
  /// - Throws: `DocumentError` if the documents make many values again that a revert removed.
  private func requireNothingReturned(_ importer: TableImporter) async throws -> LogHead? {
    let planned = try await importer.plan(in: options.directory, options: opening)
    let returned = planned.returned.filter(\.isConsiderable)
    guard !returned.isEmpty else { return planned.head }
    Console.current.write(returned, planned.outcome, by: nil)
    throw DocumentError(
      code: .conflict, file: documents.map(\.file).joined(separator: ", "),
      message: "refused, nothing was appended: values that were reverted would be there again",
      advice: "correct the source, or leave --refuse-returned out")
  }

  private func imported(_ importer: TableImporter) async throws -> TableImportReport {
    try await options.changeCatalog(of: importer.kind, waiting, clock: time.clock) {
      try await taking.apply(importer, to: $0, in: options.directory)
    }
  }

  private func sources(_ description: KindDescription) throws -> [ImportSource] {
    try documents.map { named in
      let document = named.resolved(in: description)
      return try source(of: document, try document.source(), description)
    }
  }

  /// A document with how it is to be read.
  func source(
    of document: NamedFile, _ file: SourceFile, _ description: KindDescription
  ) throws -> ImportSource {
    let name = try document.document(file, description)
    var request = TableDocumentRequest()
    // A version of a file is not an addition to the one before it.
    if complete || git.git { request.isComplete = true }
    if part { request.isComplete = false }
    request.scope = scope.map { ($0.name, $0.text) }
    let described: DescribedDocument.CSV? =
      if case .csv(let csv)? = description.document(name)?.format { csv } else { nil }
    request.csv = try csv.options(described, file: file.name)
    request.words = CSVArguments.words
    return ImportSource(name, file, request)
  }
}
