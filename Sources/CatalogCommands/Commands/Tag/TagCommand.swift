import ArgumentParser
import Catalog
import CatalogModel
import CatalogStore
import Foundation

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
    commandName: "list", abstract: "List the values of a dimension, or of all.",
    discussion: "".examples(
      "catalogctl tag list",
      "catalogctl tag list moods"))

  @OptionGroup var options: CatalogOptions

  @Argument(help: ArgumentHelp("The dimension; all without it.", valueName: "dimension"))
  var dimension: DimensionArgument?

  func run() async throws {
    let console = Console.current
    try await options.withCatalog { catalog in
      var json: [String: [ValueJSON]] = [:]
      for dimension in dimension.map({ [$0.dimension] }) ?? TagDimension.all {
        let values = try await catalog.vocabulary.values(of: dimension)
        switch options.format {
        case .text:
          console.write("\(dimension.key) (\(Count.of(values.count, "value")))")
          for entry in values { console.write(line(entry)) }
        case .json: json[dimension.key] = values.map(ValueJSON.init)
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
    return String(repeating: " ", count: max(0, 8 - number.count)) + number + "  "
      + entry.value.name + (entry.isSystem ? "" : "  (people only)") + aliases
  }
}

private struct ValueJSON: Encodable {
  let id: Int64
  let name: String
  let sortOrder: Int64?
  let isSystem: Bool
  let itemCount: Int
  let aliases: [String]

  init(_ entry: VocabularyEntry) {
    id = entry.value.id
    name = entry.value.name
    sortOrder = entry.sortOrder
    isSystem = entry.isSystem
    itemCount = entry.itemCount
    aliases = entry.aliases
  }
}

/// What every command that changes tags takes.
struct ChangeOptions: ParsableArguments {
  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  init() {}

  /// Carries out a change and tells what came of it.
  func change(
    _ body: (SoundCatalog) async throws -> ChangeReport
  ) async throws {
    let console = Console.current
    try await options.withCatalog(wait: waiting.duration) { catalog in
      let report = try await body(catalog)
      switch options.format {
      case .text:
        console.write(
          report.events == 0
            ? "nothing new, 0 events"
            : "appended \(Count.of(report.events, "event")), head \(report.sequence)")
      case .json:
        try console.write(json: ChangeJSON(events: report.events, sequence: report.sequence))
      }
    }
  }
}

private struct ChangeJSON: Encodable {
  let events: Int
  let sequence: UInt64
}
