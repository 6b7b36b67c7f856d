import ArgumentParser
import Catalog
import CatalogModel
import CatalogStore

struct FacetsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "facets",
    abstract: "Count items by tag value, after the filters.")

  @OptionGroup var options: CatalogOptions
  @OptionGroup var filtering: FilterOptions

  @Option(name: .long, help: ArgumentHelp("At most this many values a dimension.", valueName: "n"))
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
    let counts = try await catalog.facets.facetCounts(kind: kind, filters: filters)
    switch options.format {
    case .text:
      for dimension in counts.dimensions {
        let shown = dimension.facets.prefix(limit ?? dimension.facets.count)
        let more = dimension.facets.count - shown.count
        console.write(
          "\(dimension.dimension.key) (\(Count.of(dimension.facets.count, "value")))")
        for facet in shown {
          let number = Count.grouped(facet.count)
          let padding = String(repeating: " ", count: max(0, 8 - number.count))
          console.write("\(padding)\(number)  \(facet.value.name)")
        }
        if more > 0 { console.write("          … \(Count.grouped(more)) more") }
      }
    case .json:
      var json: [String: [FacetJSON]] = [:]
      for dimension in counts.dimensions {
        json[dimension.dimension.key] = dimension.facets.prefix(limit ?? dimension.facets.count)
          .map { FacetJSON(id: $0.value.id, name: $0.value.name, count: $0.count) }
      }
      try console.write(json: json)
    }
  }
}

private struct FacetJSON: Encodable {
  let id: Int64
  let name: String
  let count: Int
}
