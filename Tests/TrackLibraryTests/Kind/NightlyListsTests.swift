import CatalogEngine
import CatalogStore
import CatalogTestSupport
import Projections
import Promises
import Testing
import TrackLibrary

/// One import of thirty sets a column wrong in hundreds of rows, whose other columns change later: a revert takes back the wrong
/// values alone, and the summary of the import shows them.
@Suite(
  .promise(
    "A revert restores the cells that only the operation wrote, and no other",
    by: "thirty lists with one wrong column, compared with the lists themselves"),
  .promise("A summary counts the columns that an operation changed"))
struct NightlyListsTests {
  private struct Shelf {
    let test: TestLibrary
    let lists: NightlyLists
    /// The events of each night.
    let nights: [ClosedRange<UInt64>]
    let reports: [ChangeReport]
  }

  private func shelf() async throws -> Shelf {
    let test = try await TestLibrary()
    let lists = NightlyLists(products: Sample.count(500, of: 5_000))
    var nights: [ClosedRange<UInt64>] = [1...1]
    var reports: [ChangeReport] = []
    for events in lists.events.dropFirst() {
      let (report, _) = try await test.catalog.change(by: "import:nights", summarizes: true) { _ in
        PlannedChange(events, value: ())
      }
      nights.append(report.sequence + 1 - UInt64(report.events)...report.sequence)
      reports.append(report)
    }
    return Shelf(test: test, lists: lists, nights: nights, reports: reports)
  }

  /// Category, price and stock of each product.
  private func cells(_ test: TestLibrary) throws -> [String: [String]] {
    let rows = try test.sql("SELECT id, genre, printf('%!.17g', duration), year FROM tracks").map {
      $0.split(separator: "|").map(String.init)
    }
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], Array($0.dropFirst())) })
  }

  @Test func allCategoriesComeBackAndNothingElse() async throws {
    let shelf = try await shelf()
    let (test, night) = (shelf.test, NightlyLists.wrongNight)
    let wrong = shelf.lists.recategorised(on: night)
    let last = try #require(shelf.lists.states.last)
    let gone = wrong.filter { last[$0] == nil }
    try #require(wrong.count > 40 && wrong.count > gone.count)
    let before = try cells(test)
    let report = try await test.catalog.revert(
      .events(shelf.nights[night]), columns: ["genre"], reason: "a wrong category")
    let after = try cells(test)
    #expect(after.count == before.count)
    var back = 0
    for (number, product) in last {
      let id = EntityID.number(number).description
      let (old, new) = (try #require(before[id]), try #require(after[id]))
      #expect(Array(old.dropFirst()) == Array(new.dropFirst()), "stock and price of \(number)")
      if wrong.contains(number) {
        #expect(old[0] == NightlyLists.wrong && new[0] == NightlyLists.right)
        back += 1
      } else {
        #expect(old[0] == new[0] && new[0] == product.genre)
      }
    }
    #expect(back == wrong.count - gone.count)
    // The rows that are gone are named.
    let named = Set(report.conflicts.filter { $0.table.name == "tracks" }.map(\.key))
    #expect(named == Set(gone.map { [.id(.number($0))] }))
  }

  /// Without a part, what else the night wrote comes back as well, but no cell that a later night changed.
  @Test func aWholeRevertTakesNoLaterValue() async throws {
    let shelf = try await shelf()
    let (test, night) = (shelf.test, NightlyLists.wrongNight)
    let (old, new) = (shelf.lists.states[night - 1], shelf.lists.states[night])
    let last = try #require(shelf.lists.states.last)
    let report = try await test.catalog.revert(.events(shelf.nights[night]))
    #expect(try #require(report.change).events > 0 && report.overwritten.isEmpty)
    let after = try cells(test)
    for (number, product) in last {
      let found = after[EntityID.number(number).description]
      // A product that the night added goes, unless a later night changed it.
      guard let before = old[number], let written = new[number] else {
        if new[number] == product { #expect(found == nil, "product \(number)") }
        continue
      }
      func wanted<Cell: Equatable>(_ cell: KeyPath<TrackFacts, Cell>) -> Cell {
        product[keyPath: cell] == written[keyPath: cell]
          ? before[keyPath: cell] : product[keyPath: cell]
      }
      let cells = try #require(found)
      #expect(cells[0] == wanted(\.details.genre))
      #expect(Double(cells[1]) == wanted(\.details.duration))
      #expect(cells[2] == wanted(\.details.year).map { "\($0)" })
    }
  }

  /// The counts of a summary are those of the lists, and so is whether a column ever changed before.
  @Test func theSummaryShowsTheWrongColumn() async throws {
    let shelf = try await shelf()
    let (test, lists) = (shelf.test, shelf.lists)
    let log = test.catalog.opened.log
    let history = CatalogHistory(test.catalog.opened.directory, log)
    let states = PastStates(log, history: history)
    for night in [1, 2, 9, NightlyLists.wrongNight, 18, 30] {
      let range = try OperationRange(.events(shelf.nights[night]), in: log)
      let summary = try states.summary(of: range.range)
      let table = try #require(summary.tables.first { $0.name == "tracks" })
      let (old, new) = (lists.states[night - 1], lists.states[night])
      #expect(table.added == new.keys.filter { old[$0] == nil }.count)
      #expect(table.removed == old.keys.filter { new[$0] == nil }.count)
      func check<Cell: Hashable>(_ name: String, _ cell: KeyPath<TrackFacts, Cell>) {
        func changes(_ night: Int) -> [[Cell]] {
          lists.states[night].compactMap { number, product in
            guard let before = lists.states[night - 1][number] else { return nil }
            let pair = [before[keyPath: cell], product[keyPath: cell]]
            return pair[0] == pair[1] ? nil : pair
          }
        }
        let pairs = changes(night)
        let column = table.columns.first { $0.column == name }
        #expect(column?.rows ?? 0 == pairs.count, "\(name) of night \(night)")
        guard let column else { return }
        let most = Dictionary(grouping: pairs, by: \.self).values.map(\.count).max()
        #expect(column.most == most)
        let isFirst = (1..<night).allSatisfy { changes($0).isEmpty }
        #expect(column.isFirstChange == isFirst, "\(name) of night \(night)")
      }
      check("genre", \.details.genre)
      check("duration", \.details.duration)
      check("year", \.details.year)
      // The import itself said the same; it asked no history for what came before.
      let said = try #require(shelf.reports[night - 1].summary)
      func counts(_ summary: OperationSummary) -> [[String]] {
        summary.tables.filter { $0.name == "tracks" }.flatMap { table in
          [["\(table.added) \(table.removed) \(table.changed)"]]
            + table.columns.map { ["\($0.column) \($0.rows) \($0.most)"] }
        }
      }
      #expect(counts(said) == counts(summary))
    }
    let wrong = try OperationRange(.events(shelf.nights[NightlyLists.wrongNight]), in: log)
    let genre = try states.summary(of: wrong.range).tables.first { $0.name == "tracks" }?.columns
      .first { $0.column == "genre" }
    #expect(
      genre?.before == .text(NightlyLists.right) && genre?.after == .text(NightlyLists.wrong))
    #expect(genre?.most == lists.recategorised(on: NightlyLists.wrongNight).count)
  }
}
