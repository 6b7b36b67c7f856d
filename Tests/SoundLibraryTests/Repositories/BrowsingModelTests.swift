import CatalogEngine
import CatalogModel
import CatalogStore
import CatalogTestSupport
import Foundation
import Projections
import Promises
import SoundLibraryTestSupport
import Testing

@testable import SoundLibrary

/// Thousands of generated catalogs and questions, answered by the repositories and by plain arrays.
@Suite(
  .promise(
    "Lists, counts, facets and searches are the same from the index in memory and from "
      + "SQL, after every commit and rebuild",
    by: "2,000 generated catalogs, both compared with plain arrays"))
struct BrowsingModelTests {
  /// By SQL alone, and by the index that a process keeps and carries on from batch to batch.
  @Test(
    arguments: Sample.of((401...416).map { UInt64($0) }, atMost: 1, "BrowsingModelTests"),
    [Int.max, 0])
  func everyAnswerIsTheModels(seed: UInt64, indexThreshold: Int) async throws {
    let folder = try ScratchFolder()
    var random = SplitMix(seed: seed &* 7)
    var generator = HistoryGenerator(seed: seed)
    var model = LibraryModel()
    var files: [String: Bool] = [:]
    let database = try ProjectionDatabase(
      path: folder.file("a.sqlite"), migrations: .soundLibrary)
    defer { try? database.close() }
    try database.createTables()
    let reader = SoundReader(database, IndexCache(threshold: indexThreshold))
    // Each batch makes another catalog.
    for (number, batch) in generator.batches(140).enumerated() {
      for record in batch { model.apply(record) }
      try database.update { _, store in
        for record in batch { try SoundLibraryProjector().applyWithoutConflict(record, to: store) }
        return ProjectionAdvance(
          Checkpoint.made(at: UInt64(number + 1)))
      }
      guard number > 10 else { continue }
      let oracle = BrowseOracle(
        model, availability: try availability(&random, model, &files, folder))
      try await compare(&random, oracle, model, reader, "seed \(seed), batch \(number)")
    }
  }

  private func compare(
    _ random: inout SplitMix, _ oracle: BrowseOracle, _ model: LibraryModel,
    _ reader: SoundReader, _ place: String
  ) async throws {
    let library = LibraryRepository(reader)
    let kind = random.pick(Kind.allCases)
    let filters = filters(&random, kind, model)
    let sort = Sort(random.pick(Sort.Key.allCases), descending: random.below(2) == 0)
    let expected = oracle.list(kind, filters, sort).map(\.row)
    let question = "\(place): \(kind) \(filters) \(sort)"

    let items = try await library.fetchItems(kind: kind, filters: filters, sort: sort)
    #expect(items == expected, "\(question)")

    let mode = random.pick(FacetMode.allCases)
    let includingZero = random.below(2) == 0
    let limit = 1 + random.below(7)
    var paged: [LibraryItemRow] = []
    var cursor: KeysetCursor?
    repeat {
      let page = try await library.fetchPage(
        kind: kind, filters: filters, sort: sort, limit: limit, after: cursor, facets: mode,
        includingZero: includingZero)
      #expect(page.total == expected.count, "\(question)")
      #expect(
        page.facets.map(lines) == oracle.facets(kind, filters, mode, includingZero), "\(question)")
      #expect(page.items.count == min(limit, expected.count - paged.count), "\(question)")
      paged += page.items
      // As an app would keep it.
      cursor = try page.next.map { try KeysetCursor($0.description) }
    } while cursor != nil && paged.count <= expected.count
    #expect(paged == expected, "\(question), pages of \(limit)")
    let separate = try await FacetRepository(reader).facetCounts(
      kind: kind, filters: filters, mode: mode, includingZero: includingZero)
    #expect(
      lines(separate) == oracle.facets(kind, filters, mode, includingZero), "\(question) \(mode)")

    try await compareSearch(&random, oracle, kind, filters, library, place)
  }

  private func compareSearch(
    _ random: inout SplitMix, _ oracle: BrowseOracle, _ kind: Kind, _ filters: Filters,
    _ library: LibraryRepository, _ place: String
  ) async throws {
    let kind = random.below(3) == 0 ? nil : kind
    var filters = random.below(2) == 0 ? filters : Filters()
    if kind == nil {
      for dimension in TagDimension.all where random.below(3) == 0 {
        filters.included[dimension] = oracle.names.keys.filter { $0.dimension == dimension }
          .map(\.id).sorted().prefix(1 + random.below(3)).map { $0 }
      }
    }
    let known = [
      "forest", "heros", "hero", "journey", "obrien", "uberwald", "strasse", "e", "a",
      "fi", "林", "🐉", "the", "drop", "libraryitem", "3", "12", "nothing",
    ]
    var words = (0..<1 + random.below(3)).map { _ in random.pick(known) }
    if random.below(2) == 0, let last = words.popLast() {
      words.append(String(last.prefix(1 + random.below(last.count))))
    }
    let query = words.joined(separator: " ")
    let expected = oracle.search(kind, words, filters)
    var found: [LibraryItemRow] = []
    var cursor: KeysetCursor?
    repeat {
      let page = try await library.searchPage(
        kind: kind, query: query, filters: filters, limit: 5, after: cursor)
      #expect(page.total == expected.count, "\(place): \(query)")
      found += page.items
      cursor = page.next
    } while cursor != nil && found.count <= expected.count
    #expect(found == expected, "\(place): \(kind?.rawValue ?? "any") \(query) \(filters)")
  }

  private func lines(_ counts: FacetCounts) -> [String] {
    counts.dimensions.flatMap { dimension in
      dimension.facets.map {
        "\(dimension.dimension.key) \($0.value.id) \($0.value.name) \($0.count)"
      }
    } + counts.availability.map { "\($0.availability.rawValue) \($0.count)" }
  }

  private func filters(
    _ random: inout SplitMix, _ kind: Kind, _ model: LibraryModel
  ) -> Filters {
    var filters = Filters()
    for dimension in TagDimension.all(of: kind) {
      let merged = model.merged.keys.filter { $0.dimension == dimension }.map(\.id)
      let ids = ((model.values[dimension] ?? [:]).keys + merged).sorted()
      guard !ids.isEmpty else { continue }
      if random.below(3) == 0 {
        filters.included[dimension] = (0..<1 + random.below(4)).map { _ in random.pick(ids) }
      }
      if random.below(5) == 0 {
        filters.excluded[dimension] = (0..<1 + random.below(2)).map { _ in random.pick(ids) }
      }
    }
    if random.below(5) == 0 {
      filters.availability = [random.pick(Availability.recorded(of: kind))]
    }
    return filters
  }

  /// Whether each item can be played: of the files that events speak of, half are there.
  private func availability(
    _ random: inout SplitMix, _ model: LibraryModel, _ files: inout [String: Bool],
    _ folder: ScratchFolder
  ) throws -> [EntityID: Availability] {
    var availability: [EntityID: Availability] = [:]
    for (item, asset) in model.audio.sorted(by: { $0.key < $1.key }) {
      let isThere = files[asset.path] ?? (random.below(2) == 0)
      if files.updateValue(isThere, forKey: asset.path) == nil, isThere {
        let file = URL(fileURLWithPath: folder.file(asset.path))
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data([1]).write(to: file)
      }
      availability[item] = isThere ? .available : .fileMissing
    }
    return availability
  }
}
