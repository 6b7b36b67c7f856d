public import ArgumentParser
import CatalogModel
import CatalogStore
import EngineCommands
import SoundLibrary

extension Sort.Key: ExpressibleByArgument {}

struct ItemsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "items",
    abstract: "List the items of a kind.",
    discussion: "An item must match all options, and any of the values given for one option."
      .examples(
        "\(ProgramName.current) items sfx --creature Dragon --location Arctic",
        "\(ProgramName.current) items atmosphere --not-theme music --sort created --limit 10"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var filtering: FilterOptions
  @OptionGroup var page: WholeListOptions

  @Option(name: .long, help: "The sort key; equal items are sorted by id.")
  var sort: Sort.Key = .title

  @Flag(name: .long, help: "Sort in descending order.")
  var descending = false

  @Argument(help: "music, atmosphere or sfx.")
  var kind: Kind

  func run() async throws {
    let cursor = try page.cursor()
    try await options.readCatalog { catalog in
      let filters = try await filtering.filters(for: kind, in: catalog.vocabulary)
      let found = try await catalog.library.fetchPage(
        kind: kind, filters: filters, sort: Sort(sort, descending: descending),
        limit: page.limit, after: cursor)
      try Console.current.write(found.page, "item", options.format, as: "items", json: \.json) {
        [$0.line()]
      }
    }
  }
}
