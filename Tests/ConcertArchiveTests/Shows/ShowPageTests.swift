import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import ConcertArchive

@Suite(
  .promise(
    "The pages of an archive's lists are the complete list, in its order, each found by an "
      + "index"))
struct ShowPageTests {
  static let filters: [ShowFilter] = [
    .all, .year(1977), .month("1977-05"), .city("Boston"), .state("CA"), .venue("The Barn"),
    .onThisDay("05-08"), .onThisDay("02-29"), .dates("1970-02-13", "1977-05-08"),
    .dates("1977-05-08", "1977-05-08"), .dates("1977-05-09", "1977-05-08"), .year(1900),
    .city("'; DROP TABLE shows; --"),
  ]

  /// Pages of one, two and five, held against an array.
  @Test(arguments: filters) func pagesAreTheWholeList(_ filter: ShowFilter) async throws {
    let test = try await TestArchive.imported()
    let shows = test.archive.shows
    let all = try await shows.list(limit: 1_000).rows
    #expect(all.count == 14)
    #expect(all.map { [$0.date, "\($0.showSequence)"] }.map { $0.joined() }.isSorted)
    let wanted = all.filter { line in
      switch filter {
      case .all: true
      case .year(let year): line.date.hasPrefix("\(year)-")
      case .month(let month): line.date.hasPrefix(month)
      case .city(let city): line.city == city
      case .state(let state): line.state == state
      case .venue(let venue): line.venueName == venue
      case .dates(let first, let last): first <= line.date && line.date <= last
      case .onThisDay(let day): line.date.hasSuffix(day)
      }
    }
    for (limit, newestFirst) in [(1, false), (2, true), (5, false)] {
      var found: [ShowLine] = []
      var cursor: KeysetCursor?
      repeat {
        let page = try await shows.list(
          filter, newestFirst: newestFirst, limit: limit, after: cursor)
        found += page.rows
        // A cursor goes through text.
        cursor = try page.next.map { try KeysetCursor($0.description) }
      } while cursor != nil
      #expect(found == (newestFirst ? wanted.reversed() : wanted), "\(limit)")
    }
  }

  @Test func aCursorOfAnotherListOrOneThatWasChangedIsRefused() async throws {
    let test = try await TestArchive.imported()
    let next = try #require(try await test.archive.shows.list(limit: 1).next)
    await #expect(throws: StoreError.self) {
      _ = try await test.archive.shows.list(.year(1977), limit: 1, after: next)
    }
    for text in ["", ".", "x.y", next.description + "0", "A" + next.description, "e30.e30"] {
      #expect(throws: StoreError.self, "\(text)") { _ = try KeysetCursor(text) }
    }
    await #expect(throws: StoreError.self) {
      _ = try await test.archive.shows.list(limit: 0)
    }
  }

  /// No page reads a table from its beginning.
  @Test func everyPageIsFoundByAnIndex() async throws {
    let test = try await TestArchive.imported()
    let show = try #require(try await test.archive.shows.show(ID.lanternHall))
    let plans: [(String, [String], String)] = try await test.archive.catalog.read { rows in
      var plans: [(String, [String], String)] = []
      for isFirst in [true, false] {
        func add<Row>(_ list: KeysetList<Row>, _ index: String) throws {
          plans.append((list.name, try rows.plan(of: list, isFirst: isFirst), index))
        }
        try add(ShowFilter.all.list(), "idx_shows_date")
        try add(ShowFilter.year(1977).list(), "idx_shows_year")
        try add(ShowFilter.month("1977-05").list(), "idx_shows_yearMonth")
        try add(ShowFilter.city("Boston").list(), "idx_shows_city")
        try add(ShowFilter.state("CA").list(), "idx_shows_state")
        try add(ShowFilter.venue("The Barn").list(), "idx_shows_venue_name")
        try add(ShowFilter.onThisDay("05-08").list(), "idx_shows_date")
        try add(ShowFilter.all.list(newestFirst: true), "idx_shows_date")
        try add(ShowFilter.state("CA").list(newestFirst: true), "idx_shows_state")
        try add(ShowFilter.dates("1977-05-08", "1977-05-09").list(), "idx_shows_date")
        for (sourceType, isRare) in [(nil, false), ("SBD", false), ("SBD", true)] {
          try add(
            ShowRepository.topRecordings(sourceType: sourceType, minReviews: 3, isRare: isRare),
            isRare ? "idx_recordings_source_type" : "idx_recordings_rating")
        }
        try add(ShowRepository.neighbours(of: show, isBackwards: false), "idx_shows_date")
        try add(ShowRepository.neighbours(of: show, isBackwards: true), "idx_shows_date")
        try add(TopShow.list, "projection_rated_show_rating")
        try add(SavedShow.list, "idx_library_shows_is_pinned")
        try add(SavedShow.pinned, "idx_library_shows_is_pinned")
        try add(RecentPlays.mostPlayed, "projection_counted_play_count")
        try add(RecentPlays.list, "idx_recent_shows_last_played")
        try add(CollectionRepository.list(tag: nil), "idx_collections_total_shows")
        try add(CollectionRepository.list(tag: "release"), "idx_collections_primary_tag")
        try add(CollectedShow.list(of: "late-barn"), "PRIMARY KEY")
        try add(try #require(ShowQuery("half step").list), "VIRTUAL TABLE INDEX")
      }
      for (name, sql, index) in [
        ("recordings", ShowRepository.recordingsOfShow, "PRIMARY KEY"),
        ("collections of a show", CollectionRepository.collectionsOfShow, "show"),
      ] {
        let list = KeysetList(
          name, as: ShowLine.shape, columns: "*", from: "(\(sql))", [ID.barn],
          orderedBy: [KeysetKey("1", \.showID)])
        plans.append((name, try rows.plan(of: list, isFirst: true), index))
      }
      return plans
    }
    for (name, plan, index) in plans {
      #expect(plan.contains { $0.contains(index) }, "\(name): \(plan)")
      // A scan of a table that names no index reads all of it.
      let own = ["days", "years", "found", "CONSTANT", "(subquery"]
      let scans = plan.filter { step in
        step.hasPrefix("SCAN") && !step.contains("USING") && !step.contains("VIRTUAL TABLE")
          && !own.contains { step.contains($0) }
      }
      #expect(scans.isEmpty, "\(name): \(plan)")
    }
  }

  @Test func nextFromTheFirstShowWalksThroughAll() async throws {
    let test = try await TestArchive.imported()
    let shows = test.archive.shows
    let all = try await shows.list(limit: 100).rows
    var walked = [all[0]]
    while let next = try await shows.next(after: walked[walked.count - 1].showID).first {
      walked.append(next)
    }
    #expect(walked == all)
    var back = [all[all.count - 1]]
    while let previous = try await shows.previous(before: back[back.count - 1].showID).first {
      back.append(previous)
    }
    #expect(back == all.reversed())
    await #expect(throws: UnknownShow.self) { _ = try await shows.next(after: "nowhere") }
  }

  /// The package's best is not the highest rating; at the top, three have the same.
  @Test func recordingsAreInTheOrderOfRatingConfidenceReviewsAndIdentifier() async throws {
    let test = try await TestArchive.imported()
    let tied = try await test.archive.shows.recordings(of: ID.alameda).map(\.identifier)
    #expect(
      tied == ["lk1974-07-19.aud.pell.63", "lk1974-07-19.aud.pell.61", "lk1974-07-19.aud.pell.62"])
    let show = try #require(try await test.archive.shows.show(ID.lanternHall))
    let recordings = try await test.archive.shows.recordings(of: ID.lanternHall).map(\.identifier)
    #expect(show.bestRecordingID == "lk1977-05-08.aud.pell.102.flac16")
    #expect(recordings.first == "lk1977-05-08.sbd.hart.101.flac16")
    // One of two shows is among the recordings of both.
    for id in [ID.zephyrRoom, ID.apolloRoom] {
      let identifiers = try await test.archive.shows.recordings(of: id).map(\.identifier)
      #expect(identifiers.contains("lk1970-02-13.all.hart.51"), "\(id)")
    }
  }

  @Test func theBestRecordingsOfAllComeFirst() async throws {
    let test = try await TestArchive.imported()
    let shows = test.archive.shows
    let top = try await shows.topRecordings(limit: 100).rows
    #expect(top.map(\.rating) == top.map(\.rating).sorted(by: >))
    #expect(top.count > 5 && top.allSatisfy { $0.rating > 0 })
    let boards = try await shows.topRecordings(sourceType: "SBD", minReviews: 5, limit: 100).rows
    #expect(boards == top.filter { $0.sourceType == "SBD" && $0.reviewCount >= 5 })
    #expect(!boards.isEmpty)
    // The same by either index.
    for isRare in [false, true] {
      let list = ShowRepository.topRecordings(sourceType: "SBD", minReviews: 5, isRare: isRare)
      #expect(try await test.archive.catalog.page(of: list, limit: 100).rows == boards)
    }
    let first = try await shows.topRecordings(limit: 2)
    let second = try await shows.topRecordings(limit: 100, after: first.next)
    #expect(first.rows + second.rows == top)
    #expect(
      try await shows.bestRecording(of: ID.lanternHall)?.identifier
        == "lk1977-05-08.sbd.hart.101.flac16")
  }

  @Test func collectionsHaveTheirShowsInTheirOrder() async throws {
    let test = try await TestArchive.imported()
    let collections = test.archive.collections
    let boston = try await collections.shows(of: "best-of-boston", limit: 10).rows
    #expect(boston.map(\.line.showID) == [ID.zephyrRoom, ID.mercuryRoom, ID.apolloRoom])
    #expect(try await collections.collections(with: ID.barn).isEmpty)
    #expect(try await collections.collections(with: ID.lateBarn).map(\.id) == ["late-barn"])
    #expect(try await collections.list(tag: "release", limit: 9).rows.map(\.id) == ["late-barn"])
    #expect(try await collections.list(limit: 9).rows.map(\.totalShows) == [3, 3, 3, 1])
  }

  @Test func theBestShowsComeFirstAndShowsWithoutRatingsNot() async throws {
    let test = try await TestArchive.imported()
    let top = try await test.archive.shows.top(limit: 100).rows
    #expect(top.count == 11)
    #expect(top.map(\.rating) == top.map(\.rating).sorted(by: >))
    // Two with the same rating and reviews.
    #expect(top.filter { $0.rating == 2.25 }.map(\.line.showID) == [ID.lateBarn, ID.barn])
  }
}

extension [String] {
  fileprivate var isSorted: Bool { self == sorted() }
}
