import ArgumentParser
import CatalogModel
import CatalogStore
import EngineCommands
import SoundLibrary

struct FacetsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "facets",
    abstract: "Count items by tag value and availability.",
    discussion: "".examples(
      "\(ProgramName.current) facets atmosphere --mood Ominous --limit 5",
      "\(ProgramName.current) facets sfx --location Swamp --mode disjunctive"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var filtering: FilterOptions

  @Option(
    name: .long,
    help: """
      afterFilters counts the items that pass all filters; disjunctive counts each dimension without the \
      filters on that dimension.
      """)
  var mode: FacetMode = .afterFilters

  @Flag(name: .long, help: "List values that no item has, too.")
  var zero = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "At most this many values of each dimension, and those that the filters name.", valueName: "n"
    ))
  var limit: Int?

  @Argument(help: "music, atmosphere or sfx.")
  var kind: Kind

  func validate() throws {
    try OptionBounds.requireCount(limit, "--limit")
  }

  func run() async throws {
    try await options.readCatalog { catalog in
      let filters = try await filtering.filters(for: kind, in: catalog.vocabulary)
      let counts = try await catalog.facets.facetCounts(
        kind: kind, filters: filters, mode: mode, includingZero: zero)
      try Console.current.write(options.format, json: counts.json(limit: limit)) {
        write(counts, to: $0)
      }
    }
  }

  private func write(_ counts: FacetCounts, to console: Console) {
    for dimension in counts.dimensions {
      let shown = dimension.shown(limit)
      let more = dimension.facets.count - shown.count
      console.write("\(dimension.dimension.key) (\(Count.of(dimension.facets.count, "value")))")
      for facet in shown { console.write(line(facet.count, facet.value.name)) }
      if more > 0 { console.write("          … \(Count.grouped(more)) more") }
    }
    console.write("availability")
    for facet in counts.availability {
      console.write(line(facet.count, facet.availability.rawValue))
    }
  }

  private func line(_ count: Int, _ name: String) -> String {
    let number = Count.grouped(count)
    return number.aligned(to: 8) + "  " + name
  }
}

extension FacetCounts.DimensionFacets {
  /// The first ones, and those that the filters name wherever they stand.
  fileprivate func shown(_ limit: Int?) -> [FacetCounts.Facet] {
    guard let limit else { return facets }
    return facets.prefix(limit) + facets.dropFirst(limit).filter(\.isSelected)
  }
}

extension FacetCounts {
  /// By dimension: `{"moods": [{id, name, count}], …, "availability": [{name, count}]}`.
  fileprivate func json(limit: Int?) -> [String: [JSONObject]] {
    var lists: [String: [JSONObject]] = [:]
    for dimension in dimensions {
      lists[dimension.dimension.key] = dimension.shown(limit)
        .map { ["id": $0.value.id, "name": $0.value.name, "count": $0.count] }
    }
    lists["availability"] = availability.map {
      ["name": $0.availability.rawValue, "count": $0.count]
    }
    return lists
  }
}
