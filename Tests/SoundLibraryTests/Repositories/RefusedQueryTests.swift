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

/// Questions that make no sense: a typed error that says which part of them.
@Suite(
  .promise("A question that makes no sense is a typed error that names its wrong part"))
struct RefusedQueryTests {
  private let folder: ScratchFolder
  private let library: LibraryRepository
  private let facets: FacetRepository
  private let packs: PackRepository
  private let music: PlaylistQueries
  private let model: LibraryModel

  init() throws {
    folder = try ScratchFolder()
    var generator = HistoryGenerator(seed: 91)
    var model = LibraryModel()
    let database = try ProjectionDatabase(path: folder.file("a.sqlite"), migrations: .soundLibrary)
    try database.createTables()
    let batches = generator.batches(80)
    for record in batches.joined() { model.apply(record) }
    try database.update { _, store in
      for record in batches.joined() {
        try SoundLibraryProjector().applyWithoutConflict(record, to: store)
      }
      return ProjectionAdvance(
        Checkpoint.made())
    }
    self.model = model
    let reader = SoundReader(database)
    library = LibraryRepository(reader)
    facets = FacetRepository(reader)
    packs = PackRepository(reader)
    music = PlaylistQueries(reader)
  }

  private func refused(
    _ code: StoreError.Code, _ words: String? = nil, _ ask: () async throws -> Void
  ) async {
    let error = await #expect(throws: StoreError.self) { try await ask() }
    #expect(error?.code == code, "\(String(describing: error))")
    if let words {
      #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }
  }

  @Test func filtersByWhatIsNotThere() async throws {
    let mood = try #require(model.values[.moods]?.keys.min())
    for filters in [
      Filters(moodIDs: [mood, 99_999]), Filters(excluding: TagSelection(moodIDs: [99_999])),
      Filters(moodIDs: [-1]), Filters(moodIDs: [.min]),
    ] {
      await refused(.unknownValue, "moods has no value with id") {
        _ = try await library.fetchItems(kind: .sfx, filters: filters)
      }
      await refused(.unknownValue) {
        _ = try await facets.facetCounts(kind: .sfx, filters: filters)
      }
      await refused(.unknownValue) {
        _ = try await library.searchItems(kind: nil, query: "a", filters: filters)
      }
    }
    await refused(.valueOfAnotherDimension, "it is \"") {
      _ = try await library.fetchItems(kind: .sfx, filters: Filters(locationIDs: [mood]))
    }
  }

  @Test func dimensionsAndAvailabilityThatTheKindDoesNotHave() async throws {
    let creature = try #require(model.values[.creatureTypes]?.keys.min())
    for filters in [
      Filters(creatureTypeIDs: [creature]),
      Filters(excluding: TagSelection(creatureTypeIDs: [creature])),
    ] {
      await refused(.dimensionNotOfKind, "kind music have no creatureTypes") {
        _ = try await library.fetchPage(kind: .music, filters: filters)
      }
      await refused(.dimensionNotOfKind) {
        _ = try await facets.facetCounts(kind: .atmosphere, filters: filters)
      }
    }
    await refused(.availabilityNotOfKind, "never available") {
      _ = try await library.countItems(kind: .music, filters: Filters(availability: [.available]))
    }
    await refused(.invalidRequest, "packs hold no music") {
      _ = try await packs.listPacks(kind: .music)
    }
  }

  @Test(arguments: [0, -1, .min] as [Int])
  func limitsBelowOneAreRefused(limit: Int) async throws {
    await refused(.invalidLimit, "\(limit)") {
      _ = try await library.fetchItems(kind: .sfx, limit: limit)
    }
    await refused(.invalidLimit) {
      _ = try await library.searchItems(kind: .sfx, query: "a", limit: limit)
    }
  }

  @Test func anIDThatWasMergedInAnotherDimensionIsSaid() async throws {
    let merged = try #require(model.merged.keys.first { $0.dimension != .locations })
    await refused(.valueOfAnotherDimension) {
      _ = try await library.fetchItems(
        kind: .music, filters: Filters(locationIDs: [merged.id]))
    }
  }

  @Test func theGreatestLimitIsNoLimit() async throws {
    let all = try await library.fetchItems(kind: .sfx)
    #expect(try await library.fetchItems(kind: .sfx, limit: .max) == all)
    #expect(try await library.searchItems(kind: .sfx, query: "", limit: .max).count == all.count)
  }

  @Test func cursorsOfOtherLists() async throws {
    let mood = try #require(model.values[.moods]?.keys.min())
    let cursor = try #require(try await library.fetchPage(kind: .sfx, limit: 1).next)
    let found = try #require(
      try await library.searchPage(kind: .sfx, query: "", limit: 1).next)
    await refused(.cursorOfAnotherList, "(sfx by title instead of sfx by title descending)") {
      _ = try await library.fetchItems(kind: .sfx, sort: .descending(.title), after: cursor)
    }
    await refused(.cursorOfAnotherList, "(sfx by title instead of music by title)") {
      _ = try await library.fetchItems(kind: .music, after: cursor)
    }
    await refused(
      .cursorOfAnotherList, "(sfx by title instead of sfx by title with moods \(mood))"
    ) {
      _ = try await library.fetchItems(
        kind: .sfx, filters: Filters(moodIDs: [mood]), after: cursor)
    }
    await refused(.cursorOfAnotherList, #"(sfx by title instead of sfx by rank for "")"#) {
      _ = try await library.searchItems(kind: .sfx, query: "", after: cursor)
    }
    await refused(.cursorOfAnotherList, #"(sfx by rank for "" instead of sfx by title)"#) {
      _ = try await library.fetchItems(kind: .sfx, after: found)
    }
    await refused(
      .cursorOfAnotherList, #"(sfx by rank for "" instead of sfx by rank for "other")"#
    ) {
      _ = try await library.searchItems(kind: .sfx, query: "other", after: found)
    }
  }

  /// Each question is another list; a text that looks like another question, too.
  @Test func everyQuestionIsAListOfItsOwn() {
    var filters = [Filters(), Filters(availability: [.available])]
    for dimension in TagDimension.all {
      for ids: [Int64] in [[1], [2], [1, 2], [12]] {
        var filter = Filters()
        filter.included[dimension] = ids
        filters.append(filter)
        swap(&filter.included, &filter.excluded)
        filters.append(filter)
      }
    }
    let sorts = Sort.Key.allCases.flatMap { [Sort($0), .descending($0)] }
    var names: [String] = []
    for kind in [nil] + Kind.allCases {
      for filter in filters {
        names += sorts.map {
          ItemList.name(kind: kind, sort: $0, filters: filter, query: nil)
        }
        names += ["", "a", "\"", " with moods 1", " for \"a"].map {
          ItemList.name(kind: kind, sort: nil, filters: filter, query: $0)
        }
      }
    }
    #expect(Set(names).count == names.count)
  }

  /// Cursors of sound libraries had a form of their own.
  @Test func aCursorOfAnEarlierFormIsRefused() async throws {
    let text =
      "eyJsaXN0Ijoic2Z4fHRpdGxlfGUzYjBjNDQyOThmYzFjMTR8bm9uZSIsInBvc2l0aW9uIjp7ImlkIjoiMDAwMDAw"
      + "MDAtMDAwMC00MDAwLTgwMDAtMDAwMDAwMDAwMDAxIiwidGV4dCI6ImEifX0.bb16448d4652"
    let error = #expect(throws: StoreError.self) { try KeysetCursor(text) }
    #expect(error?.code == .malformedCursor)
    #expect(error?.message.contains("start again without one") == true)
  }

  @Test func theSameFiltersInAnotherOrderAreTheSameList() async throws {
    let ids = Array(try #require(model.values[.moods]).keys.sorted().prefix(3))
    let page = try await library.fetchPage(
      kind: .sfx, filters: Filters(excluding: TagSelection(moodIDs: ids)), limit: 1)
    #expect(page.next != nil)
    _ = try await library.fetchPage(
      kind: .sfx, filters: Filters(excluding: TagSelection(moodIDs: ids.reversed() + ids)),
      limit: 1, after: page.next)
  }

  /// Every byte of a cursor counts.
  @Test func aForgedCursorIsNone() async throws {
    let text = try #require(try await library.fetchPage(kind: .sfx, limit: 1).next).description
    #expect(try KeysetCursor(text).description == text)
    var accepted = 0
    for index in text.indices {
      for other in ["A", "b", "7", "_", "."] where String(text[index]) != other {
        var forged = text
        forged.replaceSubrange(index...index, with: other)
        // The last character of the base 64 may have bits that stand for nothing.
        if let cursor = try? KeysetCursor(forged), cursor.description != text { accepted += 1 }
      }
    }
    #expect(accepted == 0)
    for forged in ["", ".", "..", String(text.dropLast()), text + "x", text + ".", "\u{0}", "é.é"] {
      let error = #expect(throws: StoreError.self) { try KeysetCursor(forged) }
      #expect(error?.code == .malformedCursor)
    }
  }

  @Test func idsThatAreNotThere() async throws {
    await refused(.notFound, "there is no item") {
      _ = try await library.fetchItemDetail(itemId: UUID())
    }
    await refused(.notFound, "there is no pack") {
      _ = try await packs.packDetail(packId: UUID())
    }
    await refused(.notFound) { _ = try await packs.isPackInstalled(packId: UUID()) }
    await refused(.notFound) { _ = try await music.playlistID(for: UUID()) }
    let sound = try #require(model.items.values.first { $0.kind == .sfx }).id
    await refused(.invalidRequest, "is of kind sfx: it has no playlist") {
      _ = try await music.playlistID(for: UUID(sound))
    }
  }
}
