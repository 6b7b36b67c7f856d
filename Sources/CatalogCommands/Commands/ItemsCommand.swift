public import ArgumentParser
import Catalog
public import CatalogModel
import CatalogStore
import Foundation

extension Kind: ExpressibleByArgument {}

/// Filters by the names of tag values.
struct FilterOptions: ParsableArguments {
  @Option(name: .long, help: ArgumentHelp("Items in this location.", valueName: "name"))
  var location: [String] = []

  @Option(name: .long, help: ArgumentHelp("Items of this mood.", valueName: "name"))
  var mood: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("Items with this theme of their kind.", valueName: "name"))
  var theme: [String] = []

  @Option(name: .long, help: ArgumentHelp("Items of this creature type.", valueName: "name"))
  var creature: [String] = []

  init() {}

  /// Looks the names up.
  ///
  /// - Throws: where the kind lacks a dimension, or a dimension lacks a name.
  func filters(for kind: Kind, in library: LibraryRepository) async throws -> Filters {
    var filters = Filters()
    for (tagKey, names) in [
      ("locations", location), ("moods", mood), ("themes", theme), ("creatureTypes", creature),
    ] where !names.isEmpty {
      guard let dimension = TagDimension.all(of: kind).first(where: { $0.tagKey == tagKey }) else {
        throw ValidationError("items of kind \(kind.rawValue) have no \(tagKey) to filter by")
      }
      let values = try await library.tagValues(named: names, in: dimension)
      if let unknown = names.first(where: { name in !values.contains { $0.name == name } }) {
        throw StoreError(.notFound, "\(dimension.key) has no value \"\(unknown)\"")
      }
      filters[dimension] = values.map(\.id)
    }
    return filters
  }
}

struct ItemsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "items",
    abstract: "List items by title.",
    discussion: "Several values of one option mean any of them; several options mean all of them.")

  @OptionGroup var options: CatalogOptions
  @OptionGroup var filtering: FilterOptions

  @Option(name: .long, help: ArgumentHelp("At most this many items.", valueName: "n"))
  var limit: Int?

  @Argument(help: "music, atmosphere or sfx.")
  var kind: Kind

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes 1 or more, not \(limit)") }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let catalog = try await SoundCatalog.openExisting(
      options.directory, options: options.opening(progress))
    defer { catalog.close() }
    progress.finish()
    let filters = try await filtering.filters(for: kind, in: catalog.library)
    let items = try await catalog.library.fetchItems(kind: kind, filters: filters)
    let shown = items.prefix(limit ?? items.count)
    switch options.format {
    case .text:
      for item in shown {
        let id = item.id.uuidString.lowercased()
        let subtitle = item.subtitle.map { "  \($0)" } ?? ""
        console.write("\(id)  \(item.title)\(subtitle)")
      }
      console.error(
        shown.count == items.count
          ? Count.of(items.count, "item")
          : "\(Count.grouped(shown.count)) of \(Count.of(items.count, "item"))")
    case .json:
      try console.write(
        json: ItemsJSON(total: items.count, items: shown.map(ItemsJSON.Item.init)))
    }
  }
}

private struct ItemsJSON: Encodable {
  struct Item: Encodable {
    let id: String
    let kind: String
    let title: String
    let subtitle: String?
    let duration: Double?
    let artworkUrl: String?
    let createdAt: String
    let updatedAt: String

    init(_ row: LibraryItemRow) {
      id = row.id.uuidString.lowercased()
      kind = row.kind.rawValue
      title = row.title
      subtitle = row.subtitle
      duration = row.duration
      artworkUrl = row.artworkURL
      createdAt = row.createdAt.description
      updatedAt = row.updatedAt.description
    }
  }

  let total: Int
  let items: [Item]
}
