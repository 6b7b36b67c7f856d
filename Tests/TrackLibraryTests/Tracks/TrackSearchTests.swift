import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// Searches compared with a plain model of them.
@Suite(
  .promise(
    "A page of tracks, playlists, songs, albums and artists is found by an index, and is "
      + "that of a plain model",
    by: "generated libraries"))
struct TrackSearchTests {
  private struct Known {
    let title: [String]
    let artist: [String]
    let album: [String]
    let id: EntityID
  }

  private static let words = ["blue", "blues", "sea", "season", "the", "theme", "red", "ä"]

  /// Titles that begin with the query come first, by title; then whatever else has all words, the newest first. Pages of
  /// any size are the whole list.
  @Test(arguments: UInt64(1)...6)
  func aSearchIsThatOfTheModel(_ seed: UInt64) async throws {
    let test = try await TestLibrary()
    var random = SplitMix(seed: seed)
    func some(_ most: Int) -> [String] {
      (0..<1 + random.below(most)).map { _ in random.pick(Self.words) }
    }
    let known = (1...50).map {
      Known(title: some(3), artist: some(2), album: some(2), id: .number($0))
    }
    try await test.importing(
      LibraryText.library(
        known.enumerated().map { place, track in
          LibraryText.track(
            place + 1, track.title.joined(separator: " "), track.artist.joined(separator: " "),
            track.album.joined(separator: " "), file: "/\(place).mp3")
        }), as: "library.json")
    for _ in 0..<40 {
      var query = some(3)
      if random.below(2) == 0 {
        query[query.count - 1] = String(query[query.count - 1].prefix(1 + random.below(4)))
      }
      let expected = Self.found(query, in: known)
      let text = query.joined(separator: " ")
      let whole = try await test.library.tracks.search(text, limit: 99)
      #expect(whole.rows.map(\.id) == expected, "\(text), seed \(seed)")
      #expect(whole.next == nil)
      var pages: [EntityID] = []
      var cursor: KeysetCursor?
      let limit = 1 + random.below(6)
      repeat {
        let page = try await test.library.tracks.search(text, limit: limit, after: cursor)
        #expect(page.rows.count <= limit)
        // A cursor promises a row.
        #expect(cursor == nil || !page.rows.isEmpty, "\(text), seed \(seed), limit \(limit)")
        pages += page.rows.map(\.id)
        cursor = page.next
      } while cursor != nil
      #expect(pages == expected, "\(text), seed \(seed), limit \(limit)")
    }
  }

  private static func found(_ query: [String], in known: [Known]) -> [EntityID] {
    // Without accents, as the words of the catalog are.
    func key(_ words: [String]) -> String {
      words.joined(separator: " ").replacing("ä", with: "a")
    }
    let titles = known.filter { key($0.title).hasPrefix(key(query)) }
      .sorted { (key($0.title), $0.id.description) < (key($1.title), $1.id.description) }
    let begun = Set(titles.map(\.id))
    let others = known.reversed().filter { track in
      let words = (track.title + track.artist + track.album).map { key([$0]) }
      return !begun.contains(track.id)
        && query.dropLast().allSatisfy { words.contains(key([$0])) }
        && words.contains { $0.hasPrefix(key(query.suffix(1))) }
    }
    return (titles + others).map(\.id)
  }

  /// Artists and albums that are called by marks alone, which are no words; each track is listed once.
  @Test func namesOfMarksAloneAreFound() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      LibraryText.library([
        LibraryText.track(1, "Heart", "!!!", "Strange", file: "/1.mp3"),
        LibraryText.track(2, "!!!", "!!!", "!!!", file: "/2.mp3"),
        LibraryText.track(3, "Other", "Somebody", "!!!!", file: "/3.mp3"),
        LibraryText.track(4, "Nothing", "Somebody", "?", file: "/4.mp3"),
      ]), as: "library.json")
    let tracks = test.library.tracks
    for limit in [1, 9] {
      var found: [EntityID] = []
      var cursor: KeysetCursor?
      repeat {
        let page = try await tracks.search("!!!", limit: limit, after: cursor)
        found += page.rows.map(\.id)
        cursor = page.next
      } while cursor != nil
      #expect(found == [.number(2), .number(1), .number(3)])
    }
    #expect(try await tracks.search("?", limit: 9).rows.map(\.id) == [.number(4)])
    #expect(try await tracks.search("§", limit: 9).rows.isEmpty)
  }

  /// Marks are no words, and begin titles, artists and albums all the same.
  @Test func aSearchForMarksFindsWhatBeginsWithThem() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      LibraryText.library([
        LibraryText.track(1, "$ave", "A", "L", file: "/1.mp3"),
        LibraryText.track(2, "Money", "$hop", "L", file: "/2.mp3"),
        LibraryText.track(3, "Other", "A", "$$$", file: "/3.mp3"),
        LibraryText.track(4, "\\\"Heroes\\\"", "A", "L", file: "/4.mp3"),
        LibraryText.track(5, "Plain", "\\\"Q\\\"", "L", file: "/5.mp3"),
        LibraryText.track(6, "A $", "A", "L", file: "/6.mp3"),
      ]), as: "library.json")
    for (query, found) in [
      ("$", [1, 2, 3]), ("\"", [4, 5]), (" $ ", [1, 2, 3]), ("$$", [3]), ("%", []), ("\0", []),
    ] {
      let rows = try await test.library.tracks.search(query, limit: 9).rows
      #expect(rows.map(\.id) == found.map { EntityID.number($0) }, "\(query)")
    }
  }

  /// Words inside scripts without spaces, letters that no decomposition takes apart, width, parts of words: as searches of
  /// all kinds find them.
  @Test(arguments: [
    ("灯台", [1]), ("台灯", []), ("楽団", [1]), ("青山 船", [1]), ("กลางคืน", [2]), ("ประภา", [2]),
    ("aero", [3]),
    ("Ærø", [3]), ("strasse", [3]), ("full", [4]), ("ガーデン", [4]), ("istanbul isik", [5]),
    ("ışık", [5]),
    ("annbjorg", [6]), ("tiesto lopez", [6]), ("wood", [7]), ("DOORWood", [7]), ("creak door", [7]),
    ("acdc", [8]), ("ac/dc", [8]), ("heros", [8]), ("hero’s", [8]), ("♥", [9]), ("船 青", [1]),
    ("白い船 ola", []),
  ])
  func wordsOfAllScriptsAreFound(_ query: String, _ found: [Int]) async throws {
    let test = try await TestLibrary()
    let texts = [
      ("雨の灯台と白い船", "青山楽団"), ("ประภาคารกลางคืน", "วงน้ำ"), ("Straße nach Ærø", "Ola"),
      ("ＦＵＬＬ", "ｶﾞｰﾃﾞﾝ"), ("İstanbul Işık", "Ida"), ("Annbjørg López", "Tiësto"),
      ("DOORWood_Creak", "Pack"), ("AC/DC", "Hero’s"), ("Sea ♥ Salt", "Rope"),
    ]
    try await test.importing(
      LibraryText.library(
        texts.enumerated().map {
          LibraryText.track($0 + 1, $1.0, $1.1, "", file: "/\($0).mp3")
        }), as: "library.json")
    #expect(
      try await test.library.tracks.search(query, limit: 9).rows.map(\.id)
        == found.map { EntityID.number($0) })
    try await test.catalog.rebuild()
    #expect(try await test.library.tracks.search(query, limit: 9).rows.count == found.count)
  }

  /// Words that no track has, written as words that one has.
  @Test func nearMissesAreNamed() async throws {
    let test = try await TestLibrary()
    try await test.importing(LibraryText.small, as: "library.json")
    let tracks = test.library.tracks
    for (query, near) in [
      ("noctrune", "nocturne"), ("noctrune pianst", "nocturne pianist"), ("field", nil),
      ("zzyzx", nil), ("nocturne field", nil), ("", nil),
      // Each word is in some track, and no track has both.
      ("noctrune field", nil),
    ] {
      #expect(try await tracks.nearMiss(of: query) == near, "\(query)")
    }
  }

  /// The index has first letters in lists of their own, which nothing but such a search reads.
  @Test func lostListsOfFirstLettersAreFound() async throws {
    let test = try await TestLibrary()
    var random = SplitMix(seed: 7)
    func word() -> String { String((0..<12).map { _ in random.pick(Array("abcdefghijkl")) }) }
    try await test.importing(
      LibraryText.library(
        (1...400).map {
          LibraryText.track($0, "\(word()) \(word())", word(), word(), file: "/\($0).mp3")
        }), as: "library.json")
    test.library.close()
    let query =
      "SELECT count(*) FROM projection_track_search WHERE projection_track_search MATCH 'kk*'"
    let found = try test.sql(query)
    _ = try test.sql("DELETE FROM projection_track_search_idx WHERE term >= X'31'")
    #expect(try test.sql(query) != found)
    let again = try await EventCatalog.open(
      CatalogDirectory(test.folder.file("library")), TrackLibraryKind())
    defer { again.close() }
    let error = await #expect(throws: StoreError.self) { try await again.verifyIfTouched() }
    #expect(error?.code == .drifted)
    #expect("\(error, default: "")".contains("rows that have a word that begins with"))
  }

  /// Words that FTS5 cuts within a character, and the last character of Unicode.
  @Test(arguments: [
    "0" + String(repeating: "𝒜", count: 10_000), String(repeating: "b", count: 40_000),
    "Abc\u{10FFFF}def", "\u{10FFFF}", "abcde\u{10FFFF}\u{10FFFF}x",
  ])
  func strangeWordsAreFoundAndVerified(_ word: String) async throws {
    let test = try await TestLibrary()
    try await test.importing(
      LibraryText.library([
        LibraryText.track(1, word, file: "/1.mp3"),
        LibraryText.track(2, "abc", word, file: "/2.mp3"),
      ]), as: "library.json")
    let beginning = String(word.prefix(1))
    #expect(
      try await test.library.tracks.search(beginning, limit: 9).rows.map(\.id).contains(.number(1)))
    test.library.close()
    // Without it nothing says that the rows are right.
    try? FileManager.default.removeItem(atPath: test.folder.file("library/catalog.sqlite-proved"))
    let again = try await EventCatalog.open(
      CatalogDirectory(test.folder.file("library")), TrackLibraryKind())
    defer { again.close() }
    try await again.verifyIfTouched()
  }

  @Test func aCursorOfAnotherSearchIsRefused() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      LibraryText.library(
        (1...4).map { LibraryText.track($0, "Sea \($0)", file: "/\($0).mp3") }), as: "library.json")
    let tracks = test.library.tracks
    let next = try #require(try await tracks.search("sea", limit: 2).next)
    let error = await #expect(throws: StoreError.self) {
      _ = try await tracks.search("se", limit: 2, after: next)
    }
    #expect(error?.code == .cursorOfAnotherList)
    let limit = await #expect(throws: StoreError.self) {
      _ = try await tracks.search("sea", limit: 0)
    }
    #expect(limit?.code == .invalidLimit)
  }
}
