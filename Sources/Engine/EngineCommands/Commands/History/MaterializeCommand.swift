import ArgumentParser
import CatalogEngine
import CatalogStore
import EventLog

struct MaterializeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "materialize",
    abstract: "Write a past state of the catalog to a new SQLite file.",
    discussion: (HistoryOptions.pastMoments
      + " The rows are those that the catalog had; row ids of a table with a text key are not part of it, and differ from "
      + "those of catalog.sqlite. So compare two databases with diff, or with `sqldiff --primarykey`, and name an ORDER BY "
      + "beside a LIMIT.").examples(
        "\(ProgramName.current) materialize 3533 then.sqlite",
        "\(ProgramName.current) materialize yesterday then.sqlite"))

  @OptionGroup var history: HistoryOptions

  @OptionGroup var described: DescriptionOptions

  @Argument(
    help: ArgumentHelp("The moment to write.", valueName: "when"), transform: Moment.typed)
  var at: Moment

  @Argument(help: "The file to create.", completion: .file())
  var file: String

  func validate() throws {
    if at == .live {
      throw ValidationError(
        "materialize reads the log: name a sequence or a time; the live database is already a file"
      )
    }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let states = try described.states(history.states(progress), through: [at])
    let moment = try states.found(at)
    guard let sequence = moment.sequence else { return }
    let new = try NewFile(file, apartFrom: history.places)
    let checkpoint = try new.make { try states.write(through: sequence, to: $0) }
    progress.finish()
    console.write(moment, besides: history.options.format)
    let json: JSONObject = [
      "file": file, "sequence": checkpoint.sequence, "chain": checkpoint.head.chain.hex,
    ]
    try console.write(history.options.format, json: json) {
      $0.write("\(file): the catalog after event \(checkpoint.sequence)")
    }
  }
}
