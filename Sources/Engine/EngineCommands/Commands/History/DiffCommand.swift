import ArgumentParser
import CatalogEngine
import Foundation

struct DiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract:
      "Compare two states of the catalog row by row, and show the events that changed them.",
    discussion: (HistoryOptions.moments
      + " Either side may also be an SQLite file. The program's own tables (projection_…) are left out unless --all or "
      + "--table asks for them. Text also cuts long values and leaves out columns such as updated_at. A line says how many. "
      + "Exit status 2 if anything differs.").examples(
        "\(ProgramName.current) diff 3533 live",
        "\(ProgramName.current) diff 2026-01-31T12:00:00Z live --summary"))

  @OptionGroup var history: HistoryOptions

  @OptionGroup var shown: DiffOptions

  @Argument(help: "The older side: a sequence, a time, live, or a file.", completion: .file())
  var from: String

  @Argument(help: "The newer side.", completion: .file())
  var to: String

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let old = try side(from, progress)
    let new = try side(to, progress)
    // In JSON too: an empty array cannot say which state was looked at.
    console.write(old.moment, as: "from")
    console.write(new.moment, as: "to")
    let log = try history.log()
    let diff = try shown.difference(from: old, to: new, of: log, history.options.format)
    progress.finish()
    let output = DiffOutput(diff, of: log.kind, from: old, to: new, shown)
    switch history.options.format {
    case .text: try output.write(to: console)
    case .json:
      try console.write(json: output.json(from: old.sequence, to: new.sequence))
      console.write(diff.leftOut, cutValues: 0)
    }
    if !diff.schema.isEmpty {
      console.error(
        "\(ProgramName.current): warning: the schemas differ (\(diff.schema.joined(separator: ", "))); only the rows of the "
          + "catalog's own columns are compared; `\(ProgramName.current) verify` shows what the live database should have"
      )
    }
    if output.hasDifferences { throw Exit(status: .findings) }
  }

  private func side(_ text: String, _ progress: ProgressPrinter) throws -> PastDatabase {
    if let moment = Moment(text) { return try history.database(moment, progress) }
    guard FileManager.default.fileExists(atPath: text) else {
      throw ValidationError(
        "\"\(text)\" is not a sequence, an ISO 8601 time, \"live\" or a file")
    }
    return try PastDatabase(file: text)
  }
}
