import CatalogModel
import CatalogTestSupport
import Foundation
import GRDB
import Projections
import Promises
import SoundLibraryTestSupport
import Synchronization
import Testing

@testable import CatalogStore
@testable import SoundLibrary

/// What SQLite says it does for every statement of every repository.
@Suite(
  .promise(
    "No statement of a repository scans a join table",
    by: "`EXPLAIN QUERY PLAN` of every statement that the five repositories run; `lint` "
      + "reads everything by design"))
struct QueryPlanTests {
  /// What may be read from end to end: lists of this query's own making, full-text indexes (which go
  /// by the word), vocabularies and packs, where all of them are asked for, and what SQLite and FTS5
  /// read for themselves.
  private static let scanned: Set<String> =
    Set(["page", "ranked", "total", "found", "search", "value", "alias", "pack", "sqlite_master"])
    .union(["projection_checkpoint"])
    .union(SoundLibrarySchema.schema.fullTextIndexes.map(\.name))
    .union(["titled", "hidden"] + (0..<9).flatMap { ["hit\($0)", "matched\($0)"] })
    .union(TagDimension.all.map(\.table))
    .union(SoundLibrarySchema.schema.fullTextIndexes.map { "main.\($0.name)_config" })

  @Test func noQueryScansAJoinTable() async throws {
    let folder = try ScratchFolder()
    var generator = HistoryGenerator(seed: 77)
    let store = MemoryRowStore(schema: SoundLibrarySchema.schema)
    var model = LibraryModel()
    for record in generator.batches(60).joined() {
      model.apply(record)
      try SoundLibraryProjector().applyWithoutConflict(record, to: store)
    }
    let path = folder.file("a.sqlite")
    try BulkWriter(.soundLibrary).write(
      store,
      checkpoint: Checkpoint.made(), to: path)

    let statements = Recorder()
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      ProjectionMigrations.soundLibrary.addFunctions(to: database, at: path)
      database.trace { event in
        if case .statement(let statement) = event { statements.add(statement.expandedSQL) }
      }
    }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try await askEverything(
      SoundReader(
        ProjectionDatabase(path: path, migrations: .soundLibrary) {
          ProjectionConnections(path, .soundLibrary, .single(queue))
        },
        IndexCache(threshold: .max)), model)
    let asked = statements.all
    #expect(asked.count > 60)

    for sql in asked where !sql.hasPrefix("--") {
      let plan = try await queue.read { database in
        try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
      }
      for step in plan where step.hasPrefix("SCAN ") {
        let target = step.split(separator: " ")[1]
        #expect(
          Self.scanned.contains(String(target)) || step.hasPrefix("SCAN CONSTANT ROW")
            || step.hasPrefix("SCAN words USING COVERING INDEX projection_idx_item_text_title")
            || step.hasPrefix("SCAN projection_kind")
            // To count what is visible of many: the numbers of all items are one short table.
            || (step == "SCAN projection_item" && sql.contains("WITH hidden AS")),
          "\(step)\n\(sql)")
      }
    }
  }

  private func askEverything(_ reader: SoundReader, _ model: LibraryModel) async throws {
    let library = LibraryRepository(reader)
    for kind in Kind.allCases {
      var filters = Filters(availability: [Availability.all(of: kind)[0]])
      for dimension in TagDimension.all(of: kind) {
        let ids = (model.values[dimension] ?? [:]).keys.sorted()
        filters.included[dimension] = Array(ids.prefix(3))
        filters.excluded[dimension] = Array(ids.suffix(1))
      }
      for filters in [Filters(), filters] {
        for key in Sort.Key.allCases {
          for sort in [Sort(key), .descending(key)] {
            let page = try await library.fetchPage(
              kind: kind, filters: filters, sort: sort, limit: 1, facets: .afterFilters)
            _ = try await library.fetchPage(
              kind: kind, filters: filters, sort: sort, limit: 1, after: page.next,
              facets: .disjunctive, includingZero: true)
          }
        }
        for query in ["", "forest 1", "hero’s jour"] {
          let page = try await library.searchPage(
            kind: kind, query: query, filters: filters, limit: 1)
          _ = try await library.searchPage(
            kind: kind, query: query, filters: filters, limit: 1, after: page.next)
        }
      }
      if kind != .music { _ = try await PackRepository(reader).listPacks(kind: kind) }
    }
    for id in model.items.keys.sorted().prefix(6) {
      _ = try await library.fetchItemDetail(itemId: UUID(id))
    }
    for id in model.packs.keys.sorted().prefix(3) {
      _ = try await PackRepository(reader).packDetail(packId: UUID(id))
    }
    let music = PlaylistQueries(reader)
    for entry in try await music.listMusicEntries() {
      _ = try await music.playlistID(for: entry.id)
    }
    for dimension in TagDimension.all {
      let vocabulary = VocabularyRepository(reader)
      for entry in try await vocabulary.values(of: dimension).prefix(2) {
        // No document brings a tab into a name, but generated events do.
        if entry.value.name.contains("\t") { continue }
        _ = try await vocabulary.value(named: entry.value.name, in: dimension)
      }
    }
  }

  private final class Recorder: Sendable {
    private let statements = Mutex<Set<String>>([])

    func add(_ sql: String) {
      let word = sql.prefix(6).uppercased()
      guard word == "SELECT" || word.hasPrefix("WITH") else { return }
      statements.withLock { _ = $0.insert(sql) }
    }

    var all: [String] { statements.withLock { $0.sorted() } }
  }
}
