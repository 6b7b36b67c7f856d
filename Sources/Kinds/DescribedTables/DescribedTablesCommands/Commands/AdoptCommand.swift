import ArgumentParser
import CatalogEngine
import CatalogModel
import DescribedTables
import EngineCommands
import Foundation

/// Creates a catalog of the tables of another program's database, and takes all of its rows.
struct AdoptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt",
    abstract: "Create a catalog from the SQLite database of another program.",
    usage: """
      \(ProgramName.current) adopt FILE --catalog DIR [options]
      \(ProgramName.current) adopt REPO:PATH --git --catalog DIR [options]
      """,
    discussion: """
      The schema of the database becomes the description of the catalog, and its rows the first batch; import FILE takes \
      later what has changed since. The database is only read: its file, write-ahead log and journal are copied to a \
      temporary folder and opened there, so that its program may be running. A table without a key has its whole row as \
      key: a changed row counts as a removed and an added one. --key TABLE=COLUMN names a key, and --row-ids takes the rowid. Views, triggers, virtual tables and generated columns are left out, each with a line.

      With --git it is the first version of a database in a git repository, at the time of its commit; import --git takes the \
      others.
      """.examples(
        "\(ProgramName.current) adopt app.sqlite --catalog shop",
        "\(ProgramName.current) adopt app.sqlite --catalog shop --dry-run",
        "\(ProgramName.current) adopt app.sqlite --catalog shop --key session=token",
        "\(ProgramName.current) adopt app.sqlite --catalog shop --row-ids"
      ))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var trial: DryRunArguments
  @OptionGroup var git: GitArguments

  @Option(
    name: .long,
    help: ArgumentHelp("A table, or a column, that is left out.", valueName: "table[.column]"))
  var without: [String] = []

  @OptionGroup var keys: KeyOptions

  @Flag(
    name: .customLong("row-ids"),
    help: ArgumentHelp(
      "Identify rows of tables without a key by SQLite's rowid, which VACUUM can change."))
  var rowIDs = false

  @Option(
    name: .long,
    help: ArgumentHelp("The name of the kind; default the catalog's folder.", valueName: "name"))
  var kind: String?

  @OptionGroup var time: EventTimeArguments

  @Argument(help: "A database of SQLite.", completion: .file())
  var file: String

  func run() async throws {
    let directory = try options.directory
    var choices = Adoption.Choices()
    choices.without = without
    choices.keys = keys.columns
    choices.rowIDs = rowIDs
    var words = CSVArguments.words
    words.leavingOut = { "leave it out with --without \($0)" }
    words.key = { "name another key with --key \($0)=…" }
    let (source, path) = try await Blocking.run { try self.source() }
    let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    let kindName = kind ?? TablesInitCommand.name(of: directory)
    if KnownKinds.current.kind(named: kindName) != nil {
      throw Refusal(
        "\"\(kindName)\" is a kind of this program; name the new one otherwise with --kind")
    }
    // All values are read before the folder is created, so that a database with a fault leaves nothing.
    let (adoption, document) = try await Blocking.run {
      [choices, words] () -> (Adoption, ImportSource) in
      let adoption = try Adoption(
        source, kind: kindName, document: name, choices, words: words)
      var request = TableDocumentRequest()
      request.words = words
      // Only a key of the caller's own may be there twice.
      if !choices.keys.isEmpty {
        _ = try TableDocumentReader(adoption.description, name, request).read(source)
      }
      return (adoption, ImportSource(name, source, request))
    }
    let described = DescribedKind(adoption.description)
    if (try? directory.existingLog().head()) == nil {
      try DescriptionFile.requireNone(besides: adoption.description, in: directory)
    }
    let clock = git.git && time.at == nil ? source.modified.map(CatalogClock.fixed) : nil
    // A dry run makes the whole catalog elsewhere: what adopting refuses, it refuses.
    let scratch = trial.dryRun ? try TemporaryFolder() : nil
    defer { scratch?.remove() }
    if scratch != nil {
      if try directory.store().exists() { throw Self.isTaken(directory) }
      try directory.requireCreatable()
      if let lost = try LostEvents.find(in: directory) { throw lost }
    }
    let place = scratch.map { CatalogDirectory("\($0.path)/catalog") } ?? directory
    // Of a dry run nothing is in any log when it is interrupted.
    let report = try await options.changing(
      waiting, clock: clock ?? time.clock, endsAtOnce: scratch == nil
    ) { opening, progress in
      var opening = opening
      opening.readers = .one
      let id = opening.newLogID()
      opening.newLogID = { id }
      let folder = UnfinishedCatalog(place, logID: id)
      let isNew = try await Blocking.run { [opening] in
        try folder.create { try TableCatalog.create(in: place, described, options: opening) }
      }
      guard isNew else { throw Self.isTaken(directory) }
      do {
        let catalog = try await EventCatalog.openExisting(place, described, options: opening)
        defer { catalog.close() }
        progress.finish()
        var importer = TableImporter(described, [document])
        if git.git { importer.author = JSONExcerpt.printable("git:\(source.name)") }
        return try await importer.apply(to: catalog)
      } catch {
        folder.remove()
        throw error
      }
    }
    let written =
      trial.dryRun ? "" : DescriptionFile.writeIfPossible(adoption.description, in: directory)
    let json = json(adoption, report, directory)
    try Console.current.write(options.format, json: json) { console in
      console.write(adoption, file: file)
      for remark in adoption.remarks + report.documents.flatMap(\.remarks) + report.remarks {
        console.error(remark)
      }
      guard !trial.dryRun else {
        return console.write(
          "nothing was created: without --dry-run a catalog of kind \"\(kindName)\" in \(directory.path)"
        )
      }
      console.write(
        "created a catalog of kind \"\(kindName)\" in \(directory.path)\(written)"
      )
      if let failure = report.failure {
        console.error("the database does not have it yet: \(failure)")
      }
      if let sequence = report.sequence, let chain = report.chain {
        console.write("head \(sequence) \(chain)")
      }
    }
    if trial.dryRun { throw Exit(status: .findings) }
  }

  private static func isTaken(_ directory: CatalogDirectory) -> CatalogError {
    CatalogError(
      .directory,
      "\(directory.path) already holds a catalog; import takes what has changed, or name another folder"
    )
  }

  /// The database, and its name in the folder or the repository.
  private func source() throws -> (SourceFile, path: String) {
    guard git.git else { return (try SourceFile(file), file) }
    guard !file.isEmpty else { throw ValidationError("--git takes REPO:PATH") }
    let history = try GitHistory(git, [NamedFile(whole: file)])
    let reader = try GitVersions(history)
    for version in history.versions {
      if let source = try reader.read(version).first?.source { return (source, history.paths[0]) }
    }
    throw Refusal("\(file): no version has rows")
  }

  private func json(
    _ adoption: Adoption, _ report: TableImportReport, _ directory: CatalogDirectory
  ) -> JSONObject {
    [
      "catalog": directory.path, "kind": adoption.description.kind, "file": file,
      "sha256": report.documents.first?.sha256,
      "tables": adoption.tables.map { table in
        [
          "table": table.name, "source": table.source, "rows": table.rows, "key": table.key,
          "keyBecause": table.keyBecause,
        ] as JSONObject
      }, "leftOut": adoption.leftOut,
      "remarks": adoption.remarks + report.documents.flatMap(\.remarks),
      "events": report.events,
      // The head of a dry run is of a log that is gone.
      "sequence": trial.dryRun ? nil : report.sequence, "chain": trial.dryRun ? nil : report.chain,
    ]
  }
}

extension Console {
  fileprivate func write(_ adoption: Adoption, file: String) {
    let rows = adoption.tables.reduce(0) { $0 + $1.rows }
    write("\(file): \(Count.of(adoption.tables.count, "table")), \(Count.of(rows, "row"))")
    for table in adoption.tables {
      let source = table.name == table.source ? "" : ", \"\(table.source)\" in the database"
      let key = table.key.isEmpty ? "the whole row" : table.key.joined(separator: ", ")
      var because = table.keyBecause.map { ": \($0)" } ?? ""
      if table.key.isEmpty { because += "; --key \(table.source)=… or --row-ids names one" }
      write("  \(table.name)\(source): \(Count.of(table.rows, "row")), key \(key)\(because)")
    }
    if !adoption.leftOut.isEmpty { write("left out:") }
    for line in adoption.leftOut { write("  \(line)") }
  }
}
