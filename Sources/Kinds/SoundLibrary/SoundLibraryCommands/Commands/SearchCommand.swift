import ArgumentParser
import CatalogModel
import CatalogStore
import EngineCommands
import SoundLibrary

struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find items by words in titles, subtitles and tags.",
    discussion: """
      All words must match; the last one may be a prefix. Case, accents, width and quotes are ignored. \
      Matches in titles come first.
      """.examples(
        "\(ProgramName.current) search vampires cas",
        "\(ProgramName.current) search --kind sfx dragon"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var filtering: FilterOptions
  @OptionGroup var page: WholeListOptions

  @Option(name: .long, help: "Only items of this kind.")
  var kind: Kind?

  @Argument(help: "The words to search for. After -- they may begin with a dash.")
  var words: [String]

  func run() async throws {
    let cursor = try page.cursor()
    try await options.readCatalog(usesIndex: false) { catalog in
      let filters = try await filtering.filters(for: kind, in: catalog.vocabulary)
      let query = words.joined(separator: " ")
      let found = try await catalog.library.searchPage(
        kind: kind, query: query, filters: filters, limit: page.limit, after: cursor)
      try Console.current.write(found.page, "item", options.format, as: "items", json: \.json) {
        [$0.line(showsKind: kind == nil)]
      }
      guard found.total == 0 else { return }
      let hidden = try await catalog.library.countHidden(
        kind: kind, query: query, filters: filters)
      if hidden > 0 {
        Console.current.error(
          "no visible item has these words; \(Count.of(hidden, "hidden item")) \(hidden == 1 ? "has" : "have") them"
        )
      } else if let near = try await catalog.library.nearMiss(
        kind: kind, query: query, filters: filters)
      {
        Console.current.error("no item has these words; did you mean \"\(near)\"?")
      }
    }
  }
}
