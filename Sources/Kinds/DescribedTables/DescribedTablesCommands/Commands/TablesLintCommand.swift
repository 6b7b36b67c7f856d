import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import DescribedTables
import EngineCommands
import Projections

/// Looks for what is wrong in the rows of a described kind, though the log and the database are whole.
struct TablesLintCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Find broken rules, references to rows that do not exist, and conflicts.",
    discussion: """
      A rule is SQL of the description that must return no row. A reference can be to a row that is gone if the description says that it \
      stays then, as in a database that was adopted. A conflict is an event that changes nothing, because \
      it contradicts earlier events. Exit status 2 if anything is found.
      """.examples("\(ProgramName.current) lint"))

  @OptionGroup var history: HistoryOptions

  func run() async throws {
    let console = Console.current
    let kind = try history.options.describedKind()
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let database = try await history.database(history.newest(progress), progress)
    progress.finish()
    let (findings, reverted) = try await Blocking.run {
      (try Self.findings(kind, database), try database.revertedOperations(of: kind))
    }
    for operation in reverted { console.error("\(operation)") }
    try console.write(history.options.format, json: findings.map(\.json)) { console in
      for finding in findings {
        console.write(finding.message)
        for command in finding.commands { console.write("  \(command)") }
      }
      console.note(Count.of(findings.count, "finding"))
    }
    if !findings.isEmpty { throw Exit(status: .findings) }
  }

  private struct Finding: Sendable {
    let problem: String
    let message: String
    /// Commands that show more of it.
    var commands: [String] = []

    var json: JSONObject { ["problem": problem, "message": message, "commands": commands] }
  }

  private static func findings(
    _ kind: DescribedKind, _ database: PastDatabase
  ) throws -> [Finding] {
    let rules = try database.findings(ofRulesOf: kind).compactMap { finding -> Finding? in
      switch finding.standing {
      case .holds: nil
      case .broken(let broken):
        Finding(
          problem: "brokenRule", message: "broken rule: \(broken.sentence)",
          commands: ["\(ProgramName.current) rules --since 1"])
      case .unknown(let reason):
        Finding(problem: "uncheckedRule", message: "not checked: \(reason)")
      }
    }
    let references = try kind.description.tables.flatMap { table in
      try table.columns.compactMap { try dangling(table, $0, kind.description, database) }
    }
    let conflicts = try database.conflicts().map { conflict in
      Finding(
        problem: "conflict",
        message:
          "conflict: event \(conflict.sequence) (\(conflict.type)) changes nothing: \(conflict.message)"
      )
    }
    return rules + references + conflicts
  }

  /// The rows of a table whose reference is to no row; nil if there are none.
  private static func dangling(
    _ table: DescribedTable, _ column: DescribedColumn, _ description: KindDescription,
    _ database: PastDatabase
  ) throws -> Finding? {
    guard column.isKept, let target = column.reference?.table,
      let key = description.table(target)?.keyColumns, key.count == 1
    else { return nil }
    let name = SQLName.alwaysQuoted(column.name)
    let rows = """
      FROM \(SQLName.alwaysQuoted(table.name)) AS row WHERE row.\(name) IS NOT NULL AND NOT EXISTS
      (SELECT 1 FROM \(SQLName.alwaysQuoted(target)) AS target WHERE target.\(SQLName.alwaysQuoted(key[0])) = row.\(name))
      """
    var message: String?
    try database.forEachRow(of: "SELECT count(*), min(row.\(name)) \(rows)", until: nil) { _ in
    } _: { found in
      guard case .integer(let count) = found[0], count > 0 else { return }
      let names = count == 1 ? "names" : "name"
      message =
        "dangling: \(table.name).\(column.name): \(Count.of(Int(count), "row")) \(names) a row of \(target) that does not exist, such as \(found[1])"
    }
    return message.map {
      Finding(
        problem: "danglingReference", message: $0,
        commands: [
          "\(ProgramName.current) query \(ShellWord.quoted("SELECT row.* \(rows)".replacing("\n", with: " ")))"
        ])
    }
  }
}
