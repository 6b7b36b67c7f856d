import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore

struct QueryCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "query",
      abstract: "Query the catalog, now or in the past, with read-only SQL.",
      discussion: (HistoryOptions.moments + """


        Rows are printed as SQLite finds them, however many there are. Columns are as wide as the first 1,000 rows need. A \
        value, or all of a row, may have 64 MiB, and SQLite may use 1 GiB of memory; less if the system gives the \
        process less.
        """).examples(
          of: "query", "\(ProgramName.current) query 'SELECT count(*) FROM TABLE'",
          "\(ProgramName.current) query --at 3533 'SELECT count(*) FROM TABLE'",
          "\(ProgramName.current) query --format csv 'SELECT * FROM TABLE'",
          "\(ProgramName.current) query --at 3533 --as-described 'SELECT count(*) FROM TABLE'"))
  }

  @OptionGroup var history: HistoryOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The moment to query; default live, or the log's head with --events.", valueName: "when"),
    transform: Moment.typed)
  var at: Moment?

  @OptionGroup var described: DescriptionOptions

  @OptionGroup var limit: TimeLimitOptions

  @Option(
    name: [.long, .customShort("f")],
    help: ArgumentHelp("Read the statement from a file, or standard input (-).", valueName: "file"),
    completion: .file())
  var file: String?

  @Argument(help: "One SQL statement; - reads it from standard input, as does a pipe without it.")
  var sql: String?

  func validate() throws {
    try described.requireMoment(at)
    if file != nil, sql != nil {
      throw ValidationError("--file names the statement's file: leave the argument out")
    }
  }

  func run() async throws {
    let sql = try SQLSource(sql, file: file).text()
    try await limit.bounding { limit in
      let console = Console.current
      let progress = ProgressPrinter(console)
      defer { progress.finish() }
      let moment = try at ?? history.latest()
      // The live database answers without its log, which may be on a server that is away.
      let database =
        described.asDescribed
        ? try history.database(
          moment,
          of: described.states(history.states(progress, until: limit), through: [moment]), progress)
        : try history.database(moment, progress, until: limit)
      progress.finish()
      if at != nil { console.write(database.moment, besides: history.options.format) }
      let format = history.options.format
      do {
        try await Blocking.run {
          var answer = AnswerOutput(format, database.sequence, console)
          try database.forEachRow(of: sql, until: limit) {
            answer.begin($0)
          } _: {
            try answer.write($0)
          }
          try answer.end()
        }
      } catch let error as CatalogError where error.code == .sqlRefused {
        guard let log = try? history.log() else { throw error }
        try log.explaining(sql) { throw error }
      }
    }
  }
}
