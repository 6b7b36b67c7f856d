import CatalogEngine
import CatalogModel
import CatalogTestSupport
import EventLog
import Projections
import Promises
import Testing

/// The log and its changes as values, for apps.
@Suite(
  .promise(
    "An app asks for the events of a log, for the changes of rows and for the event behind each value",
    by: "a model that keeps the rows after each batch"))
struct LogQuestionsTests {
  /// The rows of one table by their keys.
  private typealias Rows = [[Value]: [Value]]

  private static let tables = [
    Shelf.table.description, ShelvedBook.table.description, BookTitle.table.description,
  ]

  private let history: ShelvesHistory
  private let catalog: EventCatalog<Shelves>

  init() async throws {
    history = try await ShelvesHistory(seed: 4_711, batches: 60)
    catalog = try await EventCatalog.open(CatalogDirectory(history.folder.path), Shelves())
  }

  /// The rows of each table after each batch, by an application of the events one by one.
  private func states() async throws -> [[Rows]] {
    let store = MemoryRowStore(schema: Shelves().schema)
    let events = try await catalog.events(limit: .max)
    return try history.batches.map { batch in
      for record in events where batch.contains(record.sequence) {
        do {
          try Shelves().apply(record, to: store)
        } catch let error as ProjectionError where error.code == .contradiction {
          // A replay passes it over, too.
        }
      }
      return Self.tables.map { table in
        Rows(uniqueKeysWithValues: store.rows(in: table).map { (table.key(of: $0), $0) })
      }
    }
  }

  private func text(
    _ table: TableDescription, _ before: [Value]?, _ after: [Value]?, _ sequence: UInt64
  ) -> String {
    "\(sequence) \(table.name) \(before.map { "\($0)" } ?? "-") \(after.map { "\($0)" } ?? "-")"
  }

  private func text(_ change: RecordedChange) -> String {
    text(
      change.change.table, change.change.before, change.change.after,
      batchEnd(change.event.sequence))
  }

  /// The last event of the batch that holds an event.
  private func batchEnd(_ sequence: UInt64) -> UInt64 {
    history.batches.first { $0.contains(sequence) }?.upperBound ?? 0
  }

  /// The changes from one state to another by a batch that ends with this event.
  private func changes(_ old: [Rows], _ new: [Rows], _ sequence: UInt64) -> [String] {
    zip(Self.tables, zip(old, new)).flatMap { table, rows in
      Set(rows.0.keys).union(rows.1.keys).compactMap { key -> String? in
        let (before, after) = (rows.0[key], rows.1[key])
        return before == after ? nil : text(table, before, after, sequence)
      }
    }
  }

  @Test func eventsComeInPages() async throws {
    let all = try await catalog.events(limit: .max)
    #expect(all.map(\.sequence) == Array(2...history.last))
    var pages: [Recorded<ShelfEvent>] = []
    while case let page = try await catalog.events(after: pages.last?.sequence ?? 0, limit: 7),
      !page.isEmpty
    {
      #expect(page.count == 7 || page.last?.sequence == history.last)
      pages += page
    }
    #expect(pages == all)
    #expect(try await catalog.events(after: history.last, limit: 1).isEmpty)
    #expect(try await catalog.events(after: .max, limit: 1).isEmpty)
    let head = try #require(try await catalog.head())
    #expect(head.sequence == history.last && head.chain.utf8.count == 64)
    #expect(head.chain == (try history.log.head()?.chain.hex))
  }

  @Test func eachChangeOfEachBatchIsThere() async throws {
    let states = try await states()
    var expected: [String] = []
    var before = Self.tables.map { _ in Rows() }
    for (batch, state) in zip(history.batches, states) {
      expected += changes(before, state, batch.upperBound)
      before = state
    }
    let found = try await catalog.changes(after: 0)
    #expect(found.map(text).sorted() == expected.sorted())
    #expect(found.map(\.event.sequence) == found.map(\.event.sequence).sorted())
    // A part of the log, of one table.
    let (first, last) = (history.batches[20].upperBound, history.batches[40].upperBound)
    let part = try await catalog.changes(after: first, through: last, of: [Self.tables[1]])
    #expect(
      part.map(text)
        == found.filter {
          $0.event.sequence > first && $0.event.sequence <= last
            && $0.change.table === Self.tables[1]
        }.map(text))
  }

  @Test func aDifferenceHasTheRowsThatDiffer() async throws {
    let states = try await states()
    for (old, new) in [(0, 59), (10, 11), (5, 40), (30, 30)] {
      let found = try await catalog.difference(
        after: history.batches[old].upperBound, through: history.batches[new].upperBound)
      let bare = found.map { text($0.change.table, $0.change.before, $0.change.after, 0) }
      #expect(bare.sorted() == changes(states[old], states[new], 0).sorted())
      for difference in found {
        // The event of a difference is that of the last change.
        let change = try await catalog.changes(
          after: 0, through: history.batches[new].upperBound, of: [difference.change.table]
        ).last { $0.change.key == difference.change.key }
        #expect(change?.event == difference.event)
      }
    }
  }

  @Test func aRowHasItsChangesAndTheEventsBehindItsValues() async throws {
    let found = try await catalog.changes(after: 0, of: [ShelvedBook.table.description])
    let keys = Set(found.map(\.change.key))
    try #require(keys.count > 5)
    for key in keys {
      let steps = try await catalog.history(of: ShelvedBook.table.description, key: key)
      #expect(steps.map(text) == found.filter { $0.change.key == key }.map(text))
      let blame = try await catalog.blame(of: ShelvedBook.table.description, key: key)
      let last = try #require(steps.last)
      #expect(blame.columns.map(\.value) == last.change.after ?? [])
      #expect((blame.removed == nil) == (last.change.after != nil))
      for column in blame.columns { #expect(column.event.by == "test") }
    }
    let number = try #require(try await catalog.rows(of: ShelvedBook.table).first?.number)
    let typed = try await catalog.history(of: ShelvedBook.table, key: number)
    let rows = try typed.compactMap { try $0.change.after.map(ShelvedBook.table.row) }
    #expect(!rows.isEmpty && rows.allSatisfy { $0.number == number })
    let columns = try await catalog.blame(of: ShelvedBook.table, key: number).columns
    #expect(columns.map(\.name) == ["number", "shelf"])
  }

  @Test func aStateOfThePastAnswersUpToItself() async throws {
    let last = history.batches[25].upperBound
    let past = try await catalog.past(after: last)
    let found = try await past.changes(after: 0)
    #expect(found.map(text) == (try await catalog.changes(after: 0, through: last)).map(text))
    #expect(try await past.head()?.sequence == history.last)
  }

  @Test func whatIsNotThereIsRefused() async throws {
    await #expect(throws: CatalogError.self) { try await catalog.changes(after: history.last + 1) }
    await #expect(throws: CatalogError.self) {
      try await catalog.changes(after: history.last, through: 2)
    }
    let error = await #expect(throws: CatalogError.self) {
      try await catalog.history(of: ShelvedBook.table, key: 4_711)
    }
    #expect(error?.code == .notFound)
    // A key of another length is no key of a row.
    await #expect(throws: (any Error).self) {
      try await catalog.history(of: ShelvedBook.table, key: 1, 2)
    }
    await #expect(throws: (any Error).self) {
      try await catalog.blame(of: ShelvedBook.table.description, key: [])
    }
  }
}
