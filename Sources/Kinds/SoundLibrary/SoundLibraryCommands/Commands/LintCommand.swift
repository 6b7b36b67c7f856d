import ArgumentParser
import CatalogModel
import CatalogStore
import EngineCommands
import SoundLibrary
import Support

struct LintCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract:
      "Find look-alike tag values, unused ones, items without tags, dangling ids and conflicts.",
    discussion: """
      Look-alikes are listed with the command that merges them. A conflict is an event that changes nothing, \
      because it contradicts earlier events. Exit status 2 if anything is found.
      """.examples(
        "\(ProgramName.current) lint --brief"))

  @OptionGroup var options: CatalogOptions

  @Flag(name: .long, help: "Only look-alikes, dangling ids and conflicts.")
  var brief = false

  func run() async throws {
    let console = Console.current
    try await options.withCatalog { catalog in
      // Ids that lead nowhere come of changes by hand: they are listed, and the drift is told after them.
      let drift = try await drift(of: catalog)
      let findings = try await catalog.lint.findings().filter { finding in
        switch finding {
        case .lookAlikes, .danglingID, .conflict: true
        case .unusedValue, .untaggedItem: !brief
        }
      }
      for reverted in try await catalog.revertedOperations() { console.error("\(reverted)") }
      try console.write(options.format, json: findings.map(\.json)) { console in
        for finding in findings { write(finding, to: console) }
        console.note(Count.of(findings.count, "finding"))
      }
      if let drift { throw drift }
      if !findings.isEmpty { throw Exit(status: .findings) }
    }
  }

  /// What was changed by hand in the database; nil if nothing was.
  private func drift(of catalog: SoundLibrary) async throws -> StoreError? {
    do {
      try await catalog.verifyIfTouched()
      return nil
    } catch let error as StoreError where error.code == .drifted {
      return error
    }
  }

  private func write(_ finding: LintFinding, to console: Console) {
    console.write(finding.message)
    for command in finding.commands { console.write("  \(command)") }
  }
}

extension LintFinding {
  fileprivate var message: String {
    switch self {
    case .lookAlikes(let dimension, let values):
      "look-alikes in \(dimension.key): "
        + values.map { "\"\($0.value.name)\" (\(Count.of($0.itemCount, "item")))" }
        .joined(separator: ", ")
    case .unusedValue(let dimension, let value): "unused in \(dimension.key): \"\(value.name)\""
    case .untaggedItem(let item):
      "without tags: \(item.lowercaseID) \(item.kind.rawValue) \(item.title)"
    case .conflict(let sequence, let type, let message):
      "conflict: event \(sequence) (\(type)) changes nothing: \(message)"
    case .danglingID(let table, let column, let id):
      "dangling: \(table).\(column) names \(id), which does not exist; `\(ProgramName.current) rebuild --keep-old FILE` keeps a copy of the database and rebuilds it"
    }
  }

  /// What to paste to tidy it up.
  fileprivate var commands: [String] {
    guard case .lookAlikes(let dimension, let values) = self, let kept = values.first else {
      return []
    }
    return values.dropFirst().map { other in
      ErrorMessage("\(do: .merge(other.value.name, into: kept.value.name, in: dimension))")
        .description
    }
  }

  fileprivate var json: JSONObject {
    ["problem": code, "message": message, "commands": commands]
  }

  private var code: String {
    switch self {
    case .lookAlikes: "lookAlikes"
    case .unusedValue: "unusedValue"
    case .untaggedItem: "untaggedItem"
    case .danglingID: "danglingId"
    case .conflict: "conflict"
    }
  }
}
