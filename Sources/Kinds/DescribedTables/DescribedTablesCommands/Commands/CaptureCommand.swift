import ArgumentParser
import CatalogEngine
import CatalogModel
import DescribedTables
import EngineCommands

/// Takes what changed in an adopted database, once, at intervals, or whenever its program writes.
struct CaptureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture",
    abstract:
      "Take what changed in the database that the catalog adopted, once or repeatedly.",
    discussion: """
      Does what import of the database does: what differs is one batch, and nothing is appended if nothing has changed. \
      With --watch the database is checked four times a second, and taken when its file, its write-ahead log or its \
      journal has changed; with --every at intervals. Each batch is a state that was committed; states between two \
      batches are not seen. A state that is refused, because of a removal guard or of a change that needs --rename or --drop, is \
      reported once on standard error, and the next state is tried. Ctrl-C and SIGTERM end it after the batch under way \
      and what has changed since, with status 1 if the last state is not in the catalog.
      """.examples(
        "\(ProgramName.current) capture app.sqlite",
        "\(ProgramName.current) capture app.sqlite --every 10m",
        "\(ProgramName.current) capture app.sqlite --watch --reason 'night of the migration'"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var taking: TakingOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Repeat after this time: 30s, 10m, 2h; digits alone are seconds.", valueName: "duration"))
  var every: RepeatInterval?

  @Flag(name: .long, help: "Follow the database until interrupted.")
  var watch = false

  @Argument(
    help: ArgumentHelp("The database, as [document=]file.", valueName: "file"),
    completion: .file())
  var database: NamedFile

  func validate() throws {
    if every != nil, watch { throw ValidationError("--every and --watch exclude each other") }
    if database.file == "-" { throw ValidationError("standard input is not a database") }
  }

  func run() async throws {
    let database = database.resolved(in: try options.describedKind().description)
    guard every != nil || watch else {
      let report = try await captured(database, isRepeated: false)
      try Console.current.write(options.format, json: report.json) { $0.write(report) }
      return try report.outcome.throwExitStatus()
    }
    var loop = CaptureLoop(database.file, every: every?.duration)
    try await loop.run(
      capture: { try await captured(database, isRepeated: true) },
      write: { report in
        switch options.format {
        case .text: Console.current.write(report, at: CatalogClock.system.now())
        case .json: try Console.current.write(line: report.json)
        }
      })
    if !loop.isCaughtUp { throw Exit(status: .error) }
  }

  /// Takes the database as it is now.
  private func captured(_ database: NamedFile, isRepeated: Bool) async throws -> TableImportReport {
    try await taking.namingOptions {
      let kind = try options.describedKind()
      let file = try database.source()
      guard file.isDatabase else { throw file.notADatabase }
      var request = TableDocumentRequest()
      request.words = CSVArguments.words
      let source = ImportSource(
        try database.document(file, kind.description), file, request)
      let importer = try await taking.importer(
        of: [source], kind, in: options.directory, options.opening(ProgressPrinter(.current)),
        isRepeated: isRepeated)
      return try await options.changeCatalog(
        of: importer.kind, waiting, endsAtOnce: !isRepeated
      ) { try await taking.apply(importer, to: $0, in: options.directory) }
    }
  }
}

/// A time between two captures: `30s`, `10m`, `2h`.
struct RepeatInterval: ExpressibleByArgument {
  let duration: Duration

  init?(argument: String) {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    let unit = argument.last.flatMap { units[$0] }
    guard let number = Double(unit == nil ? argument[...] : argument.dropLast()) else { return nil }
    let seconds = number * (unit ?? 1)
    guard seconds >= 0.1, seconds <= 366 * 86_400 else { return nil }
    duration = .milliseconds(Int64(seconds * 1_000))
  }
}
