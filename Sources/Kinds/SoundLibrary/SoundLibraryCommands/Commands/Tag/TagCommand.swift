import ArgumentParser
import CatalogModel
import CatalogStore
import EngineCommands
import Foundation
import SoundLibrary

struct TagCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag",
    abstract: "List and change tags. Every change is an event.",
    subcommands: [
      TagListCommand.self, TagAddCommand.self, TagRemoveCommand.self, TagSuppressCommand.self,
      TagUnsuppressCommand.self, TagRenameCommand.self, TagMergeCommand.self,
      TagAliasCommand.self,
    ])
}

struct TagListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the values of one dimension, or of all.",
    discussion: "".examples(
      "\(ProgramName.current) tag list",
      "\(ProgramName.current) tag list moods"))

  @OptionGroup var options: CatalogOptions

  @Argument(help: ArgumentHelp("The dimension; default all.", valueName: "dimension"))
  var dimension: DimensionArgument?

  func run() async throws {
    try await options.readCatalog { catalog in
      let console = Console.current
      var json: [String: [JSONObject]] = [:]
      for dimension in dimension.map({ [$0.dimension] }) ?? TagDimension.all {
        let values = try await catalog.vocabulary.values(of: dimension)
        switch options.format {
        case .text:
          console.write("\(dimension.key) (\(Count.of(values.count, "value")))")
          for entry in values { console.write(line(entry)) }
        case .json: json[dimension.key] = values.map(\.json)
        }
      }
      if options.format == .json { try console.write(json: json) }
    }
  }

  private func line(_ entry: VocabularyEntry) -> String {
    let number = Count.grouped(entry.itemCount)
    let aliases =
      entry.aliases.isEmpty
      ? "" : "  (also \(entry.aliases.map { "\"\($0)\"" }.joined(separator: ", ")))"
    return number.aligned(to: 8) + "  "
      + entry.value.name + (entry.isSystem ? "" : "  (added by people)") + aliases
  }
}

extension VocabularyEntry {
  fileprivate var json: JSONObject {
    [
      "id": value.id, "name": value.name, "sortOrder": sortOrder, "isSystem": isSystem,
      "itemCount": itemCount, "aliases": aliases,
    ]
  }
}

/// What every command that changes tags takes.
struct ChangeOptions: ParsableArguments {
  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  init() {}

  /// Carries out a change and tells what came of it.
  func change(
    _ body: (SoundLibrary) async throws -> ChangeReport
  ) async throws {
    try await options.changeCatalog(waiting) { catalog in
      let report = try await body(catalog)
      let json: JSONObject = [
        "outcome": report.outcome.rawValue, "events": report.events, "sequence": report.sequence,
      ]
      try Console.current.write(options.format, json: json) { console in
        let appended = "appended \(Count.of(report.events, "event")), head \(report.sequence)"
        switch report.outcome {
        case .unchanged: console.write("nothing new, 0 events")
        case .applied: console.write(appended)
        case .appended: console.write("\(appended); the database does not have them yet")
        }
      }
      if report.outcome == .appended { throw Exit(status: .error) }
    }
  }
}
