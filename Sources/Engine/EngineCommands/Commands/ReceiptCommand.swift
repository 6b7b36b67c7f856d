import ArgumentParser
import CatalogEngine
import CatalogStore

struct ReceiptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipt",
    abstract: "Print a receipt of the live projection, to be committed.",
    discussion: """
      The receipt is JSON in either --format. Without times in it, the content part is the same for \
      every log with the same content. It is of the rows as they are: `verify` first tells whether they \
      are what the log says.
      """.examples(
        "\(ProgramName.current) receipt > catalog.receipt.json"))

  @OptionGroup var options: CatalogOptions

  @Flag(name: .long, help: "Only projector, schema and the digests without columns of time.")
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
