import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import DescribedTables
import EngineCommands
import Foundation

/// Compares two databases of other programs, without a catalog: `diff a.sqlite b.sqlite`.
struct FilesDiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare two SQLite databases of other programs row by row.",
    discussion: """
      No catalog is needed. Both files are only read, as adopt reads them: their programs may be running. A row is \
      known by its primary key, by a unique index, or by all values; equal rows are counted then. Views, triggers, \
      virtual tables and generated columns are not compared; standard error names them, and what only one of the \
      databases has. Exit status 2 if anything differs.
      """.examples(
        "\(ProgramName.current) diff monday.sqlite tuesday.sqlite",
        "\(ProgramName.current) diff monday.sqlite tuesday.sqlite --key session=token",
        "\(ProgramName.current) diff tuesday.sqlite monday.sqlite --sql"))

  @OptionGroup var options: CatalogOptions

  @OptionGroup var shown: DiffOptions

  @OptionGroup var keys: KeyOptions

  @OptionGroup var script: ScriptOptions

  @Argument(help: "The older database.", completion: .file())
  var from: String

  @Argument(help: "The newer database.", completion: .file())
  var to: String

  func validate() throws {
    try script.requireAlone(options.format, summary: shown.summary)
  }

  func run() async throws {
    let console = Console.current
    var words = CSVArguments.words
    words.key = { "name another key with --key \($0)=…" }
    let (pair, diff) = try await Blocking.run { [words] in
      let pair = try DatabasePair(
        from: SourceFile(from), to: SourceFile(to), keys: keys.columns, words: words)
      let chosen = try pair.schema.tables(named: pair.spelled(shown.table), of: nil)
      return (
        pair,
        try pair.difference(
          in: chosen, onlyCommon: script.sql, rowLimit: script.sql ? .max : shown.rowLimit)
      )
    }
    let output = DiffOutput(diff, RowNames(alone: pair.schema), hasEvents: false, shown)
    switch options.format {
    case .text where script.sql: try write(diff, of: pair, to: console)
    case .text: try output.write(to: console)
    case .json: try console.write(json: output.json(from: nil, to: nil))
    }
    for table in diff.tables {
      guard let reason = pair.keyless[table.name] else { continue }
      console.error(
        "\(table.name): rows are compared whole, since \(reason); --key \(table.name)=… names a key"
      )
    }
    for sentence in diff.schema { console.error("differs: \(sentence)") }
    for sentence in pair.leftOut { console.error("not compared: \(sentence)") }
    if output.hasDifferences { throw Exit(status: .findings) }
  }

  /// Writes the differences as statements for the older database.
  private func write(_ diff: HistoryDiff, of pair: DatabasePair, to console: Console) throws {
    let script = try SQLScript(diff) { pair.origin(of: $0) }
    console.write(
      document: script.text(
        heading: ["Makes the rows of \(from) those of \(to)."]
          + (diff.schema + pair.leftOut).map { "Not in this script: \($0)" }))
  }

  /// Whether the arguments of `diff` name two databases, of which one at least is another program's.
  static func matches(_ arguments: ArraySlice<String>) -> Bool {
    let files = operands(of: arguments)
    guard files.count == 2, files.allSatisfy({ Moment($0) == nil }),
      files.allSatisfy(FileManager.default.fileExists)
    else { return false }
    // What is wrong with the other file is an error of this command.
    let databases = files.filter(SourceFile.isDatabase)
    return databases.contains { HeadEvidence.peek($0) == nil }
      || databases.count == 2 && arguments.contains { $0 == "--key" || $0.hasPrefix("--key=") }
  }

  /// The words that are neither options nor their values.
  private static func operands(of arguments: ArraySlice<String>) -> [String] {
    let flags = [
      "--summary", "--all", "--verbose", "-v", "--sql", "--quiet", "--strict", "-q", "--help", "-h",
      "--no-history",
    ]
    var operands: [String] = []
    var words = arguments
    while let word = words.popFirst() {
      if word == "--" { return operands + words }
      guard word.hasPrefix("-") else {
        operands.append(word)
        continue
      }
      if !flags.contains(word), !word.contains("=") { words = words.dropFirst() }
    }
    return operands
  }
}
