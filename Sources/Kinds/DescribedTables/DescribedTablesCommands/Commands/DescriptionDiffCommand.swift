import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import DescribedTables
import EngineCommands
import EventLog
import Foundation
import Projections

/// `projection diff kind.json`: the rows that another description would make of the log.
struct DescriptionProjectionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "projection",
    abstract: "Compare the rows that two descriptions make of one log.",
    subcommands: [DescriptionDiffCommand.self])

  /// Whether the arguments name a description.
  static func matches(_ arguments: ArraySlice<String>) -> Bool {
    guard arguments.first == "diff" else { return false }
    return arguments.dropFirst().contains { !$0.hasPrefix("-") && isDescription($0) }
  }

  /// Whether a file is a description, with or without mistakes, and not a receipt.
  private static func isDescription(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    guard let start = try? file.read(upToCount: 1 << 16) else { return false }
    let text = String(decoding: start, as: UTF8.self)
    return text.first { !$0.isWhitespace } == "{" && text.contains("\"tables\"")
      && text.contains("\"kind\"") && !text.contains("\"projector\"")
  }
}

struct DescriptionDiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show what another description of the tables would change.",
    usage: "\(ProgramName.current) projection diff FILE [options]",
    discussion: """
      The log is replayed with the description, and nothing is appended. Each table and column that would differ is shown \
      with how many rows do, and some of them. A table or column that has another name is not compared. A description that `kind change` refuses is refused here with the same words. Exit status 2 if anything differs.
      """.examples(
        "\(ProgramName.current) projection diff kind.json",
        "\(ProgramName.current) projection diff kind.json --drop products.color --rows 10"))

  @OptionGroup var options: CatalogOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Drop this table, or this column, which the new description lacks.", valueName: "name"))
  var drop: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp("List at most this many rows of each difference.", valueName: "n"))
  var rows = 3

  @Argument(
    help: "A description, as JSON.", completion: .file(extensions: ["json"]))
  var file: String

  func validate() throws {
    guard 0...1_000_000 ~= rows else { throw ValidationError("--rows takes a number from 0 on") }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let kind = try options.describedKind()
    let (new, _) = try KindDescription.typed(file)
    let change = try await change(from: kind, to: new, progress)
    let (log, directory, rows) = (try options.log(), try options.directory, rows)
    let (head, observer) = (try log.requireEnd().head, progress.observer)
    let diff: ProjectionDiff
    do {
      diff = try await Blocking.run {
        guard !change.isUnchanged(from: kind.description) else { return ProjectionDiff() }
        let newLog = CatalogLog(
          log.reader, try TableCatalog.kind(after: change, in: directory, kind))
        return try change.difference(
          from: PastDatabase(
            projectionOf: log, at: head, live: directory.database, progress: observer),
          to: PastDatabase(projectionOf: newLog, at: head, live: nil, progress: observer),
          of: newLog, through: head.sequence, examples: rows)
      }
    } catch let refusal as DescriptionRefusal {
      throw refusal.refused(file)
    }
    progress.finish()
    let output = ProjectionDiffOutput(diff, through: head.sequence, of: "descriptions")
    let json = output.json + ["described": change.json]
    try console.write(options.format, json: json) { console in
      for line in change.sentences { console.write(line) }
      output.write(to: console)
    }
    if !diff.findings.isEmpty { throw Exit(status: .findings) }
  }

  /// The change of the description, checked as `kind change` checks it.
  private func change(
    from kind: DescribedKind, to new: KindDescription, _ progress: ProgressPrinter
  ) async throws -> DescriptionChange {
    do {
      return try DescriptionChange(from: kind.description, to: new, dropping: Set(drop))
    } catch {
      let (directory, opening) = (try options.directory, options.opening(progress))
      let refusal = try await Blocking.run {
        try TableCatalog.naming(rowsOf: error, in: directory, kind, options: opening)
      }
      throw refusal.refused(file)
    }
  }
}

extension DescriptionChange {
  /// The tables, columns and values that the new description makes otherwise. A new name is one difference, and not a table or column
  /// that is new beside one that is missing. The program's own tables are left out.
  fileprivate func difference(
    from old: PastDatabase, to new: PastDatabase, of log: CatalogLog, through last: UInt64,
    examples: Int
  ) throws -> ProjectionDiff {
    var diff = try ProjectionDiff(
      from: old, to: new, of: log, through: last, examples: examples)
    diff.leaveOut { $0.table.hasPrefix("projection_") }
    for move in moves {
      switch move {
      case .renameTable(let name, let new):
        diff.rename(new, column: nil, words: "the table was \(name)") { finding in
          finding.column == nil
            && (finding.change == .missingTable && finding.table == name
              || finding.change == .newTable && finding.table == new)
        }
      case .renameColumn(let table, let name, let new):
        diff.rename(table, column: new, words: "the column was \(name)") { finding in
          finding.table == table
            && (finding.change == .missingColumn && finding.column == name
              || finding.change == .newColumn && finding.column == new)
        }
      case .dropTable, .dropColumn: break
      }
    }
    return diff
  }
}
