import ArgumentParser
import CatalogEngine
import CatalogStore

struct ReceiptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipt",
    abstract: "Print a receipt of the live database, to commit to a repository, or of a moment.",
    discussion: """
      The receipt is JSON in either --format. Its content part has no times and is the same for every log \
      with the same content. It describes the rows as they are; run `verify` first to check that they match \
      the log.

      With --at it is the receipt of a moment: rows and digest of each table, the sum of the digests of its rows. \
      Two catalogs whose receipts of a moment are the same have the same rows there.
      """.examples(
        of: "receipt", "\(ProgramName.current) receipt > catalog.receipt.json",
        "\(ProgramName.current) receipt --at 3533"))

  @OptionGroup var history: HistoryOptions

  @Option(
    name: .long, help: ArgumentHelp("The moment.", valueName: "when"), transform: Moment.typed)
  var at: Moment?

  @Flag(name: .long, help: "Only projector, schema and the digests without time columns.")
  var content = false

  func validate() throws {
    if content, at != nil {
      throw ValidationError("a receipt of a moment has no content part: omit --content or --at")
    }
    if at == nil, history.events != nil {
      throw ValidationError("--events has no live database: name a moment with --at")
    }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    if let at {
      let database = try history.database(at, progress)
      let receipt = try database.receipt(of: history.log().kind)
      progress.finish()
      console.write(database.moment, besides: .json)
      try console.write(wholeText: receipt.json)
      return
    }
    let options = history.options
    let catalog = try await options.opened(options.location.reading(progress))
    defer { catalog.close() }
    let receipt = try await catalog.receipt()
    progress.finish()
    try console.write(wholeText: receipt.json(content ? .content : .whole))
    do {
      try await catalog.verifyIfTouched()
    } catch let error as StoreError where error.code == .drifted {
      // It is what was asked for, and nothing that a replay of the log can have.
      console.error(
        "\(ProgramName.current): warning: this receipt has rows that no event made: \(error)")
    }
  }
}
