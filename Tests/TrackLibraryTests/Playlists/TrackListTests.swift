import CatalogEngine
import CatalogTestSupport
import Testing
import TrackLibrary

@Suite struct TrackListTests {
  private func library() async throws -> TestLibrary {
    let test = try await TestLibrary()
    try await test.library.imports.apply(
      ScratchFolder.repository + "/Examples/Tracks/library.json", keepsFile: true)
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
    let isRight = zip(whole, whole.dropFirst()).allSatisfy { left, right in
      switch sort {
      case .title:
        left.title.utf8.lexicographicallyPrecedes(right.title.utf8) || left.title == right.title
      case .artist: left.artist <= right.artist
      case .album: left.album <= right.album
      case .added: left.dateAdded >= right.dateAdded
      case .duration: left.duration >= right.duration
      }
    }
    #expect(isRight)
  }

  @Test func listsAreFiltered() async throws {
    let test = try await library()
    let tracks = test.library.tracks
    #expect(try await tracks.list(.source("local"), limit: 9).rows.count == 3)
    #expect(try await tracks.list(.source("spotify"), limit: 9).rows.count == 4)
    #expect(try await tracks.list(.source("tape"), limit: 9).rows.isEmpty)
    #expect(try await tracks.list(.album("Harbour Songs"), limit: 9).rows.count == 3)
    #expect(try await tracks.list(.artist("Ida Marlo"), limit: 9).rows.count == 3)
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
