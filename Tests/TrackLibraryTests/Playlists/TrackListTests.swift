import CatalogModel
import CatalogTestSupport
import Promises
import Testing

@testable import CatalogEngine
@testable import TrackLibrary

@Suite(
  .promise(
    "A page of tracks, playlists, songs, albums and artists is found by an index, and is "
      + "that of a plain model",
    by: "query plans"))
struct TrackListTests {
  private func library() async throws -> TestLibrary {
    let test = try await TestLibrary()
    try await test.library.imports.apply(
      ScratchFolder.repository + "/Examples/Tracks/library.json")
    try await test.library.imports.apply(ScratchFolder.repository + "/Examples/Tracks/spotify")
    return test
  }

  @Test(arguments: TrackSort.allCases)
  func pagesOfAListAreTheWholeList(_ sort: TrackSort) async throws {
    let test = try await library()
    let whole = try await test.library.tracks.list(by: sort, limit: 100).rows
    #expect(whole.count == 7)
    var pages: [TrackLine] = []
    var cursor: KeysetCursor?
    repeat {
      let page = try await test.library.tracks.list(by: sort, limit: 2, after: cursor)
      pages += page.rows
      cursor = page.next
    } while cursor != nil
    #expect(pages == whole)
    #expect(whole == whole.sorted { sort.isInOrder($0, $1) })
  }

  /// Titles that bytes would sort in another way.
  @Test func aPersonsOrderIsNotThatOfBytes() async throws {
    let test = try await TestLibrary()
    let titles = ["Zebra", "apple", "Äpfel", "Émile", "eagle", "“Quoted”", "7 Steps"]
    let lines = titles.enumerated().map { "#EXTINF:100,\($1)\n/Music/\($0).mp3\n" }
    try await test.importing("#EXTM3U\n" + lines.joined(), as: "some.m3u8")
    let listed = try await test.library.tracks.list(by: .title, limit: 20).rows.map(\.title)
    #expect(listed == ["7 Steps", "Äpfel", "apple", "eagle", "Émile", "“Quoted”", "Zebra"])
  }

  /// The order of a list is that of an index: a page of a million tracks costs what one of ten does.
  @Test func everyPageIsFoundByAnIndex() async throws {
    let test = try await library()
    for filter in [
      TrackFilter.all, .source("local"), .artist("Ida Marlo"), .album("Harbour Songs"),
      .album("Harbour Songs", by: "Ida Marlo"),
    ] {
      for sort in TrackSort.allCases {
        for isFirst in [true, false] {
          let plan = try await test.catalog.read {
            try $0.plan(of: filter.list(by: sort), isFirst: isFirst)
          }
          let tables = plan.filter { $0.hasPrefix("SCAN") || $0.hasPrefix("SEARCH") }
          #expect(tables.allSatisfy { $0.contains("USING") }, "\(filter) by \(sort): \(plan)")
          switch filter {
          case .all, .source:
            #expect(
              !plan.contains { $0.contains("B-TREE") }, "\(filter) by \(sort): \(plan)")
            #expect(
              tables[0].contains("projection_track_order_\(sort)"),
              "\(filter) by \(sort): \(plan)")
          // Few tracks, which may be sorted.
          case .artist, .album: #expect(tables[0].hasPrefix("SEARCH"), "\(plan)")
          }
        }
      }
    }
  }

  @Test func marksAreFoundByIndexes() async throws {
    let test = try await library()
    let lists = TrackQuery("!!!").lists
    #expect(lists.count == 3)
    for (list, index) in zip(lists, ["title", "artist", "album"]) {
      for isFirst in [true, false] {
        let plan = try await test.catalog.read { try $0.plan(of: list, isFirst: isFirst) }
        #expect(plan[0].contains("projection_track_order_\(index)"), "\(plan)")
        #expect(!plan.contains { $0.contains("B-TREE") }, "\(plan)")
      }
    }
  }

  /// However many tracks a query finds, none of them is sorted.
  @Test func whatAQueryFindsIsNotSorted() async throws {
    let test = try await library()
    for (list, index) in zip(
      TrackQuery("ferry rowers").lists, ["projection_track_order_title", "VIRTUAL TABLE INDEX"])
    {
      for isFirst in [true, false] {
        let plan = try await test.catalog.read { try $0.plan(of: list, isFirst: isFirst) }
        #expect(plan[0].contains(index), "\(plan)")
        #expect(!plan.contains { $0.contains("B-TREE") }, "\(plan)")
      }
    }
  }

  /// Playlists, songs, albums and artists are read in the order of an index, groups too.
  @Test func otherListsAreFoundByAnIndex() async throws {
    let test = try await library()
    func holds<Row>(_ list: KeysetList<Row>, _ index: String) async throws {
      for isFirst in [true, false] {
        let plan = try await test.catalog.read { try $0.plan(of: list, isFirst: isFirst) }
        let first = try #require(plan.first { $0.hasPrefix("SCAN") || $0.hasPrefix("SEARCH") })
        #expect(first.contains(index), "\(plan)")
        // Behind it stands what is read of each row that the page has.
        let list = plan.prefix { !$0.hasPrefix("CORRELATED") }
        #expect(!list.contains { $0.contains("B-TREE") && !$0.contains("DISTINCT") }, "\(plan)")
      }
    }
    try await holds(PlaylistLine.list, "projection_collection_order_name")
    try await holds(SongLine.list, "projection_song_order_artist")
    try await holds(Album.list, "COVERING INDEX projection_track_order_album")
    try await holds(Artist.list, "COVERING INDEX projection_track_order_artist")
  }

  /// A source with few tracks among many is found by its source, and lists the same as one with many.
  @Test(arguments: TrackSort.allCases)
  func aRareSourceListsTheSame(_ sort: TrackSort) async throws {
    let test = try await library()
    let filter = TrackFilter.source("spotify")
    let (rare, common) = try await test.catalog.read { rows in
      (
        try rows.page(of: filter.list(by: sort, isRare: true), limit: 9).rows,
        try rows.page(of: filter.list(by: sort, isRare: false), limit: 9).rows
      )
    }
    #expect(rare == common)
    #expect(rare.count == 4)
    let plan = try await test.catalog.read {
      try $0.plan(of: filter.list(by: sort, isRare: true), isFirst: true)
    }
    #expect(plan[0].contains("projection_track_order_source"), "\(plan)")
  }

  /// Two albums of one title: each artist of the list of albums leads to the tracks of its own.
  @Test func everyAlbumHasItsTracks() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      LibraryText.library([
        LibraryText.track(1, "One", "Anna", "Greatest Hits", file: "/1.mp3"),
        LibraryText.track(2, "Two", "Berta", "Greatest Hits", file: "/2.mp3"),
        LibraryText.track(
          3, "Three", "Guest", "GREATEST HITS", file: "/3.mp3", more: ", \"albumArtist\": \"anna\""),
      ]), as: "library.json")
    let tracks = test.library.tracks
    let albums = try await test.library.albums.list(limit: 9).rows
    #expect(albums.map(\.trackCount) == [2, 1])
    var titles: [[String]] = []
    for album in albums {
      titles.append(
        try await tracks.list(.album(album.title, by: album.artist), limit: 9).rows.map(\.title))
    }
    #expect(titles == [["One", "Three"], ["Two"]])
    #expect(try await tracks.list(.album("greatest hits"), limit: 9).rows.count == 3)
  }

  @Test func listsAreFiltered() async throws {
    let test = try await library()
    let tracks = test.library.tracks
    #expect(try await tracks.list(.source("local"), limit: 9).rows.count == 3)
    #expect(try await tracks.list(.source("spotify"), limit: 9).rows.count == 4)
    #expect(try await tracks.list(.source("tape"), limit: 9).rows.isEmpty)
    #expect(try await tracks.list(.album("Harbour Songs"), limit: 9).rows.count == 3)
    #expect(try await tracks.list(.artist("Ida Marlo"), limit: 9).rows.count == 3)
    #expect(try await tracks.list(.artist("ida MARLO"), by: .album, limit: 9).rows.count == 3)
  }

  @Test(arguments: [
    ("lantern", 3), ("LANTERN ida", 3), ("uberfahrt", 1), ("überf", 1), ("ferry rowers", 2),
    ("harbour live", 1), ("nothing", 0), ("", 0), ("\"", 0), ("lantern \"", 3), ("OR", 0),
    ("lant*", 3),
    ("title:lantern", 0), ("NEAR(", 0), ("-", 0), ("\0", 0),
  ])
  func tracksAreFoundByWords(_ query: String, _ count: Int) async throws {
    let test = try await library()
    #expect(try await test.library.tracks.search(query, limit: 9).rows.count == count)
  }
}

extension TrackSort {
  /// The order in which lists are, by a plain comparison.
  fileprivate func isInOrder(_ left: TrackLine, _ right: TrackLine) -> Bool {
    func keys(_ line: TrackLine) -> [String] {
      func number(_ value: Double) -> String {
        let digits = String(Int(value * 1000))
        return String(repeating: "0", count: 12 - digits.count) + digits
      }
      let (title, album) = (words(line.title), words(line.album))
      let albumArtist = words(line.albumArtist ?? line.artist)
      let place = number(Double(line.trackNumber ?? 0))
      return switch self {
      case .title: [title, line.id.description]
      case .artist: [words(line.artist), album, albumArtist, place, title, line.id.description]
      case .album: [album, albumArtist, place, title, line.id.description]
      case .added: [line.dateAdded.description, line.id.description]
      case .duration: [number(line.duration), line.id.description]
      }
    }
    let (left, right) = (keys(left), keys(right))
    return isDescending
      ? right.lexicographicallyPrecedes(left) : left.lexicographicallyPrecedes(right)
  }

  private func words(_ text: String) -> String { SearchText(text).words }
}
