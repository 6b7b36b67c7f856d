import ArgumentParser
import CatalogEngine
import CatalogStore

struct ReceiptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipt",
    abstract: "Print a receipt of the live database, to commit to a repository.",
    discussion: """
      The receipt is JSON in either --format. Its content part has no times and is the same for every log \
      with the same content. It describes the rows as they are; run `verify` first to check that they match \
      the log.
      """.examples(
        "\(ProgramName.current) receipt > catalog.receipt.json"))

  @OptionGroup var options: CatalogOptions

  @Flag(name: .long, help: "Only projector, schema and the digests without time columns.")
  var content = false

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let catalog = try await options.opened(options.opening(progress))
    defer { catalog.close() }
    let receipt = try await catalog.receipt()
    progress.finish()
    console.write(verbatim: receipt.json(content ? .content : .whole))
  }
}
